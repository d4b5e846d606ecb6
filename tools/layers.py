#!/usr/bin/env python3
"""Checks the rules between the layers that a search can see: `make lint` runs it."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Rule:
    """A pattern that must not occur in some files."""

    why: str
    pattern: str
    folders: tuple[str, ...]
    suffixes: tuple[str, ...]
    exempt: tuple[str, ...] = ()


RULES = (
    Rule(
        "nothing that a C call can reach may trap",
        r"\b(fatalError|precondition|preconditionFailure|assert|assertionFailure)\(|\btry!|\bas!",
        ("Sources/LucidCore", "Sources/LucidCABI"),
        (".swift",),
    ),
    Rule(
        "the platform branch of LucidCore is EngineHooks.swift",
        r"#if (os|canImport)",
        ("Sources/LucidCore", "Sources/LucidCABI"),
        (".swift",),
        ("EngineHooks.swift",),
    ),
    Rule(
        "graphs know nothing of Metal",
        r"import Metal",
        ("Sources/LucidCore/IR", "Sources/LucidCore/Autodiff"),
        (".swift",),
    ),
    Rule(
        "the core does not know the C interface",
        r"import (CLucid|LucidCABI)",
        ("Sources/LucidCore",),
        (".swift",),
    ),
    Rule(
        "_native.py is the only door to the library",
        r"\b(ffi|lib)\.[a-z]",
        ("python/lucid",),
        (".py",),
        ("_native.py",),
    ),
    Rule("packages with it are no dependency", r"unsafeFlags", ("Package.swift",), (".swift",)),
    Rule("what is left undone is not committed", r"\b(TODO|FIXME|XXX)\b", ("Sources", "python"), (
        ".swift", ".py", ".c", ".h",
    )),
)  # fmt: skip
LONGEST = 600
GENERATED = ("_ops.py",)


def tracked() -> list[str]:
    """The files that git knows, or all files outside a checkout."""
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.splitlines()
    return listed or [str(p.relative_to(ROOT)) for p in ROOT.rglob("*") if p.is_file()]


def problems(files: list[str]) -> list[str]:
    """One line per violation."""
    found = []
    for name in files:
        path = ROOT / name
        if path.suffix not in (".swift", ".py", ".c", ".h", ".inc") or not path.is_file():
            continue
        lines = path.read_text(encoding="utf-8").splitlines()
        if len(lines) > LONGEST and path.name not in GENERATED:
            found.append(f"{name}: {len(lines)} lines; split files over {LONGEST} by concern")
        for rule in RULES:
            if (
                path.suffix not in rule.suffixes
                or path.name in rule.exempt
                or not any(name == f or name.startswith(f + "/") for f in rule.folders)
            ):
                continue
            for number, line in enumerate(lines, 1):
                code = line.split("//")[0] if path.suffix == ".swift" else line
                if re.search(rule.pattern, code):
                    found.append(f"{name}:{number}: {rule.why}: {line.strip()}")
    return found


if __name__ == "__main__":
    listed = problems(tracked())
    print("\n".join(listed), file=sys.stderr, end="\n" if listed else "")
    sys.exit(1 if listed else 0)
