"""One compiled signature."""

from __future__ import annotations

from typing import Any

from .. import _plans
from .._tensor import Tensor
from ._guards import Guards
from ._tree import Spec, unflatten

__all__ = ["Entry"]


class Entry:
    """A plan, the Python state it relies on, and how its results are put together."""

    __slots__ = ("calls", "guards", "plan", "single", "spec", "trace_ms")

    def __init__(self, plan: _plans.Plan, guards: Guards, spec: Spec, trace_ms: float) -> None:
        self.plan = plan
        self.guards = guards
        self.spec = spec
        self.single = spec == "t"
        self.trace_ms = trace_ms
        self.calls = 1

    def bind(self) -> None:
        """Connects the plan's captured tensors with the modules that own them."""
        owners = self.guards.modules.owners()
        by_handle = {_plans.identity(tensor): owner for tensor, owner in _tensors_of(owners)}
        bound = {}
        for index, handle in enumerate(self.plan.captured()):
            owner = by_handle.get(handle)
            if owner is not None:
                bound[owner] = index
        self.guards.modules.bind(bound, self.plan.rebind)

    def run(self, leaves: list[Tensor]) -> Any:
        """Repeats the call with other tensors."""
        results = self.plan.run(leaves)
        self.calls += 1
        if self.single:
            return results[0]
        return unflatten(self.spec, iter(results).__next__)


def _tensors_of(owners: dict[int, Any]) -> list[tuple[Tensor, Any]]:
    found = []
    for owner in owners.values():
        module, space, name = owner
        held = vars(module) if space == "__dict__" else getattr(module, space)
        found.append((held[name], owner))
    return found
