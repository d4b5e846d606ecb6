"""Convolutions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ... import _ops
from ..._errors import ArgumentError
from ..._tensor import Tensor


def _many(value: Any, count: int) -> list[int]:
    if isinstance(value, (tuple, list)):
        if len(value) == 1:
            return [int(value[0])] * count
        return [int(v) for v in value]
    return [int(value)] * count


def _batched(input: Tensor, axes: int) -> tuple[Tensor, bool]:
    """The input with a batch axis, and whether it had none."""
    if input.ndim == axes + 1:
        return _ops.unsqueeze(input, 0), True
    return input, False


def _same(
    input: Tensor, weight: Tensor, dilation: list[int], axes: int
) -> tuple[Tensor, list[int]]:
    """Padding that keeps extents; an odd rest goes to the end."""
    totals = [d * (weight.shape[2 + i] - 1) for i, d in enumerate(dilation)]
    rest = [t % 2 for t in totals]
    if any(rest):
        pads: list[int] = []
        for r in reversed(rest):
            pads += [0, r]
        input = _ops.pad(input, pads)
    return input, [t // 2 for t in totals]


def _convolution(axes: int) -> Callable[..., Tensor]:
    operation = getattr(_ops, f"conv{axes}d")

    def function(
        input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = 1,
        padding: Any = 0, dilation: Any = 1, groups: int = 1,
    ) -> Tensor:  # fmt: skip
        input, single = _batched(input, axes)
        strides, dilations = _many(stride, axes), _many(dilation, axes)
        if isinstance(padding, str):
            if padding == "same":
                if any(s != 1 for s in strides):
                    raise ArgumentError("padding='same' is not supported for strided convolutions")
                input, pads = _same(input, weight, dilations, axes)
            elif padding == "valid":
                pads = [0] * axes
            else:
                raise ArgumentError(
                    f"Invalid padding string {padding!r}, should be one of 'same', 'valid'"
                )
        else:
            pads = _many(padding, axes)
        out = operation(input, weight, bias, strides, pads, dilations, groups)
        return _ops.squeeze(out, [0]) if single else out

    function.__name__ = function.__qualname__ = f"conv{axes}d"
    function.__doc__ = f"Convolution over {axes} axes; `padding` may be `same` or `valid`."
    return function


def _transposed(axes: int) -> Callable[..., Tensor]:
    operation = getattr(_ops, f"conv_transpose{axes}d")

    def function(
        input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = 1,
        padding: Any = 0, output_padding: Any = 0, groups: int = 1, dilation: Any = 1,
    ) -> Tensor:  # fmt: skip
        input, single = _batched(input, axes)
        out = operation(
            input, weight, bias, _many(stride, axes), _many(padding, axes),
            _many(output_padding, axes), groups, _many(dilation, axes),
        )  # fmt: skip
        return _ops.squeeze(out, [0]) if single else out

    function.__name__ = function.__qualname__ = f"conv_transpose{axes}d"
    function.__doc__ = f"Transposed convolution over {axes} axes."
    return function


conv1d = _convolution(1)
conv2d = _convolution(2)
conv_transpose1d = _transposed(1)
conv_transpose2d = _transposed(2)
