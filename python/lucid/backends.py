"""What runs underneath."""

from __future__ import annotations

from . import _native

__all__ = ["describe"]


def describe() -> str:
    """The engine, its instruction set, libraries and threads, and whether there is a GPU."""
    return _native.backend_description()
