"""Losses, by the formulas in their papers and PyTorch's documentation."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from .activations import log_softmax
from .model import Array, B, Row, S, V, bools, given, ints, normal, uniform

loss = partial(Row, ulps=16, size=2.0)


def reduced(values: Array, reduction: str) -> Array:
    if reduction == "none":
        return np.asarray(values)
    return np.mean(values) if reduction == "mean" else np.sum(values)


def elementwise(function: Callable[..., Array]) -> Callable[..., Array]:
    """A loss of each element, reduced."""

    def loss_of(*operands: Array, reduction: str = "mean", **options: Any) -> Array:
        return reduced(function(*operands, **options), reduction)

    return loss_of


def smooth_l1(x: Array, y: Array, beta: float = 1.0) -> Array:
    d = np.abs(x - y)
    return np.where(d < beta, d * d / (2 * beta) if beta else 0 * d, d - beta / 2)


def huber(x: Array, y: Array, delta: float = 1.0) -> Array:
    d = np.abs(x - y)
    return np.where(d < delta, d * d / 2, delta * (d - delta / 2))


def kl_div(x: Array, y: Array, log_target: bool = False) -> Array:
    if log_target:
        return np.exp(y) * (y - x)
    return np.where(y > 0, y * np.log(np.where(y > 0, y, 1)), 0) - y * x


def picked(
    logs: Array, target: Array, weight: Array | None, reduction: str, ignore: int, smoothing: float
) -> Array:
    """The negative logarithms at classes on axis 1 (or 0 of a vector)."""
    vector = logs.ndim == 1
    logs = np.moveaxis(logs[None] if vector else logs, 1, -1)
    target = target.reshape(1) if vector else target
    classes = logs.shape[-1]
    weight = np.ones(classes) if weight is None else weight
    kept = target != ignore
    safe = np.where(kept, target, 0)
    share = weight[safe] * kept
    values = -np.take_along_axis(logs, safe[..., None], -1)[..., 0] * share
    if smoothing:
        spread = -np.sum(logs * weight, -1) * kept / classes
        values = (1 - smoothing) * values + smoothing * spread
    if reduction == "none":
        return values[0] if vector else values
    return np.sum(values) / (np.sum(share) if reduction == "mean" else 1)


def nll_loss(
    x: Array, target: Array, weight: Array | None = None, reduction: str = "mean",
    ignore_index: int = -100,
) -> Array:  # fmt: skip
    return picked(x, target, weight, reduction, ignore_index, 0.0)


def cross_entropy(
    x: Array, target: Array, weight: Array | None = None, reduction: str = "mean",
    ignore_index: int = -100, label_smoothing: float = 0.0,
) -> Array:  # fmt: skip
    axis = 0 if x.ndim == 1 else 1
    logs = log_softmax(x, axis)
    if target.dtype.kind == "i":
        return picked(logs, target, weight, reduction, ignore_index, label_smoothing)
    classes = x.shape[axis]
    target = target * (1 - label_smoothing) + label_smoothing / classes
    shape = [-1 if i == axis else 1 for i in range(x.ndim)]
    scale = 1 if weight is None else weight.reshape(shape)
    values = -np.sum(logs * target * scale, axis)
    if reduction == "mean":
        return np.sum(values) / max(values.size, 1)
    return reduced(values, reduction)


def hinge_embedding(x: Array, y: Array, margin: float = 1.0) -> Array:
    return np.where(y == 1, x, np.maximum(0, margin - x))


def margin_ranking(a: Array, b: Array, y: Array, margin: float = 0.0) -> Array:
    return np.maximum(0, -y * (a - b) + margin)


def multi_margin_loss(
    x: Array, target: Array, weight: Array | None = None, p: int = 1, margin: float = 1.0,
    reduction: str = "mean",
) -> Array:  # fmt: skip
    rows = np.atleast_2d(x)
    values = []
    for row, t in zip(rows, np.atleast_1d(target), strict=True):
        terms = np.maximum(0, margin - row[t] + row) ** p
        terms = np.delete(terms, t) * (1 if weight is None else weight[t])
        values.append(np.sum(terms) / len(row))
    out = np.array(values)
    return reduced(out if x.ndim == 2 else out[0], reduction)


def multilabel_margin_loss(x: Array, target: Array, reduction: str = "mean") -> Array:
    values = []
    for row, labels in zip(np.atleast_2d(x), np.atleast_2d(target), strict=True):
        ends = np.flatnonzero(labels < 0)
        named = labels[: ends[0]] if len(ends) else labels
        others = [i for i in range(len(row)) if i not in named]
        values.append(
            sum(max(0.0, 1 - (row[j] - row[i])) for j in named for i in others) / len(row)
        )
    out = np.array(values)
    return reduced(out if x.ndim == 2 else out[0], reduction)


def log_sigmoid(x: Array) -> Array:
    return -np.logaddexp(0, -x)


def multilabel_soft_margin_loss(
    x: Array, y: Array, weight: Array | None = None, reduction: str = "mean"
) -> Array:
    terms = -(y * log_sigmoid(x) + (1 - y) * log_sigmoid(-x)) * (1 if weight is None else weight)
    return reduced(np.mean(terms, -1), reduction)


def cosine_embedding_loss(
    a: Array, b: Array, y: Array, margin: float = 0.0, reduction: str = "mean"
) -> Array:
    cosine = np.sum(a * b, -1) / np.sqrt(np.sum(a * a, -1) * np.sum(b * b, -1))
    return reduced(np.where(y == 1, 1 - cosine, np.maximum(0, cosine - margin)), reduction)


def triplet_margin_loss(
    anchor: Array, positive: Array, negative: Array, margin: float = 1.0, p: float = 2.0,
    eps: float = 1e-6, swap: bool = False, reduction: str = "mean",
) -> Array:  # fmt: skip
    def distance(u: Array, v: Array) -> Array:
        return np.sum(np.abs(u - v + eps) ** p, -1) ** (1 / p)

    far = distance(anchor, negative)
    if swap:
        far = np.minimum(far, distance(positive, negative))
    return reduced(np.maximum(0, distance(anchor, positive) - far + margin), reduction)


def binary_cross_entropy(
    x: Array, y: Array, weight: Array | None = None, reduction: str = "mean"
) -> Array:
    terms = -(y * np.maximum(np.log(x), -100) + (1 - y) * np.maximum(np.log(1 - x), -100))
    return reduced(terms * (1 if weight is None else weight), reduction)


def binary_cross_entropy_with_logits(
    x: Array, y: Array, weight: Array | None = None, pos_weight: Array | None = None,
    reduction: str = "mean",
) -> Array:  # fmt: skip
    scale = 1 if pos_weight is None else pos_weight
    terms = -(scale * y * log_sigmoid(x) + (1 - y) * log_sigmoid(-x))
    return reduced(terms * (1 if weight is None else weight), reduction)


def poisson_nll(
    x: Array, y: Array, log_input: bool = True, full: bool = False, eps: float = 1e-8
) -> Array:
    values = np.exp(x) - y * x if log_input else x - y * np.log(x + eps)
    if full:
        safe = np.where(y > 1, y, 1)
        stirling = safe * np.log(safe) - safe + 0.5 * np.log(2 * math.pi * safe)
        values = values + np.where(y > 1, stirling, 0)
    return values


def gaussian_nll(x: Array, y: Array, var: Array, full: bool = False, eps: float = 1e-6) -> Array:
    # Gradients with respect to the variance do not see the bound, which no sample reaches.
    var = np.maximum(var, eps)
    values = 0.5 * (np.log(var) + (x - y) ** 2 / var)
    return values + 0.5 * math.log(2 * math.pi) if full else values


REDUCTIONS = ("mean", "sum", "none")


def each(*operands: Any, kind: Any = S, **attributes: Any) -> list[Any]:
    return [kind(*operands, reduction=reduction, **attributes) for reduction in REDUCTIONS]


def signs(*shape: Any) -> Any:
    operand = bools(*shape)
    return type(operand)(shape, "float32", lambda rng, s: operand.fill(rng, s) * 2.0 - 1)


PAIR = [normal(B, 4), normal(B, 4)]
PROBABILITIES = [uniform(0.1, 0.9, B, 4), uniform(0.1, 0.9, B, 4)]
CLASSES = [normal(B, 5), ints(0, 5, B)]
IMAGE = [normal(2, 3, 2, 2), ints(0, 3, 2, 2, 2)]
BAD = given([2, -100, 1], "int64")


def at_classes(**more: Any) -> list[Any]:
    return [
        *each(*CLASSES), *each(*CLASSES, uniform(0.5, 2, 5), **more), *each(*IMAGE, **more), *each(normal(3, 4), BAD),
        *each(normal(3, 4), given([2, 0, 1], "int64"), uniform(0.5, 2, 4), ignore_index=2), S(normal(4), given(2, "int64")), V(normal(3, 4), given([1, 1, 1], "int64"), ignore_index=1),
    ]  # fmt: skip


def first_type(dtypes: list[str], settings: dict[str, Any]) -> str:
    return dtypes[0]


ROWS = [
    loss("mse_loss", elementwise(lambda x, y: (x - y) ** 2), [*each(*PAIR), S(normal(2, 3), normal(3)), V(normal(0, 3), normal(0, 3))]),
    loss("l1_loss", elementwise(lambda x, y: np.abs(x - y)), [*each(*PAIR), S(normal(2, 3), normal(3))]),
    loss("smooth_l1_loss", elementwise(smooth_l1), [*each(*PAIR), *each(*PAIR, beta=0.3), S(*PAIR, beta=0.0)]),
    loss("huber_loss", elementwise(huber), [*each(*PAIR), *each(*PAIR, delta=0.3)]),
    loss("kl_div", elementwise(kl_div), [*each(normal(B, 4), uniform(0.1, 0.9, B, 4)), *each(*PAIR, log_target=True), V(normal(3), given([0.0, 0.5, 0.5]))]),
    loss("nll_loss", nll_loss, at_classes(), dtype=first_type),
    loss("cross_entropy", cross_entropy, [*at_classes(), *each(*CLASSES, label_smoothing=0.2), *each(*CLASSES, uniform(0.5, 2, 5), label_smoothing=0.2), *each(*IMAGE, label_smoothing=0.1),
        *each(normal(B, 4), uniform(0, 1, B, 4)), *each(normal(2, 3, 2), uniform(0, 1, 2, 3, 2), uniform(0.5, 2, 3), label_smoothing=0.1), V(given([[1000.0, 0.0], [0.0, -1000.0]]), given([1, 0], "int64"))], dtype=first_type),
    loss("hinge_embedding_loss", elementwise(hinge_embedding), [*each(normal(B, 4), signs(B, 4)), *each(normal(B, 4), signs(B, 4), margin=0.3)], second=False, types=("float16",)),
    loss("soft_margin_loss", elementwise(lambda x, y: np.logaddexp(0, -y * x)), [*each(normal(B, 4), signs(B, 4)), V(given([500.0, -500.0]), given([1.0, 1.0]))], types=("float16",)),
    loss("margin_ranking_loss", elementwise(margin_ranking), [*each(normal(B), normal(B), signs(B)), *each(normal(2, 3), normal(2, 3), signs(2, 3), margin=0.5)], types=("float16",)),
    loss("multi_margin_loss", multi_margin_loss, [*each(normal(B, 4), ints(0, 4, B)), *each(normal(B, 4), ints(0, 4, B), uniform(0.5, 2, 4), p=2, margin=0.7), S(normal(4), given(2, "int64"))], dtype=first_type),
    loss("multilabel_margin_loss", multilabel_margin_loss, [*each(normal(3, 4), given([[2, 0, -1, 1], [1, -1, 3, 0], [3, 2, 1, 0]], "int64")), S(normal(4), given([1, 3, -1, 0], "int64"))], dtype=first_type),
    loss("multilabel_soft_margin_loss", multilabel_soft_margin_loss, [*each(normal(B, 4), uniform(0, 1, B, 4)), *each(normal(B, 4), uniform(0, 1, B, 4), uniform(0.5, 2, 4))]),
    loss("cosine_embedding_loss", cosine_embedding_loss, [*each(normal(3, 4), normal(3, 4), given([1, -1, 1], "int64")), *each(normal(2, 4), normal(2, 4), given([-1, -1], "int64"), margin=-0.5), S(normal(4), normal(4), given(1, "int64"))], dtype=first_type),
    loss("triplet_margin_loss", triplet_margin_loss, [*each(normal(B, 4), normal(B, 4), normal(B, 4), margin=5.0), *each(normal(2, 4), normal(2, 4), normal(2, 4), margin=5.0, swap=True, p=3.0)]),
    loss("binary_cross_entropy", binary_cross_entropy, [*each(*PROBABILITIES), *each(*PROBABILITIES, uniform(0.5, 2, 4)), V(given([0.0, 1.0, 0.0]), given([1.0, 1.0, 0.0]))]),
    loss("binary_cross_entropy_with_logits", binary_cross_entropy_with_logits, [
        *each(normal(B, 4), uniform(0, 1, B, 4)), *each(normal(B, 4), uniform(0, 1, B, 4), uniform(0.5, 2, 4), uniform(0.5, 2, 4)), S(normal(2, 3), uniform(0, 1, 2, 3), given(1.0), uniform(0.5, 2, 3)), V(given([300.0, -300.0]), given([0.0, 1.0])),
    ]),
    loss("poisson_nll_loss", elementwise(poisson_nll), [*each(normal(B, 4), uniform(0, 1, B, 4)), *each(uniform(0.5, 2, B, 4), uniform(0, 1, B, 4), log_input=False), S(normal(2, 3), uniform(1.5, 4, 2, 3), full=True)], ulps=32),
    loss("gaussian_nll_loss", elementwise(gaussian_nll), [*each(normal(B, 4), normal(B, 4), uniform(0.5, 2, B, 4)), S(normal(2, 3), normal(2, 3), uniform(0.5, 2, 2, 1), full=True)]),
]  # fmt: skip
