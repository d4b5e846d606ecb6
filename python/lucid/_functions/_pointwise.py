"""Elementwise functions with options that the catalog does not have."""

from __future__ import annotations

from typing import Any

from .. import _ops
from .._errors import ArgumentError
from .._tensor import Tensor
from ._common import into


def add(input: Any, other: Any, *, alpha: Any = 1, out: Tensor | None = None) -> Tensor:
    """Input + alpha · other."""
    if alpha != 1:
        other = _ops.mul(other, alpha)
    return into(out, _ops.add(input, other))


def sub(input: Any, other: Any, *, alpha: Any = 1, out: Tensor | None = None) -> Tensor:
    """Input - alpha · other."""
    if alpha != 1:
        other = _ops.mul(other, alpha)
    return into(out, _ops.sub(input, other))


def rsub(input: Any, other: Any, *, alpha: Any = 1) -> Tensor:
    """Other - alpha · input."""
    return sub(other, input, alpha=alpha)


def mul(input: Any, other: Any, *, out: Tensor | None = None) -> Tensor:
    """Input · other."""
    return into(out, _ops.mul(input, other))


def div(
    input: Any, other: Any, *, rounding_mode: str | None = None, out: Tensor | None = None
) -> Tensor:
    """Input / other.

    Args:
        input: The dividend.
        other: The divisor.
        rounding_mode: None for true division, `floor`, or `trunc`.
        out: Where to store the result.
    """
    if rounding_mode is None:
        return into(out, _ops.div(input, other))
    if rounding_mode == "floor":
        return into(out, _ops.floor_divide(input, other))
    if rounding_mode == "trunc":
        return into(out, _ops.trunc_divide(input, other))
    raise ArgumentError(
        "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found "
        f"'{rounding_mode}'"
    )


def clamp(input: Tensor, min: Any = None, max: Any = None, *, out: Tensor | None = None) -> Tensor:
    """Limits elements to [min, max]; either may be left out."""
    if min is None and max is None:
        raise ArgumentError("clamp: At least one of 'min' or 'max' must not be None")
    if min is None:
        return into(out, _ops.clamp_max(input, max))
    if max is None:
        return into(out, _ops.clamp_min(input, min))
    return into(out, _ops.clamp(input, min, max))


def round(input: Tensor, *, decimals: int = 0) -> Tensor:
    """Rounds to the nearest integer or decimal, halves to even."""
    if decimals == 0:
        return _ops.round(input)
    scale = 10.0**decimals
    return _ops.round(input * scale) / scale


def where(condition: Tensor, input: Any = None, other: Any = None) -> Any:
    """Elements of `input` where the condition holds, else of `other`.

    With the condition alone: the positions where it holds, one tensor per axis.
    """
    if input is None and other is None:
        from ._select import nonzero

        return nonzero(condition, as_tuple=True)
    return _ops.where(condition, input, other)


def where_method(self: Tensor, condition: Tensor, other: Any) -> Tensor:
    """Elements of this tensor where the condition holds, else of `other`."""
    return _ops.where(condition, self, other)


def equal(input: Tensor, other: Tensor) -> bool:
    """Whether shapes and all elements are equal."""
    if tuple(input.shape) != tuple(other.shape):
        return False
    return bool(_ops.all(_ops.eq(input, other)))


def allclose(
    input: Tensor, other: Tensor, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> bool:
    """Whether all elements are close: |input - other| <= atol + rtol · |other|."""
    return bool(_ops.all(_ops.isclose(input, other, rtol, atol, equal_nan)))


def sgn(input: Tensor) -> Tensor:
    """The sign of each element."""
    return _ops.sign(input)


def positive(input: Tensor) -> Tensor:
    """The tensor itself."""
    return input


def conj(input: Tensor) -> Tensor:
    """The tensor itself: there are no complex numbers."""
    return input
