"""What every operation of the catalog gives, defined in NumPy's float64."""

from __future__ import annotations

from . import activations, binary, pointwise, reductions, shapes

FAMILIES = (pointwise, binary, activations, reductions, shapes)
ROWS = [row for family in FAMILIES for row in family.ROWS]

#: Operations that are tested in another file than by a row, and where.
ELSEWHERE: dict[str, str] = {}
