"""Products of matrices and vectors."""

from __future__ import annotations

from typing import Any

from .. import _ops
from .._errors import ShapeError
from .._tensor import Tensor


def _need(name: str, *checks: tuple[Tensor, int]) -> None:
    for tensor, rank in checks:
        if tensor.ndim != rank:
            raise ShapeError(f"{name}: expected {rank}-D tensors, got shape {tuple(tensor.shape)}")


def mm(input: Tensor, mat2: Tensor) -> Tensor:
    """The product of two matrices."""
    _need("mm", (input, 2), (mat2, 2))
    return _ops.matmul(input, mat2)


def bmm(input: Tensor, mat2: Tensor) -> Tensor:
    """Products of a batch of matrices."""
    _need("bmm", (input, 3), (mat2, 3))
    if input.shape[0] != mat2.shape[0]:
        raise ShapeError(f"bmm: batches {input.shape[0]} and {mat2.shape[0]} differ")
    return _ops.matmul(input, mat2)


def mv(input: Tensor, vec: Tensor) -> Tensor:
    """A matrix times a vector."""
    _need("mv", (input, 2), (vec, 1))
    return _ops.matmul(input, vec)


def dot(input: Tensor, tensor: Tensor) -> Tensor:
    """The product of two vectors."""
    _need("dot", (input, 1), (tensor, 1))
    return _ops.matmul(input, tensor)


vdot = dot


def inner(input: Tensor, other: Tensor) -> Tensor:
    """Products of the last axes."""
    if input.ndim == 0 or other.ndim == 0:
        return _ops.mul(input, other)
    return tensordot(input, other, dims=([-1], [-1]))


def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """All products of elements of two vectors."""
    _need("outer", (input, 1), (vec2, 1))
    return _ops.mul(_ops.unsqueeze(input, 1), vec2)


ger = outer


def _scaled_sum(input: Tensor, product: Tensor, beta: Any, alpha: Any) -> Tensor:
    if alpha != 1:
        product = _ops.mul(product, alpha)
    if beta == 0:
        return product
    return _ops.add(input if beta == 1 else _ops.mul(input, beta), product)


def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """beta · input + alpha · (mat1 @ mat2)."""
    return _scaled_sum(input, mm(mat1, mat2), beta, alpha)


def addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """beta · input + alpha · (mat @ vec)."""
    return _scaled_sum(input, mv(mat, vec), beta, alpha)


def addr(input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """beta · input + alpha · outer(vec1, vec2)."""
    return _scaled_sum(input, outer(vec1, vec2), beta, alpha)


def baddbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Any = 1, alpha: Any = 1
) -> Tensor:
    """beta · input + alpha · (batch1 @ batch2)."""
    return _scaled_sum(input, bmm(batch1, batch2), beta, alpha)


def addbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Any = 1, alpha: Any = 1
) -> Tensor:
    """beta · input + alpha · the sum over the batch of batch1 @ batch2."""
    return _scaled_sum(input, _ops.sum(bmm(batch1, batch2), [0], False), beta, alpha)


def tensordot(a: Tensor, b: Tensor, dims: Any = 2) -> Tensor:
    """Sums of products over pairs of axes: the last `dims` of a and first of b, or given lists."""
    if isinstance(dims, int):
        first = list(range(a.ndim - dims, a.ndim))
        second = list(range(dims))
    else:
        first = [d % a.ndim for d in dims[0]]
        second = [d % b.ndim for d in dims[1]]
    rest_a = [i for i in range(a.ndim) if i not in first]
    rest_b = [i for i in range(b.ndim) if i not in second]
    inner: Any = 1
    for i, j in zip(first, second, strict=True):
        if a.shape[i] != b.shape[j]:
            raise ShapeError(f"tensordot: extents {a.shape[i]} and {b.shape[j]} differ")
        inner = inner * a.shape[i]
    left = _ops.reshape(_ops.permute(a, rest_a + first), [-1, inner])
    right = _ops.reshape(_ops.permute(b, second + rest_b), [inner, -1])
    shape = [a.shape[i] for i in rest_a] + [b.shape[j] for j in rest_b]
    return _ops.reshape(_ops.matmul(left, right), shape)


def chain_matmul(*matrices: Tensor) -> Tensor:
    """The product of several matrices, from the left."""
    result = matrices[0]
    for matrix in matrices[1:]:
        result = _ops.matmul(result, matrix)
    return result


def cross(input: Tensor, other: Tensor, dim: int | None = None) -> Tensor:
    """The vector product along an axis of extent 3."""
    if dim is None:
        dim = next((i for i, n in enumerate(input.shape) if n == 3), -1)
    a = [_ops.select(input, dim, i) for i in range(3)]
    b = [_ops.select(other, dim, i) for i in range(3)]
    parts = [a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3] for i in range(3)]
    axis = dim if dim >= 0 else dim + max(input.ndim, other.ndim)
    return _ops.stack(*parts, dim=axis)


def matrix_power(input: Tensor, n: int) -> Tensor:
    """The n-th power of square matrices, n >= 0."""
    if n < 0:
        raise NotImplementedError("matrix_power of a negative power is not available")
    if n == 0:
        from .._creation import eye

        return eye(input.shape[-1], dtype=input.dtype).expand(input.shape).clone()
    result = None
    while True:
        if n & 1:
            result = input if result is None else _ops.matmul(result, input)
        n >>= 1
        if not n:
            assert result is not None
            return result
        input = _ops.matmul(input, input)
