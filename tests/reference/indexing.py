"""Gathering, scattering and lookups."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from .model import Array, B, Operand, Row, S, V, bools, given, ints, normal

indexing = partial(Row, exact=True, types=("float16", "bfloat16"))


def first_type(dtypes: list[str], settings: dict[str, Any]) -> str:
    return dtypes[0]


def second_type(dtypes: list[str], settings: dict[str, Any]) -> str:
    return dtypes[1]


def unique_rows(high: int, *shape: Any, dim: int = 0) -> Operand:
    """Indices below `high` that differ along one axis: results do not depend on the order."""

    def fill(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        return np.argsort(rng.random([high if i == dim else n for i, n in enumerate(shape)]), dim)[
            tuple(slice(0, n) for n in shape)
        ]

    return Operand(shape, "int64", fill)


def open_grid(index: Array, dim: int) -> tuple[Any, ...]:
    """Subscripts that address, for each element of index, its place along dim."""
    grid = list(np.indices(index.shape))
    grid[dim] = index
    return tuple(grid)


def gather(x: Array, index: Array, dim: int) -> Array:
    return x[open_grid(index, dim % max(x.ndim, 1))] if x.ndim else x


def index_gather(x: Array, index: Array, dim: int) -> Array:
    return np.take(x, index, dim)


def index_select(x: Array, index: Array, dim: int) -> Array:
    return np.take(x, index.reshape(-1), dim)


def embedding(index: Array, weight: Array, padding_idx: int | None = None) -> Array:
    return weight[index]


def take_along_dim(x: Array, index: Array, dim: int | None = None) -> Array:
    if dim is None:
        return x.reshape(-1)[index.reshape(-1)]
    dim %= x.ndim
    lead = np.broadcast_shapes(
        [1 if i == dim else n for i, n in enumerate(x.shape)],
        [1 if i == dim else n for i, n in enumerate(index.shape)],
    )
    full = [[x.shape[dim] if i == dim else n for i, n in enumerate(lead)],
            [index.shape[dim] if i == dim else n for i, n in enumerate(lead)]]  # fmt: skip
    return np.take_along_axis(np.broadcast_to(x, full[0]), np.broadcast_to(index, full[1]), dim)


COMBINE: dict[str, Callable[[Array, Array], Array]] = {
    "set": lambda old, new: new, "none": lambda old, new: new, "add": np.add, "sum": np.add,
    "mean": np.add, "mul": np.multiply, "multiply": np.multiply, "prod": np.multiply,
    "amin": np.minimum, "amax": np.maximum,
}  # fmt: skip


def combined(x: Array, index: Array, src: Array, dim: int, kind: str) -> Array:
    """One element after the other."""
    out = x.copy()
    dim %= max(x.ndim, 1)
    for place in np.ndindex(index.shape):
        target = list(place)
        target[dim] = index[place]
        out[tuple(target)] = COMBINE[kind](out[tuple(target)], src[place])
    return out


def scatter(x: Array, index: Array, src: Array, dim: int, reduce: str = "none") -> Array:
    return combined(x, index, src, dim, reduce)


def scatter_along(x: Array, index: Array, source: Array, dim: int, mode: str = "set") -> Array:
    return combined(x, index, source, dim, mode)


def scatter_add(x: Array, index: Array, src: Array, dim: int) -> Array:
    return combined(x, index, src, dim, "add")


NEUTRAL = {"sum": 0.0, "mean": 0.0, "prod": 1.0, "amax": -math.inf, "amin": math.inf}


def scatter_reduce(
    x: Array, index: Array, src: Array, dim: int, reduce: str, include_self: bool = True
) -> Array:
    hits = combined(np.zeros(x.shape), index, np.ones(src.shape), dim, "add")
    start = x if include_self else np.where(hits > 0, NEUTRAL[reduce], x)
    out = combined(start * 1.0, index, src, dim, reduce)
    if reduce == "mean":
        out = out / np.maximum(hits + include_self, 1)
    return out


def slices(x: Array, index: Array, source: Array, dim: int, kind: str) -> Array:
    out = np.moveaxis(x.copy(), dim, 0)
    for i, row in zip(index.reshape(-1), np.moveaxis(source, dim, 0), strict=True):
        out[i] = COMBINE[kind](out[i], row)
    return np.moveaxis(out, 0, dim)


def index_scatter(x: Array, index: Array, source: Array, dim: int, mode: str = "set") -> Array:
    return slices(x, index, source, dim, mode)


def index_add(x: Array, index: Array, source: Array, dim: int, alpha: float = 1.0) -> Array:
    return slices(x, index, alpha * source, dim, "add")


def index_copy(x: Array, index: Array, source: Array, dim: int) -> Array:
    return slices(x, index, source, dim, "set")


def index_fill(x: Array, index: Array, value: Array, dim: int) -> Array:
    out = np.moveaxis(x.copy(), dim, 0)
    out[index.reshape(-1)] = value.reshape(())
    return np.moveaxis(out, 0, dim)


def masked_scatter(x: Array, mask: Array, source: Array) -> Array:
    shape = np.broadcast_shapes(x.shape, mask.shape)
    out, mask = np.broadcast_to(x, shape).copy(), np.broadcast_to(mask, shape)
    out[mask] = source.reshape(-1)[: np.sum(mask)]
    return out


def one_hot(x: Array, num_classes: int) -> Array:
    return (x[..., None] == np.arange(num_classes)).astype(np.int64)


def index(x: Array, *indices: Array, axes: Any) -> Array:
    """NumPy's, where the indexed axes are neighbours; the catalog puts the result there too."""
    return x[subscripts(x.ndim, indices, axes)]


