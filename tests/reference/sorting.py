"""Sorting, order statistics and counting."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from .model import Array, B, Row, S, V, bools, distinct, given, ints, normal, ties

NAN = math.nan


def order(x: Array, dim: int, descending: bool = False) -> Array:
    """Stable; NaN counts as the largest number."""
    if x.ndim == 0:
        return np.zeros((), np.int64)
    keys = np.where(np.isnan(x), math.inf, x * 1.0)
    rank = np.isnan(x) * 1.0  # after infinity
    if descending:
        keys, rank = -keys, -rank
    moved = np.moveaxis(np.stack([keys, rank]), dim + 1 if dim >= 0 else dim, -1)
    return np.moveaxis(np.lexsort((moved[0], moved[1]), axis=-1), -1, dim)


def take(x: Array, positions: Array, dim: int) -> Array:
    return np.take_along_axis(x, positions, dim) if x.ndim else x


def argsort(x: Array, dim: int = -1, descending: bool = False) -> Array:
    return order(x, dim, descending)


def sort(x: Array, dim: int = -1, descending: bool = False) -> Any:
    positions = order(x, dim, descending)
    return take(x, positions, dim), positions


def largest_positions(x: Array, k: int, dim: int = -1, largest: bool = True) -> Array:
    positions = order(x, dim, largest)
    return np.take(positions, range(k), dim) if x.ndim else positions


def topk(x: Array, k: int, dim: int = -1, largest: bool = True) -> Any:
    positions = largest_positions(x, k, dim, largest)
    return take(x, positions, dim), positions


def kept(x: Array, dim: int, keepdim: bool) -> Array:
    return x if keepdim or x.ndim == 0 else np.squeeze(x, dim)


def kthvalue(x: Array, k: int, dim: int = -1, keepdim: bool = False) -> Any:
    positions = order(x, dim)
    positions = np.take(positions, [k - 1], dim) if x.ndim else positions
    return kept(take(x, positions, dim), dim, keepdim), kept(positions, dim, keepdim)


def median_of(ignore_nan: bool) -> Callable[..., Any]:
    def line(x: Array) -> tuple[float, int]:
        missing = np.flatnonzero(np.isnan(x))
        if len(missing) and (not ignore_nan or len(missing) == len(x)):
            return NAN, int(missing[0])
        positions = order(x, 0)
        count = len(x) - len(missing)
        position = positions[(count - 1) // 2]
        return x[position], int(position)

    def function(x: Array, dim: int | None = None, keepdim: bool = False) -> Any:
        flat = x.reshape(-1) if dim is None or x.ndim == 0 else np.moveaxis(x, dim, -1)
        pairs = [line(row) for row in flat.reshape(-1, flat.shape[-1])]
        values, positions = (
            np.reshape([p[i] for p in pairs], flat.shape[:-1]) for i in range(2)
        )
        if dim is not None and keepdim and x.ndim:
            return np.expand_dims(values, dim), np.expand_dims(positions, dim)
        if dim is None and keepdim:
            return values.reshape([1] * x.ndim), positions.reshape([1] * x.ndim)
        return values, positions

    return function


def mode(x: Array, dim: int = -1, keepdim: bool = False) -> Any:
    def line(row: Array) -> tuple[float, int]:
        values, counts = np.unique(row, return_counts=True)
        value = values[np.argmax(counts)]
        return value, int(np.flatnonzero(row == value)[-1])

    if x.ndim == 0:
        return x, np.zeros((), np.int64)
    moved = np.moveaxis(x, dim, -1)
    pairs = [line(row) for row in moved.reshape(-1, moved.shape[-1])]
    out = [np.reshape([p[i] for p in pairs], moved.shape[:-1]) for i in range(2)]
    return tuple(np.expand_dims(o, dim) for o in out) if keepdim else tuple(out)


def quantile(
    x: Array, q: Sequence[float], dim: int | None = None, keepdim: bool = False,
    interpolation: str = "linear",
) -> Array:  # fmt: skip
    # The fractions travel as float64 attributes; positions are computed from them.
    return np.quantile(x, list(q), axis=dim, keepdims=keepdim, method=interpolation)


def histc(x: Array, bins: int = 100, min: float = 0.0, max: float = 0.0) -> Array:
    if min == max:
        min, max = float(np.min(x)), float(np.max(x))
        if min == max:
            min, max = min - 1, max + 1
    return np.histogram(x, bins, (min, max))[0]


def searchsorted(
    sequence: Array, values: Array, right: bool = False, out_int32: bool = False
) -> Array:
    side = "right" if right else "left"
    if sequence.ndim == 1:
        return np.searchsorted(sequence, values, side)
    lines = sequence.reshape(-1, sequence.shape[-1])
    wanted = values.reshape(len(lines), -1)
    found = [np.searchsorted(line, v, side) for line, v in zip(lines, wanted, strict=True)]
    return np.reshape(found, values.shape)


def bucketize(
    values: Array, boundaries: Array, right: bool = False, out_int32: bool = False
) -> Array:
    return searchsorted(boundaries, values, right)


def isin(x: Array, tests: Array, invert: bool = False) -> Array:
    return np.isin(x, tests, invert=invert)


def width(dtypes: list[str], settings: dict[str, Any]) -> str:
    return "int32" if settings.get("out_int32") else "int64"


def with_positions(dtypes: list[str], settings: dict[str, Any]) -> list[str]:
    return [dtypes[0], "int64"]


pairs = partial(
    Row, exact=True, dtype=with_positions, types=("float16", "bfloat16", "int32", "uint8")
)
positions = partial(Row, dtype="int64", gradient=False, types=("float16", "int32", "uint8"))

LINES = [
    S(distinct(B, 4), dim=-1),
    S(distinct(4, 3), dim=0),
    S(distinct(2, 3, 2), dim=1),
    S(distinct(5), dim=0),
    V(ties(2, 9), dim=1),
    V(given([2.0, NAN, -math.inf, math.inf, NAN, 1.0]), dim=0),
    V(ints(-9, 9, 2, 8, dtype="int32"), dim=1),
    V(ints(-9, 9, 8), dim=0),
    V(ints(0, 255, 8, dtype="uint8"), dim=0),
    V(normal(2, 100), dim=1),
    V(normal(), dim=0),
]


def each(**more: Any) -> list[Any]:
    return [
        type(sample)(sample.operands, {**sample.attributes, **more}, sample.gradient)
        for sample in LINES
    ]


DESCENDING = [V(bools(6), dim=0), *each(descending=True)]
K = [S(distinct(B, 4)), *each(), V(ties(2, 9), dim=1, keepdim=True), V(ties(3, 4), dim=0)]

ROWS = [
    pairs("sort", sort, [*LINES, *DESCENDING]),
    positions("argsort", argsort, [*LINES, *DESCENDING]),
    positions("argsort_lines", argsort, [V(distinct(B, 4), dim=1, descending=False), *[
        sample for sample in each(descending=True) if sample.attributes["dim"] >= 0
        and sample.operands[0].shape]]),
    pairs("topk", topk, [S(distinct(B, 4), k=2), *each(k=1), S(distinct(2, 5), k=3, dim=1, largest=False),
        S(distinct(5, 2), k=5, dim=0), V(ties(2, 9), k=4, dim=1), V(given([2.0, NAN, 5.0]), k=2, dim=0),
        V(normal(2, 3), k=0, dim=1)]),
    positions("topk_lines", largest_positions, [V(distinct(B, 4), k=2, dim=1, largest=True),
        V(distinct(2, 5), k=3, dim=1, largest=False), V(ties(3, 9), k=4, dim=1, largest=True)]),
    pairs("kthvalue", kthvalue, [S(distinct(B, 4), k=2), *each(k=1), S(distinct(2, 5), k=3, dim=1, keepdim=True)]),
    pairs("median", median_of(False), [S(distinct(B, 4), dim=1), S(distinct(2, 3)), S(distinct(5, 2), dim=0, keepdim=True),
        V(given([[2.0, NAN, 1.0], [3.0, 1.0, 2.0]]), dim=1), V(ints(0, 9, 2, 4), dim=1), V(normal())], types=("float16", "int32")),
    pairs("nanmedian", median_of(True), [S(distinct(B, 4), dim=1), S(distinct(2, 3)),
        V(given([[2.0, NAN, 1.0], [NAN, NAN, NAN], [5.0, NAN, NAN]]), dim=1)], types=("float16",)),
    pairs("mode", mode, [V(ties(B, 8), dim=1), V(ints(0, 3, 9)), V(ties(5, 3), dim=0, keepdim=True), S(distinct(4))],
        types=("int32",)),
    Row("quantile", quantile, [S(distinct(B, 5), q=(0.25,), dim=1), S(distinct(2, 3), q=(0.0, 0.5, 1.0)),
        *[S(distinct(2, 6), q=(0.3, 0.75), dim=1, interpolation=kind) for kind in ("linear", "lower", "higher", "midpoint", "nearest")],
        S(distinct(4, 3), q=(0.6,), dim=0, keepdim=True)], types=(), ulps=16),
    Row("histc", histc, [V(normal(40), bins=5, min=-2.0, max=2.0), V(normal(3, 9), bins=4), V(given([1.0, 1.0]), bins=3),
        V(given([0.0, 1.0, 2.0, 2.0]), bins=2, min=0.0, max=2.0)], gradient=False, types=()),
    positions("searchsorted", searchsorted, [V(given([1.0, 3.0, 3.0, 5.0]), given([[0.0, 3.0], [5.0, 9.0]])),
        V(given([1.0, 3.0, 3.0, 5.0]), given([1.0, 3.0, 5.0]), right=True), V(given([[1, 3, 5], [0, 0, 2]], "int64"), given([[3, 4], [0, 1]], "int64"), out_int32=True),
        V(given([1.0, 2.0]), given(1.5))], dtype=width, types=("float16",)),
    positions("bucketize", bucketize, [V(given([[0.0, 3.0], [5.0, 9.0]]), given([1.0, 3.0, 5.0])),
        V(normal(B, 4), given([-1.0, 0.0, 1.0]), right=True), V(given([1, 2], "int64"), given([1, 2], "int64"), out_int32=True)],
        dtype=width, types=("float16",)),
    positions("isin", isin, [V(ints(0, 9, B, 4), ints(0, 9, 5)), V(ties(2, 3), ties(2), invert=True), V(ints(0, 9, 4), given([], "int64"))], dtype="bool", types=()),
]  # fmt: skip
