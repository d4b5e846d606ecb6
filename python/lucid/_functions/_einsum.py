"""Einstein summation by products of matrices."""

from __future__ import annotations

from typing import Any

from .. import _ops
from .._errors import ArgumentError, ShapeError
from .._tensor import Tensor



def _parse(equation: str, operands: list[Tensor]) -> tuple[list[list[str]], list[str]]:
    """The axis names of every operand and of the result; ellipsis axes get names of their own."""
    text = equation.replace(" ", "")
    left, arrow, right = text.partition("->")
    terms = left.split(",")
    if len(terms) != len(operands):
        raise ArgumentError(
            f"einsum(): {len(operands)} operands were given for the {len(terms)} in '{equation}'"
        )
    named: list[list[str]] = []
    wide = 0
    for term, operand in zip(terms, operands, strict=True):
        head, dots, tail = term.partition("...")
        extra = operand.ndim - len(head) - len(tail)
        if extra < 0 or (not dots and extra != 0):
            raise ShapeError(
                f"einsum(): '{term}' does not fit an operand of shape {tuple(operand.shape)}"
            )
        wide = max(wide, extra)
        named.append([*head, *(f".{extra - i}" for i in range(extra)), *tail])
    ellipsis = [f".{wide - i}" for i in range(wide)]
    if arrow:
        head, dots, tail = right.partition("...")
        return named, [*head, *(ellipsis if dots else []), *tail]
    count: dict[str, int] = {}
    for names in named:
        for n in names:
            count[n] = count.get(n, 0) + 1
    single = sorted(n for n, c in count.items() if c == 1 and not n.startswith("."))
    return named, [*ellipsis, *single]


def einsum(equation: str, *operands: Any) -> Tensor:
    """Sums of products of elements, by names of axes: `einsum("bij,bjk->bik", a, b)`.

    Raises:
        ValueError: The equation does not fit the operands.
    """
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = tuple(operands[0])
    tensors = list(operands)
    named, result = _parse(equation, tensors)
    for i, names in enumerate(named):
        tensors[i], named[i] = _without_repeats(tensors[i], names)
    left, names = tensors[0], named[0]
    for k in range(1, len(tensors)):
        later = {n for rest in named[k + 1 :] for n in rest} | set(result)
        left, names = _contract(left, names, tensors[k], named[k], later)
    summed = [i for i, n in enumerate(names) if n not in result]
    if summed:
        left = _ops.sum(left, summed, False)
        names = [n for n in names if n in result]
    if missing := [n for n in result if n not in names]:
        raise ArgumentError(f"einsum(): axis {missing[0]} of the result is in no operand")
    order = [names.index(n) for n in result]
    return left if order == list(range(len(order))) else _ops.permute(left, order)


def _without_repeats(tensor: Tensor, names: list[str]) -> tuple[Tensor, list[str]]:
    """Takes the diagonal of axes with one name."""
    names = list(names)
    while len(set(names)) < len(names):
        name = next(n for n in names if names.count(n) > 1)
        i = names.index(name)
        j = names.index(name, i + 1)
        tensor = _ops.diagonal(tensor, 0, i, j)
        del names[j], names[i]
        names.append(name)
    return tensor, names


def _contract(
    a: Tensor, a_names: list[str], b: Tensor, b_names: list[str], later: set[str]
) -> tuple[Tensor, list[str]]:
    """The product of two operands, summed over what only they have."""
    a, a_names = _sum_alone(a, a_names, set(b_names) | later)
    b, b_names = _sum_alone(b, b_names, set(a_names) | later)
    shared = [n for n in a_names if n in b_names]
    batch = [n for n in shared if n in later]
    inner = [n for n in shared if n not in later]
    rows = [n for n in a_names if n not in shared]
    columns = [n for n in b_names if n not in shared]
    extents: dict[str, Any] = {}
    for names, tensor in ((a_names, a), (b_names, b)):
        for n, extent in zip(names, tensor.shape, strict=True):
            known = extents.get(n, 1)
            if known == 1:
                extents[n] = extent
            elif extent != 1 and extent != known:
                raise ShapeError(f"einsum(): axis {n} has the extents {known} and {extent}")

    def matrix(tensor: Tensor, names: list[str], first: list[str], second: list[str]) -> Tensor:
        order = batch + first + second
        tensor = _ops.permute(tensor, [names.index(n) for n in order])
        full = [extents[n] for n in order]
        if tuple(tensor.shape) != tuple(full):
            tensor = _ops.expand(tensor, full)
        return _ops.reshape(
            tensor, [*(extents[n] for n in batch), _product(first), _product(second)]
        )

    def _product(names: list[str]) -> Any:
        total: Any = 1
        for n in names:
            total = total * extents[n]
        return total

    if not inner and not batch and not rows:
        return _ops.mul(a, b), columns
    product = _ops.matmul(matrix(a, a_names, rows, inner), matrix(b, b_names, inner, columns))
    names = batch + rows + columns
    return _ops.reshape(product, [extents[n] for n in names]), names


def _sum_alone(tensor: Tensor, names: list[str], needed: set[str]) -> tuple[Tensor, list[str]]:
    alone = [i for i, n in enumerate(names) if n not in needed]
    if not alone:
        return tensor, names
    return _ops.sum(tensor, alone, False), [n for n in names if n in needed]
