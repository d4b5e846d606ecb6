"""The reference's answers as tests/golden/reference.json, which the Swift suite reads.

    python tests/reference/golden.py [--check]

One case per line: the first samples of each row, with the values of operands and results.
"""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any

if __package__ in (None, ""):
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from reference import ROWS
from reference.model import Made, Row, Sample, is_float, rounded, tolerance

FILE = Path(__file__).resolve().parents[1] / "golden" / "reference.json"
#: Samples per row, and elements of a sample beyond which it is left to the Python suite.
SAMPLES, ELEMENTS = 2, 120


def number(value: Any) -> Any:
    """Enough digits for float32; what JSON has no number for as a word."""
    if isinstance(value, (bool, int)):
        return value
    if not math.isfinite(value):
        return str(value)
    short = float(f"{value:.9g}")
    return int(short) if short == int(short) and abs(short) < 1e9 else short


def array(made: Made) -> dict[str, Any]:
    values = rounded(made.values, made.dtype) if is_float(made.dtype) else made.values
    return {
        "dtype": made.dtype,
        "shape": list(made.values.shape),
        "values": [number(v) for v in values.reshape(-1).tolist()],
    }


def case(row: Row, sample: Sample) -> dict[str, Any] | None:
    made, settings = sample.make(row.op), sample.settings()
    results = row.evaluate(made, settings)
    if sum(m.values.size for m in [*made, *results] if m is not None) > ELEMENTS:
        return None
    floating = [r.dtype for r in results if is_float(r.dtype)]
    relative, absolute = tolerance(row, floating[0]) if floating else (0.0, 0.0)
    return {
        "op": row.op,
        "operands": [None if m is None else array(m) for m in made],
        "attributes": {
            key: [number(v) for v in value] if isinstance(value, (list, tuple))
            else value if isinstance(value, (str, type(None))) else number(value)
            for key, value in settings.items()
        },
        "relative": number(relative),
        "absolute": number(absolute),
        "results": [array(r) for r in results],
    }  # fmt: skip


def lines() -> list[str]:
    out = []
    for row in ROWS:
        cases = [c for c in (case(row, sample) for sample in row.samples) if c is not None]
        out += [json.dumps(c, separators=(",", ":")) for c in cases[:SAMPLES]]
    return out


def same(a: Any, b: Any) -> bool:
    """Equal but for the last digits, which differ among builds of NumPy."""
    if isinstance(a, float) or isinstance(b, float):
        return isinstance(a, (int, float)) and isinstance(b, (int, float)) and math.isclose(
            a, b, rel_tol=1e-6, abs_tol=1e-7)  # fmt: skip
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    return bool(a == b)


def is_current() -> bool:
    return same(json.loads(FILE.read_text()), json.loads(f"[{','.join(lines())}]"))


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(0 if is_current() else "tests/golden/reference.json is stale")
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text("[\n" + ",\n".join(lines()) + "\n]\n")
