"""Operations without operands, and what depends on nothing but attributes."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from .model import Array, Row, V

creation = partial(Row, gradient=False, types=())


def given_type(default: str) -> Any:
    return lambda dtypes, settings: settings.get("dtype") or default


def whole(dtype: str | None) -> bool:
    return dtype is not None and "int" in dtype


def full(size: Any, value: float, dtype: str, integer: int | None = None) -> Array:
    return np.full(size, value if integer is None else integer)


def coordinate(size: Any, dim: int, dtype: str | None = None) -> Array:
    return np.indices(size)[dim]


def arange(start: float, end: float, step: float = 1.0, *, dtype: str) -> Array:
    values = start + step * np.arange(max(int(np.ceil((end - start) / step)), 0))
    return np.trunc(values) if whole(dtype) else values


def linspace(start: float, end: float, steps: int, dtype: str | None = None) -> Array:
    return np.linspace(start, end, steps)


def logspace(
    start: float, end: float, steps: int, dtype: str | None = None, base: float = 10.0
) -> Array:
    return np.power(base, np.linspace(start, end, steps))


ROWS = [
    creation("full", full, [
        V(size=(2, 3), value=1.5, dtype="float32"), V(size=(), value=-2.0, dtype="int64"), V(size=(0, 2), value=1.0, dtype="float32"),
        V(size=(2,), value=0.0, integer=2**53 + 1, dtype="int64"), V(size=(2,), value=1.0, dtype="bool"), V(size=(3,), value=0.1, dtype="bfloat16"),
        V(size=(2,), value=float("-inf"), dtype="float16"),
    ], dtype=given_type("float32")),
    creation("constant_integers", lambda values: np.array(values, np.int64), [V(values=(1, -2, 2**53 + 1))], dtype="int64"),
    creation("constant_floats", lambda values: np.array(values), [V(values=(1.5, -2.0, 0.1))], dtype="float32"),
    creation("extent", lambda size, dtype=None: np.array(size[0]), [V(size=(7,)), V(size=(7,), dtype="float32")], dtype=given_type("int64")),
    creation("coordinate", coordinate, [V(size=(2, 3), dim=1), V(size=(2, 3), dim=0, dtype="float32"), V(size=(4,), dim=0, dtype="int32")], dtype=given_type("int64")),
    creation("arange", arange, [
        V(start=0.0, end=5.0, dtype="int64"), V(start=2.0, end=-3.0, step=-2.0, dtype="int32"), V(start=0.0, end=1.0, step=0.25, dtype="float32"),
        V(start=1.0, end=1.0, dtype="float32"), V(start=-1.0, end=2.0, step=0.7, dtype="float32"),
    ], dtype=given_type("float32")),
    creation("linspace", linspace, [
        V(start=0.0, end=1.0, steps=5), V(start=2.0, end=-2.0, steps=4), V(start=3.0, end=9.0, steps=1), V(start=0.0, end=1.0, steps=0),
        V(start=-1.0, end=1.0, steps=101), V(start=0.0, end=1.0, steps=3, dtype="float16"),
    ], dtype=given_type("float32")),
    creation("logspace", logspace, [V(start=0.0, end=2.0, steps=5), V(start=-1.0, end=1.0, steps=3, base=2.0), V(start=1.0, end=2.0, steps=1)], dtype=given_type("float32"), ulps=16),
    creation("eye", lambda n, m, dtype=None: np.eye(n, m), [V(n=3, m=3), V(n=2, m=4), V(n=4, m=2, dtype="int64"), V(n=0, m=2)], dtype=given_type("float32")),
    creation("tril_indices", lambda row, col, offset=0: np.stack(np.tril_indices(row, offset, col)), [V(row=3, col=3), V(row=2, col=4, offset=1), V(row=4, col=3, offset=-1)], dtype="int64"),
    creation("triu_indices", lambda row, col, offset=0: np.stack(np.triu_indices(row, offset, col)), [V(row=3, col=3), V(row=2, col=4, offset=1), V(row=4, col=3, offset=-1)], dtype="int64"),
]  # fmt: skip
