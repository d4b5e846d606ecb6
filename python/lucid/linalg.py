"""Linear algebra."""

from __future__ import annotations

from typing import Any

from . import _ops
from ._errors import ArgumentError
from ._functions._linalg import cross as _cross
from ._functions._linalg import matrix_power as matrix_power
from ._functions._reduce import norm as _norm
from ._tensor import Tensor

__all__ = [
    "cross",
    "diagonal",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "multi_dot",
    "norm",
    "vecdot",
    "vector_norm",
]

matmul = _ops.matmul


def vector_norm(
    x: Tensor, ord: float = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None
) -> Tensor:
    """The p-norm over axes, as of one long vector."""
    return _norm(x, float(ord), dim, keepdim, dtype)


def matrix_norm(
    A: Tensor, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False, *, dtype: Any = None
) -> Tensor:
    """The Frobenius norm, or the 1- or ∞-norm, of matrices."""
    if dtype is not None:
        A = A.to(dtype)
    if ord == "fro":
        return _norm(A, 2.0, dim, keepdim)
    if ord not in (1, -1, float("inf"), -float("inf")):
        raise NotImplementedError(f"matrix_norm: ord={ord!r} is not available")
    rows, columns = (d % A.ndim for d in dim)
    summed, other = (rows, columns) if abs(ord) == 1 else (columns, rows)
    sums = _ops.sum(_ops.abs(A), [summed], True)
    picked = (_ops.amax if ord > 0 else _ops.amin)(sums, [other], True)
    return picked if keepdim else _ops.squeeze(picked, [rows, columns])


def norm(
    A: Tensor, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: Any = None
) -> Tensor:
    """`vector_norm` or, with two axes and an order, `matrix_norm`."""
    if ord is not None and ((isinstance(dim, (tuple, list)) and len(dim) == 2) or ord == "fro"):
        return matrix_norm(A, ord, (-2, -1) if dim is None else dim, keepdim, dtype=dtype)
    if ord is not None and dim is None and A.ndim == 2:
        return matrix_norm(A, ord, (-2, -1), keepdim, dtype=dtype)
    return vector_norm(A, 2 if ord is None else ord, dim, keepdim, dtype=dtype)


def vecdot(x: Tensor, y: Tensor, *, dim: int = -1) -> Tensor:
    """Inner products of vectors along an axis."""
    return _ops.sum(_ops.mul(x, y), [dim])


def multi_dot(tensors: Any) -> Tensor:
    """The product of several matrices, multiplied in the cheapest order."""
    items = list(tensors)
    if len(items) < 2:
        raise ArgumentError("multi_dot(): expected at least 2 tensors but got " + str(len(items)))
    return _ops.chain_matmul(*items)


def cross(input: Tensor, other: Tensor, *, dim: int = -1) -> Tensor:
    """Vector products along an axis of extent 3."""
    return _cross(input, other, dim)


def diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """The diagonal of matrices, as the last axis."""
    return _ops.diagonal(A, offset, dim1, dim2)
