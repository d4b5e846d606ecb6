"""Bags of embeddings and alignments of sequences."""

from __future__ import annotations

import itertools
import math
from functools import partial
from typing import Any

import numpy as np

from .model import Array, B, Row, S, V, distinct, given, ints, normal, uniform

sums = partial(Row, ulps=16, size=2.0)


def embedding_bag(
    index: Array, weight: Array, offsets: Array, scale: Array | None = None, mode: str = "mean",
    include_last_offset: bool = False, padding_idx: int | None = None,
) -> Array:  # fmt: skip
    if index.ndim == 2:
        bags = [range(i * index.shape[1], (i + 1) * index.shape[1]) for i in range(len(index))]
    else:
        ends = [*offsets[1:]] if include_last_offset else [*offsets[1:], len(index)]
        bags = [range(start, end) for start, end in zip(offsets, ends, strict=False)]
    flat = index.reshape(-1)
    factors = np.ones(flat.shape) if scale is None else scale.reshape(-1)
    out = np.zeros((len(bags), weight.shape[1]))
    for row, bag in zip(out, bags, strict=True):
        kept = [weight[flat[i]] * factors[i] for i in bag if flat[i] != padding_idx]
        if kept:
            row[:] = {"sum": np.sum, "mean": np.mean, "max": np.max}[mode](kept, 0)
    return out


def collapsed(path: tuple[int, ...], blank: int) -> list[int]:
    return [c for i, c in enumerate(path) if c != blank and (i == 0 or c != path[i - 1])]


def ctc_loss(
    logs: Array, targets: Array, input_lengths: Array, target_lengths: Array, blank: int = 0,
    reduction: str = "mean", zero_infinity: bool = False,
) -> Array:  # fmt: skip
    """The definition: every path that collapses to the target, one by one."""
    losses = []
    for n, (steps, size) in enumerate(zip(input_lengths, target_lengths, strict=True)):
        wanted = list(targets[n, :size])
        total = 0.0
        for path in itertools.product(range(logs.shape[2]), repeat=int(steps)):
            if collapsed(path, blank) == wanted:
                total += math.exp(sum(logs[t, n, c] for t, c in enumerate(path)))
        losses.append(-math.log(total) if total > 0 else (0.0 if zero_infinity else math.inf))
    out = np.array(losses)
    if reduction == "mean":
        return np.mean(out / np.maximum(target_lengths, 1))
    return np.sum(out) if reduction == "sum" else out


def second_type(dtypes: list[str], settings: dict[str, Any]) -> str:
    return dtypes[1]


def first_type(dtypes: list[str], settings: dict[str, Any]) -> str:
    return dtypes[0]


NO_OFFSETS = given([0], "int64")
FLAT = [ints(0, 5, 7), normal(5, 3), given([0, 2, 2, 5], "int64")]
BEAMS = [
    uniform(-3, -0.5, 4, 3, 3), given([[1, 2], [2, 2], [1, 1]], "int64"), given([4, 4, 3], "int64"),
    given([2, 2, 1], "int64"),
]  # fmt: skip

ROWS = [
    sums("embedding_bag", embedding_bag, [
        S(ints(0, 5, B, 4), normal(5, 3), NO_OFFSETS), S(ints(0, 5, B, 4), normal(5, 3), NO_OFFSETS, normal(B, 4), mode="sum"),
        S(ints(0, 5, B, 4), distinct(5, 3), NO_OFFSETS, mode="max"), *[S(ints(0, 5, 7), distinct(5, 3), given([0, 2, 2, 5], "int64"), mode=mode) for mode in ("sum", "mean", "max")],
        S(*FLAT, mode="sum", padding_idx=2), S(*FLAT, padding_idx=1), S(*FLAT[:2], given([0, 2, 2, 7], "int64"), include_last_offset=True), S(*FLAT, normal(7), mode="sum"),
    ], dtype=second_type),
    sums("ctc_loss", ctc_loss, [
        *[S(*BEAMS, reduction=reduction) for reduction in ("mean", "sum", "none")], S(*BEAMS[:2], given([4, 4, 4], "int64"), given([2, 1, 0], "int64"), blank=0, reduction="none"),
        V(*BEAMS[:2], given([4, 2, 4], "int64"), given([2, 2, 2], "int64"), zero_infinity=True, reduction="none"), V(*BEAMS[:2], given([4, 2, 4], "int64"), given([2, 2, 2], "int64"), reduction="none"),
    ], dtype=first_type, types=(), ulps=32, second=False),
]  # fmt: skip
