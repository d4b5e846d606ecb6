"""Losses."""

from __future__ import annotations

import math
from typing import Any

from ... import _ops
from ..._errors import ArgumentError, ShapeError
from ..._tensor import Tensor

cosine_similarity = _ops.cosine_similarity
pairwise_distance = _ops.pairwise_distance


def _reduce(loss: Tensor, reduction: str) -> Tensor:
    if reduction == "mean":
        return _ops.mean(loss)
    if reduction == "sum":
        return _ops.sum(loss)
    if reduction == "none":
        return loss
    raise ArgumentError(f"{reduction} is not a valid value for reduction")


def _legacy(size_average: bool | None, reduce: bool | None, reduction: str) -> str:
    """What the older spelling of `reduction` means."""
    if size_average is None and reduce is None:
        return reduction
    if reduce is False:
        return "none"
    return "sum" if size_average is False else "mean"


def _weighted(loss: Tensor, weight: Tensor | None) -> Tensor:
    return loss if weight is None else loss * weight


def mse_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean", weight: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """(input - target)²."""
    loss = _weighted(_ops.square(input - target), weight)
    return _reduce(loss, _legacy(size_average, reduce, reduction))


def l1_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean", weight: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """|input - target|."""
    loss = _weighted(_ops.abs(input - target), weight)
    return _reduce(loss, _legacy(size_average, reduce, reduction))


def smooth_l1_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean", beta: float = 1.0,
) -> Tensor:  # fmt: skip
    """Quadratic below `beta`, linear above."""
    if beta < 0:
        raise ArgumentError("smooth_l1_loss does not support negative values for beta")
    difference = _ops.abs(input - target)
    if beta == 0:
        loss = difference
    else:
        loss = _ops.where(
            difference < beta, _ops.square(difference) * (0.5 / beta), difference - 0.5 * beta
        )
    return _reduce(loss, _legacy(size_average, reduce, reduction))


def huber_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0,
    weight: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """`smooth_l1_loss` times delta."""
    if delta <= 0:
        raise ArgumentError("huber_loss does not support non-positive values for delta.")
    difference = _ops.abs(input - target)
    loss = _ops.where(
        difference < delta, _ops.square(difference) * 0.5, (difference - 0.5 * delta) * delta
    )
    return _reduce(_weighted(loss, weight), reduction)


def binary_cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """-(target · log(input) + (1 - target) · log(1 - input)), logarithms not below -100."""
    if tuple(input.shape) != tuple(target.shape):
        raise ShapeError(
            f"Using a target size ({target.shape}) that is different to the input size "
            f"({input.shape}) is deprecated. Please ensure they have the same size."
        )
    yes = _ops.clamp_min(_ops.log(input), -100.0)
    no = _ops.clamp_min(_ops.log1p(-input), -100.0)
    loss = _ops.neg(target * yes + (1.0 - target) * no)
    return _reduce(_weighted(loss, weight), _legacy(size_average, reduce, reduction))


def binary_cross_entropy_with_logits(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = "mean", pos_weight: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """`binary_cross_entropy` of sigmoid(input), without its overflow."""
    if tuple(input.shape) != tuple(target.shape):
        raise ShapeError(
            f"Target size ({target.shape}) must be the same as input size ({input.shape})"
        )
    log_no = _ops.softplus(input)  # -log(1 - sigmoid(x))
    if pos_weight is None:
        loss = log_no - input * target
    else:
        scale = (pos_weight - 1) * target + 1
        loss = (1 - target) * input + scale * _ops.softplus(-input)
    return _reduce(_weighted(loss, weight), _legacy(size_average, reduce, reduction))


def nll_loss(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None,
    ignore_index: int = -100, reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """-input at the target class.

    Args:
        input: Log-probabilities `(N, C)`, `(C,)` or `(N, C, d1, …)`.
        target: Class numbers, the shape of the input without C.
        weight: A weight per class.
        size_average: Older spelling of `reduction`.
        ignore_index: The class number that counts for nothing.
        reduce: Older spelling of `reduction`.
        reduction: `mean` (over the weights of the targets), `sum` or `none`.
    """
    axis = 0 if input.ndim == 1 else 1
    expected = tuple(n for i, n in enumerate(input.shape) if i != axis)
    if tuple(target.shape) != expected:
        raise ShapeError(f"Expected target size {list(expected)}, got {list(target.shape)}")
    counted = _ops.ne(target, ignore_index)
    index = _ops.where(counted, target, 0)
    picked = _ops.squeeze(_ops.gather(input, _ops.unsqueeze(index, axis), axis), [axis])
    loss = _ops.where(counted, -picked, 0.0)
    share = _ops.cast(counted, input.dtype)
    if weight is not None:
        of_target = _ops.reshape(
            _ops.index_select(weight, _ops.reshape(index, [-1]), 0), target.shape
        )
        share = share * of_target
        loss = loss * of_target
    reduction = _legacy(size_average, reduce, reduction)
    if reduction == "mean":
        return _ops.sum(loss) / _ops.sum(share)
    return _reduce(loss, reduction)


def cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None,
    ignore_index: int = -100, reduce: bool | None = None, reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:  # fmt: skip
    """`nll_loss` of log_softmax(input).

    Args:
        input: Logits `(N, C)`, `(C,)` or `(N, C, d1, …)`.
        target: Class numbers, or probabilities of the input's shape.
        weight: A weight per class.
        size_average: Older spelling of `reduction`.
        ignore_index: The class number that counts for nothing.
        reduce: Older spelling of `reduction`.
        reduction: `mean`, `sum` or `none`.
        label_smoothing: The share of the target that is spread evenly over all classes.
    """
    reduction = _legacy(size_average, reduce, reduction)
    axis = 0 if input.ndim == 1 else 1
    logs = _ops.log_softmax(input, axis)
    classes = input.shape[axis]
    if target.dtype.is_floating_point:
        if tuple(target.shape) != tuple(input.shape):
            raise ShapeError(f"Expected target size {list(input.shape)}, got {list(target.shape)}")
        if label_smoothing > 0:
            target = target * (1 - label_smoothing) + label_smoothing / classes
        loss = _ops.neg(logs * target)
        if weight is not None:
            loss = loss * _per_class(weight, input.ndim, axis)
        loss = _ops.sum(loss, [axis])
        if reduction == "mean":
            count = loss.numel()
            return _ops.sum(loss) / count
        return _reduce(loss, reduction)
    if label_smoothing == 0.0:
        return nll_loss(logs, target, weight, None, ignore_index, None, reduction)
    counted = _ops.ne(target, ignore_index)
    each = nll_loss(logs, target, weight, None, ignore_index, None, "none")
    spread = logs if weight is None else logs * _per_class(weight, input.ndim, axis)
    even = _ops.where(counted, -_ops.sum(spread, [axis]), 0.0)
    loss = each * (1 - label_smoothing) + even * (label_smoothing / classes)
    if reduction != "mean":
        return _reduce(loss, reduction)
    share = _ops.cast(counted, input.dtype)
    if weight is not None:
        index = _ops.where(counted, target, 0)
        of_target = _ops.index_select(weight, _ops.reshape(index, [-1]), 0)
        share = share * _ops.reshape(of_target, target.shape)
    return _ops.sum(loss) / _ops.sum(share)


def _per_class(weight: Tensor, rank: int, axis: int) -> Tensor:
    return _ops.reshape(weight, [-1 if i == axis else 1 for i in range(rank)])


def kl_div(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean", log_target: bool = False,
) -> Tensor:  # fmt: skip
    """Target · (log(target) - input)."""
    if log_target:
        loss = _ops.exp(target) * (target - input)
    else:
        loss = _ops.xlogy(target, target) - target * input
    reduction = _legacy(size_average, reduce, reduction)
    if reduction == "batchmean":
        return _ops.sum(loss) / input.shape[0] if input.ndim else _ops.sum(loss)
    return _reduce(loss, reduction)


def poisson_nll_loss(
    input: Tensor, target: Tensor, log_input: bool = True, full: bool = False,
    size_average: bool | None = None, eps: float = 1e-8, reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """The negative log-likelihood of a Poisson distribution."""
    if log_input:
        loss = _ops.exp(input) - target * input
    else:
        loss = input - target * _ops.log(input + eps)
    if full:
        # Stirling's approximation of log(target!)
        stirling = target * _ops.log(target) - target + 0.5 * _ops.log(2 * math.pi * target)
        loss = loss + _ops.where(target > 1, stirling, 0.0)
    return _reduce(loss, _legacy(size_average, reduce, reduction))


def gaussian_nll_loss(
    input: Tensor, target: Tensor, var: Any, full: bool = False, eps: float = 1e-6,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """The negative log-likelihood of a normal distribution with this variance."""
    if isinstance(var, Tensor):
        if var.ndim == input.ndim - 1:
            var = _ops.unsqueeze(var, -1)
        with_floor = var + (_ops.clamp_min(var, eps) - var).detach()
    else:
        if var < 0:
            raise ArgumentError("var has negative entry/entries")
        with_floor = input * 0 + max(var, eps)
    loss = 0.5 * (_ops.log(with_floor) + _ops.square(input - target) / with_floor)
    if full:
        loss = loss + 0.5 * math.log(2 * math.pi)
    return _reduce(loss, reduction)


def hinge_embedding_loss(
    input: Tensor, target: Tensor, margin: float = 1.0, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """Input where the target is 1, max(0, margin - input) where it is -1."""
    loss = _ops.where(target == 1, input, 0.0) + _ops.where(
        target == -1, _ops.relu(margin - input), 0.0
    )
    return _reduce(loss, _legacy(size_average, reduce, reduction))


def soft_margin_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """log(1 + exp(-target · input))."""
    loss = _ops.softplus(-target * input)
    return _reduce(loss, _legacy(size_average, reduce, reduction))


def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0,
    size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """max(0, margin - target · (input1 - input2))."""
    loss = _ops.relu(margin - target * (input1 - input2))
    return _reduce(loss, _legacy(size_average, reduce, reduction))


def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0,
    size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """1 - cos where the target is 1, max(0, cos - margin) where it is -1."""
    cosine = cosine_similarity(input1, input2, input1.ndim - 1)
    loss = _ops.where(target == 1, 1 - cosine, 0.0) + _ops.where(
        target == -1, _ops.relu(cosine - margin), 0.0
    )
    return _reduce(loss, _legacy(size_average, reduce, reduction))


def triplet_margin_loss(
    anchor: Tensor, positive: Tensor, negative: Tensor, margin: float = 1.0, p: float = 2,
    eps: float = 1e-6, swap: bool = False, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """max(0, margin + distance to the positive - distance to the negative)."""
    near = pairwise_distance(anchor, positive, p, eps)
    far = pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = _ops.minimum(far, pairwise_distance(positive, negative, p, eps))
    return _reduce(_ops.relu(near - far + margin), _legacy(size_average, reduce, reduction))


def multi_margin_loss(
    input: Tensor, target: Tensor, p: int = 1, margin: float = 1.0, weight: Tensor | None = None,
    size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """Hinge loss of every class against the target class, over the number of classes."""
    single = input.ndim == 1
    if single:
        input, target = _ops.unsqueeze(input, 0), _ops.reshape(target, [1])
    index = _ops.unsqueeze(target, 1)
    excess = _ops.relu(margin - _ops.gather(input, index, 1) + input)
    if p == 2:
        excess = excess * excess
    if weight is not None:
        excess = excess * _ops.unsqueeze(_ops.index_select(weight, target, 0), 1)
    classes = input.shape[1]
    own = _ops.one_hot(target, classes)
    loss = _ops.sum(_ops.where(own == 1, 0.0, excess), [1]) / classes
    if single:
        loss = _ops.squeeze(loss, [0])
    return _reduce(loss, _legacy(size_average, reduce, reduction))


def multilabel_soft_margin_loss(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """Binary cross entropy of every class, averaged over classes."""
    loss = _ops.neg(target * _ops.logsigmoid(input) + (1 - target) * _ops.logsigmoid(-input))
    return _reduce(
        _ops.mean(_weighted(loss, weight), [-1]), _legacy(size_average, reduce, reduction)
    )
