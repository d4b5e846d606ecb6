"""What the function modules share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from .._symint import SymInt
from .._tensor import Tensor


class ValuesIndices(NamedTuple):
    """Elements and where they were."""

    values: Tensor
    indices: Tensor


def axes(dim: Any, axis: Any = None) -> list[int] | None:
    """A list of axes from `dim` or its NumPy spelling `axis`."""
    if dim is None:
        dim = axis
    if dim is None:
        return None
    if isinstance(dim, (tuple, list)):
        return [int(d) for d in dim]
    return [int(dim)]


def one_axis(dim: Any, axis: Any = None) -> Any:
    """One axis from `dim` or `axis`."""
    return axis if dim is None else dim


def sizes(args: tuple[Any, ...]) -> Sequence[Any]:
    """`f(2, 3)` or `f((2, 3))` as one sequence."""
    if len(args) == 1 and not isinstance(args[0], (int, SymInt)) and hasattr(args[0], "__iter__"):
        return tuple(args[0])
    return args


def wrap_axis(dim: int, rank: int) -> int:
    """A non-negative axis.

    Raises:
        IndexError: It is out of range.
    """
    extent = max(rank, 1)
    if not -extent <= dim < extent:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-extent}, {extent - 1}], "
            f"but got {dim})"
        )
    return dim % extent


def into(out: Tensor | None, result: Any) -> Any:
    """Stores a result in `out=` if there is one."""
    if out is None:
        return result
    if tuple(out.shape) != tuple(result.shape):
        out.data = result.detach().to(out.dtype)
        return out
    return out.copy_(result)
