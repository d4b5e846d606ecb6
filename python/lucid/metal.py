"""The device `metal`: memory and waiting."""

from __future__ import annotations

from . import _native
from ._random import manual_seed as manual_seed

__all__ = [
    "empty_cache",
    "get_cache_memory",
    "get_device_name",
    "is_available",
    "manual_seed",
    "max_memory_allocated",
    "memory_allocated",
    "reset_peak_memory_stats",
    "synchronize",
]


def is_available() -> bool:
    """Whether tensors can be put on `metal`."""
    return _native.device_available(1)


def synchronize() -> None:
    """Waits until everything that this thread has started is done."""
    _native.synchronize()


def empty_cache() -> None:
    """Gives memory kept for reuse back."""
    _native.clear_caches(False)


def memory_allocated() -> int:
    """Bytes in live buffers."""
    return _native.stats()["memory_allocated"]


def max_memory_allocated() -> int:
    """The largest number of bytes in live buffers so far."""
    return _native.stats()["memory_peak"]


def reset_peak_memory_stats() -> None:
    """Starts `max_memory_allocated` anew."""
    _native.reset_peak_memory()


def get_cache_memory() -> int:
    """Bytes kept for reuse."""
    return _native.stats()["memory_cached"]


def get_device_name() -> str:
    """What computes."""
    return _native.backend_description()
