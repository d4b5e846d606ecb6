"""Products of matrices and vectors whose Python form differs from the catalog's."""

from __future__ import annotations

from typing import Any

from .. import _ops
from .._errors import ArgumentError
from .._tensor import Tensor


def einsum(equation: str, *operands: Any) -> Tensor:
    """Sums of products of elements, by names of axes.

    Example:
        >>> import lucid
        >>> a, b = lucid.ones(2, 3), lucid.ones(3, 4)
        >>> lucid.einsum("ij,jk->ik", a, b).shape
        lucid.Size([2, 4])
    """
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = tuple(operands[0])
    return _ops.einsum(*operands, equation=[ord(c) for c in equation])


def tensordot(a: Tensor, b: Tensor, dims: Any = 2) -> Tensor:
    """Sums of products over the last `dims` axes of a and the first of b, or over given lists."""
    if isinstance(dims, int):
        first, second = list(range(a.ndim - dims, a.ndim)), list(range(dims))
    else:
        first, second = ([d] if isinstance(d, int) else list(d) for d in dims)
    return _ops.tensordot(a, b, first, second)


def chain_matmul(*matrices: Tensor) -> Tensor:
    """The product of several matrices, multiplied in the cheapest order."""
    return _ops.chain_matmul(*matrices)


def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """Beta · input + alpha · (mat1 @ mat2)."""
    return _ops.addmm(input, mat1, mat2, float(beta), float(alpha))


def addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """Beta · input + alpha · (mat @ vec)."""
    return _ops.addmv(input, mat, vec, float(beta), float(alpha))


def addr(input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """Beta · input + alpha · outer(vec1, vec2)."""
    return _ops.addr(input, vec1, vec2, float(beta), float(alpha))


def baddbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Any = 1, alpha: Any = 1
) -> Tensor:
    """Beta · input + alpha · (batch1 @ batch2)."""
    return _ops.baddbmm(input, batch1, batch2, float(beta), float(alpha))


def addbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Any = 1, alpha: Any = 1
) -> Tensor:
    """Beta · input + alpha · the sum over the batch of batch1 @ batch2."""
    return _ops.addbmm(input, batch1, batch2, float(beta), float(alpha))


def cross(input: Tensor, other: Tensor, dim: int | None = None) -> Tensor:
    """The vector product along an axis of extent 3, by default the first such."""
    if dim is None:
        dim = next((i for i, n in enumerate(input.shape) if n == 3), None)
        if dim is None:
            raise ArgumentError("cross: no axis has the extent 3")
    return _ops.cross(input, other, dim)


def matrix_power(input: Tensor, n: int) -> Tensor:
    """The n-th power of square matrices, n >= 0."""
    if n < 0:
        raise NotImplementedError("matrix_power of a negative power is not available")
    if n == 0:
        from .._creation import eye

        return eye(input.shape[-1], dtype=input.dtype).expand(input.shape).clone()
    result: Tensor | None = None
    while n:
        if n & 1:
            result = input if result is None else _ops.matmul(result, input)
        n >>= 1
        if n:
            input = _ops.matmul(input, input)
    assert result is not None
    return result
