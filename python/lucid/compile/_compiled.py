"""``CompiledModule``: a module or function behind an executable cache."""

from __future__ import annotations

import functools
import inspect
import logging
import threading
import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any

from .. import _native
from .._errors import CompileWarning, StalePlanError
from ..nn import Module
from . import _explain
from ._entry import Entry, hot_path
from ._signature import Call, Signature, describe_change, read_call
from ._trace import Traced, trace_call
from ._tree import Unhashable

__all__ = ["CompiledModule"]

_log = logging.getLogger("lucid")
_OWN = frozenset(
    {
        "_target", "_call", "_dynamic", "_fullgraph", "_capacity", "_entries", "_eager", "_static",
        "_lock", "_hot", "_misses", "_unsettled", "_miss_count", "_evictions", "_warned",
        "__name__", "__qualname__", "__doc__", "__wrapped__", "__module__", "__signature__",
    }
)  # fmt: skip


# How often a signature whose calls change Python state is recorded before it is left to eager code.
_TRIES = 4
_SHARED = frozenset(vars(Module())) - {"_epoch", "training"}


class CompiledModule(Module):
    """What :func:`lucid.compile` returns.

    For a module it stands in the module's place: parameters, buffers, children, ``state_dict``,
    ``training`` and every other attribute are the module's own, in both directions. For a plain
    callable they are empty. Calls go through an executable cache.

    Args:
        target: An ``nn.Module`` or a callable.
        dynamic: Leave the leading extent of the arguments open, so that calls that differ only in
            batch size share one executable.
        fullgraph: Raise where a call cannot be recorded as one graph, instead of running eagerly.
        capacity: How many signatures are kept; the least recently used goes first.
    """

    _is_wrapper = True

    def __init__(
        self,
        target: Callable[..., Any],
        dynamic: bool = False,
        *,
        fullgraph: bool = False,
        capacity: int = 128,
    ) -> None:
        own = self.__dict__
        own["_target"] = target
        if isinstance(target, Module):
            # The module's own dictionaries: every walk over the wrapper is a walk over the module.
            own.update({name: vars(target)[name] for name in _SHARED})
            own["_call"] = target.__call__
        else:
            super().__init__()
            own["_call"] = target
            functools.update_wrapper(self, target, updated=())
        own["_dynamic"] = bool(dynamic)
        own["_fullgraph"] = bool(fullgraph)
        own["_capacity"] = max(1, int(capacity))
        own["_lock"] = threading.RLock()
        own["_warned"] = set()
        self._reset()

    def _reset(self) -> None:
        own = self.__dict__
        own["_hot"] = None
        # Replaced as a whole, so that readers need no lock.
        own["_entries"] = OrderedDict()
        own["_eager"] = {}
        own["_static"] = set()
        own["_misses"] = []
        own["_unsettled"] = {}
        own["_miss_count"] = own["_evictions"] = 0

    # -- Delegation -----------------------------------------------------------------------------

    @property
    def model(self) -> Any:
        """The wrapped module or callable."""
        return self.__dict__["_target"]

    @property
    def dynamic(self) -> bool:
        """Whether the batch was asked to be left open."""
        return self.__dict__["_dynamic"]

    def __getattr__(self, name: str) -> Any:
        own = self.__dict__
        if name in own:
            return own[name]
        if "_target" not in own:
            raise AttributeError(name)
        return getattr(own["_target"], name)

    def __setattr__(self, name: str, value: object) -> None:
        if name in _OWN:
            self.__dict__[name] = value
        elif isinstance(self._target, Module):
            setattr(self._target, name, value)
        else:
            super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        if isinstance(self._target, Module):
            delattr(self._target, name)
        else:
            super().__delattr__(name)

    def __getitem__(self, key: Any) -> Any:
        return self._target[key]

    def __len__(self) -> int:
        return len(self._target)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._target)

    def __contains__(self, item: object) -> bool:
        return item in self._target

    def __bool__(self) -> bool:
        return True

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *dir(self._target)})

    def __repr__(self) -> str:
        return f"CompiledModule({self._target!r})"

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        """As a function does: a method decorated in a class body binds to its instance."""
        if instance is None or isinstance(self._target, Module):
            return self
        bound = _bound_wrappers(instance)
        name = id(self)
        if name not in bound:
            bound[name] = CompiledModule(
                self._target.__get__(instance, owner),
                self._dynamic,
                fullgraph=self._fullgraph,
                capacity=self._capacity,
            )
        return bound[name]

    def __reduce__(self) -> Any:
        return (_rebuilt, (self._target, self._dynamic, self._fullgraph, self._capacity))

    def __deepcopy__(self, memo: dict[int, Any]) -> CompiledModule:
        import copy

        return _rebuilt(
            copy.deepcopy(self._target, memo), self._dynamic, self._fullgraph, self._capacity
        )

    def _walk(self, name: str, *args: Any, **kwargs: Any) -> Any:
        if isinstance(self._target, Module):
            return getattr(self._target, name)(*args, **kwargs)
        return getattr(super(), name)(*args, **kwargs)

    def train(self, mode: bool = True) -> CompiledModule:
        """Sets training mode on the module; keeps the cache."""
        self._walk("train", mode)
        return self

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The wrapped target, eagerly."""
        return self._call(*args, **kwargs)

    # -- Calls ----------------------------------------------------------------------------------

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        own = self.__dict__
        hot = own["_hot"]
        if hot is not None and not kwargs:
            result = hot(args)
            if result is not NotImplemented:
                return result
        return self._slow(args, kwargs)

    def _slow(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if _native.is_tracing():
            # Inside another trace the inner wrapper dissolves into the outer graph.
            return self._call(*args, **kwargs)
        try:
            call = read_call(args, kwargs, self._dynamic)
        except Unhashable as error:
            return self._run_unkeyed(str(error), args, kwargs)
        key = call.signature
        if key in self._static:
            call = read_call(args, kwargs, dynamic=False)
            key = call.signature
        if key in self._eager:
            return self._call(*args, **kwargs)
        for entry in self._entries.get(key, ()):
            if entry.guards.hold():
                try:
                    result = entry.run(call.leaves)
                except StalePlanError:
                    continue
                self._hit(key, entry)
                return result
        return self._miss(call, args, kwargs)

    def _hit(self, key: Signature, entry: Entry) -> None:
        with self._lock:
            if key in self._entries:
                self._entries.move_to_end(key)
            self.__dict__["_hot"] = hot_path(entry, key)

    def _miss(self, call: Call, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        key = call.signature
        with self._lock:
            changed = self._changed(key)
            self._miss_count += 1
            self._misses.append(_explain.Miss(str(key), changed))
            del self._misses[:-100]
        _log.info("compile %s %s: %s", self._label(), key, changed)
        dynamic = any(call.symbolic)
        traced = trace_call(
            self._call, call, args, kwargs, dynamic=dynamic, fullgraph=self._fullgraph
        )
        if traced.entry is None:
            self._note_eager(key, traced)
            return traced.result
        entry = traced.entry
        with self._lock:
            if dynamic and not entry.dynamic:
                # One executable per shape: the entry belongs to this call's shapes alone.
                why = entry.plan.dump(3) or "the graph needs the batch's number"
                _log.info("compile %s %s: per shape, %s", self._label(), key, why)
                self._static = self._static | {key}
                key = read_call(args, kwargs, dynamic=False).signature
            self._insert(key, entry)
            self.__dict__["_hot"] = hot_path(entry, key)
        return traced.result

    def _insert(self, key: Signature, entry: Entry) -> None:
        entries = OrderedDict(self._entries)
        entries[key] = (entry, *entries.get(key, ()))[: self._capacity]
        entries.move_to_end(key)
        while sum(map(len, entries.values())) > self._capacity:
            oldest = next(iter(entries))
            kept = entries[oldest][:-1]
            self._evictions += 1
            if kept:
                entries[oldest] = kept
            else:
                del entries[oldest]
        self.__dict__["_entries"] = entries

    def _changed(self, key: Signature) -> str:
        for entry in self._entries.get(key, ()):
            difference = entry.guards.difference()
            return difference or "the batch does not fulfil what the graph assumes"
        return describe_change(key, list(self._entries))

    # -- Eager signatures -----------------------------------------------------------------------

    def _note_eager(self, key: Signature, traced: Traced) -> None:
        reason = traced.reason or "unknown"
        where = traced.where
        with self._lock:
            tries = self._unsettled.get(key, 0) + 1
            self._unsettled[key] = tries
            if traced.may_settle and tries < _TRIES:
                return
            eager = dict(self._eager)
            eager[key] = _explain.Fallback(
                str(key), reason, where[0] if where else None, where[1] if where else None
            )
            self.__dict__["_eager"] = eager
        self._warn(reason, where)

    def _run_unkeyed(self, reason: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call whose arguments cannot be compared with those of others."""
        if self._fullgraph:
            raise TypeError(f"{self._label()}: {reason}")
        label = "arguments"
        with self._lock:
            self.__dict__["_eager"] = {**self._eager, label: _explain.Fallback(label, reason)}
        self._warn(reason, None)
        return self._call(*args, **kwargs)

    def _warn(self, reason: str, where: tuple[str, int] | None) -> None:
        if reason in self._warned:
            return
        self._warned.add(reason)
        place = f" ({where[0]}:{where[1]})" if where else ""
        warnings.warn(
            f"{self._label()} runs eagerly for this signature: {reason}{place}",
            CompileWarning,
            stacklevel=_user_level(),
        )

    # -- Inspection -----------------------------------------------------------------------------

    def _label(self) -> str:
        target = self._target
        if isinstance(target, Module):
            return type(target).__name__
        return getattr(target, "__qualname__", type(target).__name__)

    def _all_entries(self) -> list[tuple[Signature, Entry]]:
        return [(key, entry) for key, group in self._entries.items() for entry in group]

    def cache_info(self) -> dict[str, Any]:
        """Counts for tests and monitoring.

        Returns:
            ``entries`` (live compiled signatures), ``keys``, ``eager_only``, ``n_calls`` per key,
            ``hits``, ``misses``, ``evictions``, ``executables`` (distinct ones) and ``fallbacks``.
        """
        live = self._all_entries()
        calls: dict[Signature, int] = {}
        for key, entry in live:
            calls[key] = calls.get(key, 0) + entry.calls
        return {
            "entries": len(live),
            "keys": tuple(self._entries),
            "eager_only": tuple(self._eager),
            "n_calls": calls,
            "hits": sum(entry.calls - 1 for _, entry in live),
            "misses": self._miss_count,
            "evictions": self._evictions,
            "executables": len({entry.plan.info()["executable_id"] for _, entry in live}),
            "fallbacks": len(self._eager),
        }

    def timing(self) -> list[dict[str, Any]]:
        """Per entry ``key``, ``compile_ms``, ``last_run_ms`` and ``n_hits``."""
        return [
            {
                "key": key,
                "trace_ms": entry.trace_ms,
                "compile_ms": entry.plan.info()["compile_ms"],
                "last_run_ms": entry.plan.info()["last_run_ms"],
                "n_hits": entry.calls - 1,
            }
            for key, entry in self._all_entries()
        ]

    def clear_cache(self) -> None:
        """Drops every entry, eager verdict and counter."""
        with self._lock:
            self._reset()

    def graph_dump(self, key: Signature | None = None) -> str:
        """The recorded graphs as JSON, newest last; of one key, or of all entries."""
        import json

        dumps = [
            json.loads(entry.plan.dump(1))
            for own, entry in self._all_entries()
            if key is None or own == key
        ]
        return json.dumps({"version": "lucid.graph/v1", "graphs": dumps}, indent=2)

    def explain(self) -> _explain.Explanation:
        """What is compiled, what missed and what runs eagerly, each with its reason."""
        entries = []
        notes: list[str] = []
        for key, entry in self._all_entries():
            info = entry.plan.info()
            entries.append(
                _explain.Entry(
                    str(key),
                    entry.dynamic,
                    info["nodes"],
                    entry.calls,
                    entry.trace_ms,
                    info["compile_ms"],
                )
            )
            notes.extend(entry.guards.notes)
        return _explain.Explanation(
            self._label(),
            tuple(entries),
            tuple(self._misses),
            tuple(self._eager.values()),
            tuple(dict.fromkeys(notes)),
        )


