"""How many threads compute."""

from __future__ import annotations

from . import _native


def get_num_threads() -> int:
    """The number of threads of the engine."""
    return _native.stats()["threads"]


def set_num_threads(num_threads: int) -> None:
    """Sets the number of threads of the engine.

    Raises:
        ValueError: The number is not positive.
    """
    if num_threads <= 0:
        raise ValueError("set_num_threads expects a positive integer")
    _native.set_threads(num_threads)
