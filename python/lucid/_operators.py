"""Python's operators on tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _indexing, _native, _ops
from ._dtype import can_cast
from ._errors import DTypeError, StateError
from ._symint import SymInt

if TYPE_CHECKING:
    from ._tensor import Tensor

OPERANDS = (_native.TensorBase, int, float, SymInt, np.generic, np.ndarray)
_TYPE_WORDS = ("Float", "Half", "BFloat16", "Char", "Short", "Int", "Long", "Byte", "Bool")


def _binary(name: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    operation = getattr(_ops, name)

    def forward(self: Any, other: Any) -> Any:
        if not isinstance(other, OPERANDS):
            return NotImplemented
        return operation(self, other)

    def reflected(self: Any, other: Any) -> Any:
        if not isinstance(other, OPERANDS):
            return NotImplemented
        return operation(other, self)

    forward.__name__ = name
    reflected.__name__ = f"r{name}"
    return forward, reflected


def store(target: Any, result: Any) -> Any:
    """Writes the result of an in-place operation.

    Raises:
        DTypeError: The result's type is of a higher category than the target's.
    """
    if not _native.store(target, result):
        raise _refusal(target, result)
    return target


def _refusal(target: Any, result: Any) -> Exception:
    """Why `result` cannot be written to `target`."""
    source, own = result.dtype, target.dtype
    if not can_cast(source, own):
        return DTypeError(
            f"result type {_TYPE_WORDS[source._number]} can't be cast to the desired output type "
            f"{_TYPE_WORDS[own._number]}"
        )
    return StateError(
        f"output with shape {list(target.shape)} doesn't match the broadcast shape "
        f"{list(result.shape)}"
    )


# In-place operations whose gradient needs no operand, so that overwriting one does no harm.
_SAVES_NOTHING = {"add", "sub", "subtract"}


def in_place(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """The method `name` that stores what `function` gives in its first argument."""
    plain = name[:-1]
    saves = plain not in _SAVES_NOTHING

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        if saves and _native.recorded(self, *args):
            # The gradient uses the operand as it was; what is saved must survive the write.
            return store(self, function(_ops.clone(self), *args, **kwargs))
        return store(self, function(self, *args, **kwargs))

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"In-place form of `{plain}`."
    return method


def _in_place_operator(name: str) -> Callable[..., Any]:
    method = in_place(getattr(_ops, name), f"{name}_")

    def operator(self: Any, other: Any) -> Any:
        return method(self, other) if isinstance(other, OPERANDS) else NotImplemented

    operator.__name__ = f"i{name}"
    return operator


class OperatorMixin:
    """The part of `Tensor` that Python's operators call."""

    __slots__ = ()
    __array_priority__ = 1000

    __add__, __radd__ = _binary("add")
    __sub__, __rsub__ = _binary("sub")
    __mul__, __rmul__ = _binary("mul")
    __truediv__, __rtruediv__ = _binary("div")
    __floordiv__, __rfloordiv__ = _binary("floor_divide")
    __mod__, __rmod__ = _binary("remainder")
    __pow__, __rpow__ = _binary("pow")
    __matmul__, __rmatmul__ = _binary("matmul")
    __and__, __rand__ = _binary("bitwise_and")
    __or__, __ror__ = _binary("bitwise_or")
    __xor__, __rxor__ = _binary("bitwise_xor")
    __lshift__, __rlshift__ = _binary("bitwise_left_shift")
    __rshift__, __rrshift__ = _binary("bitwise_right_shift")
    __lt__, _ = _binary("lt")
    __le__, _ = _binary("le")
    __gt__, _ = _binary("gt")
    __ge__, _ = _binary("ge")
    __eq__, _ = _binary("eq")
    __ne__, _ = _binary("ne")
    del _

    __iadd__ = _in_place_operator("add")
    __isub__ = _in_place_operator("sub")
    __imul__ = _in_place_operator("mul")
    __itruediv__ = _in_place_operator("div")
    __ifloordiv__ = _in_place_operator("floor_divide")
    __imod__ = _in_place_operator("remainder")
    __ipow__ = _in_place_operator("pow")
    __iand__ = _in_place_operator("bitwise_and")
    __ior__ = _in_place_operator("bitwise_or")
    __ixor__ = _in_place_operator("bitwise_xor")

    def __hash__(self) -> int:
        return id(self)

    def __neg__(self) -> Tensor:
        return _ops.neg(self)

    def __pos__(self) -> Any:
        return self

    def __abs__(self) -> Tensor:
        return _ops.abs(self)

    def __invert__(self) -> Tensor:
        return _ops.bitwise_not(self)

    def __getitem__(self, key: Any) -> Tensor:
        return _indexing.get(self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        _indexing.put(self, key, value)
