"""Functions put together from others."""

from __future__ import annotations

import itertools
from typing import Any

from .. import _ops
from .._dtype import dtype as DType
from .._errors import ArgumentError
from .._tensor import Tensor
from ._common import wrap_axis


def clone(input: Tensor) -> Tensor:
    """A copy that gradients flow through."""
    return input.clone()


def detach(input: Tensor) -> Tensor:
    """The same memory without history."""
    return input.detach()


def is_floating_point(input: Tensor) -> bool:
    """Whether the element type is a floating-point type."""
    return input.dtype.is_floating_point


def is_complex(input: Tensor) -> bool:
    """There are no complex types: False."""
    return False


def is_same_size(input: Tensor, other: Tensor) -> bool:
    """Whether the shapes are equal."""
    return input.shape == other.shape


def result_type(a: Any, b: Any) -> DType:
    """The type that arithmetic of two operands, tensors or numbers, gives."""
    return _ops.add(_corner(a), _corner(b)).dtype


def _corner(operand: Any) -> Any:
    """An operand of the same kind with as few elements as possible."""
    if not isinstance(operand, Tensor) or operand.ndim == 0:
        return operand
    return _ops.full((1,), 0.0, operand.dtype)


def diagflat(input: Tensor, offset: int = 0) -> Tensor:
    """A matrix with all elements on its diagonal."""
    return _ops.diag(_ops.flatten(input), offset)


def select_scatter(input: Tensor, src: Tensor, dim: int, index: int) -> Tensor:
    """The tensor with one index of an axis replaced."""
    out = _ops.clone(input)
    _ops.select(out, dim, index).copy_(src)
    return out


def slice_scatter(
    input: Tensor, src: Tensor, dim: int = 0, start: int | None = None, end: int | None = None,
    step: int = 1,
) -> Tensor:  # fmt: skip
    """The tensor with a range of an axis replaced."""
    out = _ops.clone(input)
    key: list[Any] = [slice(None)] * input.ndim
    key[wrap_axis(dim, input.ndim)] = slice(start, end, step)
    out[tuple(key)] = src
    return out


def diagonal_scatter(
    input: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1
) -> Tensor:
    """The tensor with a diagonal replaced."""
    out = _ops.clone(input)
    _ops.diagonal(out, offset, dim1, dim2).copy_(src)
    return out


def sum_to_size(self: Tensor, *size: Any) -> Tensor:
    """Summed to a shape that broadcasts to this one."""
    shape = tuple(size[0]) if len(size) == 1 and not isinstance(size[0], int) else size
    lead = self.ndim - len(shape)
    if lead < 0:
        raise ArgumentError(f"size {list(shape)} is not expandable to {list(self.shape)}")
    axes = [*range(lead)]
    for i, n in enumerate(shape):
        if n == 1 and self.shape[lead + i] != 1:
            axes.append(lead + i)
        elif n != self.shape[lead + i]:
            raise ArgumentError(f"size {list(shape)} is not expandable to {list(self.shape)}")
    return _ops.reshape(_ops.sum(self, axes, True), shape) if axes else self


def ldexp(input: Tensor, other: Tensor) -> Tensor:
    """The product of input and 2^other."""
    return _ops.mul(input, _ops.pow(2.0, other))


def isreal(input: Tensor) -> Tensor:
    """True everywhere: there are no complex numbers."""
    return _ops.eq(_ops.isnan(input), _ops.isnan(input))


def trapezoid(y: Tensor, x: Any = None, *, dx: float = 1.0, dim: int = -1) -> Tensor:
    """The integral along an axis by the trapezoidal rule."""
    n = y.shape[dim]
    left, right = y.narrow(dim, 0, n - 1), y.narrow(dim, 1, n - 1)
    if x is None:
        return _ops.sum(left + right, [dim]) * (dx / 2)
    if x.ndim == 1:
        return _ops.sum(_ops.diff(x) * (left + right).movedim(dim, -1), [-1]) / 2
    return _ops.sum(_ops.diff(x, 1, dim) * (left + right), [dim]) / 2


trapz = trapezoid


def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Tensor:
    """A matrix whose columns are powers of a vector."""
    from .._creation import arange

    powers = arange(x.shape[0] if N is None else N, device=x.device)
    return _ops.pow(_ops.unsqueeze(x, 1), powers if increasing else _ops.flip(powers, [0]))


def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """All choices of r elements of a vector, as rows."""
    from .._creation import tensor

    choose: Any = (
        itertools.combinations_with_replacement if with_replacement else itertools.combinations
    )
    rows = list(choose(range(input.shape[0]), r))
    index = tensor(rows, dtype=int, device=input.device).reshape(len(rows), r)
    return input[index]


def unravel_index(indices: Tensor, shape: Any) -> tuple[Tensor, ...]:
    """The coordinates of positions in a flat tensor of a shape."""
    out: list[Tensor] = []
    for n in reversed(tuple(shape)):
        out.append(_ops.remainder(indices, n))
        indices = _ops.floor_divide(indices, n)
    return tuple(reversed(out))


def cov(input: Tensor, *, correction: int = 1) -> Tensor:
    """The covariance matrix of variables (rows) over observations (columns)."""
    rows = _ops.unsqueeze(input, 0) if input.ndim < 2 else input
    centred = rows - _ops.mean(rows, [1], True)
    product = _ops.matmul(centred, _ops.t(centred)) / (rows.shape[1] - correction)
    return product if input.ndim == 2 else _ops.reshape(product, [])


def corrcoef(input: Tensor) -> Tensor:
    """The correlation matrix of variables (rows) over observations (columns)."""
    matrix = cov(input)
    if matrix.ndim == 0:
        return matrix / matrix
    deviation = _ops.sqrt(_ops.diagonal(matrix))
    return _ops.clamp(
        matrix / _ops.unsqueeze(deviation, 1) / _ops.unsqueeze(deviation, 0), -1.0, 1.0
    )


def pdist(input: Tensor, p: float = 2.0) -> Tensor:
    """The p-norm distances of all pairs of rows."""
    n = input.shape[0]
    first = [i for i in range(n) for _ in range(i + 1, n)]
    second = [j for i in range(n) for j in range(i + 1, n)]
    if not first:
        return _ops.full((0,), 0.0, input.dtype)
    from .._creation import tensor

    a = _ops.index_select(input, tensor(first, device=input.device), 0)
    b = _ops.index_select(input, tensor(second, device=input.device), 0)
    return _ops.norm(a - b, float(p), [1], False)


def scalar_tensor(value: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """A tensor without axes, of the default type."""
    from .._creation import full

    return full((), float(value), dtype=dtype, device=device)
