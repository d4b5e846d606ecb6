"""Functions that rearrange: views where PyTorch gives views."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from .. import _ops
from .._errors import ArgumentError, StateError
from .._symint import SymInt
from .._tensor import Tensor
from ._common import axes, sizes, wrap_axis


def reshape(input: Tensor, *shape: Any) -> Tensor:
    """The same elements under another shape: a view if strides can express it."""
    return _ops.reshape(input, sizes(shape))


def view(self: Tensor, *shape: Any) -> Tensor:
    """The same memory under another shape."""
    if (
        len(shape) == 1
        and not isinstance(shape[0], (int, SymInt))
        and not hasattr(shape[0], "__iter__")
    ):
        raise NotImplementedError("view(dtype) is not available; use to(dtype) to convert values")
    return strict_view(self, sizes(shape))


def strict_view(tensor: Tensor, shape: Sequence[Any]) -> Tensor:
    """A view under another shape.

    Raises:
        RuntimeError: Strides cannot express it.
    """
    made = _ops.view(tensor, shape)
    if (
        not tensor._is_contiguous
        and not made._is_traced
        and made._storage_id != tensor._storage_id
        and made._element_count != 0
    ):
        raise StateError(
            "view size is not compatible with input tensor's size and stride (at least one "
            "dimension spans across two contiguous subspaces). Use .reshape(...) instead."
        )
    return made


def view_as(self: Tensor, other: Tensor) -> Tensor:
    """A view with another tensor's shape."""
    return strict_view(self, other.shape)


def reshape_as(self: Tensor, other: Tensor) -> Tensor:
    """The same elements under another tensor's shape."""
    return _ops.reshape(self, other.shape)


def permute(input: Tensor, *dims: Any) -> Tensor:
    """The axes in another order."""
    return _ops.permute(input, [int(d) for d in sizes(dims)])


def expand(self: Tensor, *size: Any) -> Tensor:
    """Extents of 1 repeated without copying; -1 keeps an extent."""
    return _ops.expand(self, sizes(size))


def expand_as(self: Tensor, other: Tensor) -> Tensor:
    """Expanded to another tensor's shape."""
    return _ops.expand(self, other.shape)


def broadcast_to(input: Tensor, size: Any) -> Tensor:
    """Expanded to a shape."""
    return _ops.expand(input, tuple(size))


def broadcast_shapes(*shapes: Any) -> Any:
    """The shape that such tensors broadcast to."""
    import numpy as np

    from .._symint import Size

    return Size(np.broadcast_shapes(*((s,) if isinstance(s, int) else tuple(s) for s in shapes)))


def broadcast_tensors(*tensors: Tensor) -> tuple[Tensor, ...]:
    """All tensors expanded to their common shape."""
    shape = broadcast_shapes(*(t.shape for t in tensors))
    return tuple(_ops.expand(t, shape) for t in tensors)


def repeat(self: Tensor, *repeats: Any) -> Tensor:
    """The tensor tiled this many times along each axis."""
    return _ops.repeat(self, [int(r) for r in sizes(repeats)])


def tile(input: Tensor, *dims: Any) -> Tensor:
    """Like `repeat`, missing leading repeats counting as 1."""
    return _ops.tile(input, [int(r) for r in sizes(dims)])


