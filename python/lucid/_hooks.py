"""What registering a hook returns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class RemovableHandle:
    """Removes a hook: by `remove()` or as a context manager."""

    def __init__(self, identifier: int, remove: Callable[[], None]) -> None:
        self.id = identifier
        self._remove: Callable[[], None] | None = remove

    def remove(self) -> None:
        """Takes the hook off; later calls do nothing."""
        if self._remove is not None:
            self._remove()
            self._remove = None

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *exc: Any) -> None:
        self.remove()
