"""One compiled signature."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _native
from .._tensor import Tensor
from ..nn._epoch import changes
from ._guards import Guards
from ._signature import Signature
from ._tree import Spec, unflatten

__all__ = ["Entry", "hot_path"]


class Entry:
    """A plan, the Python state it relies on, and how its results are put together."""

    __slots__ = (
        "calls",
        "capacity",
        "constants",
        "dynamic",
        "guards",
        "plan",
        "single",
        "spec",
        "trace_ms",
    )

    def __init__(
        self,
        plan: _native.PlanHandle,
        guards: Guards,
        spec: Spec,
        count: int,
        constants: dict[int, Tensor],
        trace_ms: float,
    ) -> None:
        self.plan = plan
        self.guards = guards
        self.spec = spec
        self.single = spec == "t" and not constants
        self.constants = constants
        self.capacity = count
        self.dynamic = bool(plan.info()["is_dynamic"])
        self.trace_ms = trace_ms
        self.calls = 1

    def bind(self) -> None:
        """Connects the plan's captured tensors with the modules that own them."""
        owners = self.guards.modules.owners()
        by_handle = {tensor._address: owner for tensor, owner in _tensors_of(owners)}
        bound = {}
        for index, handle in enumerate(self.plan.captured()):
            owner = by_handle.get(handle)
            if owner is not None:
                bound[owner] = index
        self.guards.modules.bind(bound, self.plan.rebind)

    def run(self, leaves: list[Tensor]) -> Any:
        """Repeats the call with other tensors."""
        results = _native.run_plan(self.plan.address, tuple(leaves), self.capacity)
        self.calls += 1
        if self.single:
            return results[0]
        if self.constants:
            results = tuple([self.constants.get(i, out) for i, out in enumerate(results)])
        return unflatten(self.spec, iter(results).__next__)


def hot_path(entry: Entry, key: Signature) -> Callable[[tuple[Any, ...]], Any] | None:
    """The shortest way to repeat a call with tensors as its only, positional arguments.

    The plan itself compares types, gradient mode and aliases; what is left is the Python state.

    Returns:
        A function of the argument tuple that gives NotImplemented where the entry does not fit.
        None for calls with other arguments or results.
    """
    count = len(key.tensors)
    if key.structure != (("p", *["t"] * count), ()) or not entry.single:
        return None
    call, address, hold = _native.call_plan, entry.plan.address, entry.guards.hold
    modules = entry.guards.modules
    if entry.guards.is_trivial and modules.is_trivial:

        def trivial(args: tuple[Any, ...]) -> Any:
            if changes.count != modules.stamp and not hold():
                return NotImplemented
            entry.calls += 1
            return call(address, args, 1)

        return trivial

    def guarded(args: tuple[Any, ...]) -> Any:
        if not hold():
            return NotImplemented
        entry.calls += 1
        return call(address, args, 1)

    return guarded


def _tensors_of(owners: dict[int, Any]) -> list[tuple[Tensor, Any]]:
    found = []
    for owner in owners.values():
        module, space, name = owner
        held = vars(module) if space == "__dict__" else getattr(module, space)
        found.append((held[name], owner))
    return found
