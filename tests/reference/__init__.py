"""What every operation of the catalog gives, defined in NumPy's float64."""

from __future__ import annotations

from . import (
    activations,
    binary,
    creation,
    draws,
    host,
    images,
    indexing,
    linalg,
    losses,
    nn,
    pointwise,
    reductions,
    resampling,
    sequences,
    shapes,
    sorting,
)  # fmt: skip

FAMILIES = (
    pointwise, binary, activations, reductions, sorting, shapes, indexing, creation, linalg,
    nn, images, resampling, losses, host, draws, sequences,
)  # fmt: skip
ROWS = [row for family in FAMILIES for row in family.ROWS]

#: Operations that are tested in another file than by a row, and where.
_DRAWS = "by its distribution, in test_reference_random.py"
ELSEWHERE = {
    **{distribution.op: _DRAWS for distribution in draws.DISTRIBUTIONS},
    "randperm": "test_permutations_are_permutations",
}
