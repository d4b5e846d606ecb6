"""What a wrapper reports about itself."""

from __future__ import annotations

import html
from dataclasses import dataclass, field

__all__ = ["Entry", "Explanation", "Fallback", "Miss"]


@dataclass(frozen=True)
class Entry:
    """One live compiled signature."""

    signature: str
    dynamic: bool
    nodes: int
    calls: int
    trace_ms: float
    compile_ms: float


@dataclass(frozen=True)
class Miss:
    """A call that had to be traced, and what was new about it."""

    signature: str
    changed: str


@dataclass(frozen=True)
class Fallback:
    """A signature that runs eagerly."""

    signature: str
    reason: str
    file: str | None = None
    line: int | None = None


@dataclass(frozen=True)
class Explanation:
    """Everything a wrapper knows about its signatures; ``str()`` gives text."""

    name: str
    entries: tuple[Entry, ...] = ()
    misses: tuple[Miss, ...] = ()
    fallbacks: tuple[Fallback, ...] = ()
    notes: tuple[str, ...] = field(default=())

    def __str__(self) -> str:
        lines = [f"{self.name}: {len(self.entries)} compiled, {len(self.fallbacks)} eager"]
        for entry in self.entries:
            kind = "any batch" if entry.dynamic else "static"
            lines.append(
                f"  {entry.signature}: {entry.nodes} nodes, {kind}, {entry.calls} calls, "
                f"traced in {entry.trace_ms:.1f} ms, compiled in {entry.compile_ms:.1f} ms"
            )
        for fallback in self.fallbacks:
            where = f" ({fallback.file}:{fallback.line})" if fallback.file else ""
            lines.append(f"  {fallback.signature}: eager, {fallback.reason}{where}")
        for miss in self.misses:
            lines.append(f"  miss: {miss.changed}")
        lines.extend(f"  note: {note}" for note in self.notes)
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        def row(*cells: object) -> str:
            return (
                "<tr>" + "".join(f"<td>{html.escape(str(cell))}</td>" for cell in cells) + "</tr>"
            )

        compiled = "".join(
            row(e.signature, "any batch" if e.dynamic else "static", e.nodes, e.calls)
            for e in self.entries
        )
        eager = "".join(
            row(f.signature, f.reason, f.file or "", f.line or "") for f in self.fallbacks
        )
        missed = "".join(row(m.signature, m.changed) for m in self.misses)
        return (
            f"<h4>{html.escape(self.name)}</h4>"
            f"<table><tr><th>signature</th><th>batch</th><th>nodes</th><th>calls</th></tr>{compiled}</table>"
            f"<table><tr><th>eager</th><th>reason</th><th>file</th><th>line</th></tr>{eager}</table>"
            f"<table><tr><th>miss</th><th>changed</th></tr>{missed}</table>"
        )
