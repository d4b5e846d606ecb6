"""Sums and other reductions, scans."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from .model import Array, B, Row, S, V, bools, distinct, given, ints, normal, ties, uniform

Dims = Sequence[int] | None
NAN = math.nan
INF = math.inf


def axes(dim: Dims) -> tuple[int, ...] | None:
    """No axes stand for all of them."""
    return tuple(dim) if dim is not None and len(dim) else None


def over(function: Callable[..., Array]) -> Callable[..., Array]:
    """A NumPy reduction with this catalog's parameters."""

    def reduced(
        x: Array, dim: Dims = None, keepdim: bool = False, dtype: str | None = None
    ) -> Array:
        return function(x, axis=axes(dim), keepdims=keepdim)

    return reduced


def accumulated(dtypes: list[str], settings: dict[str, Any]) -> str:
    if settings.get("dtype"):
        return settings["dtype"]
    return dtypes[0] if "float" in dtypes[0] else "int64"


def floating_or_given(dtypes: list[str], settings: dict[str, Any]) -> str:
    return settings.get("dtype") or dtypes[0]


def spans(kind: Any = normal) -> list[Any]:
    """Every way to name axes."""
    return [
        S(kind(B, 4), dim=(1,)),
        S(kind(B, 4)),
        S(kind(B, 2, 3), dim=(-1, 1)),
        S(kind(B, 2, 3), dim=(2,), keepdim=True),
        S(kind(2, 3), dim=(0,)),
        S(kind(2, 3), dim=(0, 1), keepdim=True),
        S(kind(2, 3, 2, 2), dim=(0, 2)),
        S(kind(2, 1, 2, 2, 2), dim=(0, -1)),
        S(kind()),
        S(kind(1, 5), dim=()),
    ]


EMPTY = [V(normal(2, 0), dim=(1,)), V(normal(0, 2), dim=(1,)), V(normal(0))]
LONG = [V(normal(3, 1000), dim=(1,)), V(normal(700, 3), dim=(0,))]
INTEGERS = [
    V(ints(-9, 9, B, 4, dtype="int32"), dim=(1,)),
    V(ints(0, 255, 2, 9, dtype="uint8"), dim=(1,)),
    V(ints(-128, 127, 20, dtype="int8")),
    V(bools(2, 5), dim=(1,)),
    V(given([2**53, 1, 1], "int64")),
]
NANS = V(given([[1.0, NAN, 3.0], [INF, 2.0, -1.0]]), dim=(1,))


def moments(root: bool, both: bool) -> Callable[..., Any]:
    def function(x: Array, dim: Dims = None, correction: float = 1.0, keepdim: bool = False) -> Any:
        mean = np.mean(x, axis=axes(dim), keepdims=True)
        count = x.size // max(mean.size, 1)
        divisor = max(count - correction, 0)
        var = np.sum((x - mean) ** 2, axis=axes(dim), keepdims=keepdim) / divisor
        spread = np.sqrt(var) if root else var
        return (spread, np.mean(x, axis=axes(dim), keepdims=keepdim)) if both else spread

    return function


def spread(kind: Any = normal) -> list[Any]:
    return [
        S(kind(B, 4), dim=(1,)),
        S(kind(2, 5)),
        S(kind(B, 2, 3), dim=(-1, 1), keepdim=True),
        S(kind(4, 3), dim=(0,), correction=0.0),
        S(kind(4, 3), dim=(0,), correction=2.0),
        V(normal(3, 1), dim=(1,)),
        # Far from 0, where a sum of squares would cancel.
        V(uniform(1000, 1001, 2, 64), dim=(1,)),
    ]


def nansum(x: Array, dim: Dims = None, keepdim: bool = False, dtype: str | None = None) -> Array:
    return np.nansum(x, axis=axes(dim), keepdims=keepdim)


def nanmean(x: Array, dim: Dims = None, keepdim: bool = False) -> Array:
    count = np.sum(~np.isnan(x), axis=axes(dim), keepdims=keepdim)
    return np.nansum(x, axis=axes(dim), keepdims=keepdim) / count


def logsumexp(x: Array, dim: Dims = None, keepdim: bool = False) -> Array:
    return np.logaddexp.reduce(x, axis=axes(dim), keepdims=keepdim) if axes(dim) is None or len(
        axes(dim) or ()
    ) == 1 else np.log(np.sum(np.exp(x), axis=axes(dim), keepdims=keepdim))


def norm(x: Array, p: float = 2.0, dim: Dims = None, keepdim: bool = False) -> Array:
    magnitude = np.abs(x)
    if p == INF:
        return np.max(magnitude, axis=axes(dim), keepdims=keepdim)
    if p == -INF:
        return np.min(magnitude, axis=axes(dim), keepdims=keepdim)
    if p == 0:
        return np.sum(magnitude != 0, axis=axes(dim), keepdims=keepdim) * 1.0
    return np.sum(magnitude**p, axis=axes(dim), keepdims=keepdim) ** (1 / p)