def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Two axes swapped."""
    return _ops.transpose(input, dim0, dim1)


def movedim(input: Tensor, source: Any, destination: Any) -> Tensor:
    """Axes moved to other places."""
    return _ops.movedim(input, axes(source) or (), axes(destination) or ())


def squeeze(input: Tensor, dim: Any = None) -> Tensor:
    """Axes of extent 1 dropped: all, or the given ones."""
    return _ops.squeeze(input, axes(dim))


def unsqueeze(input: Tensor, dim: int) -> Tensor:
    """A new axis of extent 1."""
    return _ops.unsqueeze(input, dim)


def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """The axes from `start_dim` to `end_dim` joined into one."""
    return _ops.flatten(input, start_dim, end_dim)


def ravel(input: Tensor) -> Tensor:
    """One axis with all elements."""
    return _ops.flatten(input, 0, -1)


def unflatten(input: Tensor, dim: int, sizes: Any) -> Tensor:
    """An axis split into several."""
    return _ops.unflatten(input, dim, tuple(sizes))


def flip(input: Tensor, *dims: Any) -> Tensor:
    """The order along axes reversed."""
    return _ops.flip(input, [int(d) for d in sizes(dims)])


def fliplr(input: Tensor) -> Tensor:
    """The second axis reversed."""
    return _ops.flip(input, [1])


def flipud(input: Tensor) -> Tensor:
    """The first axis reversed."""
    return _ops.flip(input, [0])


def roll(input: Tensor, shifts: Any, dims: Any = None) -> Tensor:
    """Elements shifted along axes; what leaves at one end enters at the other."""
    shift = list(shifts) if isinstance(shifts, (tuple, list)) else [shifts]
    return _ops.roll(input, shift, axes(dims) or [])


def rot90(input: Tensor, k: int = 1, dims: Any = (0, 1)) -> Tensor:
    """Rotated k times by 90 degrees."""
    return _ops.rot90(input, k, list(dims))


# ---- Joining and parting ------------------------------------------------------------------------


def _list(tensors: Any) -> list[Tensor]:
    items = list(tensors)
    for item in items:
        if not isinstance(item, Tensor):
            raise TypeError(f"expected Tensors, but got {type(item).__name__}")
    return items


def cat(tensors: Any, dim: int = 0, *, axis: int | None = None) -> Tensor:
    """Tensors joined along an axis."""
    return _ops.cat(*_list(tensors), dim=dim if axis is None else axis)


def stack(tensors: Any, dim: int = 0, *, axis: int | None = None) -> Tensor:
    """Tensors of one shape joined along a new axis."""
    return _ops.stack(*_list(tensors), dim=dim if axis is None else axis)


def hstack(tensors: Any) -> Tensor:
    """Joined along the second axis, vectors along the first."""
    return _ops.hstack(*_list(tensors))


def vstack(tensors: Any) -> Tensor:
    """Joined along the first axis, vectors as rows."""
    return _ops.vstack(*_list(tensors))


def dstack(tensors: Any) -> Tensor:
    """Joined along the third axis."""
    return _ops.dstack(*_list(tensors))


def column_stack(tensors: Any) -> Tensor:
    """Vectors as columns, tensors along the second axis."""
    return _ops.column_stack(*_list(tensors))


def block_diag(*tensors: Tensor) -> Tensor:
    """A matrix with the given ones on its diagonal."""
    return _ops.block_diag(*tensors)


def meshgrid(*tensors: Any, indexing: str = "ij") -> tuple[Tensor, ...]:
    """Grids of coordinates from vectors."""
    if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)):
        tensors = tuple(tensors[0])
    return _ops.meshgrid(*tensors, indexing=indexing)


def cartesian_prod(*tensors: Tensor) -> Tensor:
    """All combinations of elements of vectors, as rows."""
    return tensors[0] if len(tensors) == 1 else _ops.cartesian_prod(*tensors)


def _parts(input: Tensor, dim: int, bounds: Sequence[Any]) -> tuple[Tensor, ...]:
    """Views of the ranges between consecutive bounds."""
    axis = wrap_axis(dim, input.ndim)
    starts: list[Any] = [0] * input.ndim
    ends: list[Any] = list(input.shape)
    steps = [1] * input.ndim
    out = []
    for start, end in itertools.pairwise(bounds):
        starts[axis], ends[axis] = start, end
        out.append(_ops.slice(input, starts, ends, steps))
    return tuple(out)


def split(input: Tensor, split_size_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Views of consecutive parts, of one size or of given sizes."""
    axis = wrap_axis(dim, input.ndim)
    extent = input.shape[axis]
    if isinstance(split_size_or_sections, (list, tuple)):
        bounds = [0, *itertools.accumulate(split_size_or_sections)]
        if bounds[-1] != extent:
            raise ArgumentError(
                f"split_with_sizes expects split_sizes to sum exactly to {extent} (input tensor's "
                f"size at dimension {axis}), but got split_sizes={list(split_size_or_sections)}"
            )
        return _parts(input, axis, bounds)
    size = split_size_or_sections
    if isinstance(extent, SymInt):
        if size == extent:
            return (input,)
        if isinstance(size, SymInt):
            count = extent // size
            if isinstance(count, int) and count * size == extent:
                return _parts(input, axis, [size * i for i in range(count + 1)])
        extent = int(extent)
    size = int(size)
    if size < 0 or (size == 0 and extent != 0):
        raise ArgumentError(f"split expects split_size be non-negative, but got split_size={size}")
    if extent == 0:
        return (input,)
    return _parts(input, axis, [*range(0, extent, size), extent])