def subscripts(rank: int, indices: Any, axes: Any) -> tuple[Any, ...]:
    keys: list[Any] = [slice(None)] * rank
    for axis, values in zip(axes, indices, strict=True):
        keys[axis] = values
    return tuple(keys)


def index_put(
    x: Array, values: Array, *indices: Array, axes: Any, accumulate: bool = False
) -> Array:
    out = x.copy()
    if accumulate:
        np.add.at(out, subscripts(x.ndim, indices, axes), values)
    else:
        out[subscripts(x.ndim, indices, axes)] = values
    return out




SCATTERS = [
    S(normal(4, 3), unique_rows(4, 2, 3), normal(2, 3), dim=0),
    S(normal(2, 5), unique_rows(5, 2, 3, dim=1), normal(2, 3), dim=1),
    S(normal(5), unique_rows(5, 3), normal(3), dim=0),
    S(normal(2, 5, 2), unique_rows(5, 2, 3, 2, dim=1), normal(2, 3, 2), dim=1),
]
REPEATED = [
    S(normal(4, 3), ints(0, 4, 6, 3), normal(6, 3), dim=0),
    S(normal(2, 3), ints(0, 3, 2, 7), normal(2, 7), dim=1),
    S(normal(3), ints(0, 3, 8, dtype="int32"), normal(8), dim=0),
]


def by(samples: list[Any], **more: Any) -> list[Any]:
    return [type(s)(s.operands, {**s.attributes, **more}, s.gradient) for s in samples]


WIDE = V(ints(0, 9, 4, 3), ints(0, 4, 6, 3), ints(0, 9, 6, 3), dim=0)

