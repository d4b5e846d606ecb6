"""Argument and result trees: nested containers taken apart into leaves, and put together again.

A *spec* is a hashable description of everything but the tensors: container types, dict keys, and
each plain Python leaf with its type and value. Two calls with equal specs differ only in tensors.
"""

from __future__ import annotations

import dataclasses
import struct
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Hashable
from typing import Any

from .._tensor import Tensor

__all__ = ["Spec", "Unhashable", "flatten", "freeze", "unflatten"]

Spec = Hashable

_TENSOR = "t"
_LIST, _TUPLE, _DICT, _NAMED, _DATA, _LEAF, _SAME = "l", "p", "d", "n", "c", "v", "s"
_PLAIN = (int, str, bytes, type(None), type(Ellipsis))


class Unhashable(TypeError):
    """A leaf has no value that could be compared: the call cannot be keyed."""


def freeze(value: object) -> Hashable:
    """Type and value of a plain leaf, so that 1, True and 1.0 differ and NaN equals itself."""
    kind = type(value)
    if kind is bool or kind in _PLAIN:
        return (kind, value)
    if kind is float:
        return (float, struct.pack("<d", value))
    if kind is complex:
        return (complex, struct.pack("<dd", value.real, value.imag))  # type: ignore[attr-defined]
    if kind is slice:
        return (slice, freeze(value.start), freeze(value.stop), freeze(value.step))  # type: ignore[attr-defined]
    try:
        hash(value)
    except TypeError:
        raise Unhashable(
            f"an argument of type {kind.__name__} can be neither traced nor compared"
        ) from None
    return (kind, value)


def flatten(value: object, leaves: list[Tensor]) -> Spec:
    """Appends the tensors in ``value`` to ``leaves`` and returns the spec of the rest."""
    kind = type(value)
    if kind is Tensor or isinstance(value, Tensor):
        leaves.append(value)  # type: ignore[arg-type]
        return _TENSOR
    if kind is tuple:
        return (_TUPLE, *[flatten(item, leaves) for item in value])  # type: ignore[attr-defined]
    if kind is list:
        return (_LIST, *[flatten(item, leaves) for item in value])  # type: ignore[attr-defined]
    if kind is dict or kind is OrderedDict:
        # The order of keys is part of the spec: a function may iterate over them.
        return (
            _DICT,
            kind,
            *[(freeze(key), key, flatten(item, leaves)) for key, item in value.items()],  # type: ignore[attr-defined]
        )
    if isinstance(value, defaultdict):
        return (
            _DICT,
            (defaultdict, value.default_factory),
            *[(freeze(key), key, flatten(item, leaves)) for key, item in value.items()],
        )
    if isinstance(value, tuple) and hasattr(kind, "_fields"):
        return (_NAMED, kind, *[flatten(item, leaves) for item in value])
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return (
            _DATA,
            kind,
            *[
                (field.name, flatten(getattr(value, field.name), leaves))
                for field in dataclasses.fields(value)
            ],
        )
    return (_LEAF, freeze(value), _Held(value))


class _Held:
    """Carries a leaf's value through a spec without taking part in its comparison."""

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Held)

    def __hash__(self) -> int:
        return 0


def unflatten(spec: Any, take: Callable[[], object]) -> Any:
    """Rebuilds a tree from its spec; ``take`` gives the next tensor.

    Args:
        spec: What :func:`flatten` returned.
        take: Called once per tensor leaf, in order.

    Returns:
        A tree of the same types, with fresh containers.
    """
    if spec == _TENSOR:
        return take()
    tag = spec[0]
    if tag == _LEAF:
        return spec[2].value
    if tag == _TUPLE:
        return tuple([unflatten(item, take) for item in spec[1:]])
    if tag == _LIST:
        return [unflatten(item, take) for item in spec[1:]]
    if tag == _DICT:
        items = [(key, unflatten(item, take)) for _, key, item in spec[2:]]
        if isinstance(spec[1], tuple):
            return defaultdict(spec[1][1], items)
        return spec[1](items)
    if tag == _NAMED:
        return spec[1](*[unflatten(item, take) for item in spec[2:]])
    return _rebuild_dataclass(spec[1], {name: unflatten(item, take) for name, item in spec[2:]})


def _rebuild_dataclass(kind: type, values: dict[str, object]) -> object:
    made = object.__new__(kind)  # __init__ may compute or refuse; the fields are what was returned
    for name, value in values.items():
        object.__setattr__(made, name, value)
    return made
