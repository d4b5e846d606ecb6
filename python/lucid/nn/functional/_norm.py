"""Normalisation."""

from __future__ import annotations

from typing import Any

from ... import _native, _ops
from ..._errors import ShapeError
from ..._tensor import Tensor

local_response_norm = _ops.local_response_norm


def _extents(normalized_shape: Any) -> Any:
    return (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)


def layer_norm(
    input: Tensor, normalized_shape: Any, weight: Tensor | None = None, bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:  # fmt: skip
    """Standardises over the last axes, then scales by `weight` and adds `bias`."""
    return _ops.layer_norm(
        input, weight, bias, normalized_shape=_extents(normalized_shape), eps=eps
    )


def rms_norm(
    input: Tensor, normalized_shape: Any, weight: Tensor | None = None, eps: float | None = None
) -> Tensor:
    """Divides by the root of the mean square over the last axes, then scales by `weight`."""
    return _ops.rms_norm(input, weight, normalized_shape=_extents(normalized_shape), eps=eps)


def group_norm(
    input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:  # fmt: skip
    """Standardises groups of channels of each sample."""
    return _ops.group_norm(input, weight, bias, num_groups=num_groups, eps=eps)


def _update(running: Tensor | None, batch: Tensor, momentum: Any) -> None:
    if running is not None:
        value = running.detach() * (1 - momentum) + batch.detach().to(running.dtype) * momentum
        _native.assign(running, value.to(running.dtype))


def batch_norm(
    input: Tensor, running_mean: Tensor | None, running_var: Tensor | None,
    weight: Tensor | None = None, bias: Tensor | None = None, training: bool = False,
    momentum: Any = 0.1, eps: float = 1e-5,
) -> Tensor:  # fmt: skip
    """Standardises channels over the batch, or by running statistics.

    Args:
        input: `(N, C, …)`.
        running_mean: Written in training, read else.
        running_var: Written in training, read else.
        weight: A factor per channel.
        bias: An addend per channel.
        training: Whether statistics are those of the batch.
        momentum: The share of the batch in the running statistics; a number or a 0-d tensor.
        eps: Added to the variance.
    """
    if not training:
        if running_mean is None or running_var is None:
            raise ShapeError(
                "Expected running_mean and running_var to be defined when training=False"
            )
        return _ops.batch_norm(input, running_mean, running_var, weight, bias, eps)
    if running_mean is not None and running_var is not None and isinstance(momentum, float):
        out, mean, var = _ops.batch_norm_training(
            input, running_mean, running_var, weight, bias, momentum, eps
        )
        # Statistics are remembered, not differentiated.
        _native.assign(running_mean, mean.detach())
        _native.assign(running_var, var.detach())
        return out
    out, mean, var = _ops.batch_norm_batch(input, weight, bias, eps)
    _update(running_mean, mean, momentum)
    _update(running_var, var, momentum)
    return out


def instance_norm(
    input: Tensor, running_mean: Tensor | None = None, running_var: Tensor | None = None,
    weight: Tensor | None = None, bias: Tensor | None = None, use_input_stats: bool = True,
    momentum: float = 0.1, eps: float = 1e-5,
) -> Tensor:  # fmt: skip
    """Standardises each channel of each sample, or by running statistics."""
    if not use_input_stats:
        if running_mean is None or running_var is None:
            raise ShapeError(
                "Expected running_mean and running_var to be defined when use_input_stats=False"
            )
        return _ops.batch_norm(input, running_mean, running_var, weight, bias, eps)
    out = _ops.instance_norm(input, weight, bias, eps)
    if running_mean is not None or running_var is not None:
        axes = list(range(2, input.ndim))
        var, mean = _ops.var_mean(input.detach(), axes, 1.0, False)
        _update(running_mean, _ops.mean(mean, [0]), momentum)
        _update(running_var, _ops.mean(var, [0]), momentum)
    return out
