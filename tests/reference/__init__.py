"""What every operation of the catalog gives, defined in NumPy's float64."""

from __future__ import annotations

from . import (
    activations, binary, creation, images, indexing, linalg, nn, pointwise, reductions, resampling,
    shapes, sorting,
)  # fmt: skip

FAMILIES = (
    pointwise, binary, activations, reductions, sorting, shapes, indexing, creation, linalg,
    nn, images, resampling,
)  # fmt: skip
ROWS = [row for family in FAMILIES for row in family.ROWS]

#: Operations that are tested in another file than by a row, and where.
ELSEWHERE: dict[str, str] = {}
