"""Tools for parameters and gradients."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from .._functions._shape import cat, stack
from .._tensor import Tensor
from ..autograd import no_grad

__all__ = [
    "clip_grad_norm_",
    "clip_grad_value_",
    "get_total_norm",
    "parameters_to_vector",
    "vector_to_parameters",
]


def _gradients(parameters: Any) -> list[Tensor]:
    given = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    return [g for g in (p.grad for p in given) if g is not None]


@no_grad()
def get_total_norm(
    tensors: Iterable[Tensor], norm_type: float = 2.0, error_if_nonfinite: bool = False
) -> Tensor:
    """The p-norm of all elements of all tensors."""
    items = list(tensors)
    if not items:
        from .._creation import tensor

        return tensor(0.0)
    if norm_type == 2.0:
        total = stack([(t * t).sum() for t in items]).sum().sqrt()
    else:
        norms = stack([t.norm(norm_type) for t in items])
        total = norms.amax() if norm_type == math.inf else norms.norm(norm_type)
    if error_if_nonfinite and not math.isfinite(total.item()):
        raise RuntimeError(
            f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, "
            "so it cannot be clipped."
        )
    return total


@no_grad()
def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor], max_norm: float, norm_type: float = 2.0,
    error_if_nonfinite: bool = False, foreach: bool | None = None,
) -> Tensor:  # fmt: skip
    """Scales gradients in place so that their common norm is at most `max_norm`.

    Returns:
        The norm before.
    """
    gradients = _gradients(parameters)
    total = get_total_norm(gradients, float(norm_type), error_if_nonfinite)
    factor = (float(max_norm) / (total + 1e-6)).clamp(max=1.0)
    for gradient in gradients:
        gradient.mul_(factor.to(gradient.dtype))
    return total


@no_grad()
def clip_grad_value_(
    parameters: Tensor | Iterable[Tensor], clip_value: float, foreach: bool | None = None
) -> None:
    """Limits the elements of gradients in place to [-clip_value, clip_value]."""
    limit = float(clip_value)
    for gradient in _gradients(parameters):
        gradient.clamp_(-limit, limit)


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """All elements of all parameters, one after the other."""
    return cat([p.reshape(-1) for p in parameters])


@no_grad()
def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Writes consecutive parts of a vector to parameters."""
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected lucid.Tensor, but got: {type(vec).__name__}")
    start = 0
    for parameter in parameters:
        count = parameter.numel()
        parameter.copy_(vec[start : start + count].reshape(parameter.shape))
        start += count