def first_position(largest: bool) -> Callable[..., Array]:
    def function(x: Array, dim: int | None = None, keepdim: bool = False) -> Array:
        find = np.argmax if largest else np.argmin
        if dim is None:
            flat = find(x)
            return np.reshape(flat, [1] * x.ndim) if keepdim else np.asarray(flat)
        if x.ndim == 0:
            return np.zeros((), np.int64)
        return find(x, axis=dim, keepdims=keepdim)

    return function


def arg_extremum(x: Array, dim: int, keepdim: bool = False, largest: bool = True) -> Array:
    return first_position(largest)(x, dim, keepdim)


def extremum(largest: bool) -> Callable[..., Any]:
    def function(x: Array, dim: int, keepdim: bool = False) -> Any:
        value = (np.max if largest else np.min)(x, axis=dim, keepdims=keepdim)
        return value, first_position(largest)(x, dim, keepdim)

    return function


POSITIONS = [
    V(distinct(B, 4), dim=1),
    V(distinct(B, 4), dim=-2),
    V(distinct(2, 3)),
    V(ties(2, 8), dim=1, keepdim=True),
    V(ties(12)),
    V(given([[2.0, 5.0, 5.0], [1.0, NAN, NAN]]), dim=1),
    V(ints(0, 4, 3, 5), dim=0),
    V(ints(0, 4, 3, 5, dtype="uint8"), dim=1),
    V(normal()),
    V(normal(300), dim=0),
]
EXTREMA = [
    S(distinct(B, 4), dim=1),
    S(distinct(B, 4), dim=-2),
    S(distinct(2, 3, 2), dim=1, keepdim=True),
    V(ties(2, 8), dim=1, keepdim=True),
    V(given([[2.0, 5.0, 5.0], [1.0, NAN, NAN]]), dim=1),
    V(ints(0, 4, 3, 5), dim=0),
]


def trace(x: Array) -> Array:
    return np.trace(x)


SCANS = {"sum": np.cumsum, "prod": np.cumprod, "max": np.maximum.accumulate,
         "min": np.minimum.accumulate}  # fmt: skip


def scan(x: Array, dim: int, kind: str, reverse: bool = False) -> Array:
    if reverse:
        x = np.flip(x, dim)
    out = SCANS[kind](x, axis=dim)
    return np.flip(out, dim) if reverse else out


def running(kind: str) -> Callable[..., Array]:
    def function(x: Array, dim: int, dtype: str | None = None) -> Array:
        x = x.astype(np.int64) if x.dtype == bool else x
        return scan(x, dim, kind) if x.ndim else x

    return function


def running_extremum(largest: bool) -> Callable[..., Any]:
    """PyTorch's: the last position of a running extremum, NaN once there is one."""

    def line(x: Array) -> tuple[Array, Array]:
        values, positions = x.copy(), np.zeros(x.shape, np.int64)
        best = 0
        for i in range(1, len(x)):
            better = x[i] >= x[best] if largest else x[i] <= x[best]
            if np.isnan(x[i]) or (better and not np.isnan(x[best])):
                best = i
            values[i], positions[i] = x[best], best
        return values, positions

    def function(x: Array, dim: int) -> Any:
        moved = np.moveaxis(x, dim, -1)
        pairs = [line(row * 1.0) for row in moved.reshape(-1, moved.shape[-1])]
        return tuple(
            np.moveaxis(np.reshape([p[i] for p in pairs], moved.shape), -1, dim) for i in range(2)
        )

    return function


def logcumsumexp(x: Array, dim: int) -> Array:
    return np.logaddexp.accumulate(x, axis=dim)


LINES = [
    S(distinct(B, 4), dim=1),
    S(distinct(B, 2, 3), dim=-2),
    S(distinct(4, 3), dim=0),
    S(distinct(5), dim=0),
]
MORE_LINES = [
    V(ints(-9, 9, 2, 5, dtype="int32"), dim=1),
    V(bools(4), dim=0),
    V(normal(2, 200), dim=1),
    V(normal(), dim=0),
    V(normal(0, 3), dim=1),
]

summed = partial(Row, ulps=8, size=8.0)

