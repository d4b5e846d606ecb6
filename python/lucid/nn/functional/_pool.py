"""Pooling."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ... import _ops
from ..._tensor import Tensor
from ._conv import _batched, _many


def _max_pool(axes: int) -> Callable[..., Any]:
    operation = getattr(_ops, f"max_pool{axes}d")
    with_indices = getattr(_ops, f"max_pool{axes}d_with_indices")

    def function(
        input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
        ceil_mode: bool = False, return_indices: bool = False,
    ) -> Any:  # fmt: skip
        input, single = _batched(input, axes)
        kernel = _many(kernel_size, axes)
        rest = (
            kernel if stride is None or stride == [] else _many(stride, axes),
            _many(padding, axes),
            _many(dilation, axes),
            ceil_mode,
        )
        if not return_indices:
            out = operation(input, kernel, *rest)
            return _ops.squeeze(out, [0]) if single else out
        results = with_indices(input, kernel, *rest)
        return tuple(_ops.squeeze(r, [0]) for r in results) if single else results

    function.__name__ = function.__qualname__ = f"max_pool{axes}d"
    function.__doc__ = "The largest element of each window; with `return_indices` also where it is."
    return function


max_pool1d = _max_pool(1)
max_pool2d = _max_pool(2)


def avg_pool1d(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:  # fmt: skip
    """The mean of each window of `(N, C, L)`."""
    input, single = _batched(input, 1)
    kernel = _many(kernel_size, 1)
    out = _ops.avg_pool1d(
        input, kernel, kernel if stride is None else _many(stride, 1), _many(padding, 1),
        ceil_mode, count_include_pad,
    )  # fmt: skip
    return _ops.squeeze(out, [0]) if single else out


def avg_pool2d(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
    count_include_pad: bool = True, divisor_override: int | None = None,
) -> Tensor:  # fmt: skip
    """The mean of each window of `(N, C, H, W)`."""
    input, single = _batched(input, 2)
    kernel = _many(kernel_size, 2)
    out = _ops.avg_pool2d(
        input, kernel, kernel if stride is None else _many(stride, 2), _many(padding, 2),
        ceil_mode, count_include_pad, divisor_override,
    )  # fmt: skip
    return _ops.squeeze(out, [0]) if single else out


def _lp_pool(axes: int) -> Callable[..., Tensor]:
    operation = getattr(_ops, f"lp_pool{axes}d")

    def function(
        input: Tensor, norm_type: float, kernel_size: Any, stride: Any = None,
        ceil_mode: bool = False,
    ) -> Tensor:  # fmt: skip
        steps = None if stride is None else _many(stride, axes)
        return operation(input, float(norm_type), _many(kernel_size, axes), steps, ceil_mode)

    function.__name__ = function.__qualname__ = f"lp_pool{axes}d"
    function.__doc__ = "The p-norm of each window."
    return function


lp_pool1d = _lp_pool(1)
lp_pool2d = _lp_pool(2)


def _wanted(output_size: Any, input: Tensor, axes: int) -> list[int]:
    sizes = list(output_size) if isinstance(output_size, (tuple, list)) else [output_size] * axes
    own = input.shape[input.ndim - axes :]
    return [int(own[i]) if n is None else int(n) for i, n in enumerate(sizes)]


def _adaptive(name: str, axes: int) -> Callable[..., Any]:
    operation = getattr(_ops, name)

    def function(input: Tensor, output_size: Any) -> Tensor:
        input, single = _batched(input, axes)
        out = operation(input, _wanted(output_size, input, axes))
        return _ops.squeeze(out, [0]) if single else out

    function.__name__ = function.__qualname__ = name
    function.__doc__ = "The mean over as many windows as wanted."
    return function


adaptive_avg_pool1d = _adaptive("adaptive_avg_pool1d", 1)
adaptive_avg_pool2d = _adaptive("adaptive_avg_pool2d", 2)


def _adaptive_max(axes: int) -> Callable[..., Any]:
    operation = getattr(_ops, f"adaptive_max_pool{axes}d")

    def function(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
        if return_indices:
            raise NotImplementedError("adaptive max pooling: return_indices is not available")
        input, single = _batched(input, axes)
        out = operation(input, _wanted(output_size, input, axes))
        return _ops.squeeze(out, [0]) if single else out

    function.__name__ = function.__qualname__ = f"adaptive_max_pool{axes}d"
    function.__doc__ = "The maximum over as many windows as wanted."
    return function


adaptive_max_pool1d = _adaptive_max(1)
adaptive_max_pool2d = _adaptive_max(2)
