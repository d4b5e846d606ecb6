"""What a row of the reference is made of: operands, samples, and the function in float64.

Operands are descriptions, so that one sample can be made with several batch sizes and element
types. A made operand holds float64, int64 or bool values that its element type can represent.
"""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

#: The batch extent of a sample: 3 unless a test makes it with another one.
B = "B"
BATCH = 3

FLOATS = ("float32", "float16", "bfloat16")
INTS = {"uint8": (8, False), "int8": (8, True), "int16": (16, True), "int32": (32, True),
        "int64": (64, True)}  # fmt: skip

#: Half a unit in the last place, relative.
EPSILON = {"float32": 2.0**-24, "float16": 2.0**-11, "bfloat16": 2.0**-8}


def is_float(dtype: str) -> bool:
    return dtype in FLOATS


def rounded(values: Array, dtype: str) -> Array:
    """The nearest values that the type has, as float64, int64 or bool."""
    if dtype == "bool":
        return np.asarray(values, bool) if values.dtype.kind == "b" else values != 0
    with np.errstate(over="ignore", invalid="ignore"):
        if dtype == "bfloat16":
            bits = np.asarray(values, np.float32).view(np.uint32).astype(np.uint64)
            even = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000
            out = even.astype(np.uint32).view(np.float32).astype(np.float64)
            return np.where(np.isnan(values), np.nan, out)
        if is_float(dtype):
            return np.asarray(values, dtype).astype(np.float64)
        return np.asarray(values).astype(np.int64).astype(dtype).astype(np.int64)


def promote(*dtypes: str) -> str:
    """PyTorch's common type of operands that all have axes."""
    result = dtypes[0]
    for other in dtypes[1:]:
        result = _promote_two(result, other)
    return result


def _promote_two(a: str, b: str) -> str:
    if a == b:
        return a
    if is_float(a) and is_float(b):
        return "float32"
    if is_float(a) or is_float(b):
        return a if is_float(a) else b
    if "bool" in (a, b):
        return b if a == "bool" else a
    if "uint8" in (a, b):
        other = b if a == "uint8" else a
        return "int16" if other == "int8" else other
    return max(a, b, key=lambda name: INTS[name][0])


@dataclass(frozen=True)
class Made:
    """An operand with its values."""

    values: Array
    dtype: str

    @property
    def differentiable(self) -> bool:
        return is_float(self.dtype)


@dataclass(frozen=True)
class Operand:
    """The description of an operand."""

    shape: tuple[Any, ...]
    dtype: str
    fill: Callable[[np.random.Generator, tuple[int, ...]], Array]

    def make(self, rng: np.random.Generator, batch: int, dtype: str | None = None) -> Made:
        shape = tuple(batch if n is B else n for n in self.shape)
        values = np.asarray(self.fill(rng, shape))
        own = self.dtype
        if dtype is not None and is_float(own):
            own = dtype
            if own in INTS or own == "bool":
                values = np.rint(np.clip(values, -20, 20) * 3)
                values = np.abs(values) if own == "uint8" else values
        return Made(rounded(values, own), own)