ROWS = [
    indexing("gather", gather, [
        S(normal(4, 3), ints(0, 4, 2, 3), dim=0), S(normal(2, 5), ints(0, 5, 2, 3), dim=1), S(normal(2, 5), ints(0, 5, 1, 3), dim=-1),
        S(normal(5), ints(0, 5, 7, dtype="int32"), dim=0), S(normal(B, 5), ints(0, 5, B, 2), dim=1), V(ints(0, 9, 5), ints(0, 5, 3), dim=0),
        S(normal(2, 4, 3), ints(0, 4, 2, 2, 3), dim=1), V(bools(5), ints(0, 5, 3), dim=0),
    ], dtype=first_type),
    indexing("gather_along", gather, [S(normal(4, 3), ints(0, 4, 2, 3), dim=0), S(normal(2, 5), ints(0, 5, 2, 3), dim=1)], dtype=first_type),
    indexing("index_gather", index_gather, [S(normal(4, 3), ints(0, 4, 2), dim=0), S(normal(2, 5), ints(0, 5, 2, 2), dim=1), S(normal(2, 3, 2), ints(0, 3, 4), dim=1)], dtype=first_type),
    indexing("index_select", index_select, [
        S(normal(4, 3), ints(0, 4, 6), dim=0), S(normal(B, 5), ints(0, 5, 2), dim=1), S(normal(2, 5), ints(0, 5, 2), dim=-1), S(normal(3), given(1, "int64"), dim=0),
        V(ints(0, 9, 4), ints(0, 4, 2, dtype="int32"), dim=0),
    ], dtype=first_type),
    indexing("embedding", embedding, [S(ints(0, 5, B, 2), normal(5, 3)), S(ints(0, 5, 7, dtype="int32"), normal(5, 3)), S(given(2, "int64"), normal(5, 2)),
        V(ints(0, 5, 0), normal(5, 2))], dtype=second_type),
    indexing("take", lambda x, i: x.reshape(-1)[i], [S(normal(2, 3), ints(0, 6, 2, 2)), S(normal(4), ints(0, 4, 6, dtype="int32")), V(ints(0, 9, 4), given(1, "int64"))], dtype=first_type),
    indexing("take_along_dim", take_along_dim, [S(normal(B, 4), ints(0, 4, B, 2), dim=1), S(normal(4, 3), ints(0, 4, 2, 1), dim=0), S(normal(1, 4), ints(0, 4, 3, 2), dim=1),
        S(normal(2, 3), ints(0, 6, 4))], dtype=first_type),
    indexing("scatter_along", scatter_along, [*SCATTERS[:3], *by(REPEATED, mode="add"), *by(SCATTERS[:2], mode="mul"), *by(SCATTERS[:2], mode="amax"), *by(SCATTERS[:1], mode="amin")], exact=False, ulps=8),
    indexing("index_scatter", index_scatter, [
        S(normal(4, 3), unique_rows(4, 2), normal(2, 3), dim=0), S(normal(4, 3), ints(0, 4, 6), normal(6, 3), dim=0, mode="add"),
        S(normal(2, 5), ints(0, 5, 7), normal(2, 7), dim=1, mode="add"), S(normal(2, 5), unique_rows(5, 3), normal(2, 3), dim=1, mode="mul"),
        S(normal(2, 5), unique_rows(5, 3), normal(2, 3), dim=1, mode="amax"), S(normal(2, 5), unique_rows(5, 3), normal(2, 3), dim=1, mode="amin"),
    ], exact=False, ulps=8),
    indexing("scatter", scatter, [*SCATTERS, S(normal(4, 3), unique_rows(4, 2, 2), normal(3, 3), dim=0), *by(REPEATED[:1], reduce="add"), *by(SCATTERS[:1], reduce="multiply"),
        V(ints(0, 9, 4), given([1, 3], "int64"), ints(0, 9, 2), dim=0)], exact=False, ulps=8, dtype=first_type),
    indexing("scatter_add", scatter_add, [*REPEATED, *SCATTERS[:2], S(normal(4, 3), ints(0, 4, 2, 2), normal(3, 3), dim=0), WIDE], exact=False, ulps=8, dtype=first_type),
    indexing("scatter_reduce", scatter_reduce, [
        *by(REPEATED, reduce="sum"), *by(REPEATED, reduce="sum", include_self=False), *by(REPEATED, reduce="mean"), *by(REPEATED, reduce="mean", include_self=False),
        *by(REPEATED, reduce="amax"), *by(REPEATED, reduce="amin", include_self=False), *by(REPEATED, reduce="prod"), *by(REPEATED, reduce="prod", include_self=False),
    ], exact=False, ulps=32, types=("float16",), dtype=first_type),
    indexing("index_add", index_add, [
        S(normal(4, 3), ints(0, 4, 6), normal(6, 3), dim=0), S(normal(2, 5), ints(0, 5, 7), normal(2, 7), dim=1, alpha=-0.5), S(normal(B, 3), ints(0, 3, 4), normal(B, 4), dim=1),
        V(ints(0, 9, 4), ints(0, 4, 6), ints(0, 9, 6), dim=0),
    ], exact=False, ulps=8, dtype=first_type),
    indexing("index_copy", index_copy, [S(normal(4, 3), unique_rows(4, 2), normal(2, 3), dim=0), S(normal(B, 5), unique_rows(5, 3), normal(B, 3), dim=1)], dtype=first_type),
    indexing("index_fill", index_fill, [S(normal(4, 3), unique_rows(4, 2), normal(), dim=0), S(normal(B, 5), unique_rows(5, 3), normal(1), dim=1)], dtype=first_type),
    indexing("masked_scatter", masked_scatter, [S(normal(B, 4), bools(B, 4), normal(B, 5)), S(normal(2, 3), bools(3), normal(2, 3)), V(ints(0, 9, 5), bools(5), ints(0, 9, 5))], dtype=first_type),
    indexing("one_hot", one_hot, [V(ints(0, 5, B), num_classes=5), V(ints(0, 3, 2, 2), num_classes=4), V(given(1, "int64"), num_classes=2)], dtype="int64", gradient=False, types=()),
    indexing("index", index, [
        S(normal(4, 3), ints(0, 4, 5), axes=(0,)), S(normal(4, 3), ints(0, 4, 2, 2), ints(0, 3, 2), axes=(0, 1)), S(normal(2, 4, 3), ints(0, 4, 2), axes=(1,)),
        S(normal(2, 4, 3), ints(0, 4, 2), ints(0, 3, 2), axes=(1, 2)), S(normal(3), given(2, "int64"), axes=(0,)), V(ints(0, 9, 4), ints(0, 4, 3), axes=(0,)),
        S(normal(2, 3, 4), ints(0, 2, 3), ints(0, 4, 3), axes=(0, 2)), V(bools(4), ints(0, 4, 3), axes=(0,)),
    ], dtype=first_type),
    indexing("index_put", index_put, [
        S(normal(4, 3), normal(2, 3), unique_rows(4, 2), axes=(0,)), S(normal(4, 3), normal(6, 3), ints(0, 4, 6), axes=(0,), accumulate=True),
        S(normal(4, 3), normal(), unique_rows(4, 2), axes=(0,)), S(normal(2, 4), normal(2, 3), unique_rows(4, 3), axes=(1,)),
        S(normal(4, 3), normal(2), unique_rows(4, 2), ints(0, 3, 2), axes=(0, 1)), V(ints(0, 9, 4), ints(0, 9, 2), unique_rows(4, 2), axes=(0,)),
    ], exact=False, ulps=8, dtype=first_type),
]  # fmt: skip
