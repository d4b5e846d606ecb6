"""What an entry relies on in the Python world, and whether it still holds.

Three kinds of facts, cheapest first: modules carry epochs that every change bumps; chains of
globals, closure variables and attributes are re-read by one function; plain containers and objects
are compared with a shallow snapshot.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from types import BuiltinMethodType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from .._tensor import Tensor
from ..nn import Module
from ..optim import Optimizer
from ._modules import ModuleGuards, wrapped
from ._reads import FREE, GLOBAL, SELF, Chain, chains
from ._snapshot import equal_leaf, is_leaf, snapshot

__all__ = ["Guards", "collect"]

# Reading these gives another value each time, which no guard can watch.
_IMPURE_MODULES = frozenset({"time", "random", "secrets", "uuid", "datetime", "os", "socket"})
_IMPURE_BUILTINS = frozenset({"open", "input", "print", "id"})
_MISSING = object()


class Guards:
    """The facts one entry relies on."""

    def __init__(self) -> None:
        self.modules = ModuleGuards()
        self.unguardable: str | None = None
        self.notes: list[str] = []
        self._reads: dict[
            tuple[str, tuple[int, ...]], tuple[str, Callable[[], object], object]
        ] = {}
        self._shots: list[tuple[str, Callable[[], object], object]] = []
        self._check: Callable[[], bool] | None = None

    def add_read(
        self, label: str, key: tuple[int, ...], read: Callable[[], object], value: object
    ) -> None:
        """Relies on ``read()`` giving this very object, or an equal leaf."""
        self._reads.setdefault((label, key), (label, read, value))

    def add_snapshot(self, label: str, read: Callable[[], object], value: object) -> None:
        """Relies on everything within reach of ``read()``."""
        shot, complete = snapshot(value)
        if not complete:
            self.notes.append(f"{label} is too large to be watched in full")
        self._shots.append((label, read, shot))

    def hold(self) -> bool:
        """Whether every fact still holds. The modules' part comes first, by their epochs."""
        if not self.modules.hold():
            return False
        check = self._check
        return True if check is None else check()

    @property
    def is_trivial(self) -> bool:
        """Whether the modules' epochs are all there is to check."""
        return self._check is None

    def seal(self) -> None:
        """Builds the check function once everything is known."""
        reads = list(self._reads.values())
        shots = self._shots
        if not reads and not shots:
            return

        def check() -> bool:
            try:
                for _, read, value in reads:
                    now = read()
                    if now is not value and not (is_leaf(value) and equal_leaf(now, value)):
                        return False
                return all(snapshot(read())[0] == shot for _, read, shot in shots)
            except (AttributeError, KeyError, IndexError, NameError, ValueError, TypeError):
                return False  # the chain no longer leads anywhere

        self._check = check

    def difference(self) -> str | None:
        """The first fact that no longer holds, in words."""
        changed = self.modules.difference()
        if changed is not None:
            return changed
        for label, read, value in self._reads.values():
            now = _try(read)
            if now is not value and not (is_leaf(value) and equal_leaf(now, value)):
                return f"{label}: {_short(value)} -> {_short(now)}"
        for label, read, shot in self._shots:
            now = _try(read)
            if now is _MISSING or snapshot(now)[0] != shot:
                return f"{label} changed in place"
        return None


def _try(read: Callable[[], object]) -> object:
    try:
        return read()
    except (AttributeError, KeyError, IndexError, NameError, ValueError, TypeError):
        return _MISSING


def _short(value: object) -> str:
    if value is _MISSING:
        return "nothing"
    if is_leaf(value):
        text = repr(value)
        return text if len(text) <= 40 else text[:37] + "..."
    return f"another {type(value).__name__}"


def collect(target: object) -> Guards:
    """The guards for a call of ``target`` as the Python world is now."""
    guards = Guards()
    walk = _Walk(guards)
    walk.callable(target)
    walk.run()
    guards.modules.seal()
    guards.seal()
    return guards