def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """Views of at most this many equal parts."""
    if chunks <= 0:
        raise ArgumentError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    extent = input.shape[wrap_axis(dim, input.ndim)]
    if isinstance(extent, SymInt) and (extent % chunks) != 0:
        extent = int(extent)
    size = (extent + chunks - 1) // chunks
    return (input,) * chunks if size == 0 else split(input, size, dim)


def tensor_split(input: Tensor, indices_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Views of the parts between positions, or of even parts."""
    axis = wrap_axis(dim, input.ndim)
    extent = int(input.shape[axis])
    if isinstance(indices_or_sections, Tensor):
        indices_or_sections = indices_or_sections.tolist()
    if isinstance(indices_or_sections, int):
        if indices_or_sections <= 0:
            raise ArgumentError("number of sections must be larger than 0")
        each, more = divmod(extent, indices_or_sections)
        counts = [each + (i < more) for i in range(indices_or_sections)]
        return _parts(input, axis, [0, *itertools.accumulate(counts)])
    starts = [0, *indices_or_sections]
    ends = [*indices_or_sections, extent]
    out: tuple[Tensor, ...] = ()
    for start, end in zip(starts, ends, strict=True):
        out += _parts(input, axis, [start, end])
    return out


def hsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """`tensor_split` along the second axis, of vectors along the first."""
    return tensor_split(input, indices_or_sections, 0 if input.ndim == 1 else 1)


def vsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """`tensor_split` along the first axis."""
    return tensor_split(input, indices_or_sections, 0)


def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """Views of the slices along an axis."""
    axis = wrap_axis(dim, input.ndim)
    if input.ndim == 0:
        raise ArgumentError("unbind: the tensor has no axis")
    return tuple(_ops.select(input, axis, i) for i in range(input.shape[axis]))


# ---- Views of elements --------------------------------------------------------------------------


def narrow(input: Tensor, dim: int, start: Any, length: int) -> Tensor:
    """`length` elements of an axis from `start` on."""
    return _ops.narrow(input, dim, int(start), int(length))


def select(input: Tensor, dim: int, index: Any) -> Tensor:
    """One index of an axis, which is dropped."""
    return _ops.select(input, dim, int(index))


def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """The diagonal of two axes, as the last axis."""
    return _ops.diagonal(input, offset, dim1, dim2)


def unfold(self: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """Windows of an axis, `step` apart, as a new last axis."""
    return _ops.unfold(self, dimension, size, step)


def atleast_1d(*tensors: Any) -> Any:
    """Scalars as vectors."""
    return _each(tensors, lambda t: t if t.ndim else _ops.reshape(t, [1]))


def atleast_2d(*tensors: Any) -> Any:
    """Scalars and vectors as matrices of one row."""

    def widen(t: Tensor) -> Tensor:
        return t if t.ndim >= 2 else _ops.reshape(t, [1, -1])

    return _each(tensors, widen)


def atleast_3d(*tensors: Any) -> Any:
    """Fewer than three axes filled up."""

    def widen(t: Tensor) -> Tensor:
        if t.ndim >= 3:
            return t
        return _ops.unsqueeze(t, 2) if t.ndim == 2 else _ops.reshape(t, [1, -1, 1])

    return _each(tensors, widen)


def _each(tensors: tuple[Any, ...], function: Any) -> Any:
    if len(tensors) == 1:
        only = tensors[0]
        if isinstance(only, (list, tuple)):
            return tuple(function(t) for t in only)
        return function(only)
    return tuple(function(t) for t in tensors)


def repeat_interleave(
    input: Tensor, repeats: Any, dim: int | None = None, *, output_size: int | None = None
) -> Tensor:
    """Each element repeated along an axis, or of the flat tensor."""
    if isinstance(repeats, Tensor):
        from .._creation import tensor

        counts = repeats.tolist()
        counts = counts if isinstance(counts, list) else [counts]
        if dim is None:
            input, dim = _ops.flatten(input, 0, -1), 0
        extent = input.shape[dim]
        counts = counts * extent if len(counts) == 1 else counts
        where = [i for i, n in enumerate(counts) for _ in range(n)]
        return _ops.index_select(input, tensor(where, dtype=int, device=input.device), dim)
    return _ops.repeat_interleave(input, int(repeats), dim)
