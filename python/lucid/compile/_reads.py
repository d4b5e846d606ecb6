"""What a function may read: attribute and item chains found in its bytecode.

A chain starts at a global, a closure variable or the first argument of a method and goes on through
attributes and constant items: ``CONFIG["scale"]``, ``self.options.depth``, ``helpers.gain``.
"""

from __future__ import annotations

import dis
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType

__all__ = ["Chain", "chains"]

GLOBAL, FREE, SELF = "global", "free", "self"

_ATTRIBUTE = ("LOAD_ATTR", "LOAD_METHOD")
_ITEM = ("BINARY_SUBSCR",)
_CONSTANT = ("LOAD_CONST", "LOAD_SMALL_INT")
# Instructions that stand between a load and its use without changing what is on top of the stack.
_SILENT = ("NOP", "PUSH_NULL", "PRECALL", "CACHE", "EXTENDED_ARG", "RESUME", "COPY_FREE_VARS")


@dataclass(frozen=True)
class Chain:
    """One chain: ``path`` holds ``(".", name)`` and ``("[", constant)`` steps."""

    root: str
    name: str
    path: tuple[tuple[str, object], ...]


@lru_cache(maxsize=4096)
def chains(code: CodeType) -> tuple[Chain, ...]:
    """The chains that ``code`` and the functions nested in it may read."""
    found: dict[Chain, None] = {}
    first = code.co_varnames[0] if code.co_argcount else None
    _scan(code, first, frozenset(code.co_freevars), found)
    return tuple(found)


def _scan(
    code: CodeType, self_name: str | None, free: frozenset[str], found: dict[Chain, None]
) -> None:
    steps = [step for step in dis.get_instructions(code) if step.opname not in _SILENT]
    index = 0
    while index < len(steps):
        root = _root(steps[index], self_name, free)
        index += 1
        if root is None:
            continue
        path: list[tuple[str, object]] = []
        while index < len(steps):
            step = steps[index]
            if step.opname in _ATTRIBUTE:
                path.append((".", step.argval))
                index += 1
            elif step.opname in _CONSTANT and index + 1 < len(steps) and _is_item(steps[index + 1]):
                if not isinstance(step.argval, (str, int)):
                    break
                path.append(("[", step.argval))
                index += 2
            else:
                break
        found.setdefault(Chain(root[0], root[1], tuple(path)))
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            inner = self_name if self_name in constant.co_freevars else None
            _scan(constant, inner, free & frozenset(constant.co_freevars), found)


def _is_item(step: dis.Instruction) -> bool:
    return step.opname in _ITEM or (step.opname == "BINARY_OP" and step.argrepr == "[]")


def _root(
    step: dis.Instruction, self_name: str | None, free: frozenset[str]
) -> tuple[str, str] | None:
    name = step.opname
    if name in ("LOAD_GLOBAL", "LOAD_NAME"):
        return (GLOBAL, step.argval)
    if name in ("LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF"):
        if step.argval == self_name:
            return (SELF, step.argval)
        return (FREE, step.argval) if step.argval in free else None
    if name.startswith("LOAD_FAST") and self_name is not None:
        # Paired loads name both variables; only the last one is on top of the stack.
        loaded = step.argval[-1] if isinstance(step.argval, tuple) else step.argval
        return (SELF, self_name) if loaded == self_name else None
    return None