class _Walk:
    """Follows the functions that a call may enter, without running them."""

    def __init__(self, guards: Guards) -> None:
        self.guards = guards
        self.pending: list[tuple[FunctionType, object]] = []
        self.seen: set[tuple[CodeType, int]] = set()

    def callable(self, target: Any) -> None:
        target = wrapped(target)
        if isinstance(target, Module):
            for module in self.guards.modules.add_tree(target):
                forward = getattr(type(module), "forward", None)
                if isinstance(forward, FunctionType):
                    self.push(forward, module)
                self.instance_functions(module)
            return
        inner = getattr(target, "func", None)  # functools.partial
        if inner is not None and hasattr(target, "args"):
            self.callable(inner)
            for value in (*target.args, *target.keywords.values()):
                self.value("an argument of the partial", lambda v=value: v, value, ())
            return
        if isinstance(target, MethodType):
            self.push(target.__func__, target.__self__)
            if isinstance(target.__self__, Module):
                self.callable(target.__self__)
            return
        if isinstance(target, FunctionType):
            self.push(target, None)
            return
        call = getattr(type(target), "__call__", None)  # noqa: B004
        if isinstance(call, FunctionType):
            self.push(call, target)

    def instance_functions(self, module: Module) -> None:
        """Hooks and functions stored on a module are entered too."""
        for value in vars(module).values():
            if isinstance(value, FunctionType):
                self.push(value, None)

    def push(self, function: FunctionType, instance: object) -> None:
        function = _unwrapped(function)
        if _is_ours(function):
            return
        key = (function.__code__, id(instance))
        if key not in self.seen:
            self.seen.add(key)
            self.pending.append((function, instance))

    def run(self) -> None:
        while self.pending:
            function, instance = self.pending.pop()
            self.defaults(function)
            for chain in chains(function.__code__):
                self.chain(chain, function, instance)

    def defaults(self, function: FunctionType) -> None:
        values = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
        for position, value in enumerate(values):
            if not is_leaf(value):
                read = lambda f=function, i=position: (  # noqa: E731
                    *(f.__defaults__ or ()),
                    *(f.__kwdefaults__ or {}).values(),
                )[i]
                self.value(
                    f"a default of {function.__name__}", read, value, (id(function), position)
                )
        if values:
            self.guards.add_read(
                f"defaults of {function.__name__}",
                (id(function),),
                lambda f=function: f.__defaults__,
                function.__defaults__,
            )

    def chain(self, chain: Chain, function: FunctionType, instance: object) -> None:
        root = self.root(chain, function, instance)
        if root is None:
            return
        label, read, value, key = root
        path = list(chain.path)
        while path:
            step, name = path.pop(0)
            if isinstance(value, Module):
                # A child, parameter or own immutable attribute: the module's epoch watches it.
                own = vars(value)
                found = self.module_attribute(value, str(name)) if step == "." else _MISSING
                if found is _MISSING:
                    return
                if name not in own and not isinstance(found, (Tensor, Module)):
                    self.class_attribute(value, str(name), found)
                    return
                if isinstance(found, (Tensor,)) or is_leaf(found):
                    return
            elif isinstance(value, ModuleType) and value.__name__ in _IMPURE_MODULES:
                self.guards.unguardable = f"{label}.{name} gives another value at each call"
                return
            elif isinstance(value, Tensor) or (
                isinstance(value, ModuleType) and value.__name__.split(".")[0] == "lucid"
            ):
                break
            parent_read = read
            if step == ".":
                if not isinstance(value, Module):
                    found = _plain_attribute(value, str(name))
                if found is _MISSING or _is_method_of(found, value):
                    break
                label, key = f"{label}.{name}", (*key, hash(name))
                read = lambda p=parent_read, n=str(name): getattr(p(), n)  # noqa: E731
            else:
                try:
                    found = value[name]  # type: ignore[index]
                except (KeyError, IndexError, TypeError):
                    break
                label, key = f"{label}[{name!r}]", (*key, hash(name), 1)
                read = lambda p=parent_read, n=name: p()[n]  # type: ignore[index] # noqa: E731
            if isinstance(found, MethodType):
                if isinstance(found.__self__, Optimizer):
                    self.guards.add_snapshot(type(found.__self__).__name__, parent_read, value)
                self.push(found.__func__, found.__self__)
                return
            value = found
        self.value(label, read, value, key)

    def root(
        self, chain: Chain, function: FunctionType, instance: object
    ) -> tuple[str, Callable[[], object], object, tuple[int, ...]] | None:
        name = chain.name
        if chain.root == SELF:
            if instance is None:
                return None
            return (type(instance).__name__, lambda: instance, instance, (id(instance),))
        if chain.root == GLOBAL:
            space = function.__globals__
            if name not in space:
                if name in _IMPURE_BUILTINS and hasattr(builtins, name):
                    self.guards.unguardable = f"{name}() acts outside the graph"
                return None
            value = space[name]
            if isinstance(value, ModuleType) and value.__name__.split(".")[0] == "lucid":
                return None
            return (name, lambda: space[name], value, (id(space), hash(name)))
        if chain.root == FREE and function.__closure__:
            try:
                cell = function.__closure__[function.__code__.co_freevars.index(name)]
                return (name, lambda: cell.cell_contents, cell.cell_contents, (id(cell),))
            except ValueError:  # not one of this function's cells, or an empty one
                return None
        return None

    def module_attribute(self, module: Module, name: str) -> object:
        try:
            return getattr(module, name)
        except AttributeError:
            return _MISSING

    def class_attribute(self, module: Module, name: str, value: object) -> None:
        if isinstance(value, MethodType):
            self.push(value.__func__, value.__self__)
            return
        kind = type(module)
        if isinstance(getattr(kind, name, None), property):
            getter = getattr(kind, name).fget
            if isinstance(getter, FunctionType):
                self.push(getter, module)
            return
        self.value(
            f"{kind.__name__}.{name}", lambda: getattr(kind, name), value, (id(kind), hash(name))
        )

    def value(
        self, label: str, read: Callable[[], object], value: object, key: tuple[int, ...]
    ) -> None:
        """Guards the end of a chain."""
        if isinstance(value, Module):
            self.guards.add_read(label, key, read, value)
            self.callable(value)
        elif isinstance(value, FunctionType):
            self.guards.add_read(label, key, read, value)
            self.push(value, None)
        elif isinstance(value, type):
            if not _is_ours(value):
                self.guards.add_read(label, key, read, value)
        elif isinstance(value, (ModuleType,)):
            return
        elif is_leaf(value) or isinstance(value, Tensor) or callable(value):
            if not _is_ours(value):
                self.guards.add_read(label, key, read, value)
            if not isinstance(value, Tensor) and callable(value):
                self.callable(value)
        else:
            self.guards.add_read(label, key, read, value)
            self.guards.add_snapshot(label, read, value)
            self.contained(value)

    def contained(self, value: object) -> None:
        """Modules and functions held by a plain container are entered through it."""
        items = value.values() if isinstance(value, dict) else value
        if isinstance(items, (list, tuple, set, frozenset)) or isinstance(value, dict):
            for item in list(items)[:200]:  # type: ignore[call-overload]
                if isinstance(item, (Module, FunctionType, MethodType)):
                    self.callable(item)


def _unwrapped(function: Any) -> FunctionType:
    while isinstance(getattr(function, "__wrapped__", None), FunctionType):
        function = function.__wrapped__
    return function


def _is_ours(thing: object) -> bool:
    module = getattr(thing, "__module__", None) or ""
    return module == "lucid" or module.startswith("lucid.")


def _is_method_of(found: object, value: object) -> bool:
    """Whether this is a built-in method such as `items`: a new object at each reading.

    What it gives depends on the value that it is a method of.
    """
    return (
        isinstance(found, BuiltinMethodType)
        and found.__self__ is value
        and not isinstance(value, ModuleType)
    )


def _plain_attribute(value: object, name: str) -> object:
    """The attribute, unless reading it could run code of unknown effect."""
    if isinstance(getattr(type(value), name, None), property):
        return _MISSING
    return getattr(value, name, _MISSING)
