"""The one warning category of the compiler."""

from __future__ import annotations

__all__ = ["CompileWarning"]


class CompileWarning(UserWarning):
    """A signature runs eagerly, and why. Issued once per wrapper and reason."""
