"""The workloads in PyTorch's names, for PyTorch and for Lucid."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from shapes import RING, Data, Sizes

Make = Callable[[], Callable[[int], Any]]


def workloads(sizes: Sizes, api: SimpleNamespace) -> dict[str, Make]:
    """Builds the table.

    Args:
        sizes: Sizes of everything.
        api: ``lib`` (the framework's module), ``nn``, ``F``, ``optim``, ``tensor(array)``,
            ``set(parameter, array)``, ``compile(target, dynamic=False)``, ``read(tensor)``,
            ``grad_off()`` and ``train_step(step, model, optimizer)``.
    """
    nn, F, lib = api.nn, api.F, api.lib

    class Block(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            d = sizes.width
            self.norm1, self.norm2 = nn.LayerNorm(d), nn.LayerNorm(d)
            self.qkv, self.out = nn.Linear(d, 3 * d), nn.Linear(d, d)
            self.up, self.down = nn.Linear(d, sizes.inner), nn.Linear(sizes.inner, d)

        def forward(self, x):
            h = self.norm1(x)
            b, t, d = h.shape
            q, k, v = (
                self.qkv(h).reshape(b, t, 3, sizes.heads, d // sizes.heads).permute(2, 0, 3, 1, 4)
            )
            a = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.out(a.transpose(1, 2).reshape(b, t, d))
            return x + self.down(F.gelu(self.up(self.norm2(x))))

    def fill(module, arrays: dict[str, Any]) -> None:
        for name, parameter in module.named_parameters():
            if name in arrays:
                api.set(parameter, arrays[name])

    def linear(i: int, o: int, weight, bias):
        layer = nn.Linear(i, o)
        fill(layer, {"weight": weight, "bias": bias})
        return layer

    def mlp(data: Data):
        layers: list[Any] = []
        for (i, o), (w, b) in zip(
            zip(sizes.mlp, sizes.mlp[1:], strict=False), data.mlp(), strict=True
        ):
            layers += [linear(i, o, w, b), nn.ReLU()]
        return nn.Sequential(*layers[:-1])

    def transformer(data: Data, count: int):
        blocks = []
        for arrays in data.blocks(count):
            blocks.append(Block())
            fill(blocks[-1], arrays)
        return nn.Sequential(*blocks)

    def cnn(data: Data):
        layers: list[Any] = []
        for (i, o, stride), w in zip(sizes.channels, data.convolutions(), strict=True):
            layers.append(nn.Conv2d(i, o, 3, stride, 1, bias=False))
            fill(layers[-1], {"weight": w})
            layers += [nn.BatchNorm2d(o), nn.ReLU()]
        w, b = data.head()
        return nn.Sequential(
            *layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), linear(w.shape[1], w.shape[0], w, b)
        )

    def infer(build, *shape: int) -> Make:
        def make():
            data = Data(sizes)
            model = api.compile(build(data).eval())
            inputs = [api.tensor(x) for x in data.ring(*shape)]

            def call(i):
                with api.grad_off():
                    return api.read(model(inputs[i % RING]))

            return call

        return make

    def function(f, *shapes: tuple[int, ...]) -> Make:
        def make():
            data = Data(sizes)
            compiled = api.compile(f)
            rings = [[api.tensor(x) for x in data.ring(*shape)] for shape in shapes]

            def call(i):
                with api.grad_off():
                    return api.read(compiled(*[ring[i % RING] for ring in rings]))

            return call

        return make

    def train(build, optimizer, loss, shape, targets) -> Make:
        def make():
            data = Data(sizes)
            model = build(data)
            model.train()
            opt = optimizer(model.parameters())
            xs = [api.tensor(x) for x in data.ring(*shape)]
            ts = [api.tensor(t) for t in targets(data)]
            step = api.train_step(model, opt, loss)
            return lambda i: step(xs[i % RING], ts[i % RING])

        return make

    def sweep():
        data = Data(sizes)
        model = api.compile(mlp(data).eval(), dynamic=True)
        inputs = [
            [api.tensor(data.normal(n, sizes.mlp[0])) for n in range(1, sizes.sweep + 1)]
            for _ in range(2)
        ]

        def call(i):
            with api.grad_off():
                for x in inputs[i % 2]:
                    last = api.read(model(x))
            return last

        return call

    tf_shape = (sizes.tf_batch, sizes.length, sizes.width)
    images = (sizes.cnn_batch, 3, sizes.image, sizes.image)
    rows = sizes.rows
    adam = lambda p: api.optim.Adam(p, lr=1e-3)  # noqa: E731
    adamw = lambda p: api.optim.AdamW(p, lr=1e-4)  # noqa: E731
    sgd = lambda p: api.optim.SGD(p, lr=0.01, momentum=0.9)  # noqa: E731
    return {
        "linear_8x4_b1": infer(
            lambda data: linear(8, 4, data.normal(4, 8), data.normal(4)), 1, 8
        ),
        "mlp_b1": infer(mlp, 1, sizes.mlp[0]),
        "mlp_b64": infer(mlp, sizes.mlp_batch, sizes.mlp[0]),
        "tf_infer": infer(lambda data: transformer(data, sizes.blocks), *tf_shape),
        "sdpa_causal": function(
            lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True),
            *[sizes.attention] * 3,
        ),
        "cnn_infer": infer(cnn, *images),
        "pointwise_1M": function(
            lambda x, y: x * lib.sigmoid(x) + lib.tanh(y) * 0.5 - lib.exp(-lib.abs(x)),
            *[(sizes.points,)] * 2,
        ),
        "softmax_ln": function(
            lambda x: F.layer_norm(lib.softmax(x, -1), (rows[1],)), rows
        ),
        "mlp_train": train(
            mlp, adam, F.cross_entropy, (sizes.mlp_batch, sizes.mlp[0]),
            lambda data: data.labels(sizes.mlp_batch),
        ),
        "tf_train": train(
            lambda data: transformer(data, sizes.blocks), adamw, F.mse_loss, tf_shape,
            lambda data: data.ring(*tf_shape),
        ),
        "cnn_train": train(
            cnn, sgd, F.cross_entropy, images, lambda data: data.labels(sizes.cnn_batch)
        ),
        "dyn_sweep_64": lambda: sweep(),
        "tf12_cold": infer(
            lambda data: transformer(data, sizes.deep), 1, sizes.deep_length, sizes.width
        ),
    }  # fmt: skip
