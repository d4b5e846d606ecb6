"""Operations whose result's size depends on values: they run outside of graphs."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from .model import Array, Row, V, bools, given, ints, normal, ties

host = partial(Row, dtype="int64", gradient=False, types=(), reads_values=True)


def unique(x: Array) -> Any:
    values, inverse, counts = np.unique(x, return_inverse=True, return_counts=True)
    return values, inverse.reshape(x.shape), counts


def unique_consecutive(x: Array) -> Any:
    flat = x.reshape(-1)
    starts = np.flatnonzero(np.concatenate([[True], flat[1:] != flat[:-1]]))
    inverse = np.searchsorted(starts, np.arange(flat.size), "right") - 1
    counts = np.diff([*starts, flat.size])
    return flat[starts], inverse.reshape(x.shape), counts


def with_positions(dtypes: list[str], settings: dict[str, Any]) -> list[str]:
    return [dtypes[0], "int64"]


def first_type(dtypes: list[str], settings: dict[str, Any]) -> str:
    return dtypes[0]


ROWS = [
    host("nonzero", lambda x: np.argwhere(x), [V(ties(3, 4)), V(bools(5)), V(given([0.0, -0.0, np.nan])), V(ints(0, 2, 2, 2, 2)), V(given([0, 0], "int64"))]),
    host("masked_select", lambda x, mask: x[mask], [V(normal(3, 4), bools(3, 4)), V(ints(0, 9, 5), bools(5)), V(normal(2), given([False, False], "bool"))], dtype=first_type),
    host("unique", unique, [V(ints(0, 4, 3, 3)), V(ties(9)), V(bools(4)), V(ints(0, 3, 6, dtype="uint8"))], dtype=with_positions),
    host("unique_consecutive", unique_consecutive, [V(ints(0, 2, 3, 4)), V(ties(9))], dtype=with_positions),
    host("bincount", lambda x, minlength=0: np.bincount(x, minlength=minlength), [V(ints(0, 5, 9)), V(ints(0, 3, 4, dtype="int32"), minlength=6), V(given([], "int64"))]),
    host("repeat_positions", lambda n: np.repeat(np.arange(len(n)), n), [V(ints(0, 4, 5)), V(given([0, 0], "int64"))]),
]  # fmt: skip
