"""MLX on the CPU, through mx.compile: inference only."""

from __future__ import annotations

import mlx.core as mx
import mlx.nn as mnn
import numpy as np
from shapes import RING, Data

VERSION = mx.__version__


def _linear(x, w, b):
    return mx.addmm(b, x, w.T)


def _mlp(layers, x):
    for w, b in layers[:-1]:
        x = mx.maximum(_linear(x, w, b), 0)
    return _linear(x, *layers[-1])


def workloads(sizes):
    """The table for mx.compile."""
    heads = sizes.heads
    scale = (sizes.width // heads) ** -0.5

    def block(p, x):
        h = mx.fast.layer_norm(x, p["norm1.weight"], p["norm1.bias"], 1e-5)
        b, t, d = h.shape
        qkv = _linear(h, p["qkv.weight"], p["qkv.bias"]).reshape(b, t, 3, heads, d // heads)
        q, k, v = qkv.transpose(2, 0, 3, 1, 4)
        a = mx.fast.scaled_dot_product_attention(q, k, v, scale=scale, mask="causal")
        x = x + _linear(a.transpose(0, 2, 1, 3).reshape(b, t, d), p["out.weight"], p["out.bias"])
        h = mx.fast.layer_norm(x, p["norm2.weight"], p["norm2.bias"], 1e-5)
        h = mnn.gelu(_linear(h, p["up.weight"], p["up.bias"]))
        return x + _linear(h, p["down.weight"], p["down.bias"])

    def transformer(blocks, x):
        for p in blocks:
            x = block(p, x)
        return x

    def array(value):
        if isinstance(value, dict):
            return {key: array(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return type(value)(array(item) for item in value)
        return mx.array(value)

    def infer(f, parameters, *shape):
        def make():
            data = Data(sizes)
            p = array(parameters(data))
            compiled = mx.compile(lambda x: f(p, x))
            inputs = [mx.array(x) for x in data.ring(*shape)]
            return lambda i: np.asarray(compiled(inputs[i % RING]))

        return make

    def function(f, *shapes):
        def make():
            data = Data(sizes)
            compiled = mx.compile(f)
            rings = [[mx.array(x) for x in data.ring(*shape)] for shape in shapes]
            return lambda i: np.asarray(compiled(*[ring[i % RING] for ring in rings]))

        return make

    def sweep():
        data = Data(sizes)
        p = array(data.mlp())
        compiled = mx.compile(lambda x: _mlp(p, x))
        inputs = [
            [mx.array(data.normal(n, sizes.mlp[0])) for n in range(1, sizes.sweep + 1)]
            for _ in range(2)
        ]

        def call(i):
            for x in inputs[i % 2]:
                last = np.asarray(compiled(x))
            return last

        return call

    d = sizes.attention[-1]
    tf_shape = (sizes.tf_batch, sizes.length, sizes.width)
    return {
        "linear_8x4_b1": infer(
            lambda p, x: _linear(x, *p), lambda data: (data.normal(4, 8), data.normal(4)), 1, 8
        ),
        "mlp_b1": infer(_mlp, Data.mlp, 1, sizes.mlp[0]),
        "mlp_b64": infer(_mlp, Data.mlp, sizes.mlp_batch, sizes.mlp[0]),
        "tf_infer": infer(transformer, lambda data: data.blocks(sizes.blocks), *tf_shape),
        "sdpa_causal": function(
            lambda q, k, v: mx.fast.scaled_dot_product_attention(
                q, k, v, scale=d**-0.5, mask="causal"
            ),
            *[sizes.attention] * 3,
        ),
        "pointwise_1M": function(
            lambda x, y: x * mx.sigmoid(x) + mx.tanh(y) * 0.5 - mx.exp(-mx.abs(x)),
            *[(sizes.points,)] * 2,
        ),
        "softmax_ln": function(
            lambda x: mx.fast.layer_norm(mx.softmax(x, -1), None, None, 1e-5), sizes.rows
        ),
        "dyn_sweep_64": sweep,
        "tf12_cold": infer(
            transformer, lambda data: data.blocks(sizes.deep), 1, sizes.deep_length, sizes.width
        ),
    }
