"""`x[key]` and `x[key] = value`.

A key is worked through in two steps. Integers, slices, None and Ellipsis make a view. Boolean and
integer tensors (or lists) then pick elements of it along their axes, as in PyTorch and NumPy.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _native, _ops
from ._dtype import bool_, int32, int64
from ._errors import ArgumentError, AxisError
from ._symint import SymInt

_INTEGERS = (int, np.integer)
# Kinds of a parsed entry.
_TAKE, _RANGE, _NEW, _PICK = range(4)


def _parse(tensor: Any, key: Any) -> tuple[list[tuple[int, Any]], bool]:
    """One entry per axis of the tensor and per new axis; whether tensors are among them."""
    keys = list(key) if isinstance(key, tuple) else [key]
    if isinstance(key, list) and any(
        isinstance(k, (slice, type(Ellipsis), type(None))) for k in key
    ):
        keys = key
    entries: list[tuple[int, Any]] = []
    picks = False
    consumed = sum(_consumes(k) for k in keys)
    rank = tensor.ndim
    if consumed > rank:
        raise AxisError(f"too many indices for tensor of dimension {rank}")
    seen_ellipsis = False
    for k in keys:
        if k is Ellipsis:
            if seen_ellipsis:
                raise AxisError("an index can only have a single ellipsis ('...')")
            seen_ellipsis = True
            entries += [(_RANGE, slice(None))] * (rank - consumed)
        elif k is None:
            entries.append((_NEW, None))
        elif isinstance(k, slice):
            entries.append((_RANGE, k))
        elif isinstance(k, bool):
            entries.append((_PICK, k))
            picks = True
        elif isinstance(k, (*_INTEGERS, SymInt)):
            entries.append((_TAKE, int(k)))
        else:
            entries.append((_PICK, _as_index(k)))
            picks = True
    if not seen_ellipsis:
        entries += [(_RANGE, slice(None))] * (rank - consumed)
    return entries, picks


def _consumes(k: Any) -> int:
    """How many axes of the tensor an entry takes up."""
    if k is None or k is Ellipsis or isinstance(k, bool):
        return 0
    if isinstance(k, (int, slice, SymInt, np.integer)):
        return 1
    index = _as_index(k)
    return index.ndim if index.dtype is bool_ else 1


def _as_index(k: Any) -> Any:
    if isinstance(k, _native.TensorBase):
        if k.dtype.is_floating_point:  # type: ignore[attr-defined]
            raise AxisError("tensors used as indices must be long, int, byte or bool tensors")
        return k
    if isinstance(k, (list, tuple, range, np.ndarray)):
        from ._creation import tensor

        index = tensor(k if isinstance(k, np.ndarray) else list(k))
        return (
            index.to(int64)
            if index.dtype.is_floating_point and index.numel() == 0
            else _as_index(index)
        )
    raise AxisError(
        "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid "
        f"indices (got {type(k).__name__})"
    )


def _basic(tensor: Any, entries: list[tuple[int, Any]]) -> tuple[Any, list[tuple[int, Any]]]:
    """The view that integers, ranges and new axes make, and (axis, index) for the picks."""
    picks: list[tuple[int, Any]] = []
    shape = tensor.shape
    view = tensor
    axis = 0  # of the tensor
    position = 0  # of the view
    for kind, value in entries:
        if kind == _RANGE:
            view = _range(view, position, shape[axis], value)
            axis += 1
            position += 1
        elif kind == _TAKE:
            extent = shape[axis]
            if not isinstance(extent, SymInt) and not -extent <= value < extent:
                raise AxisError(
                    f"index {value} is out of bounds for dimension {axis} with size {extent}"
                )
            view = _ops.select(view, position, value)
            axis += 1
        elif kind == _NEW:
            view = _ops.unsqueeze(view, position)
            position += 1
        else:
            picks.append((position, value))
            if isinstance(value, bool):
                view = _ops.unsqueeze(view, position)
                position += 1
            else:
                count = value.ndim if value.dtype is bool_ else 1
                axis += count
                position += count
    return view, picks


def _range(view: Any, axis: int, extent: Any, key: slice) -> Any:
    """A range of one axis."""
    start, stop = key.start, key.stop
    step = 1 if key.step is None else key.step.__index__()
    if step <= 0:
        raise ValueError("step must be greater than zero")
    if start is None and stop is None and step == 1:
        return view
    symbolic = any(isinstance(n, SymInt) for n in (extent, start, stop))
    if step == 1 and not symbolic:
        first, last, _ = key.indices(extent)
        return _ops.narrow(view, axis, first, max(last - first, 0))
    rank = view.ndim
    starts: list[Any] = [0] * rank
    ends: list[Any] = list(view.shape)
    steps = [1] * rank
    starts[axis] = 0 if start is None else _bound(start)
    ends[axis] = extent if stop is None else _bound(stop)
    steps[axis] = step
    return _ops.slice(view, starts, ends, steps)


def _bound(value: Any) -> Any:
    return value if isinstance(value, SymInt) else value.__index__()


def _spread(view: Any, picks: list[tuple[int, Any]]) -> tuple[list[int], list[Any]]:
    """Axes and integer indices; boolean masks become the positions where they hold."""
    axes: list[int] = []
    indices: list[Any] = []
    for axis, index in picks:
        if isinstance(index, bool):
            from ._creation import tensor

            axes.append(axis)
            indices.append(tensor([0] if index else [], dtype=int64))
            continue
        if index.dtype is bool_:
            extents = tuple(view.shape[axis : axis + index.ndim])
            if tuple(index.shape) != extents:
                raise AxisError(
                    f"The shape of the mask {list(index.shape)} at index 0 does not match the "
                    f"shape of the indexed tensor {list(view.shape)} at index {axis}"
                )
            positions = _ops.nonzero(index)
            for j in range(index.ndim):
                axes.append(axis + j)
                indices.append(_ops.select(positions, 1, j))
        else:
            axes.append(axis)
            indices.append(index if index.dtype in (int64, int32) else index.to(int64))
    return axes, indices


def get(tensor: Any, key: Any) -> Any:
    """`tensor[key]`."""
    if type(key) is int:
        if tensor.ndim == 0:
            raise AxisError("invalid index of a 0-dim tensor. Use `tensor.item()` in Python")
        extent = tensor.shape[0]
        if not isinstance(extent, SymInt) and not -extent <= key < extent:
            raise AxisError(f"index {key} is out of bounds for dimension 0 with size {extent}")
        return _ops.select(tensor, 0, key)
    if type(key) is slice and tensor.ndim > 0:
        view = _range(tensor, 0, tensor.shape[0], key)
        return view if view is not tensor else _ops.view(tensor, tensor.shape)
    entries, _ = _parse(tensor, key)
    view, picks = _basic(tensor, entries)
    if picks:
        axes, indices = _spread(view, picks)
        return _ops.index(view, *indices, axes=axes)
    # Even `x[...]` is a view of its own.
    return view if view is not tensor else _ops.view(tensor, tensor.shape)


def put(tensor: Any, key: Any, value: Any) -> None:
    """`tensor[key] = value`."""
    entries, _ = _parse(tensor, key)
    view, picks = _basic(tensor, entries)
    if not isinstance(value, _native.TensorBase):
        value = _value(value, tensor)
    if len(picks) == 1 and not isinstance(picks[0][1], bool):
        axis, mask = picks[0]
        if mask.dtype is bool_ and value.ndim == 0:  # type: ignore[attr-defined]
            # No need to look at the mask's values.
            for _ in range(view.ndim - axis - mask.ndim):
                mask = _ops.unsqueeze(mask, -1)
            _native.assign(view, _ops.where(mask, value, view).to(view.dtype))
            return
    if picks:
        axes, indices = _spread(view, picks)
        updated = _ops.index_put(view, value, *indices, axes=axes)
        _native.assign(view, updated)
        return
    # Leading axes of extent 1 that the target lacks are dropped, as in PyTorch.
    shape = tuple(value.shape)  # type: ignore[attr-defined]
    while len(shape) > view.ndim and shape[0] == 1:
        value = _ops.select(value, 0, 0)
        shape = shape[1:]
    _native.assign(view, value)


def _value(value: Any, tensor: Any) -> Any:
    if isinstance(value, (bool, int, float, np.generic)):
        return _native.number(value.item() if isinstance(value, np.generic) else value)
    if isinstance(value, SymInt):
        return _native.number(int(value))
    if isinstance(value, (list, tuple, np.ndarray)):
        from ._creation import tensor as make

        return make(value, dtype=tensor.dtype, device=tensor.device)
    raise ArgumentError(f"can't assign a {type(value).__name__} to a tensor")
