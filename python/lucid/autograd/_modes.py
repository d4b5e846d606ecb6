"""Whether operations record gradients: context managers that are decorators too."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from .. import _native

F = TypeVar("F", bound=Callable[..., Any])


class _Mode:
    """Sets a mode while active. Decorated generators run in it between their yields only."""

    def __init__(self, mode: int) -> None:
        self._mode = mode
        self._earlier: list[int] = []

    def __enter__(self) -> None:
        self._earlier.append(_native.set_grad_mode(self._mode))

    def __exit__(self, *exc: Any) -> None:
        _native.set_grad_mode(self._earlier.pop())

    def __call__(self, function: F) -> F:
        mode = self._mode

        if inspect.isgeneratorfunction(function):

            @functools.wraps(function)
            def generator(*args: Any, **kwargs: Any) -> Any:
                running = function(*args, **kwargs)
                send: Any = None
                while True:
                    with _Mode(mode):
                        try:
                            item = running.send(send)
                        except StopIteration as stop:
                            return stop.value
                    send = yield item

            return generator  # type: ignore[return-value]

        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            earlier = _native.set_grad_mode(mode)
            try:
                return function(*args, **kwargs)
            finally:
                _native.set_grad_mode(earlier)

        return wrapper  # type: ignore[return-value]


class no_grad(_Mode):
    """Operations inside record no gradients.

    Example:
        >>> import lucid
        >>> x = lucid.ones(2, requires_grad=True)
        >>> with lucid.no_grad():
        ...     (x * 2).requires_grad
        False
    """

    def __new__(cls, function: Callable[..., Any] | None = None) -> Any:
        """Also works as a bare decorator, `@no_grad`."""
        mode = super().__new__(cls)
        if function is None:
            return mode
        mode.__init__()  # type: ignore[misc]
        return mode(function)

    def __init__(self, function: Callable[..., Any] | None = None) -> None:
        super().__init__(_native.GRAD_OFF)


class enable_grad(_Mode):
    """Operations inside record gradients, also within `no_grad`."""

    def __new__(cls, function: Callable[..., Any] | None = None) -> Any:
        """Also works as a bare decorator, `@enable_grad`."""
        mode = super().__new__(cls)
        if function is None:
            return mode
        mode.__init__()  # type: ignore[misc]
        return mode(function)

    def __init__(self, function: Callable[..., Any] | None = None) -> None:
        super().__init__(_native.GRAD_ON)


class inference_mode(_Mode):
    """Like `no_grad`, and results can never enter a recorded computation.

    Args:
        mode: False does nothing.
    """

    def __new__(cls, mode: Any = True) -> Any:
        """Also works as a bare decorator, `@inference_mode`."""
        made = super().__new__(cls)
        if isinstance(mode, bool):
            return made
        made.__init__()  # type: ignore[misc]
        return made(mode)

    def __init__(self, mode: bool = True) -> None:
        super().__init__(_native.INFERENCE if mode else _native.grad_mode())


class set_grad_enabled(_Mode):
    """Sets whether operations record gradients: from now on, or inside a `with`.

    Args:
        mode: Whether they do.
    """

    def __init__(self, mode: bool) -> None:
        super().__init__(_native.GRAD_ON if mode else _native.GRAD_OFF)
        self._before = _native.set_grad_mode(self._mode)

    def __enter__(self) -> None:
        """The mode is set since the object was made."""

    def __exit__(self, *exc: Any) -> None:
        _native.set_grad_mode(self._before)

    def __call__(self, function: F) -> F:
        _native.set_grad_mode(self._before)
        return super().__call__(function)


def is_grad_enabled() -> bool:
    """Whether operations record gradients on this thread."""
    return _native.grad_mode() == _native.GRAD_ON


def is_inference_mode_enabled() -> bool:
    """Whether inference mode is on on this thread."""
    return _native.grad_mode() == _native.INFERENCE
