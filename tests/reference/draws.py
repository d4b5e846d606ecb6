"""Draws: the generator word by word, and the distributions by their moments."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from .model import Array, Row, V, given

MASK = (1 << 32) - 1


def philox(key: tuple[int, int], counter: list[int]) -> list[int]:
    """philox4x32-10 of Salmon et al. (2011)."""
    for _ in range(10):
        first, second = counter[0] * 0xD2511F53, counter[2] * 0xCD9E8D57
        counter = [
            (second >> 32) ^ counter[1] ^ key[0],
            second & MASK,
            (first >> 32) ^ counter[3] ^ key[1],
            first & MASK,
        ]
        key = ((key[0] + 0x9E3779B9) & MASK, (key[1] + 0xBB67AE85) & MASK)
    return counter


def bits(seed: Array, offset: Array, size: Any) -> Array:
    number, start = int(seed[0]) & (1 << 64) - 1, int(offset[0])
    key = (number & MASK, number >> 32)
    words = []
    for i in range(start, start + math.prod(size)):
        block, lane = divmod(i, 4)
        words.append(philox(key, [block & MASK, block >> 32 & MASK, 0, 0])[lane])
    return np.array(words, np.int64).reshape(size)


def uniform(seed: Array, offset: Array, size: Any) -> Array:
    return (bits(seed, offset, size) >> 8) / 2.0**24


word = partial(Row, gradient=False, types=(), exact=True, ulps=0)
SAMPLES = [
    V(given([seed], "int64"), given([offset], "int64"), size=size)
    for seed, offset, size in (
        (0, 0, (2, 3)), (42, 5, (9,)), (2**40 + 7, 2**35 - 2, (5,)), (-3, 1, ()), (1, 0, (1000,)),
        (7, 0, (0, 2)),
    )
]  # fmt: skip

ROWS = [
    word("philox_bits", bits, SAMPLES, dtype="int64"),
    word("philox_uniform", uniform, SAMPLES, dtype="float32"),
]


@dataclass(frozen=True)
class Distribution:
    """A draw of many numbers that should have this mean, deviation and range."""

    op: str
    #: Operands' values, then attributes.
    operands: tuple[Array, ...]
    attributes: dict[str, Any]
    mean: float
    deviation: float
    low: float = -math.inf
    high: float = math.inf
    dtype: str = "float32"


COUNT = 40_000
ONES = np.ones((200, 200), np.float32)


def drawn(op: str, mean: float, deviation: float, *limits: float, **attributes: Any) -> Distribution:
    dtype = attributes.get("dtype") or "float32"
    low, high = limits or (-math.inf, math.inf)
    return Distribution(
        op, (), {"size": (COUNT,), **attributes}, mean, deviation, low, high, dtype
    )


def noise(op: str, mean: float, deviation: float, /, *limits: float, **attributes: Any) -> Distribution:
    return Distribution(op, (ONES,), attributes, mean, deviation, *limits)


#: selu's limit for large negative numbers, to which alpha_dropout sets what it drops.
DROPPED = -1.0507009873554804934193349852946 * 1.6732632423543772848170429916717


def alpha_affine(p: float) -> tuple[float, float]:
    """Keeps mean 0 and variance 1 of its input (Klambauer et al., 2017)."""
    a = ((1 - p) * (1 + p * DROPPED**2)) ** -0.5
    return a, -a * p * DROPPED


def alpha_moments(p: float) -> tuple[float, float, float, float]:
    """Of ones: mean, deviation, and the two values."""
    a, b = alpha_affine(p)
    kept, lost = a + b, a * DROPPED + b
    return (1 - p) * kept + p * lost, (kept - lost) * math.sqrt(p * (1 - p)), lost, kept


DISTRIBUTIONS = [
    drawn("rand", 0.5, 12**-0.5, 0, 1),
    drawn("rand", 0.5, 12**-0.5, 0, 1, dtype="float16"),
    drawn("randn", 0, 1),
    drawn("randint", 4.5, math.sqrt(99 / 12), 0, 9, low=0, high=10, dtype="int64"),
    drawn("randint", -2.0, math.sqrt(8 / 12), -3, -1, low=-3, high=0, dtype="int32"),
    noise("rand_like", 1.0, 4 / 12**0.5, -1, 3, low=-1.0, high=3.0),
    noise("randn_like", 2.0, 3.0, mean=2.0, std=3.0),
    noise("exponential", 0.5, 0.5, 0, lambd=2.0),
    Distribution("bernoulli", (ONES * 0.3,), {}, 0.3, math.sqrt(0.21), 0, 1),
    Distribution("normal", (ONES * 2, ONES[0] * 0.5), {}, 2.0, 0.5),
    noise("dropout", 1.0, math.sqrt(0.25 / 0.75), 0, 1 / 0.75, p=0.25),
    noise("dropout", 1.0, 0.0, 1, 1, p=0.25, training=False),
    noise("dropout", 0.0, 0.0, 0, 0, p=1.0),
    noise("dropout", 1.0, 0.0, 1, 1, p=0.0),
    noise("feature_dropout", 1.0, 1.0, 0, 2, p=0.5),
    noise("alpha_dropout", *alpha_moments(0.3), p=0.3),
    noise("feature_alpha_dropout", *alpha_moments(0.3), p=0.3),
    noise("alpha_dropout", 1.0, 0.0, 1, 1, p=0.3, training=False),
    Distribution("rrelu", (-ONES,), {"lower": 0.1, "upper": 0.5}, -0.3, 0.4 / 12**0.5, -0.5, -0.1),
    Distribution("rrelu", (-ONES,), {"lower": 0.1, "upper": 0.5, "training": False}, -0.3, 0, -0.3, -0.3),
    Distribution("multinomial", (np.array([1, 0, 3], np.float32),), {"num_samples": COUNT, "replacement": True}, 1.5, math.sqrt(0.75), 0, 2, "int64"),
]  # fmt: skip

