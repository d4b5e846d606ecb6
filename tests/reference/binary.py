"""Elementwise operations of two and three operands."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from .model import Array, B, Row, S, V, bools, given, ints, normal, promote, ties, uniform

binary = partial(Row, exact=True)
floating = partial(binary, dtype="float")
numeric = partial(binary, types=("float16", "bfloat16", "int32", "uint8", "int64"))
compare = partial(
    binary, dtype="bool", gradient=False, types=("float16", "bfloat16", "int32", "uint8")
)
bits = partial(binary, gradient=False, types=())

LEFT = given([1.0, math.nan, math.inf, -math.inf, 0.0, -0.0, math.nan, 2.0, math.inf])
RIGHT = given([math.nan, 1.0, math.inf, math.inf, -0.0, 0.0, math.nan, 2.0, 1.0])
SEVEN = given([7, -7, 7, -7, 0, 5], "int64")
TWO = given([2, 2, -2, -2, 3, 5], "int64")


def pairs(left: Any = normal, right: Any = normal, *extra: Any) -> list[Any]:
    """Samples that broadcast in each way."""
    return [
        S(left(B, 4), right(B, 4)),
        S(left(B, 1, 4), right(2, 1)),
        S(left(), right(3)),
        S(left(2, 3), right()),
        S(left(), right()),
        V(left(0, 3), right(3)),
        *extra,
    ]


def mixed(*kinds: tuple[str, str]) -> list[Any]:
    """Operands of different types, whole numbers in [1, 9)."""
    return [V(ints(1, 9, 2, 3, dtype=a), ints(1, 9, 3, dtype=b)) for a, b in kinds]


MIXED = mixed(
    ("int32", "float32"), ("uint8", "int8"), ("int64", "int32"), ("float16", "bfloat16"),
    ("int64", "float16"), ("uint8", "int64"),
)  # fmt: skip

positive = partial(uniform, 0.3, 3)


def choose(condition: Array, left: Array, right: Array) -> Array:
    return np.where(condition, left, right)


def masked_fill(x: Array, mask: Array, value: Array) -> Array:
    return np.where(mask, value, x)


def first_type(dtypes: list[str], settings: dict[str, Any]) -> str:
    return dtypes[0]


def isclose(
    a: Array, b: Array, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> Array:
    return np.isclose(a, b, rtol, atol, equal_nan)


def wrapped_power(x: Array, y: Array) -> Array:
    if x.dtype.kind == "i" and y.dtype.kind == "i":
        inverse = np.where(np.abs(x) == 1, np.where(y % 2 == 0, 1, x), 0)
        return np.where(y < 0, inverse, np.power(x, np.maximum(y, 0)))
    return np.power(x * 1.0, y)


def floor_divide(x: Array, y: Array) -> Array:
    return np.floor_divide(x, y)


def trunc_divide(x: Array, y: Array) -> Array:
    if x.dtype.kind == "i" and y.dtype.kind == "i":
        return np.sign(x) * np.sign(y) * (np.abs(x) // np.abs(y))
    return np.trunc(x / y)


def add(x: Array, y: Array) -> Array:
    return x | y if x.dtype == bool and y.dtype == bool else x + y




ROWS = [
    numeric("add", add, pairs(normal, normal, V(LEFT, RIGHT), V(bools(4), bools(4)), *MIXED,
            V(given([2**31 - 1, 5], "int32"), given([1, 5], "int32")),
            V(given([250, 5], "uint8"), given([10, 5], "uint8")),
            V(given([2**53], "int64"), given([1], "int64")))),
    numeric("sub", lambda x, y: x - y, pairs(normal, normal, V(LEFT, RIGHT), *MIXED,
            V(given([2, 5], "uint8"), given([10, 5], "uint8")))),
    numeric("mul", lambda x, y: x * y, pairs(normal, normal, V(LEFT, RIGHT), V(bools(4), bools(4)),
            *MIXED, V(given([2**20], "int32"), given([2**13], "int32")))),
    binary("pow", wrapped_power, [
        S(positive(B, 4), normal(B, 4)),
        S(positive(2, 1), normal(3)),
        S(positive(), normal(2)),
        V(given([0.0, 0.0, -2.0, -2.0, math.inf, math.nan, 1.0]),
          given([0.0, 2.0, 3.0, 0.5, -1.0, 0.0, math.nan])),
        V(ints(-4, 5, 6), ints(0, 4, 6)),
        V(ints(1, 4, 6, dtype="int32"), ints(0, 4, 6, dtype="int32")),
        V(given([2, 1, -1, -1], "int64"), given([-1, -2, -3, -2], "int64")),
    ], ulps=8),
    floating("float_power", lambda x, y: np.power(x * 1.0, y), [
        S(positive(B, 4), normal(B, 4)), S(positive(2, 1), normal(3)),
        V(ints(1, 4, 6), ints(-2, 4, 6)),
    ], ulps=8),
    floating("atan2", np.arctan2, pairs(normal, normal, V(LEFT, RIGHT), V(ints(-3, 4, 8), ints(-3, 4, 8)))),
    floating("hypot", np.hypot, pairs(normal, normal, V(given([3e30, 3.0]), given([4e30, 4.0])))),
    binary("nextafter", lambda x, y: np.nextafter(x.astype(np.float32), y.astype(np.float32)), [
        V(normal(B, 4), normal(B, 4)),
        V(given([0.0, 1.0, 1.0, -0.0, math.inf]), given([1.0, 1.0, 2.0, -1.0, 0.0])),
    ], gradient=False, types=(), ulps=0),
    floating("copysign", np.copysign, pairs(normal, normal, V(given([1.0, 2.0, -3.0]), given([-0.0, 0.0, math.inf])))),
    floating("xlogy", lambda x, y: np.where((x == 0) & ~np.isnan(y), 0.0, x * np.log(y)),
             pairs(normal, positive, V(given([0.0, 0.0, 0.0, 1.0]), given([0.0, math.nan, math.inf, 0.0])))),
    floating("logaddexp", np.logaddexp, pairs(normal, normal, V(given([-math.inf, 1000.0, -math.inf]), given([-math.inf, 1000.0, 2.0])))),
    floating("logaddexp2", np.logaddexp2, pairs(normal, normal, V(given([-math.inf, 1000.0]), given([-math.inf, 1000.0])))),
    binary("heaviside", lambda x, y: np.where(x == 0, y, x > 0), [
        V(normal(B, 4), normal(4)), V(given([0.0, -0.0, math.nan, 1.0]), given([5.0, 6.0, 7.0, 8.0])),
        V(ints(-1, 2, 6), ints(3, 9, 6)),
    ], gradient=False),
    floating("div", lambda x, y: x / y, pairs(normal, positive, V(LEFT, RIGHT), V(SEVEN, TWO),
             V(bools(3), given([1, 2, 3], "uint8")), V(normal(3), given([0.0, -0.0, 1.0]))),
             types=("float16", "bfloat16", "int32")),
    numeric("floor_divide", floor_divide, [
        V(normal(B, 4, scale=5), positive(B, 4)), V(normal(B, 1, 2), positive(3, 1)), V(SEVEN, TWO),
        V(given([7, -7, 9], "int32"), given([2, 2, -4], "int32")),
        V(given([200, 7], "uint8"), given([9, 2], "uint8")),
        V(given([1.0, -1.0, 0.0, math.inf]), given([0.0, 0.0, 0.0, 2.0])),
    ], gradient=False, types=("float16",)),
    numeric("trunc_divide", trunc_divide, [
        V(normal(B, 4, scale=5), positive(B, 4)), V(SEVEN, TWO),
        V(given([7, -7, 9], "int32"), given([2, 2, -4], "int32")),
    ], gradient=False, types=("float16",)),
    # The steps of second differences can cross a jump of the remainders.
    numeric("fmod", np.fmod, [
        S(normal(B, 4, scale=5), positive(B, 4)), S(normal(2, 1, scale=5), positive(3)), V(SEVEN, TWO),
        V(given([7.5, -7.5, 7.5]), given([2.0, 2.0, -2.0])), V(ints(-9, 9, 6, dtype="int32"), ints(1, 5, 6, dtype="int32")),
    ], types=(), second=False),
    numeric("remainder", np.remainder, [
        S(normal(B, 4, scale=5), positive(B, 4)), S(normal(2, 1, scale=5), positive(3)), V(SEVEN, TWO),
        V(given([7.5, -7.5, 7.5, -7.5]), given([2.0, 2.0, -2.0, -2.0])),
        V(ints(-9, 9, 6, dtype="int32"), given([1, -2, 3, -4, 5, -6], "int32")),
    ], types=(), second=False),
    numeric("maximum", np.maximum, pairs(normal, normal, V(LEFT, RIGHT), V(bools(4), bools(4)), *MIXED)),
    numeric("minimum", np.minimum, pairs(normal, normal, V(LEFT, RIGHT), V(bools(4), bools(4)), *MIXED)),
    numeric("fmax", np.fmax, pairs(normal, normal, V(LEFT, RIGHT))),
    numeric("fmin", np.fmin, pairs(normal, normal, V(LEFT, RIGHT))),
    binary("where", np.where, [
        S(bools(B, 4), normal(B, 4), normal(B, 4)), S(bools(2, 1), normal(3), normal()),
        S(bools(), normal(2), normal(2)), V(bools(3), ints(0, 9, 3), ints(0, 9, 3)),
        V(bools(3), ints(0, 9, 3), normal(3)), V(given([True, False], "bool"), given([math.nan, 1.0]), given([1.0, math.nan])),
        V(bools(0, 2), normal(2), normal(2)),
    ], dtype=lambda dtypes, settings: promote(*dtypes[1:])),
    binary("clamp", lambda x, low, high: np.minimum(np.maximum(x, low), high), [
        S(normal(B, 4), given(-0.5), given(0.7)), S(normal(2, 3), uniform(-1, -0.5, 3), uniform(0.5, 1, 2, 1)),
        V(given([math.nan, math.inf, -math.inf, 0.5]), given(-1.0), given(1.0)), V(normal(4), given(1.0), given(-1.0)),
        V(ints(-9, 9, 6), given(-3, "int64"), given(4, "int64")),
    ]),
    numeric("clamp_min", np.maximum, [
        S(normal(B, 4), given(-0.5)), S(normal(2, 3), normal(3)), V(given([math.nan, 1.0]), given(0.0)),
        V(ints(-9, 9, 6), given(2, "int64")),
    ]),
    numeric("clamp_max", np.minimum, [
        S(normal(B, 4), given(0.5)), S(normal(2, 3), normal(3)), V(given([math.nan, 1.0]), given(0.0)),
        V(ints(-9, 9, 6), given(2, "int64")),
    ]),
    binary("masked_fill", masked_fill, [
        S(normal(B, 4), bools(B, 4), normal()), S(normal(2, 3), bools(3), normal()),
        V(ints(0, 9, 4), bools(4), given(-1, "int64")), V(normal(3), bools(3), given(-math.inf)),
    ], dtype=first_type),
    floating("lerp", lambda x, y, w: x + w * (y - x), [
        S(normal(B, 4), normal(B, 4), uniform(0.1, 0.9, B, 4)), S(normal(2, 1), normal(3), uniform(0, 1)),
    ]),
    binary("addcmul", lambda x, a, b, value=1.0: x + value * a * b, [
        S(normal(B, 4), normal(B, 4), normal(B, 4)), S(normal(2, 1), normal(3), normal(), value=-0.5),
    ], ulps=8),
    binary("addcdiv", lambda x, a, b, value=1.0: x + value * a / b, [
        S(normal(B, 4), normal(B, 4), positive(B, 4)), S(normal(2, 1), normal(3), positive(), value=2.5),
    ], ulps=16),
    *[
        compare(name, function, [
            V(normal(B, 4), normal(B, 4)), V(ties(B, 1, 4), ties(2, 1)), V(ties(), ties(3)), V(LEFT, RIGHT),
            V(ints(0, 3, 6), ints(0, 3, 6)), V(bools(4), bools(4)), V(ints(0, 3, 6, dtype="int32"), ties(6)),
            V(given([2**53 + 1, 5], "int64"), given([2**53, 5], "int64")), V(normal(0, 2), normal(2)),
        ])
        for name, function in {
            "eq": np.equal, "ne": np.not_equal, "lt": np.less,
            "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
        }.items()
    ],
    *[
        compare(name, function, [
            V(ties(B, 4), ties(B, 4)), V(bools(2, 1), bools(3)), V(ints(0, 2, 6), ints(0, 2, 6)), V(LEFT, RIGHT),
        ])
        for name, function in {
            "logical_and": np.logical_and, "logical_or": np.logical_or, "logical_xor": np.logical_xor,
        }.items()
    ],
    *[
        bits(name, function, [
            V(ints(-99, 99, B, 4), ints(-99, 99, B, 4)), V(ints(0, 99, 2, 1, dtype="int32"), ints(0, 99, 3, dtype="int32")),
            V(ints(0, 99, 4, dtype="uint8"), ints(0, 99, 4, dtype="uint8")), V(bools(4), bools(4)),
            V(ints(0, 99, 4, dtype="int32"), ints(0, 99, 4)),
        ])
        for name, function in {
            "bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor,
        }.items()
    ],
    *[
        bits(name, function, [
            V(ints(-99, 99, B, 4), ints(0, 9, B, 4)), V(ints(-99, 99, 2, 1, dtype="int32"), ints(0, 9, 3, dtype="int32")),
            V(ints(0, 99, 4, dtype="uint8"), ints(0, 7, 4, dtype="uint8")),
        ])
        for name, function in {
            "bitwise_left_shift": np.left_shift, "bitwise_right_shift": np.right_shift,
        }.items()
    ],
    compare("isclose", isclose, [
        V(given([1.0, 1.0, math.nan, math.inf, 2.0]), given([1.000001, 1.1, math.nan, math.inf, 2.0])),
        V(given([1.0, math.nan]), given([1.05, math.nan]), rtol=0.1, equal_nan=True),
        V(normal(B, 4), normal(B, 4)), V(ints(0, 3, 6), ints(0, 3, 6)),
    ], types=()),
]  # fmt: skip
