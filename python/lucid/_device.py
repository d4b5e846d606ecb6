"""Devices: `cpu` and `metal`."""

from __future__ import annotations

from typing import Any

from ._errors import DeviceError

_NAMES = ("cpu", "metal")


class device:
    """A label of where a tensor lives: `lucid.device("cpu")` or `lucid.device("metal")`.

    Both labels are served by the platform's one engine with unified memory.

    Raises:
        DeviceError: The name is neither; the message lists the valid ones.
    """

    __slots__ = ("_number", "type")

    type: str

    def __init__(self, type: str | device, index: int | None = None) -> None:
        name, _, suffix = (type.type if isinstance(type, device) else str(type)).partition(":")
        if name not in _NAMES or suffix not in ("", "0") or index not in (None, 0):
            given = type if index is None else f"{type}:{index}"
            raise DeviceError(f"unknown device '{given}': the valid ones are 'cpu' and 'metal'")
        self.type = name
        self._number = _NAMES.index(name)

    @property
    def index(self) -> int | None:
        """There is one device of each type."""
        return None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and other._number == self._number

    def __hash__(self) -> int:
        return hash(self.type)

    def __repr__(self) -> str:
        return f"device(type='{self.type}')"

    def __str__(self) -> str:
        return self.type

    def __reduce__(self) -> tuple[Any, ...]:
        return (device, (self.type,))


#: All devices, by their number in lucid.h.
BY_NUMBER: tuple[device, ...] = tuple(device(name) for name in _NAMES)
_BY_NAME = {d.type: d for d in BY_NUMBER}
_default = BY_NUMBER[0]


def as_device(given: Any) -> device:
    """What a `device=` argument means; None is the default device."""
    if given is None:
        return _default
    if isinstance(given, device):
        return given
    found = _BY_NAME.get(given) if isinstance(given, str) else None
    return found if found is not None else device(given)


def get_default_device() -> device:
    """Where new tensors live unless said otherwise."""
    return _default


def set_default_device(given: str | device | None) -> None:
    """Sets where new tensors live; None is the CPU."""
    global _default
    _default = BY_NUMBER[0] if given is None else as_device(given)
