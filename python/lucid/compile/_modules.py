"""The modules an entry depends on.

Every change to a module bumps its epoch and one process-wide counter. While the counter stands
still all is well; otherwise the epochs of this entry's modules are compared, and only where one
moved, what the module holds.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

from .._tensor import Tensor
from ..nn import Module
from ..nn._epoch import changes
from ._snapshot import Same, is_leaf, snapshot

__all__ = ["ModuleGuards", "wrapped"]

Owner = tuple[Module, str, str]

# What the module base keeps for itself. Its registries are compared on their own; the rest are
# tables of hooks and names, of which the entries count.
_REGISTRIES = frozenset({"_parameters", "_buffers", "_modules", "_epoch"})
_TABLES = frozenset(vars(Module())) - _REGISTRIES - {"training"}


class _Seen:
    """One module as it was."""

    __slots__ = ("children", "epoch", "module", "plain", "shots", "tensors")

    def __init__(self, module: Module) -> None:
        self.module = module
        self.take()

    def take(self) -> None:
        module = self.module
        self.epoch = module._epoch
        self.plain, self.shots = _plain(module)
        self.tensors = _tensors(module)
        self.children = dict(module._modules)


def _plain(module: Module) -> tuple[dict[str, object], dict[str, object]]:
    """Immutable attributes, and snapshots of the containers and objects among them."""
    plain: dict[str, object] = {}
    shots: dict[str, object] = {}
    for name, value in vars(module).items():
        if name in _REGISTRIES or isinstance(value, (Tensor, Module)):
            continue
        if name in _TABLES:
            entries = value.values() if isinstance(value, dict) else value
            plain[name] = tuple(map(Same, entries)) if isinstance(value, (dict, list)) else value
            continue
        shot = snapshot(value)[0]
        (plain if is_leaf(value) else shots)[name] = shot
    return plain, shots


def _tensors(module: Module) -> dict[tuple[str, str], Tensor | None]:
    found: dict[tuple[str, str], Tensor | None] = {}
    for name, value in module._parameters.items():
        found["_parameters", name] = value
    for name, value in module._buffers.items():
        found["_buffers", name] = value
    for name, value in vars(module).items():
        if isinstance(value, Tensor) and name not in module._parameters | module._buffers:
            found["__dict__", name] = value
    return found


def wrapped(target: Any) -> Any:
    """What a compiled wrapper stands for: its own caches are no state of the model."""
    return vars(target)["_target"] if getattr(type(target), "_is_wrapper", False) else target


class ModuleGuards:
    """The modules of one entry, and where its bound tensors come from."""

    def __init__(self) -> None:
        self._seen: dict[int, _Seen] = {}
        self._stamp = -1
        self._bound: dict[Owner, int] = {}
        self._rebind: Callable[[int, Tensor], bool] | None = None
        self._watched: list[_Seen] = []

    def add_tree(self, root: Module) -> list[Module]:
        """Adds a module and everything below it; those that were not known yet."""
        fresh: list[Module] = []
        pending = [root]
        while pending:
            module = wrapped(pending.pop())
            if not isinstance(module, Module):
                continue
            if id(module) in self._seen:
                continue
            self._seen[id(module)] = _Seen(module)
            fresh.append(module)
            pending.extend(child for child in module._modules.values() if child is not None)
        return fresh

    def seal(self) -> None:
        """Everything added so far is as it should be."""
        self._stamp = changes.count
        # Containers change without a bump, so modules that hold some are looked at on every call.
        self._watched = [seen for seen in self._seen.values() if seen.shots]

    def refresh(self) -> None:
        """Accepts the modules as they are now (after the traced call itself changed them)."""
        for seen in self._seen.values():
            seen.take()
        self.seal()

    def owners(self) -> dict[int, Owner]:
        """Every tensor the modules hold, by identity."""
        return {
            id(tensor): (seen.module, space, name)
            for seen in self._seen.values()
            for (space, name), tensor in seen.tensors.items()
            if tensor is not None
        }

    def bind(self, bound: dict[Owner, int], rebind: Callable[[int, Tensor], bool]) -> None:
        """Says which of the plan's captured tensors belongs to which owner."""
        self._bound = bound
        self._rebind = rebind

    @property
    def is_trivial(self) -> bool:
        """Whether the counter alone decides."""
        return not self._watched

    @property
    def stamp(self) -> int:
        """The counter's value at which everything was last known to hold."""
        return self._stamp

    def hold(self) -> bool:
        now = changes.count
        if now == self._stamp:
            if not self._watched:
                return True
        else:
            for seen in self._seen.values():
                if seen.module._epoch != seen.epoch and not self._accept(seen):
                    return False
        for seen in self._watched:
            if _plain(seen.module)[1] != seen.shots:
                return False
        self._stamp = now
        return True

    def _accept(self, seen: _Seen) -> bool:
        """Whether a module that changed is still what was traced; rebinds replaced tensors."""
        module = seen.module
        if _plain(module)[0] != seen.plain or not _same_children(module, seen.children):
            return False
        tensors = _tensors(module)
        if tensors.keys() != seen.tensors.keys():
            return False
        for key, tensor in tensors.items():
            before = seen.tensors[key]
            if tensor is before:
                continue
            if tensor is None or before is None or self._rebind is None:
                return False
            index = self._bound.get((module, *key))
            if index is not None and not self._rebind(index, tensor):
                return False
        seen.tensors = tensors
        seen.epoch = module._epoch
        return True

    def difference(self) -> str | None:
        """The first change that matters, in words."""
        for seen in self._seen.values():
            change = _difference(seen)
            if change is not None:
                return f"{type(seen.module).__name__}.{change}"
        return None


def _same_children(module: Module, before: dict[str, Module | None]) -> bool:
    now = module._modules
    return len(now) == len(before) and all(
        name in now and now[name] is child for name, child in before.items()
    )


def _difference(seen: _Seen) -> str | None:
    plain, shots = _plain(seen.module)
    for name in {**seen.plain, **plain}:
        if seen.plain.get(name) != plain.get(name):
            return f"{name}: {_words(seen.plain.get(name))} -> {_words(plain.get(name))}"
    for name in {**seen.shots, **shots}:
        if seen.shots.get(name) != shots.get(name):
            return f"{name} changed in place"
    if not _same_children(seen.module, seen.children):
        return "children changed"
    tensors = _tensors(seen.module)
    for key in {**seen.tensors, **tensors}:
        before, now = seen.tensors.get(key), tensors.get(key)
        if before is not now and (before is None or now is None or before.shape != now.shape):
            return f"{key[1]} replaced"
    return None


def _words(shot: Any) -> str:
    if isinstance(shot, tuple) and len(shot) == 2 and isinstance(shot[0], type):
        if shot[0] is float:
            return repr(struct.unpack("<d", shot[1])[0])
        return repr(shot[1])
    return "nothing" if shot is None else "another value"
