"""Shallow, comparable copies of plain containers and objects."""

from __future__ import annotations

import operator
import struct
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

from .._tensor import Tensor
from ..nn import Module
from ..optim import Optimizer

__all__ = ["DEPTH", "LEAVES", "Same", "equal_leaf", "is_leaf", "snapshot"]

DEPTH = 3
LEAVES = 200

_IMMUTABLE = (int, str, bytes, bool, type(None), type(Ellipsis))


def is_leaf(value: object) -> bool:
    """Whether a value is compared by type and value rather than walked."""
    return type(value) in _IMMUTABLE or type(value) in (float, complex)


def equal_leaf(a: object, b: object) -> bool:
    """Type and value, floats by their bits."""
    if type(a) is not type(b):
        return False
    if type(a) is float:
        return struct.pack("<d", a) == struct.pack("<d", b)  # type: ignore[arg-type]
    return a == b


class Same:
    """Equal only to a snapshot of the very same object, which it keeps alive."""

    __slots__ = ("held",)

    def __init__(self, held: object) -> None:
        self.held = held

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and other.held is self.held

    def __hash__(self) -> int:
        return id(self.held)


class _OptimizerShot:
    """An optimizer's options, and which tensors it updates and remembers."""

    __slots__ = ("options", "tensors")

    def __init__(self, optimizer: Optimizer) -> None:
        self.options = [
            [
                (k, type(v), v)
                for k, v in group.items()
                if k != "params" and not isinstance(v, Tensor)
            ]
            for group in optimizer.param_groups
        ]
        self.tensors = [p for group in optimizer.param_groups for p in group["params"]]
        for state in optimizer.state.values():
            self.tensors.extend(state.values())

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, _OptimizerShot)
            and self.options == other.options
            and len(self.tensors) == len(other.tensors)
            and all(map(operator.is_, self.tensors, other.tensors))
        )

    __hash__ = None  # type: ignore[assignment]


class _Budget:
    def __init__(self) -> None:
        self.left = LEAVES


def snapshot(value: object) -> tuple[object, bool]:
    """A copy that compares equal while nothing within reach has changed.

    Returns:
        The copy, and whether depth and size limits let it be complete.
    """
    budget = _Budget()
    complete = [True]
    return _take(value, DEPTH, budget, complete), complete[0]


def _take(value: Any, depth: int, budget: _Budget, complete: list[bool]) -> object:
    budget.left -= 1
    kind = type(value)
    if kind in _IMMUTABLE:
        return (kind, value)
    if kind is float:
        return (float, struct.pack("<d", value))
    if isinstance(
        value, (Tensor, Module, type, ModuleType, FunctionType, BuiltinFunctionType, MethodType)
    ):
        # Tensors are bound, modules have epochs of their own, the rest is compared by identity.
        return Same(value.__func__ if isinstance(value, MethodType) else value)
    if isinstance(value, Optimizer):
        return (Same(value), _OptimizerShot(value))
    if depth == 0 or budget.left <= 0:
        complete[0] = False
        return (kind, Same(value))
    if isinstance(value, dict):
        return (kind, _take_fields(value, depth, budget, complete))
    if isinstance(value, (list, tuple)):
        return (kind, tuple([_take(item, depth - 1, budget, complete) for item in value]))
    if isinstance(value, (set, frozenset)):
        return (kind, frozenset(_key(item) for item in value))
    state = getattr(value, "__dict__", None)
    slots = [name for base in kind.__mro__ for name in getattr(base, "__slots__", ()) if name]
    if state is None and not slots:
        return (kind, Same(value))
    fields = dict(state or {})
    fields.update({name: getattr(value, name) for name in slots if hasattr(value, name)})
    return (kind, Same(value), _take_fields(fields, depth, budget, complete))


def _take_fields(
    fields: dict[Any, Any], depth: int, budget: _Budget, complete: list[bool]
) -> tuple[object, ...]:
    return tuple(
        [(_key(key), _take(item, depth - 1, budget, complete)) for key, item in fields.items()]
    )


def _key(key: object) -> object:
    return (type(key), key) if is_leaf(key) else Same(key)
