"""Sizes: `Size`, the type of shapes, and `SymInt`, an extent that depends on the batch.

While a function is traced for any batch size, `x.shape[0]` is a `SymInt`. Arithmetic that stays of
the form `coefficient * batch + constant` keeps it symbolic; whatever needs the number itself (a
branch on another size, `range`, a hash) calls `specialise`, which fixes the batch for the trace.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, SupportsIndex

#: Called with a SymInt and what needed its number before the number is handed out. The compile
#: package sets it to note that the trace holds for this batch only.
on_specialise: Callable[[SymInt, str], None] | None = None


class SymInt:
    """`coefficient * batch + constant`, which is `value` in the traced call."""

    __slots__ = ("coefficient", "constant", "value")

    def __init__(self, coefficient: int, constant: int, value: int) -> None:
        self.coefficient = coefficient
        self.constant = constant
        self.value = value

    def specialise(self, why: str) -> int:
        """The number, after noting that the trace depends on it."""
        if on_specialise is not None:
            on_specialise(self, why)
        return self.value

    def __index__(self) -> int:
        return self.specialise("a size is used as a Python int")

    def __int__(self) -> int:
        return self.specialise("int() of a size")

    def __float__(self) -> float:
        return float(self.specialise("float() of a size"))

    def __bool__(self) -> bool:
        if self.coefficient >= 0 and self.constant > 0:
            return True
        return bool(self.specialise("the truth of a size"))

    def __hash__(self) -> int:
        return hash(self.specialise("hash() of a size"))

    def __repr__(self) -> str:
        return str(self.value)

    def __format__(self, spec: str) -> str:
        return format(self.value, spec)

    def __add__(self, other: Any) -> Any:
        if isinstance(other, SymInt):
            return _affine(
                self.coefficient + other.coefficient,
                self.constant + other.constant,
                self.value + other.value,
            )
        if isinstance(other, int):
            return SymInt(self.coefficient, self.constant + other, self.value + other)
        return self._plain(operator.add, other)

    __radd__ = __add__

    def __neg__(self) -> Any:
        return SymInt(-self.coefficient, -self.constant, -self.value)

    def __pos__(self) -> SymInt:
        return self

    def __abs__(self) -> Any:
        if self.coefficient >= 0 and self.constant >= 0:
            return self
        return abs(self.specialise("abs() of a size"))

    def __sub__(self, other: Any) -> Any:
        if isinstance(other, (int, SymInt)):
            return self + (-other)
        return self._plain(operator.sub, other)

    def __rsub__(self, other: Any) -> Any:
        if isinstance(other, int):
            return (-self) + other
        return self._plain(operator.sub, other, reflected=True)

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, int):
            return _affine(self.coefficient * other, self.constant * other, self.value * other)
        return self._plain(operator.mul, other)

    __rmul__ = __mul__

    def __floordiv__(self, other: Any) -> Any:
        if isinstance(other, int) and other != 0:
            if self.coefficient % other == 0:
                # floor((k·q·B + c) / k) = q·B + floor(c / k)
                return SymInt(
                    self.coefficient // other, self.constant // other, self.value // other
                )
        elif isinstance(other, SymInt) and other.coefficient != 0:
            factor, rest = divmod(self.coefficient, other.coefficient)
            if rest == 0 and self.constant == factor * other.constant and other:
                return factor
        return self._plain(operator.floordiv, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return self._plain(operator.floordiv, other, reflected=True)

    def __mod__(self, other: Any) -> Any:
        if isinstance(other, int) and other != 0 and self.coefficient % other == 0:
            return self.constant % other
        return self._plain(operator.mod, other)

    def __rmod__(self, other: Any) -> Any:
        return self._plain(operator.mod, other, reflected=True)

    def __divmod__(self, other: Any) -> tuple[Any, Any]:
        return self // other, self % other

    def __truediv__(self, other: Any) -> Any:
        return self._plain(operator.truediv, other)

    def __rtruediv__(self, other: Any) -> Any:
        return self._plain(operator.truediv, other, reflected=True)

    def __pow__(self, other: Any) -> Any:
        return self if other == 1 else self._plain(operator.pow, other)

    def __rpow__(self, other: Any) -> Any:
        return self._plain(operator.pow, other, reflected=True)

    def _plain(
        self, function: Callable[[Any, Any], Any], other: Any, reflected: bool = False
    ) -> Any:
        if not isinstance(other, (int, float, SymInt)):
            return NotImplemented
        mine = self.specialise(f"{function.__name__}() of a size")
        theirs = int(other) if isinstance(other, SymInt) else other
        return function(theirs, mine) if reflected else function(mine, theirs)

    def _difference(self, other: Any) -> int | None:
        """Self - other where it does not depend on the batch."""
        if isinstance(other, SymInt):
            if other.coefficient == self.coefficient:
                return self.constant - other.constant
        elif self.coefficient == 0 and isinstance(other, int):
            return self.constant - other
        return None

    def _compare(self, function: Callable[[Any, Any], bool], other: Any) -> bool:
        if not isinstance(other, (int, float, SymInt)):
            return NotImplemented
        known = self._difference(other)
        if known is not None:
            return function(known, 0)
        if isinstance(other, (int, float)) and self.coefficient > 0 and other < self.constant:
            # The batch is not negative, so the size is at least its constant.
            return function(1, 0)
        mine = self.specialise("a comparison of a size")
        return function(mine, int(other) if isinstance(other, SymInt) else other)

    def __eq__(self, other: object) -> bool:
        return self._compare(operator.eq, other)

    def __ne__(self, other: object) -> bool:
        return self._compare(operator.ne, other)

    def __lt__(self, other: Any) -> bool:
        return self._compare(operator.lt, other)

    def __le__(self, other: Any) -> bool:
        return self._compare(operator.le, other)

    def __gt__(self, other: Any) -> bool:
        return self._compare(operator.gt, other)

    def __ge__(self, other: Any) -> bool:
        return self._compare(operator.ge, other)


def _affine(coefficient: int, constant: int, value: int) -> SymInt | int:
    return SymInt(coefficient, constant, value) if coefficient != 0 else value


class Size(tuple[int, ...]):
    """The shape of a tensor: a tuple of extents."""

    __slots__ = ()

    def numel(self) -> int:
        """The number of elements of such a tensor."""
        count: Any = 1
        for extent in self:
            count = count * extent
        return count

    def __repr__(self) -> str:
        return f"lucid.Size([{', '.join(map(repr, self))}])"

    def __getitem__(self, key: Any) -> Any:
        item = tuple.__getitem__(self, key)
        return Size(item) if isinstance(key, slice) else item

    def __add__(self, other: Any) -> Size:
        return Size(tuple.__add__(self, tuple(other)))

    def __radd__(self, other: Any) -> Size:
        return Size(tuple(other) + tuple(self))

    def __mul__(self, count: SupportsIndex) -> Size:
        return Size(tuple.__mul__(self, count))

    __rmul__ = __mul__

    def __reduce__(self) -> tuple[Any, ...]:
        return (Size, (tuple(self),))
