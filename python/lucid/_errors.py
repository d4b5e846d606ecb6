"""The exceptions and warnings of Lucid.

Each class is also the built-in exception that PyTorch users catch in the same place.
"""

from __future__ import annotations


class LucidError(Exception):
    """The base of all errors that Lucid raises by itself."""


class ArgumentError(LucidError, ValueError, RuntimeError):
    """An argument has the right type but a value that is not allowed."""


class ShapeError(LucidError, ValueError, RuntimeError):
    """Shapes do not fit each other or the operation."""


class DTypeError(LucidError, TypeError, RuntimeError):
    """An element type is not allowed here."""


class AxisError(LucidError, IndexError):
    """An index or axis is out of range."""


class OutOfMemoryError(LucidError, MemoryError):
    """Memory ran out, or a size cannot be addressed."""


class UnsupportedError(LucidError, NotImplementedError):
    """The request is understood but not available."""


class StateError(LucidError, RuntimeError):
    """The state of an object does not allow the call."""


class DeviceError(LucidError, RuntimeError, ValueError):
    """A device is unknown, or tensors of several devices were mixed."""


class StalePlanError(LucidError, RuntimeError):
    """A compiled plan does not fit the call; the caller traces again."""


class ArgumentTypeError(LucidError, TypeError):
    """An argument has the wrong type."""


class CompileWarning(UserWarning):
    """A compiled function runs eagerly for a reason that the message gives."""


# Keys are the lucid_status codes of lucid.h.
BY_STATUS: dict[int, type[LucidError]] = {
    -1: ArgumentError,
    -2: ShapeError,
    -3: DTypeError,
    -4: AxisError,
    -5: OutOfMemoryError,
    -6: UnsupportedError,
    -7: StateError,
    -8: DeviceError,
    -9: StalePlanError,
    -10: ArgumentTypeError,
}
