"""Gradients of the reference by central differences in float64.

Steps of 1e-6 leave a truncation of about 1e-12 and a rounding of about 1e-10, far below float32.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .model import Array, Made, Row

STEP = 1e-6


def projections(row: Row, results: Sequence[Made]) -> list[Array | None]:
    """Random cotangents, None for results without gradients."""
    rng = np.random.default_rng(7)
    count = len(results) if row.linked is None else row.linked
    return [
        rng.uniform(0.5, 1.5, r.values.shape) if r.differentiable and i < count else None
        for i, r in enumerate(results)
    ]


def projected(
    row: Row, made: Sequence[Made | None], settings: dict[str, Any], cotangents: Sequence[Any]
) -> Callable[[Sequence[Array | None]], float]:
    """The reference followed by the product with the cotangents, as a function of the values."""

    def function(values: Sequence[Array | None]) -> float:
        with np.errstate(all="ignore"):
            out = row.reference(*values, **settings)
        results = out if isinstance(out, (tuple, list)) else [out]
        return float(
            sum(np.sum(r * c) for r, c in zip(results, cotangents, strict=True) if c is not None)
        )

    return function


def gradient(
    function: Callable[[Sequence[Array | None]], float],
    values: Sequence[Array | None],
    position: int,
    step: float = STEP,
) -> Array:
    """The gradient with respect to the array at one position."""
    values = list(values)
    point = values[position]
    assert point is not None
    out = np.zeros(point.shape)
    for index in np.ndindex(point.shape):
        sides = []
        for sign in (1, -1):
            moved = point.copy()
            moved[index] += sign * step
            values[position] = moved
            sides.append(function(values))
        out[index] = (sides[0] - sides[1]) / (2 * step)
    return out


def hessian_product(
    function: Callable[[Sequence[Array | None]], float],
    values: Sequence[Array | None],
    positions: Sequence[int],
    directions: Sequence[Array],
) -> list[Array]:
    """The derivative, along the directions, of the gradients at the positions.

    Gradients by steps of 1e-4 carry a noise of 1e-12, which the outer step of 1e-3 turns into 1e-9;
    the truncation is about 1e-6 times the fourth derivative.
    """
    sides = []
    for sign in (1, -1):
        moved = list(values)
        for position, direction in zip(positions, directions, strict=True):
            moved[position] = np.asarray(values[position] + sign * 1e-3 * direction)
        sides.append([gradient(function, moved, position, 1e-4) for position in positions])
    return [(plus - minus) / 2e-3 for plus, minus in zip(*sides, strict=True)]
