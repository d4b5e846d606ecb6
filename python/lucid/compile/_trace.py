"""The first call of a signature: run once, recorded."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from .. import _native, _symint
from .._tensor import Tensor
from ..nn._epoch import changes
from ._entry import Entry
from ._guards import Guards, collect
from ._signature import Call
from ._tree import flatten, unflatten

__all__ = ["Traced", "trace_call"]

_PACKAGE = __name__.split(".")[0]


class Traced:
    """What a traced call left behind.

    Attributes:
        result: The function's result for this call.
        entry: The entry that repeats the call, or None if the signature is to run eagerly.
        reason: Why, if it is.
        where: File and line of the cause, if known.
        may_settle: Whether a later call may be repeatable: state that is made on the first call.
    """

    def __init__(
        self,
        result: Any,
        entry: Entry | None,
        reason: str | None = None,
        where: tuple[str, int] | None = None,
        *,
        may_settle: bool = False,
    ) -> None:
        self.result = result
        self.entry = entry
        self.reason = reason
        self.where = where
        self.may_settle = may_settle


def trace_call(
    target: Callable[..., Any],
    call: Call,
    args: tuple[object, ...],
    kwargs: dict[str, object],
    *,
    dynamic: bool,
    fullgraph: bool,
) -> Traced:
    """Runs ``target`` once while its operations are recorded, and compiles the record.

    Raises:
        Whatever ``target`` raises; writes it made before are then performed, and nothing is kept.
    """
    started = time.perf_counter()
    guards = collect(target)
    before = changes.count
    symbolic = dynamic and any(call.symbolic)
    trace = _native.TraceHandle(symbolic, fullgraph, max(call.batch, 0))
    with _where_read() as read_at:
        try:
            stand_ins = [
                trace.argument(leaf, follows and symbolic)
                for leaf, follows in zip(call.leaves, call.symbolic, strict=True)
            ]
            traced_args, traced_kwargs = _replaced(call, stand_ins)
            result = target(*traced_args, **traced_kwargs)
            outputs: list[Tensor] = []
            spec = flatten(result, outputs)
        except BaseException:
            trace.abort()
            raise
    # What the call did not compute is given back as the very object each time.
    constants = {i: out for i, out in enumerate(outputs) if not out._is_traced}
    traced_ms = (time.perf_counter() - started) * 1e3
    plan = trace.end(outputs)
    replaced = _originals(outputs, stand_ins, call.leaves)
    result = unflatten(spec, iter(replaced).__next__)
    reason = trace.reason()
    if plan is None or reason is not None:
        where = read_at()
        return Traced(
            result,
            None,
            reason or "the call could not be recorded",
            where,
            may_settle=where is None,
        )
    reason = _unrepeatable(guards, before)
    if reason is not None:
        settles = guards.unguardable is None
        return Traced(result, None, reason, may_settle=settles)
    entry = Entry(plan, guards, spec, len(outputs), constants, traced_ms)
    entry.bind()
    return Traced(result, entry)


def _replaced(call: Call, stand_ins: list[Tensor]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    take = iter(stand_ins).__next__
    positional, named = call.signature.structure  # type: ignore[misc]
    args = unflatten(positional, take)
    return args, {name: unflatten(spec, take) for name, spec in named}


def _originals(
    outputs: list[Tensor], stand_ins: list[Tensor], leaves: list[Tensor]
) -> list[Tensor]:
    """A returned argument is the caller's own object, as in eager code."""
    own = {id(stand_in): leaf for stand_in, leaf in zip(stand_ins, leaves, strict=True)}
    return [own.get(id(output), output) for output in outputs]


def _unrepeatable(guards: Guards, before: int) -> str | None:
    """Why repeating the graph alone would not repeat the call."""
    if guards.unguardable is not None:
        return guards.unguardable
    if changes.count != before:
        change = guards.modules.difference()
        if change is not None:
            return f"the call itself changes {change}"
        guards.modules.refresh()
    changed = guards.difference()
    return None if changed is None else f"the call itself changes {changed}"


_reads: ContextVar[list[tuple[str, int]] | None] = ContextVar("lucid_reads", default=None)


def note_read() -> None:
    """Remembers the user's line that reads a value while a call is recorded."""
    reads = _reads.get()
    if reads is None:
        return
    frame = sys._getframe(1)
    while frame is not None:
        module = frame.f_globals.get("__name__", "")
        if module != _PACKAGE and not module.startswith(_PACKAGE + "."):
            reads.append((frame.f_code.co_filename, frame.f_lineno))
            return
        frame = frame.f_back  # type: ignore[assignment]


_native.on_read = note_read
_symint.on_specialise = lambda _, why: _native.specialise_trace(why)


@contextmanager
def _where_read():  # type: ignore[no-untyped-def]
    reads: list[tuple[str, int]] = []
    token = _reads.set(reads)
    try:
        yield lambda: reads[0] if reads else None
    finally:
        _reads.reset(token)
