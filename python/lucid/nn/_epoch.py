"""When modules change: what compiled calls check instead of looking at every attribute.

Each module counts its changes (`Module._epoch`), and the process counts them all
(`changes.count`). If the process counter is what it was, no module has changed. A change is setting
or deleting an attribute, parameter, buffer or submodule to something else; setting an immutable
value equal to the old one is none.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import copysign
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._module import Module


class Changes:
    """The process-wide counter."""

    __slots__ = ("count",)

    def __init__(self) -> None:
        self.count = 0


changes = Changes()

_IMMUTABLE = frozenset({bool, int, float, str, bytes, type(None), complex})
_MISSING: Any = object()


def bump(module: Module | None) -> None:
    """Notes a change of this module."""
    changes.count += 1
    if module is not None:
        state = module.__dict__
        state["_epoch"] = state.get("_epoch", 0) + 1


def same_value(old: Any, new: Any) -> bool:
    """Whether replacing `old` by `new` changes nothing that code could see."""
    if old is new:
        return type(new) in _IMMUTABLE or not isinstance(new, (list, dict, set))
    kind = type(new)
    if type(old) is not kind or kind not in _IMMUTABLE or old != new:
        return False
    return kind is not float or old != 0.0 or copysign(1.0, old) == copysign(1.0, new)


class Registry(dict[str, Any]):
    """The parameters, buffers or submodules of one module, by name.

    Entries are also attributes in the module's `__dict__`, so that reading them costs what reading
    a plain attribute costs. Every change goes through here, also one made on the dict itself.
    """

    __slots__ = ("_owner",)

    def __init__(self, owner: Module, entries: Mapping[str, Any] | None = None) -> None:
        super().__init__()
        self._owner = owner
        if entries:
            self.update(entries)

    def __setitem__(self, name: str, value: Any) -> None:
        if self.get(name, _MISSING) is not value or name not in self._owner.__dict__:
            bump(self._owner)
        self._owner.__dict__[name] = value
        super().__setitem__(name, value)

    def __delitem__(self, name: str) -> None:
        super().__delitem__(name)
        self._owner.__dict__.pop(name, None)
        bump(self._owner)

    def pop(self, name: str, *default: Any) -> Any:
        if name not in self:
            return super().pop(name, *default)
        value = self[name]
        del self[name]
        return value

    def popitem(self) -> tuple[str, Any]:
        name = next(reversed(self), None)
        if name is None:
            raise KeyError("popitem(): dictionary is empty")
        return name, self.pop(name)

    def clear(self) -> None:
        for name in list(self):
            del self[name]

    def update(self, *args: Any, **kwargs: Any) -> None:
        for name, value in dict(*args, **kwargs).items():
            self[name] = value

    def setdefault(self, name: str, default: Any = None) -> Any:
        if name not in self:
            self[name] = default
        return self[name]

    def __ior__(self, other: Any) -> Registry:  # type: ignore[override,misc]
        self.update(other)
        return self

    def copy(self) -> dict[str, Any]:  # type: ignore[override]
        return dict(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return (dict, (dict(self),))
