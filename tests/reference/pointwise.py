"""Elementwise operations of one operand."""

from __future__ import annotations

import math
from functools import partial
from statistics import NormalDist

import numpy as np

from .model import Array, B, Row, S, V, bools, given, ints, normal, ties, uniform

pointwise = partial(Row, exact=True)
floating = partial(pointwise, dtype="float", types=("float16", "bfloat16", "int32", "bool"))
numeric = partial(pointwise, types=("float16", "bfloat16", "int32", "int8", "uint8", "int64"))
logic = partial(pointwise, dtype="bool", gradient=False, types=("float16", "int32", "bool"))


def erf(x: Array) -> Array:
    return np.vectorize(math.erf, otypes=[np.float64])(x)


SPECIAL = given([0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 3e38, 1e-30])


def erfinv(x: Array) -> Array:
    def one(value: float) -> float:
        if abs(value) >= 1 or value != value:
            return math.copysign(math.inf, value) if abs(value) == 1 else math.nan
        return NormalDist().inv_cdf((value + 1) / 2) / math.sqrt(2)

    return np.vectorize(one, otypes=[np.float64])(x)


def logit(x: Array, eps: float | None = None) -> Array:
    if eps is not None:
        x = np.where(x < eps, eps, np.where(x > 1 - eps, 1 - eps, x))
    return np.log(x / (1 - x))


def nan_to_num(
    x: Array, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None
) -> Array:
    largest = float(np.finfo(np.float32).max)
    x = np.where(np.isnan(x), nan, x)
    x = np.where(x == math.inf, largest if posinf is None else posinf, x)
    return np.where(x == -math.inf, -largest if neginf is None else neginf, x)


def unary(*extra: object, low: float | None = None, high: float = 0.0) -> list[object]:
    """Samples of several ranks; in [low, high] if given."""
    kind = normal if low is None else partial(uniform, low, high)
    return [S(kind(B, 4)), S(kind()), S(kind(2, 1, 3)), V(kind(0, 2)), *extra]


