"""JAX, through jax.jit."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax import nn as jnn
from shapes import RING, Data

VERSION = jax.__version__


def _linear(x, w, b):
    return x @ w.T + b


def _norm(x, g, b):
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) * lax.rsqrt(variance + 1e-5) * g + b


def _mlp(layers, x):
    for w, b in layers[:-1]:
        x = jnn.relu(_linear(x, w, b))
    return _linear(x, *layers[-1])


def _cross_entropy(y, t):
    return -jnp.take_along_axis(jnn.log_softmax(y), t[:, None], 1).mean()


def _mse(y, t):
    return ((y - t) ** 2).mean()


def workloads(sizes):
    """The table for jax.jit."""
    heads = sizes.heads

    def block(p, x):
        h = _norm(x, p["norm1.weight"], p["norm1.bias"])
        b, t, d = h.shape
        qkv = _linear(h, p["qkv.weight"], p["qkv.bias"]).reshape(b, t, 3, heads, d // heads)
        q, k, v = jnp.moveaxis(qkv, 2, 0)
        a = jnn.dot_product_attention(q, k, v, is_causal=True).reshape(b, t, d)
        x = x + _linear(a, p["out.weight"], p["out.bias"])
        h = _norm(x, p["norm2.weight"], p["norm2.bias"])
        h = jnn.gelu(_linear(h, p["up.weight"], p["up.bias"]), approximate=False)
        return x + _linear(h, p["down.weight"], p["down.bias"])

    def transformer(blocks, x):
        for p in blocks:
            x = block(p, x)
        return x

    def cnn(p, x, training=False):
        for (w, g, b), (_, _, stride) in zip(p["convolutions"], sizes.channels, strict=True):
            x = lax.conv_general_dilated(
                x, w, (stride, stride), [(1, 1), (1, 1)],
                dimension_numbers=("NCHW", "OIHW", "NCHW"),
            )  # fmt: skip
            if training:
                mean = x.mean((0, 2, 3), keepdims=True)
                x = (x - mean) * lax.rsqrt(x.var((0, 2, 3), keepdims=True) + 1e-5)
            else:
                x = x * (1 + 1e-5) ** -0.5
            x = jnn.relu(x * g[:, None, None] + b[:, None, None])
        return _linear(x.mean((2, 3)), *p["head"])

    def cnn_parameters(data):
        channels = [o for _, o, _ in sizes.channels]
        weights = [
            (w, np.ones(o, np.float32), np.zeros(o, np.float32))
            for w, o in zip(data.convolutions(), channels, strict=True)
        ]
        return {"convolutions": weights, "head": data.head()}

    def on_device(tree):
        return jax.tree_util.tree_map(jnp.asarray, tree)

    def infer(f, parameters, *shape):
        def make():
            data = Data(sizes)
            p = on_device(parameters(data))
            compiled = jax.jit(f)
            inputs = [jnp.asarray(x) for x in data.ring(*shape)]
            return lambda i: np.asarray(compiled(p, inputs[i % RING]))

        return make

    def function(f, *shapes):
        def make():
            data = Data(sizes)
            compiled = jax.jit(f)
            rings = [[jnp.asarray(x) for x in data.ring(*shape)] for shape in shapes]
            return lambda i: np.asarray(compiled(*[ring[i % RING] for ring in rings]))

        return make

    def train(f, parameters, loss, optimizer, shape, targets):
        tree = jax.tree_util.tree_map

        def make():
            data = Data(sizes)
            p = on_device(parameters(data))
            state = [p, tree(jnp.zeros_like, p), tree(jnp.zeros_like, p), jnp.float32(0)]
            xs = [jnp.asarray(x) for x in data.ring(*shape)]
            ts = [jnp.asarray(t) for t in targets(data)]

            def step(p, m, v, count, x, t):
                value, g = jax.value_and_grad(lambda p: loss(f(p, x), t))(p)
                count = count + 1
                if optimizer == "sgd":
                    m = tree(lambda a, b: 0.9 * a + b, m, g)
                    p = tree(lambda a, b: a - 0.01 * b, p, m)
                else:
                    lr, decay = (1e-4, 1e-2) if optimizer == "adamw" else (1e-3, 0.0)
                    m = tree(lambda a, b: 0.9 * a + 0.1 * b, m, g)
                    v = tree(lambda a, b: 0.999 * a + 0.001 * b * b, v, g)
                    c1, c2 = 1 - 0.9**count, 1 - 0.999**count
                    p = tree(
                        lambda a, m, v: (
                            a * (1 - lr * decay) - lr * (m / c1) / (jnp.sqrt(v / c2) + 1e-8)
                        ),
                        p, m, v,
                    )  # fmt: skip
                return p, m, v, count, value

            compiled = jax.jit(step, donate_argnums=(0, 1, 2))

            def call(i):
                *state[:], value = compiled(*state, xs[i % RING], ts[i % RING])
                return float(value)

            return call

        return make

    def sweep():
        data = Data(sizes)
        p = on_device(data.mlp())
        compiled = jax.jit(_mlp)
        inputs = [
            [jnp.asarray(data.normal(n, sizes.mlp[0])) for n in range(1, sizes.sweep + 1)]
            for _ in range(2)
        ]

        def call(i):
            for x in inputs[i % 2]:
                last = np.asarray(compiled(p, x))
            return last

        return call

    batch, n, length, d = sizes.attention
    tf_shape = (sizes.tf_batch, sizes.length, sizes.width)
    images = (sizes.cnn_batch, 3, sizes.image, sizes.image)
    return {
        "linear_8x4_b1": infer(
            lambda p, x: _linear(x, *p), lambda data: (data.normal(4, 8), data.normal(4)), 1, 8
        ),
        "mlp_b1": infer(_mlp, Data.mlp, 1, sizes.mlp[0]),
        "mlp_b64": infer(_mlp, Data.mlp, sizes.mlp_batch, sizes.mlp[0]),
        "tf_infer": infer(transformer, lambda data: data.blocks(sizes.blocks), *tf_shape),
        "sdpa_causal": function(
            lambda q, k, v: jnn.dot_product_attention(q, k, v, is_causal=True),
            *[(batch, length, n, d)] * 3,
        ),
        "cnn_infer": infer(cnn, cnn_parameters, *images),
        "pointwise_1M": function(
            lambda x, y: x * jnn.sigmoid(x) + jnp.tanh(y) * 0.5 - jnp.exp(-jnp.abs(x)),
            *[(sizes.points,)] * 2,
        ),
        "softmax_ln": function(lambda x: _norm(jnn.softmax(x), 1.0, 0.0), sizes.rows),
        "mlp_train": train(
            _mlp, Data.mlp, _cross_entropy, "adam", (sizes.mlp_batch, sizes.mlp[0]),
            lambda data: data.labels(sizes.mlp_batch),
        ),
        "tf_train": train(
            transformer, lambda data: data.blocks(sizes.blocks), _mse, "adamw", tf_shape,
            lambda data: data.ring(*tf_shape),
        ),
        "cnn_train": train(
            lambda p, x: cnn(p, x, True), cnn_parameters, _cross_entropy, "sgd", images,
            lambda data: data.labels(sizes.cnn_batch),
        ),
        "dyn_sweep_64": sweep,
        "tf12_cold": infer(
            transformer, lambda data: data.blocks(sizes.deep), 1, sizes.deep_length, sizes.width
        ),
    }  # fmt: skip
