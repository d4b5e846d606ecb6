"""Losses: the catalog's operations under PyTorch's signatures."""

from __future__ import annotations

from typing import Any

from ... import _ops
from ..._dtype import int64
from ..._errors import ArgumentError
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


def _weighted(loss: Tensor, weight: Tensor, reduction: str) -> Tensor:
    """The weighted mean, sum or elements."""
    weighted = loss * weight
    if reduction == "mean":
        return _ops.sum(weighted) / _ops.sum(_ops.expand(weight, loss.shape))
    return _reduce(weighted, reduction)


def mse_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean", weight: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """(input - target)²."""
    reduction = _legacy(size_average, reduce, reduction)
    if weight is not None:
        return _weighted(_ops.mse_loss(input, target, "none"), weight, reduction)
    return _ops.mse_loss(input, target, reduction)


def l1_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean", weight: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """|input - target|."""
    reduction = _legacy(size_average, reduce, reduction)
    if weight is not None:
        return _weighted(_ops.l1_loss(input, target, "none"), weight, reduction)
    return _ops.l1_loss(input, target, reduction)


def smooth_l1_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean", beta: float = 1.0,
) -> Tensor:  # fmt: skip
    """Quadratic below `beta`, linear above."""
    if beta < 0:
        raise ArgumentError("smooth_l1_loss does not support negative values for beta")
    return _ops.smooth_l1_loss(input, target, beta, _legacy(size_average, reduce, reduction))


def huber_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0,
    weight: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """`smooth_l1_loss` times delta."""
    if delta <= 0:
        raise ArgumentError("huber_loss does not support non-positive values for delta.")
    if weight is not None:
        return _weighted(_ops.huber_loss(input, target, delta, "none"), weight, reduction)
    return _ops.huber_loss(input, target, delta, reduction)


def binary_cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """-(target · log(input) + (1 - target) · log(1 - input)), logarithms not below -100."""
    return _ops.binary_cross_entropy(
        input, target, weight, _legacy(size_average, reduce, reduction)
    )


def binary_cross_entropy_with_logits(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = "mean", pos_weight: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """`binary_cross_entropy` of sigmoid(input), without its overflow."""
    # An optional operand needs those before it.
    scale: Any = 1.0 if weight is None and pos_weight is not None else weight
    return _ops.binary_cross_entropy_with_logits(
        input, target, scale, pos_weight, _legacy(size_average, reduce, reduction)
    )


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
    return _ops.nll_loss(
        input, target, weight, _legacy(size_average, reduce, reduction), ignore_index
    )


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
    return _ops.cross_entropy(
        input, target, weight, _legacy(size_average, reduce, reduction), ignore_index,
        label_smoothing,
    )  # fmt: skip


def ctc_loss(
    log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any, blank: int = 0,
    reduction: str = "mean", zero_infinity: bool = False,
) -> Tensor:  # fmt: skip
    """Minus the log-probability of targets over all their alignments.

    Args:
        log_probs: `(T, N, C)` or `(T, C)`, as log_softmax gives them.
        targets: `(N, S)`, or all targets one after the other.
        input_lengths: The number of steps of each sample; a tensor or numbers.
        target_lengths: The length of each target; a tensor or numbers.
        blank: The class that stands for nothing.
        reduction: `mean` (each over its target's length), `sum` or `none`.
        zero_infinity: Whether targets without an alignment count as 0.
    """
    from ..._creation import as_tensor

    lengths = [
        as_tensor(given, dtype=int64, device=log_probs.device)
        for given in (input_lengths, target_lengths)
    ]
    return _ops.ctc_loss(log_probs, targets, *lengths, blank, reduction, zero_infinity)


def kl_div(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean", log_target: bool = False,
) -> Tensor:  # fmt: skip
    """Target · (log(target) - input)."""
    reduction = _legacy(size_average, reduce, reduction)
    if reduction == "batchmean":
        total = _ops.kl_div(input, target, log_target, "sum")
        return total / input.shape[0] if input.ndim else total
    return _ops.kl_div(input, target, log_target, reduction)


def poisson_nll_loss(
    input: Tensor, target: Tensor, log_input: bool = True, full: bool = False,
    size_average: bool | None = None, eps: float = 1e-8, reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """The negative log-likelihood of a Poisson distribution."""
    return _ops.poisson_nll_loss(
        input, target, log_input, full, eps, _legacy(size_average, reduce, reduction)
    )


def gaussian_nll_loss(
    input: Tensor, target: Tensor, var: Any, full: bool = False, eps: float = 1e-6,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """The negative log-likelihood of a normal distribution with this variance."""
    if not isinstance(var, Tensor):
        if var < 0:
            raise ArgumentError("var has negative entry/entries")
        var = _ops.full(input.shape, float(var), input.dtype).to(input.device)
    elif var.ndim == input.ndim - 1:
        var = _ops.unsqueeze(var, -1)
    return _ops.gaussian_nll_loss(input, target, var, full, eps, reduction)


def hinge_embedding_loss(
    input: Tensor, target: Tensor, margin: float = 1.0, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """The input where the target is 1, max(0, margin - input) where it is -1."""
    return _ops.hinge_embedding_loss(
        input, target, margin, _legacy(size_average, reduce, reduction)
    )


def soft_margin_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """log(1 + exp(-target · input))."""
    return _ops.soft_margin_loss(input, target, _legacy(size_average, reduce, reduction))


def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0,
    size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """max(0, margin - target · (input1 - input2))."""
    return _ops.margin_ranking_loss(
        input1, input2, target, margin, _legacy(size_average, reduce, reduction)
    )


def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0,
    size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """1 - cos where the target is 1, max(0, cos - margin) where it is -1."""
    return _ops.cosine_embedding_loss(
        input1, input2, target, margin, _legacy(size_average, reduce, reduction)
    )


def triplet_margin_loss(
    anchor: Tensor, positive: Tensor, negative: Tensor, margin: float = 1.0, p: float = 2,
    eps: float = 1e-6, swap: bool = False, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """max(0, margin + distance to the positive - distance to the negative)."""
    return _ops.triplet_margin_loss(
        anchor, positive, negative, margin, p, eps, swap, _legacy(size_average, reduce, reduction)
    )


def multi_margin_loss(
    input: Tensor, target: Tensor, p: int = 1, margin: float = 1.0, weight: Tensor | None = None,
    size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """Hinge loss of every class against the target class, over the number of classes."""
    return _ops.multi_margin_loss(
        input, target, weight, p, margin, _legacy(size_average, reduce, reduction)
    )


def multilabel_margin_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """Hinge loss of every other class against each target class; -1 ends the targets."""
    return _ops.multilabel_margin_loss(input, target, _legacy(size_average, reduce, reduction))


def multilabel_soft_margin_loss(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None,
    reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """Binary cross entropy of every class, averaged over classes."""
    return _ops.multilabel_soft_margin_loss(
        input, target, weight, _legacy(size_average, reduce, reduction)
    )
