"""Comparing gradients with differences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .._interop import read_numpy
from .._tensor import Tensor
from ._grad import grad
from ._modes import no_grad


def gradcheck(
    func: Callable[..., Any],
    inputs: Tensor | Sequence[Any],
    *,
    eps: float = 1e-2,
    atol: float = 1e-2,
    rtol: float = 1e-2,
    raise_exception: bool = True,
) -> bool:
    """Whether the gradients of `func` agree with central differences.

    Values are float32, so steps and tolerances are far larger than float64 would allow.

    Args:
        func: Takes the inputs and gives a tensor or a tuple of them.
        inputs: The arguments; those that require grad are checked.
        eps: The step of the differences.
        atol: Absolute tolerance.
        rtol: Relative tolerance.
        raise_exception: Raise on disagreement instead of returning False.
    """
    arguments = list(inputs) if isinstance(inputs, (tuple, list)) else [inputs]
    outputs = func(*arguments)
    outs = list(outputs) if isinstance(outputs, (tuple, list)) else [outputs]
    for k, argument in enumerate(arguments):
        if not (isinstance(argument, Tensor) and argument.requires_grad):
            continue
        values = read_numpy(argument.detach()).astype(np.float64)
        for j, out in enumerate(outs):
            if not out.requires_grad:
                continue
            analytic = np.zeros((out.numel(), values.size))
            for row in range(out.numel()):
                one = np.zeros(out.numel(), np.float32)
                one[row] = 1
                (g,) = grad(out, argument, _like(one, out), retain_graph=True, allow_unused=True)
                if g is not None:
                    analytic[row] = read_numpy(g).ravel()
            numeric = _differences(func, arguments, k, j, values, eps, out.numel())
            if not np.allclose(analytic, numeric, rtol=rtol, atol=atol):
                if not raise_exception:
                    return False
                worst = float(np.abs(analytic - numeric).max())
                raise RuntimeError(
                    f"Jacobian mismatch for output {j} with respect to input {k}: the largest "
                    f"difference is {worst:g}\nnumerical:{numeric}\nanalytical:{analytic}"
                )
    return True


def _like(values: np.ndarray[Any, Any], tensor: Tensor) -> Tensor:
    from .._creation import tensor as make

    return make(values, dtype=tensor.dtype, device=tensor.device).reshape(tensor.shape)


def _differences(
    func: Callable[..., Any], arguments: list[Any], k: int, j: int,
    values: np.ndarray[Any, Any], eps: float, rows: int,
) -> np.ndarray[Any, Any]:  # fmt: skip
    numeric = np.zeros((rows, values.size))
    flat = values.ravel()
    with no_grad():
        for column in range(flat.size):
            ends = []
            for sign in (1, -1):
                moved = flat.copy()
                moved[column] += sign * eps
                changed = list(arguments)
                changed[k] = _like(moved.astype(np.float32), arguments[k])
                result = func(*changed)
                result = result[j] if isinstance(result, (tuple, list)) else result
                ends.append(read_numpy(result).astype(np.float64).ravel())
            numeric[:, column] = (ends[0] - ends[1]) / (2 * eps)
    return numeric
