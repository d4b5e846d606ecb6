"""Activation functions."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from ... import _ops
from ..._dtype import as_dtype
from ..._errors import ArgumentError
from ..._operators import store
from ..._tensor import Tensor

gelu = _ops.gelu
logsigmoid = _ops.logsigmoid
softsign = _ops.softsign
tanhshrink = _ops.tanhshrink
softplus = _ops.softplus
hardshrink = _ops.hardshrink
softshrink = _ops.softshrink
glu = _ops.glu
sigmoid = _ops.sigmoid
tanh = _ops.tanh
prelu = _ops.prelu


def _with_inplace(name: str) -> Callable[..., Tensor]:
    operation = getattr(_ops, name)

    def function(input: Tensor, inplace: bool = False) -> Tensor:
        return store(input, operation(input)) if inplace else operation(input)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = operation.__doc__
    return function


relu = _with_inplace("relu")
relu6 = _with_inplace("relu6")
silu = _with_inplace("silu")
mish = _with_inplace("mish")
selu = _with_inplace("selu")
hardsigmoid = _with_inplace("hardsigmoid")
hardswish = _with_inplace("hardswish")


def relu_(input: Tensor) -> Tensor:
    """In-place form of `relu`."""
    return relu(input, True)


def _finish(input: Tensor, result: Tensor, inplace: bool) -> Tensor:
    return store(input, result) if inplace else result


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Input where positive, else alpha · (exp(input) - 1)."""
    return _finish(input, _ops.elu(input, alpha), inplace)


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Input where positive, else alpha · (exp(input / alpha) - 1)."""
    return _finish(input, _ops.celu(input, alpha), inplace)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """Input where positive, else negative_slope · input."""
    return _finish(input, _ops.leaky_relu(input, negative_slope), inplace)


def hardtanh(
    input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False
) -> Tensor:
    """Input limited to [min_val, max_val]."""
    if min_val > max_val:
        raise ArgumentError("min_val cannot be greater than max_val")
    return _finish(input, _ops.hardtanh(input, min_val, max_val), inplace)


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """Input above the threshold, value elsewhere."""
    return _finish(input, _ops.threshold(input, threshold, value), inplace)


def rrelu(
    input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False,
    inplace: bool = False,
) -> Tensor:  # fmt: skip
    """Leaky ReLU with a slope drawn from [lower, upper] in training, else their mean."""
    return _finish(input, _ops.rrelu(input, lower, upper, training), inplace)


def _axis(name: str, dim: int | None, rank: int) -> int:
    if dim is not None:
        return dim
    warnings.warn(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include "
        "dim=X as an argument.",
        stacklevel=3,
    )
    return 0 if rank in (0, 1, 3) else 1


def softmax(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None
) -> Tensor:
    """exp(input) over its sum along an axis."""
    kind = None if dtype is None else as_dtype(dtype)
    return _ops.softmax(input, _axis("softmax", dim, input.ndim), kind)


def log_softmax(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None
) -> Tensor:
    """The logarithm of softmax, without its underflow."""
    kind = None if dtype is None else as_dtype(dtype)
    return _ops.log_softmax(input, _axis("log_softmax", dim, input.ndim), kind)


def softmin(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None
) -> Tensor:
    """Softmax of -input."""
    kind = None if dtype is None else as_dtype(dtype)
    return _ops.softmin(input, _axis("softmin", dim, input.ndim), kind)


def gumbel_softmax(
    logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1
) -> Tensor:
    """A sample of the Gumbel-softmax distribution; one-hot with `hard`, gradients kept."""
    from ..._random import rand_like

    # -log(u) of u in [0, 1) is exponential; the smallest positive float keeps it finite.
    uniform = rand_like(logits).clamp(min=1.2e-38)
    noise = -(-uniform.log()).log()
    soft = _ops.softmax((logits + noise) / tau, dim)
    if not hard:
        return soft
    index = _ops.argmax(soft, dim, True)
    ones = _ops.expand(_ops.full((), 1.0, soft.dtype), index.shape)
    chosen = _ops.scatter(soft.detach() * 0, index, ones, dim)
    return chosen - soft.detach() + soft


def normalize(
    input: Tensor, p: float = 2.0, dim: Any = 1, eps: float = 1e-12, out: Any = None
) -> Tensor:
    """Input over its p-norm along an axis."""
    axes = [dim] if isinstance(dim, int) else list(dim)
    return _ops.normalize(input, float(p), axes, eps)
