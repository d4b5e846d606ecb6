"""Sorting, searching, and reading and writing by position."""

from __future__ import annotations

from typing import Any

from .. import _native, _ops
from .._dtype import int64
from .._errors import ArgumentError, DTypeError
from .._interop import read_numpy
from .._tensor import Tensor
from ._common import ValuesIndices


def sort(
    input: Tensor, dim: int = -1, descending: bool = False, *, stable: bool = False
) -> ValuesIndices:
    """The elements of each line in order, and where they were; always stable."""
    return ValuesIndices(*_ops.sort(input, dim, descending))


def argsort(
    input: Tensor, dim: int = -1, descending: bool = False, *, stable: bool = False
) -> Tensor:
    """Where the elements of each line in order were."""
    return _ops.argsort(input, dim, descending)


def msort(input: Tensor) -> Tensor:
    """Sorted along the first axis."""
    return _ops.sort(input, 0, False)[0]


def topk(
    input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True
) -> ValuesIndices:
    """The k largest (or smallest) elements of each line in order, and their positions."""
    return ValuesIndices(*_ops.topk(input, k, dim, largest))


def kthvalue(input: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> ValuesIndices:
    """The k-th smallest element of each line, and its position."""
    return ValuesIndices(*_ops.kthvalue(input, k, dim, keepdim))


def mode(input: Tensor, dim: int = -1, keepdim: bool = False) -> ValuesIndices:
    """The most frequent element of each line, and its position."""
    return ValuesIndices(*_ops.mode(input, dim, keepdim))


def cummax(input: Tensor, dim: int) -> ValuesIndices:
    """The running maximum along an axis, and its position."""
    return ValuesIndices(*_ops.cummax(input, dim))


def cummin(input: Tensor, dim: int) -> ValuesIndices:
    """The running minimum along an axis, and its position."""
    return ValuesIndices(*_ops.cummin(input, dim))


def cumsum(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """The running sum along an axis."""
    return _ops.cumsum(input if dtype is None else input.to(dtype), dim)


def cumprod(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """The running product along an axis."""
    return _ops.cumprod(input if dtype is None else input.to(dtype), dim)


# ---- Results whose size depends on values -------------------------------------------------------


def nonzero(input: Tensor, *, as_tuple: bool = False) -> Any:
    """The positions of nonzero elements: `(n, rank)`, or one tensor per axis."""
    positions = _ops.nonzero(input)
    if not as_tuple:
        return positions
    if input.ndim == 0:
        return (_ops.nonzero(_ops.reshape(input, [1]))[:, 0],)
    return tuple(_ops.select(positions, 1, i) for i in range(input.ndim))


def argwhere(input: Tensor) -> Tensor:
    """The positions of nonzero elements, `(n, rank)`."""
    return _ops.nonzero(input)


def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    """The elements where the mask holds, as a vector."""
    from ._shape import broadcast_tensors

    return _ops.masked_select(*broadcast_tensors(input, mask))


def _chosen(results: tuple[Tensor, ...], inverse: bool, counts: bool) -> Any:
    """The values, and of the other results those that are wanted."""
    out = [results[0], *(results[1:2] if inverse else ()), *(results[2:3] if counts else ())]
    return out[0] if len(out) == 1 else tuple(out)


def unique(
    input: Tensor, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False,
    dim: int | None = None,
) -> Any:  # fmt: skip
    """The distinct elements (or slices along `dim`) in order."""
    if dim is None:
        return _chosen(_ops.unique(input), return_inverse, return_counts)
    import numpy as np

    from .._creation import tensor

    array = read_numpy(input)
    values, inverse, counts = np.unique(array, return_inverse=True, return_counts=True, axis=dim)
    inverse = inverse.reshape(array.shape if dim is None else (array.shape[dim],))
    out = [tensor(values, dtype=input.dtype, device=input.device)]
    if return_inverse:
        out.append(tensor(inverse, dtype=int64, device=input.device))
    if return_counts:
        out.append(tensor(counts, dtype=int64, device=input.device))
    return out[0] if len(out) == 1 else tuple(out)


def unique_consecutive(
    input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """Runs of equal elements, each once."""
    if dim is None:
        return _chosen(_ops.unique_consecutive(input), return_inverse, return_counts)
    import numpy as np

    from .._creation import tensor

    array = read_numpy(input)
    lines = array.reshape(-1, 1) if dim is None else np.moveaxis(array, dim, 0)
    flat = lines.reshape(len(lines), -1)
    starts = np.ones(len(flat), bool)
    starts[1:] = (flat[1:] != flat[:-1]).any(axis=1)
    kept = lines[starts]
    values = kept.reshape(-1) if dim is None else np.moveaxis(kept, 0, dim)
    inverse = np.cumsum(starts) - 1
    out = [tensor(np.ascontiguousarray(values), dtype=input.dtype, device=input.device)]
    if return_inverse:
        shape = array.shape if dim is None else inverse.shape
        out.append(tensor(inverse.reshape(shape), dtype=int64, device=input.device))
    if return_counts:
        counts = np.diff(np.append(np.flatnonzero(starts), len(flat)))
        out.append(tensor(counts, dtype=int64, device=input.device))
    return out[0] if len(out) == 1 else tuple(out)


def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """How often each non-negative integer occurs."""
    if weights is None:
        return _ops.bincount(input, minlength)
    import numpy as np

    from .._creation import tensor

    counts = np.bincount(
        read_numpy(input), None if weights is None else read_numpy(weights), minlength
    )
    return tensor(counts, dtype=int64 if weights is None else weights.dtype, device=input.device)


# ---- Gather and scatter -------------------------------------------------------------------------


def gather(input: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False) -> Tensor:
    """out[i][j] = input[index[i][j]][j] for dim 0, and so on."""
    return _ops.gather(input, index, dim)


def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None) -> Tensor:
    """`gather` with broadcasting; of the flat tensor without `dim`."""
    return _ops.take_along_dim(input, indices, dim)


def index_select(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """The slices along an axis with these numbers."""
    return _ops.index_select(input, index, dim)


def _source(value: Any, index: Tensor, input: Tensor) -> Tensor:
    if isinstance(value, Tensor):
        return value
    return _ops.expand(_native.number(value).to(input.dtype), index.shape)


def scatter(
    input: Tensor, dim: int, index: Tensor, src: Any = None, *, value: Any = None,
    reduce: str | None = None,
) -> Tensor:  # fmt: skip
    """Input with out[index[i][j]][j] = src[i][j] for dim 0, and so on."""
    given = value if src is None else src
    if given is None:
        raise ArgumentError("scatter: src or value must be given")
    source = _source(given, index, input)
    return _ops.scatter(input, index, source, dim, reduce or "none")


def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """Like `scatter`, adding to what is there."""
    return _ops.scatter_add(input, index, src, dim)


def scatter_reduce(
    input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    """Like `scatter`, combining by `sum`, `prod`, `mean`, `amax` or `amin`."""
    return _ops.scatter_reduce(input, index, src, dim, reduce, include_self)


def index_add(
    input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: float = 1
) -> Tensor:
    """Input with slices of `source` added at these numbers along an axis."""
    return _ops.index_add(input, index, source, dim, float(alpha))


def index_copy(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """Input with the slices at these numbers along an axis replaced."""
    return _ops.index_copy(input, index, source, dim)


def index_fill(input: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    """Input with the slices at these numbers along an axis filled."""
    return _ops.index_fill(input, index, value, dim)


def index_put(input: Tensor, indices: Any, values: Any, accumulate: bool = False) -> Tensor:
    """Input with the elements at integer tensors replaced, or added to."""
    made = input.clone()
    return index_put_(made, indices, values, accumulate)


def index_put_(self: Tensor, indices: Any, values: Any, accumulate: bool = False) -> Tensor:
    """Replaces the elements at integer tensors, or adds to them."""
    key = tuple(slice(None) if i is None else i for i in indices)
    if not accumulate:
        self[key] = values
        return self
    from .. import _indexing

    entries, _ = _indexing._parse(self, key)
    view, picks = _indexing._basic(self, entries)
    axes, spread = _indexing._spread(view, picks)
    _native.assign(view, _ops.index_put(view, values, *spread, axes=axes, accumulate=True))
    return self


def masked_fill(input: Tensor, mask: Tensor, value: Any) -> Tensor:
    """Input with one value where the mask holds."""
    if isinstance(value, Tensor) and value.ndim > 0:
        raise ArgumentError("masked_fill only supports a 0-dimensional value tensor")
    return _ops.masked_fill(input, mask, value)


def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """Input with elements of `source`, in order, where the mask holds."""
    return _ops.masked_scatter(input, mask, source)


def take(input: Tensor, index: Tensor) -> Tensor:
    """Elements of the flat tensor."""
    return _ops.take(input, index)


def searchsorted(
    sorted_sequence: Tensor, input: Any, *, out_int32: bool = False, right: bool = False,
    side: str | None = None,
) -> Tensor:  # fmt: skip
    """Where elements would be inserted to keep the order."""
    if side is not None:
        if side not in ("left", "right"):
            raise ArgumentError(f"side can only be 'left' or 'right' but got {side}")
        right = side == "right"
    return _ops.searchsorted(sorted_sequence, input, right, out_int32)


def bucketize(
    input: Any, boundaries: Tensor, *, out_int32: bool = False, right: bool = False
) -> Tensor:
    """The number of the interval that each element lies in."""
    return _ops.bucketize(input, boundaries, right, out_int32)


def isin(elements: Any, test_elements: Any, *, invert: bool = False) -> Tensor:
    """Whether each element is among others."""
    return _ops.isin(elements, test_elements, invert)


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """A new last axis with 1 at each class number."""
    if tensor.dtype is not int64:
        raise DTypeError("one_hot is only applicable to index tensor of type LongTensor")
    if num_classes == -1:
        num_classes = int(_ops.amax(tensor)) + 1
    return _ops.one_hot(tensor, num_classes)