ROWS = [
    summed("sum", over(np.sum), [*spans(), *EMPTY, *LONG, *INTEGERS, NANS,
           V(normal(B, 4), dim=(1,), dtype="float16"), V(ints(0, 9, 4), dtype="float32")],
           dtype=accumulated, types=("float16", "bfloat16", "int32", "uint8", "bool")),
    summed("prod", over(np.prod), [*spans(), *EMPTY, *INTEGERS[:1], *INTEGERS[3:], NANS,
           S(given([[0.0, 2.0, 3.0], [0.0, 0.0, 3.0], [1.5, 2.0, 1.0]]), dim=(1,))],
           dtype=accumulated, types=("float16", "int32", "bool")),
    Row("amax", over(np.max), [*spans(distinct), NANS, V(ties(2, 8), dim=(1,)), V(bools(2, 3), dim=(1,)),
        V(ints(-9, 9, B, 4), dim=(1,)), V(normal(0, 2), dim=(1,))], exact=True, types=("float16", "int32", "uint8")),
    Row("amin", over(np.min), [*spans(distinct), NANS, V(ties(2, 8), dim=(1,)), V(bools(2, 3), dim=(1,)),
        V(ints(-9, 9, B, 4), dim=(1,)), V(normal(0, 2), dim=(1,))], exact=True, types=("float16", "int32", "uint8")),
    *[
        Row(name, over(function), [V(bools(B, 4), dim=(1,)), V(bools(2, 3)), V(ties(2, 2, 3), dim=(0, 2), keepdim=True),
            V(ints(0, 2, 5)), V(given([NAN, 0.0])), V(bools(2, 0), dim=(1,)), V(bools()), V(ties(3, 4))],
            dtype="bool", gradient=False, types=())
        for name, function in {"any": np.any, "all": np.all}.items()
    ],
    Row("arg_extremum", arg_extremum, [sample for sample in POSITIONS if "dim" in sample.attributes]
        + [V(ties(2, 6), dim=1, largest=False)], dtype="int64", gradient=False),
    Row("argmax", first_position(True), POSITIONS, dtype="int64", gradient=False),
    Row("argmin", first_position(False), POSITIONS, dtype="int64", gradient=False),
    Row("max", extremum(True), EXTREMA, dtype=lambda dtypes, settings: [dtypes[0], "int64"], exact=True),
    Row("min", extremum(False), EXTREMA, dtype=lambda dtypes, settings: [dtypes[0], "int64"], exact=True),
    Row("aminmax", lambda x, dim=None, keepdim=False: (over(np.min)(x, dim, keepdim), over(np.max)(x, dim, keepdim)),
        [*spans(distinct), NANS], exact=True),
    summed("mean", over(np.mean), [*spans(), *EMPTY[1:2], V(normal(2, 0), dim=(1,)), *LONG, NANS,
           V(normal(B, 4), dim=(1,), dtype="float16"), V(ints(0, 9, 4), dtype="float32")], dtype=floating_or_given),
    summed("var", moments(False, False), spread()),
    summed("std", moments(True, False), spread()),
    summed("var_mean", moments(False, True), spread()),
    summed("std_mean", moments(True, True), spread()),
    summed("nansum", nansum, [*spans(), NANS, V(given([NAN, NAN])), V(ints(0, 9, 2, 3), dim=(1,))], dtype=accumulated),
    summed("nanmean", nanmean, [*spans(), NANS, V(given([NAN, NAN]))]),
    summed("logsumexp", logsumexp, [*spans(), V(given([[-INF, -INF], [1000.0, 1000.0], [INF, 1.0]]), dim=(1,)),
           V(normal(2, 200, scale=9), dim=(1,))], empty_apart=True),
    Row("count_nonzero", lambda x, dim=None: np.count_nonzero(x, axis=axes(dim)),
        [V(ties(B, 4), dim=(1,)), V(ties(2, 3)), V(bools(2, 3), dim=(0,)), V(given([NAN, 0.0, -0.0]))],
        dtype="int64", gradient=False, types=("float16", "int32")),
    summed("norm", norm, [*spans(),
           *[S(distinct(B, 4), p=p, dim=(1,)) for p in (1.0, 3.0, 0.5, INF, -INF)],
           V(ties(2, 6), p=0.0, dim=(1,)), S(normal(2, 3), p=2.0, keepdim=True), V(given([0.0, 0.0]))]),
    summed("trace", trace, [S(normal(3, 3)), S(normal(2, 4)), V(ints(0, 9, 3, 3))], dtype=accumulated),
    summed("scan", scan, [(V if kind in ("max", "min") else S)(distinct(B, 4), dim=1, kind=kind, reverse=reverse)
                          for kind in SCANS for reverse in (False, True)]
           + [V(ints(-3, 4, 3, 5), dim=0, kind="sum"), V(given([1.0, NAN, 3.0]), dim=0, kind="max")]),
    summed("cumsum", running("sum"), [*LINES, *MORE_LINES], dtype=accumulated),
    summed("cumprod", running("prod"), [*LINES, *MORE_LINES[:2], V(normal(), dim=0),
           S(given([[2.0, 0.0, 3.0, 0.0], [1.0, 2.0, 0.5, 4.0]]), dim=1)], dtype=accumulated),
    *[
        Row(name, running_extremum(largest), [*LINES, V(ties(2, 8), dim=1), V(given([1.0, 3.0, NAN, 4.0, 4.0]), dim=0),
            V(ints(0, 4, 6), dim=0)], dtype=lambda dtypes, settings: [dtypes[0], "int64"], exact=True)
        for name, largest in {"cummax": True, "cummin": False}.items()
    ],
    summed("logcumsumexp", logcumsumexp, [*LINES, V(given([-INF, 0.0, 800.0]), dim=0)]),
]  # fmt: skip