def normal(*shape: Any, dtype: str = "float32", scale: float = 1.0) -> Operand:
    """Normal numbers, none within 0.02 of 0, where many functions have a kink."""

    def fill(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        numbers = rng.standard_normal(shape)
        return (numbers + np.copysign(0.02, numbers)) * scale

    return Operand(shape, dtype, fill)


def uniform(low: float, high: float, *shape: Any, dtype: str = "float32") -> Operand:
    return Operand(shape, dtype, lambda rng, shape: rng.uniform(low, high, shape))


def ints(low: int, high: int, *shape: Any, dtype: str = "int64") -> Operand:
    """Integers in [low, high)."""
    return Operand(shape, dtype, lambda rng, shape: rng.integers(low, high, shape))


def bools(*shape: Any) -> Operand:
    return Operand(shape, "bool", lambda rng, shape: rng.integers(0, 2, shape) != 0)


def distinct(*shape: Any, dtype: str = "float32") -> Operand:
    """Numbers that are at least 0.25 apart, in random order."""

    def fill(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        count = int(np.prod(shape))
        return ((rng.permutation(count) - count // 2) * 0.25 + 0.1).reshape(shape)

    return Operand(shape, dtype, fill)


def ties(*shape: Any, dtype: str = "float32") -> Operand:
    """Few different values, many of them equal."""
    return Operand(shape, dtype, lambda rng, shape: rng.integers(-2, 3, shape))


def given(data: Any, dtype: str = "float32") -> Operand:
    array = np.asarray(data)
    return Operand(array.shape, dtype, lambda rng, shape: array)


@dataclass(frozen=True)
class Sample:
    """Operands (None: an optional one left out) and attributes of one call."""

    operands: tuple[Operand | None, ...]
    attributes: dict[str, Any]
    gradient: bool = True

    @property
    def dynamic(self) -> bool:
        """Whether the batch leads the first operand with axes: then `dynamic` leaves it open."""
        shapes = [o.shape for o in self.operands if o is not None and o.shape]
        return bool(shapes) and shapes[0][0] == B

    def make(self, name: str, batch: int = BATCH, dtype: str | None = None) -> list[Made | None]:
        """The operands with values; the same ones for the same name."""
        rng = np.random.default_rng(zlib.crc32(name.encode()))
        return [None if o is None else o.make(rng, batch, dtype) for o in self.operands]

    def settings(self, batch: Any = BATCH) -> dict[str, Any]:
        """The attributes, the batch extent standing where B does."""
        return {key: _with_batch(value, batch) for key, value in self.attributes.items()}


def _with_batch(value: Any, batch: Any) -> Any:
    if isinstance(value, str) and value == B:
        return batch
    if isinstance(value, (list, tuple)):
        return type(value)(_with_batch(v, batch) for v in value)
    return value


def S(*operands: Operand | None, **attributes: Any) -> Sample:
    return Sample(operands, attributes)


def V(*operands: Operand | None, **attributes: Any) -> Sample:
    """A sample of values only: NaNs, ties, kinks and integers have no gradient to compare."""
    return Sample(operands, attributes, gradient=False)


#: How a result's element type follows: a rule by name, or a function of types and attributes.
TypeRule = str | Callable[[list[str], dict[str, Any]], Any]


@dataclass(frozen=True)
class Row:
    """One operation: its definition in float64, and what to try it with."""

    op: str
    reference: Callable[..., Any]
    samples: Sequence[Sample]
    #: "promote": the common type; "float": that, or float32 for integers; else a type's name.
    dtype: TypeRule = "promote"
    #: Other element types to try the first sample with.
    types: tuple[str, ...] = ("float16", "bfloat16")
    #: Whether compiled code gives the bits of eager code.
    exact: bool = False
    #: Roundings that the result may be off by, in units of the last place.
    ulps: float = 4.0
    #: What the roundings are relative to where elements are sums: their size, absolute.
    size: float = 1.0
    gradient: bool = True
    second: bool = True
    #: How many of the results gradients flow through; None: all that are floating.
    linked: int | None = None
    #: Whether the result's size depends on values, so that compiled functions run eagerly.
    reads_values: bool = False
    #: Whether no elements at all are a case of their own, which one more entry serves.
    empty_apart: bool = False
    #: Why one executable does not serve every batch, if so.
    per_shape: str | None = None

    def result_types(self, made: Sequence[Made | None], settings: dict[str, Any]) -> list[str]:
        """The element types of the results (the last one serves all further ones)."""
        dtypes = [m.dtype for m in made if m is not None]
        if callable(self.dtype):
            found = self.dtype(dtypes, settings)
            return [found] if isinstance(found, str) else list(found)
        if self.dtype in ("promote", "float"):
            common = promote(*dtypes)
            floating = self.dtype == "promote" or is_float(common)
            return [common if floating else "float32"]
        return self.dtype.split()

    def evaluate(self, made: Sequence[Made | None], settings: dict[str, Any]) -> list[Made]:
        """The results in float64, int64 or bool, not yet rounded to their types."""
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # the mean of nothing
            out = self.reference(*(self._argument(m) for m in made), **settings)
        results = list(out) if isinstance(out, (tuple, list)) else [out]
        dtypes = self.result_types(made, settings)
        dtypes += [dtypes[-1]] * (len(results) - len(dtypes))
        return [Made(_as_kind(r, dtype), dtype) for r, dtype in zip(results, dtypes, strict=True)]

    def _argument(self, made: Made | None) -> Array | None:
        if made is None:
            return None
        return made.values * 1.0 if self.dtype == "float" else made.values


def _as_kind(values: Any, dtype: str) -> Array:
    array = np.asarray(values)
    if is_float(dtype):
        return array.astype(np.float64)
    return rounded(array, dtype)


def tolerance(row: Row, dtype: str) -> tuple[float, float]:
    """Relative and absolute error that rounding explains."""
    unit = EPSILON[dtype] * row.ulps
    return unit, unit * row.size
