"""Activations and softmax."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from .model import Array, B, Row, S, V, given, ints, normal, uniform
from .pointwise import erf

activation = partial(Row, exact=True)
#: Samples on both sides of every kink, and what NaN and infinities become.
EDGES = V(given([-math.inf, math.inf, math.nan, 0.0, -0.0]))


def shapes(**attributes: Any) -> list[Any]:
    return [
        S(normal(B, 4, scale=2), **attributes),
        S(normal(), **attributes),
        S(normal(2, 1, 3), **attributes),
        V(normal(0, 2), **attributes),
    ]


def sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def softplus(x: Array, beta: float = 1.0, threshold: float = 20.0) -> Array:
    return np.where(beta * x > threshold, x, np.log1p(np.exp(np.minimum(beta * x, 700))) / beta)


def gelu(x: Array, approximate: str = "none") -> Array:
    if approximate == "tanh":
        return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    return 0.5 * x * (1 + erf(x / math.sqrt(2)))


def elu(x: Array, alpha: float = 1.0) -> Array:
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0)))


def celu(x: Array, alpha: float = 1.0) -> Array:
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0) / alpha))


def selu(x: Array) -> Array:
    return 1.0507009873554804934193349852946 * elu(x, 1.6732632423543772848170429916717)


def prelu(x: Array, weight: Array) -> Array:
    if weight.size > 1:
        weight = weight.reshape([-1 if axis == 1 else 1 for axis in range(x.ndim)])
    else:
        weight = weight.reshape(())
    return np.where(x > 0, x, weight * x)


def glu(x: Array, dim: int = -1) -> Array:
    left, right = np.split(x, 2, dim)
    return left * sigmoid(right)


def softmax(x: Array, dim: int, dtype: str | None = None) -> Array:
    if x.ndim == 0:
        return np.ones(()) * np.where(np.isfinite(x), 1, np.nan)
    if x.size == 0:
        return x * 1.0
    e = np.exp(x - np.max(x, dim, keepdims=True))
    return e / np.sum(e, dim, keepdims=True)


def log_softmax(x: Array, dim: int, dtype: str | None = None) -> Array:
    if x.ndim == 0:
        return x - x
    if x.size == 0:
        return x * 1.0
    shifted = x - np.max(x, dim, keepdims=True)
    return shifted - np.log(np.sum(np.exp(shifted), dim, keepdims=True))


def softmin(x: Array, dim: int, dtype: str | None = None) -> Array:
    return softmax(-x, dim)


def given_type(dtypes: list[str], settings: dict[str, Any]) -> str:
    return settings.get("dtype") or ("float32" if dtypes[0].startswith("int") else dtypes[0])


def lines(*extra: Any) -> list[Any]:
    inf = math.inf
    return [
        S(normal(B, 5, scale=3), dim=-1),
        S(normal(B, 3, 4), dim=1),
        S(normal(2, 3), dim=0),
        S(normal(2, 3, 2, 2), dim=-3),
        S(normal(7), dim=0),
        V(normal(2, 33, scale=20), dim=1),
        V(given([[0.0, -inf], [1e4, 1e4], [-1e4, -1e4]]), dim=1),
        V(normal(0, 5), dim=1),
        V(normal(B, 0), dim=1),
        *extra,
    ]


def counted(samples: list[Any]) -> list[Any]:
    """The samples whose axis counts from the front, as primitives take it."""
    return [sample for sample in samples if sample.attributes["dim"] >= 0]


GENERAL = [
    V(normal(), dim=0),
    S(normal(2, 3), dim=1, dtype="float16"),
    V(ints(0, 5, 2, 3), dim=1, dtype="float32"),
]
UNDEFINED = V(given([[-math.inf, -math.inf], [math.nan, 0.0]]), dim=1)

ROWS = [
    activation("relu6", lambda x: np.clip(x, 0, 6), [*shapes(), EDGES, V(given([6.0, 7.0]))]),
    activation(
        "hardtanh",
        lambda x, min_val=-1.0, max_val=1.0: np.clip(x, min_val, max_val),
        [*shapes(), *shapes(min_val=-0.5, max_val=2.0), EDGES],
    ),
    activation(
        "leaky_relu",
        lambda x, negative_slope=0.01: np.where(x > 0, x, negative_slope * x),
        [*shapes(), *shapes(negative_slope=0.3), EDGES],
    ),
    activation(
        "prelu",
        prelu,
        [
            S(normal(B, 4), uniform(0.1, 0.5, 4)),
            S(normal(B, 4), uniform(0.1, 0.5, 1)),
            S(normal(2, 3, 2, 2), uniform(0.1, 0.5, 3)),
            S(normal(5), uniform(0.1, 0.5, 1)),
        ],
    ),
    activation("elu", elu, [*shapes(), *shapes(alpha=0.5), EDGES]),
    activation("celu", celu, [*shapes(), *shapes(alpha=0.5), EDGES]),
    activation("selu", selu, [*shapes(), EDGES]),
    activation(
        "hardshrink",
        lambda x, lambd=0.5: np.where(np.abs(x) <= lambd, 0 * x, x),
        [*shapes(), *shapes(lambd=1.5)],
    ),
    activation(
        "softshrink",
        lambda x, lambd=0.5: np.sign(x) * np.maximum(np.abs(x) - lambd, 0),
        [*shapes(), *shapes(lambd=1.5)],
    ),
    activation(
        "threshold",
        lambda x, threshold, value: np.where(x > threshold, x, value),
        [*shapes(threshold=0.3, value=-2.0)],
    ),
    activation(
        "gelu",
        gelu,
        [
            *shapes(),
            *shapes(approximate="tanh"),
            # The whole curve, where one term underflows and where the other does.
            V(given([-3.0, -1.0, 0.5, 1.0, -40.0, 40.0])),
            V(given([-3.0, -1.0, 0.5, 1.0, 8.0, 16.0, -16.0]), approximate="tanh"),
            V(given([8.0, 11.0, 16.0], "float16"), approximate="tanh"),
        ],
    ),
    activation("silu", lambda x: x * sigmoid(x), [*shapes(), V(given([-30.0, 30.0, 0.0]))]),
    activation("mish", lambda x: x * np.tanh(softplus(x)), [*shapes(), V(given([-20.0, 30.0]))]),
    activation(
        "softplus",
        softplus,
        [*shapes(), *shapes(beta=2.0), *shapes(threshold=0.5), V(given([-50.0, 100.0]))],
    ),
    activation("logsigmoid", lambda x: -np.logaddexp(0, -x), [*shapes(), V(given([-200.0, 50.0]))]),
    activation("softsign", lambda x: x / (1 + np.abs(x)), shapes()),
    activation("tanhshrink", lambda x: x - np.tanh(x), shapes()),
    activation("hardsigmoid", lambda x: np.clip(x + 3, 0, 6) / 6, [*shapes(), EDGES]),
    activation("hardswish", lambda x: x * np.clip(x + 3, 0, 6) / 6, shapes()),
    activation("glu", glu, [S(normal(B, 6)), S(normal(4, 3), dim=0), S(normal(2, 4, 3), dim=1)]),
    Row("softmax", softmax, [*lines(), *GENERAL, UNDEFINED], dtype=given_type, ulps=8),
    Row("log_softmax", log_softmax, [*lines(), *GENERAL, UNDEFINED], dtype=given_type, ulps=8),
    Row("softmin", softmin, [*lines(), *GENERAL], dtype=given_type, ulps=8),
    Row("softmax_lines", softmax, [*counted(lines()), UNDEFINED], ulps=8),
    Row("log_softmax_lines", log_softmax, [*counted(lines()), UNDEFINED], ulps=8),
]