def _delegated(name: str) -> Callable[..., Any]:
    def method(self: CompiledModule, *args: Any, **kwargs: Any) -> Any:
        result = self._walk(name, *args, **kwargs)
        return self if result is self._target else result

    method.__name__ = name
    method.__doc__ = getattr(Module, name).__doc__
    return method


# Methods of the base whose meaning a module may change in a subclass.
for _name in (
    "load_state_dict", "to", "half", "float", "bfloat16", "cpu", "metal", "apply", "requires_grad_",
    "zero_grad", "extra_repr", "state_dict", "named_parameters", "parameters", "named_buffers",
    "buffers",
):  # fmt: skip
    if hasattr(Module, _name):
        setattr(CompiledModule, _name, _delegated(_name))


def _rebuilt(target: Any, dynamic: bool, fullgraph: bool, capacity: int) -> CompiledModule:
    return CompiledModule(target, dynamic, fullgraph=fullgraph, capacity=capacity)


def _bound_wrappers(instance: object) -> dict[int, CompiledModule]:
    try:
        store = vars(instance)
    except TypeError:
        return {}
    return store.setdefault("__lucid_compiled__", {})


def _user_level() -> int:
    """The stack level of the first frame outside the package."""
    frame = inspect.currentframe()
    level = 0
    while frame is not None and frame.f_globals.get("__name__", "").startswith("lucid"):
        frame = frame.f_back
        level += 1
    return max(level, 1)
