"""Linear functions, embeddings and dropout."""

from __future__ import annotations

from ... import _ops
from ..._errors import ArgumentError
from ..._functions._select import one_hot as one_hot
from ..._operators import store
from ..._tensor import Tensor
from ...autograd import no_grad

linear = _ops.linear
bilinear = _ops.bilinear


def embedding(
    input: Tensor, weight: Tensor, padding_idx: int | None = None, max_norm: float | None = None,
    norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False,
) -> Tensor:  # fmt: skip
    """Rows of a table by number.

    Args:
        input: The numbers, of any shape.
        weight: The table `(rows, length)`.
        padding_idx: The row that gets no gradient.
        max_norm: Rows looked up are first scaled, in the table, to at most this norm.
        norm_type: The p of that norm.
        scale_grad_by_freq: Not available.
        sparse: Not available.
    """
    if scale_grad_by_freq or sparse:
        raise NotImplementedError("embedding: scale_grad_by_freq and sparse are not available")
    if padding_idx is not None:
        rows = weight.shape[0]
        if not -rows <= padding_idx < rows:
            raise ArgumentError("Padding_idx must be within num_embeddings")
        padding_idx %= rows
    if max_norm is not None:
        _renormalise(weight, input, max_norm, norm_type)
    return _ops.embedding(input, weight, padding_idx)


def _renormalise(weight: Tensor, input: Tensor, max_norm: float, norm_type: float) -> None:
    with no_grad():
        index = _ops.reshape(input, [-1])
        rows = _ops.index_select(weight.detach(), index, 0)
        norms = _ops.norm(rows, float(norm_type), [1], True)
        scaled = _ops.where(norms > max_norm, rows * (max_norm / (norms + 1e-7)), rows)
        weight.copy_(_ops.index_copy(weight.detach(), index, scaled, 0))


def embedding_bag(
    input: Tensor, weight: Tensor, offsets: Tensor | None = None, max_norm: float | None = None,
    norm_type: float = 2, scale_grad_by_freq: bool = False, mode: str = "mean",
    sparse: bool = False, per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False, padding_idx: int | None = None,
) -> Tensor:  # fmt: skip
    """Sums, means or maxima of rows of a table over bags.

    Args:
        input: Numbers `(B, N)`, or `(N,)` with `offsets`.
        weight: The table.
        offsets: Where each bag starts in a vector of numbers.
        max_norm: Rows looked up are first scaled to at most this norm.
        norm_type: The p of that norm.
        scale_grad_by_freq: Not available.
        mode: `sum`, `mean` or `max`.
        sparse: Not available.
        per_sample_weights: Factors of the rows; only with `sum`.
        include_last_offset: Whether the last offset is the end of the last bag.
        padding_idx: A number that counts for nothing.
    """
    if mode not in ("sum", "mean", "max"):
        raise ArgumentError("mode has to be one of sum, mean or max")
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError(
            "embedding_bag: per_sample_weights was not None: mode must be 'sum'"
        )
    rows = embedding(input, weight, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse)
    if input.ndim == 2:
        if offsets is not None:
            raise ArgumentError("if input is 2D, then offsets has to be None")
        return _bags_of_rows(rows, input, mode, per_sample_weights, padding_idx)
    if offsets is None:
        raise ArgumentError("offsets has to be a 1D Tensor but got None")
    starts = offsets[:-1] if include_last_offset else offsets
    count = starts.shape[0]
    from ..._creation import arange, zeros

    positions = arange(input.shape[0], device=input.device)
    bag = _ops.searchsorted(starts, positions, True) - 1
    keep = None if padding_idx is None else _ops.ne(input, padding_idx)
    if per_sample_weights is not None:
        rows = rows * _ops.unsqueeze(per_sample_weights, 1)
    spread = _ops.expand(_ops.unsqueeze(bag, 1), rows.shape)
    base = zeros(count, weight.shape[1], dtype=rows.dtype, device=rows.device)
    if mode == "max":
        if keep is not None:
            rows = _ops.where(_ops.unsqueeze(keep, 1), rows, float("-inf"))
        result = _ops.scatter_reduce(base, spread, rows, 0, "amax", False)
        return _ops.where(_ops.eq(result, float("-inf")), 0.0, result)
    if keep is not None:
        rows = _ops.where(_ops.unsqueeze(keep, 1), rows, 0.0)
    total = _ops.scatter_add(base, spread, rows, 0)
    if mode == "sum":
        return total
    ones = _ops.cast(keep, rows.dtype) if keep is not None else _ops.cast(bag >= 0, rows.dtype)
    counts = _ops.scatter_add(zeros(count, dtype=rows.dtype, device=rows.device), bag, ones, 0)
    return total / _ops.unsqueeze(_ops.clamp_min(counts, 1.0), 1)


def _bags_of_rows(
    rows: Tensor, input: Tensor, mode: str, weights: Tensor | None, padding_idx: int | None
) -> Tensor:
    if weights is not None:
        rows = rows * _ops.unsqueeze(weights, 2)
    if padding_idx is None:
        if mode == "max":
            return _ops.amax(rows, [1])
        return _ops.sum(rows, [1]) if mode == "sum" else _ops.mean(rows, [1])
    keep = _ops.unsqueeze(_ops.ne(input, padding_idx), 2)
    if mode == "max":
        largest = _ops.amax(_ops.where(keep, rows, float("-inf")), [1])
        return _ops.where(_ops.eq(largest, float("-inf")), 0.0, largest)
    total = _ops.sum(_ops.where(keep, rows, 0.0), [1])
    if mode == "sum":
        return total
    return total / _ops.clamp_min(_ops.sum(_ops.cast(keep, rows.dtype), [1]), 1.0)


# ---- Dropout ------------------------------------------------------------------------------------


def _check(p: float) -> None:
    if not 0.0 <= p <= 1.0:
        raise ArgumentError(f"dropout probability has to be between 0 and 1, but got {p}")


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zeroes elements with probability p and scales the rest by 1 / (1 - p)."""
    _check(p)
    if not training or p == 0.0:
        return input
    result = _ops.dropout(input, p)
    return store(input, result) if inplace else result


def _channels(input: Tensor, p: float, training: bool, inplace: bool, single: bool) -> Tensor:
    _check(p)
    if not training or p == 0.0:
        return input
    result = _ops.feature_dropout(_ops.unsqueeze(input, 0) if single else input, p)
    result = _ops.squeeze(result, [0]) if single else result
    return store(input, result) if inplace else result


def dropout1d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Dropout of whole channels of `(N, C, L)` or `(C, L)`."""
    if input.ndim not in (2, 3):
        raise ArgumentError(
            f"dropout1d: Expected 2D or 3D input, but received a {input.ndim}D input."
        )
    return _channels(input, p, training, inplace, input.ndim == 2)


def dropout2d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Dropout of whole channels of `(N, C, H, W)` or `(C, H, W)`."""
    return _channels(input, p, training, inplace, input.ndim == 3)


def alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Tensor:
    """Dropout that keeps mean and variance of self-normalising networks."""
    _check(p)
    result = _ops.alpha_dropout(input, p, training)
    return store(input, result) if inplace else result


def feature_alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Tensor:
    """Alpha dropout of whole channels."""
    _check(p)
    result = _ops.feature_alpha_dropout(input, p, training)
    return store(input, result) if inplace else result