ROWS = [
    numeric("neg", np.negative, unary(V(SPECIAL), V(ints(-9, 9, B, 2)))),
    numeric("abs", np.abs, unary(V(SPECIAL), V(ints(-9, 9, B, 2)))),
    numeric("sign", lambda x: np.nan_to_num(np.sign(x * 1.0)), unary(V(SPECIAL), V(bools(4)))),
    floating("exp", np.exp, unary(V(SPECIAL), V(given([-100.0, 88.0, 90.0])))),
    floating("exp2", np.exp2, unary(V(SPECIAL))),
    floating("expm1", np.expm1, unary(V(SPECIAL), V(given([1e-6, -1e-6, 1e-3])))),
    floating("log", np.log, unary(V(SPECIAL), low=0.1, high=4)),
    floating("log2", np.log2, unary(V(SPECIAL), low=0.1, high=4)),
    floating("log10", np.log10, unary(V(SPECIAL), low=0.1, high=4)),
    floating("log1p", np.log1p, unary(V(SPECIAL), V(given([1e-6, -1e-6])), low=-0.7, high=3)),
    floating("sqrt", np.sqrt, unary(V(SPECIAL), low=0.1, high=4)),
    floating("rsqrt", lambda x: 1 / np.sqrt(x), unary(V(SPECIAL), low=0.1, high=4)),
    floating("reciprocal", lambda x: 1 / x, unary(V(SPECIAL), low=0.2, high=2)),
    floating("sigmoid", lambda x: 1 / (1 + np.exp(-x)), unary(V(SPECIAL))),
    floating("erf", erf, unary(V(SPECIAL), V(given([-3.0, 1e-4, 0.9, 1.1, 4.0])))),
    # The inverse is steep near 1, where the half types have few values.
    floating("erfinv", erfinv, unary(V(given([1.0, -1.0, 2.0, 0.0, math.nan])), low=-0.9, high=0.9),
             types=("float16",)),
    numeric("relu", lambda x: np.maximum(x, 0), unary(V(ties(2, 4)), V(SPECIAL))),
    numeric("square", np.square, unary(V(ints(-9, 9, 2, 3, dtype="int32")))),
    # 1 - erf(x) has the absolute error of erf.
    floating("erfc", lambda x: 1 - erf(x), unary()),
    floating("deg2rad", np.deg2rad, unary()),
    floating("rad2deg", np.rad2deg, unary()),
    numeric("floor", np.floor, unary(V(SPECIAL), V(ints(-9, 9, 4)))),
    numeric("ceil", np.ceil, unary(V(SPECIAL), V(ints(-9, 9, 4)))),
    numeric("trunc", np.trunc, unary(V(SPECIAL), V(ints(-9, 9, 4)))),
    numeric("round", np.rint, unary(V(SPECIAL), V(given([0.5, 1.5, -0.5, 2.5, -2.5])))),
    pointwise("frac", lambda x: x - np.trunc(x), unary()),
    floating("sin", np.sin, unary(V(given([0.0, 10.0, -100.0])))),
    floating("cos", np.cos, unary(V(given([0.0, 10.0, -100.0])))),
    floating("tan", np.tan, unary(low=-1.2, high=1.2)),
    floating("asin", np.arcsin, unary(V(given([1.0, -1.0, 2.0])), low=-0.9, high=0.9)),
    floating("acos", np.arccos, unary(V(given([1.0, -1.0, 2.0])), low=-0.9, high=0.9)),
    floating("atan", np.arctan, unary(V(SPECIAL))),
    floating("sinh", np.sinh, unary()),
    floating("cosh", np.cosh, unary()),
    floating("tanh", np.tanh, unary(V(SPECIAL), V(given([1e-5, 20.0])))),
    floating("asinh", np.arcsinh, unary()),
    floating("acosh", np.arccosh, unary(low=1.2, high=5)),
    floating("atanh", np.arctanh, unary(V(given([1.0, -1.0, 2.0])), low=-0.9, high=0.9)),
    floating("sinc", np.sinc, unary(V(given([0.0, 1.0, -2.5])))),
    floating(
        "logit",
        logit,
        [S(uniform(0.1, 0.9, B, 3)), S(uniform(0.1, 0.9, 4), eps=0.05), V(given([0.0, 1.0, 0.5]), eps=0.1)],
        types=("float16", "bfloat16"),
    ),
    logic("isnan", np.isnan, unary(V(SPECIAL))),
    logic("isinf", np.isinf, unary(V(SPECIAL))),
    logic("isfinite", np.isfinite, unary(V(SPECIAL))),
    logic("isposinf", np.isposinf, unary(V(SPECIAL)), types=("float16",)),
    logic("isneginf", np.isneginf, unary(V(SPECIAL)), types=("float16",)),
    logic("signbit", lambda x: np.signbit(x * 1.0), unary(V(given([0.0, -0.0, math.inf, -1.0])))),
    logic("logical_not", lambda x: np.logical_not(x), unary(V(SPECIAL), V(bools(4)))),
    pointwise(
        "bitwise_not",
        np.invert,
        [V(ints(-9, 9, B, 3)), V(ints(0, 9, 4, dtype="int32")), V(bools(3)), V(ints(0, 99, 4, dtype="uint8"))],
    ),
    pointwise(
        "cast",
        lambda x, dtype: np.trunc(x) if dtype in ("int32", "int64", "uint8", "int8") else x,
        [
            V(normal(B, 3, scale=9), dtype="int32"),
            V(normal(B, 3, scale=9), dtype="int64"),
            S(normal(3), dtype="float16"),
            S(normal(2, 2), dtype="bfloat16"),
            V(normal(4), dtype="bool"),
            V(ties(8), dtype="bool"),
            V(ints(-9, 9, 3), dtype="float32"),
            V(ints(-300, 300, 5), dtype="int8"),
            V(ints(-300, 300, 5, dtype="int32"), dtype="uint8"),
            V(bools(4), dtype="float32"),
            V(bools(4), dtype="int64"),
            V(given([2**40 + 1, -(2**31) - 5], "int64"), dtype="int32"),
            V(given([2**24 + 1, 2**53 + 1], "int64"), dtype="int64"),
        ],
        dtype=lambda dtypes, settings: settings["dtype"],
        types=(),
    ),
    pointwise("clone", lambda x: x, unary(V(SPECIAL), V(bools(3)), V(ints(0, 9, 2)))),
    pointwise(
        "nan_to_num",
        nan_to_num,
        unary(V(SPECIAL), V(SPECIAL, nan=2.0, posinf=9.0, neginf=-9.0)),
        types=(),
    ),
    pointwise(
        "pow_scalar",
        lambda x, exponent: np.power(x, exponent),
        [
            S(uniform(0.3, 2, B, 3), exponent=2.5),
            S(normal(4), exponent=2.0),
            S(normal(4), exponent=3.0),
            S(normal(2, 2), exponent=-1.0),
            S(uniform(0.3, 2, 3), exponent=0.5),
            S(uniform(0.3, 2, 3), exponent=-0.5),
            V(normal(3), exponent=0.0),
            V(given([0.0, -0.0, math.inf, math.nan, -2.0]), exponent=2.0),
        ],
        ulps=8,
    ),
    pointwise("detach", lambda x: x, unary(), gradient=False),
]

