"""Element types."""

from __future__ import annotations

from typing import Any, Final

import numpy as np


class dtype:
    """The type of a tensor's elements, such as `lucid.float32`.

    Attributes:
        itemsize: Bytes per element.
        is_floating_point: Whether it is a floating-point type.
        is_signed: Whether it can hold negative numbers.
    """

    __slots__ = (
        "_category",
        "_name",
        "_number",
        "_typestr",
        "is_floating_point",
        "is_signed",
        "itemsize",
    )
    is_complex: Final = False

    def __init__(
        self, name: str, number: int, itemsize: int, category: int, typestr: str | None
    ) -> None:
        self._name = name
        self._number = number
        self._category = category  # 0 bool, 1 integer, 2 floating point: promotion goes up
        self._typestr = typestr  # NumPy's name; None where NumPy has no such type
        self.itemsize = itemsize
        self.is_floating_point = category == 2
        self.is_signed = category != 0 and name != "uint8"

    def __repr__(self) -> str:
        return f"lucid.{self._name}"

    def __reduce__(self) -> str:
        return self._name


float32 = dtype("float32", 0, 4, 2, "<f4")
float16 = dtype("float16", 1, 2, 2, "<f2")
bfloat16 = dtype("bfloat16", 2, 2, 2, None)
int8 = dtype("int8", 3, 1, 1, "|i1")
int16 = dtype("int16", 4, 2, 1, "<i2")
int32 = dtype("int32", 5, 4, 1, "<i4")
int64 = dtype("int64", 6, 8, 1, "<i8")
uint8 = dtype("uint8", 7, 1, 1, "|u1")
bool_ = dtype("bool", 8, 1, 0, "|b1")

#: All element types, by their number in lucid.h.
BY_NUMBER: tuple[dtype, ...] = (
    float32, float16, bfloat16, int8, int16, int32, int64, uint8, bool_,
)  # fmt: skip
_BY_TYPESTR = {np.dtype(d._typestr): d for d in BY_NUMBER if d._typestr is not None}
_BY_PYTHON: dict[Any, dtype] = {bool: bool_, int: int64, float: float32}

NO_FLOAT64 = (
    "float64 is not available (the GPU has no such type): use lucid.float32, "
    "for a NumPy array array.astype('float32')"
)


def from_numpy_dtype(given: Any) -> dtype | None:
    """The element type for a NumPy dtype; None if there is none."""
    return _BY_TYPESTR.get(np.dtype(given))


def as_dtype(given: Any) -> dtype:
    """What a `dtype=` argument means.

    Raises:
        DTypeError: The type does not exist here; float64 is named with the way out.
        TypeError: The argument is no type at all.
    """
    if isinstance(given, dtype):
        return given
    known = _BY_PYTHON.get(given) if isinstance(given, type) else None
    if known is not None:
        return known
    from ._errors import DTypeError

    try:
        numpy_type = np.dtype(given)
    except TypeError:
        raise TypeError(f"dtype must be a lucid.dtype, not {given!r}") from None
    found = _BY_TYPESTR.get(numpy_type)
    if found is None:
        message = NO_FLOAT64 if numpy_type == np.float64 else f"{numpy_type} is not available"
        raise DTypeError(message)
    return found


def promote_types(a: dtype, b: dtype) -> dtype:
    """The smallest type that both convert to, as in PyTorch."""
    if a is b:
        return a
    if a._category != b._category:
        return a if a._category > b._category else b
    if a._category == 2:
        return a if a is float32 else b if b is float32 else float32
    if uint8 in (a, b):
        other = b if a is uint8 else a
        return int16 if other is int8 else other
    return a if a.itemsize > b.itemsize else b


def can_cast(source: dtype, target: dtype) -> bool:
    """Whether in-place results of `source` may be stored as `target`."""
    return source._category <= target._category


_default: dtype = float32


def get_default_dtype() -> dtype:
    """The type of new floating-point tensors."""
    return _default


def set_default_dtype(d: dtype) -> None:
    """Sets the type of new floating-point tensors."""
    global _default
    if not d.is_floating_point:
        raise TypeError(f"only floating-point types are supported as the default, not {d}")
    _default = d


class finfo:
    """Numbers that describe a floating-point type: `bits`, `eps`, `max`, `min`, `tiny`."""

    _TABLE: Final = {
        "float32": (32, 2.0**-23, 3.4028234663852886e38, 2.0**-126),
        "float16": (16, 2.0**-10, 65504.0, 2.0**-14),
        "bfloat16": (16, 2.0**-7, 3.3895313892515355e38, 2.0**-126),
    }

    def __init__(self, type: dtype | None = None) -> None:
        self.dtype = type if type is not None else _default
        if not self.dtype.is_floating_point:
            raise TypeError(f"finfo needs a floating-point type, not {type}")
        self.bits, self.eps, self.max, self.tiny = self._TABLE[self.dtype._name]
        self.min = -self.max
        self.smallest_normal = self.tiny
        self.resolution = 10.0 ** -int(-np.log10(self.eps))

    def __repr__(self) -> str:
        return (
            f"finfo(eps={self.eps:g}, max={self.max:g}, min={self.min:g}, dtype={self.dtype._name})"
        )


class iinfo:
    """Numbers that describe an integer type: `bits`, `max`, `min`."""

    def __init__(self, type: dtype) -> None:
        if type._category != 1:
            raise TypeError(f"iinfo needs an integer type, not {type}")
        self.dtype = type
        self.bits = type.itemsize * 8
        self.max = 2 ** (self.bits - 1) - 1 if type.is_signed else 2**self.bits - 1
        self.min = -(2 ** (self.bits - 1)) if type.is_signed else 0

    def __repr__(self) -> str:
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype._name})"
