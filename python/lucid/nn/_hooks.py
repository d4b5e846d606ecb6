"""Hooks of modules."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from .._hooks import RemovableHandle

if TYPE_CHECKING:
    from ._module import Module

_identifiers = itertools.count()
# Hooks on all modules of the process.
_global_forward: dict[int, Any] = {}
_global_forward_pre: dict[int, Any] = {}


class HookMixin:
    """The part of `Module` that runs other people's code around `forward`."""

    _hooked: bool
    _forward_hooks: dict[int, tuple[Any, bool, bool]]
    _forward_pre_hooks: dict[int, tuple[Any, bool]]
    _backward_hooks: dict[int, Any]
    _backward_pre_hooks: dict[int, Any]
    forward: Callable[..., Any]

    def _init_hooks(self) -> None:
        state = self.__dict__
        state["_hooked"] = bool(_global_forward or _global_forward_pre)
        for name in (
            "_forward_hooks",
            "_forward_pre_hooks",
            "_backward_hooks",
            "_backward_pre_hooks",
        ):
            state[name] = {}

    def _add_hook(self, table: str, entry: Any, prepend: bool = False) -> RemovableHandle:
        from ._epoch import bump

        hooks: dict[int, Any] = self.__dict__[table]
        key = next(_identifiers)
        if prepend:
            rest = dict(hooks)
            hooks.clear()
            hooks[key] = entry
            hooks.update(rest)
        else:
            hooks[key] = entry
        self.__dict__["_hooked"] = True
        bump(cast("Module", self))

        def remove() -> None:
            hooks.pop(key, None)
            state = self.__dict__
            state["_hooked"] = bool(
                state["_forward_hooks"]
                or state["_forward_pre_hooks"]
                or state["_backward_hooks"]
                or state["_backward_pre_hooks"]
            )
            bump(cast("Module", self))

        return RemovableHandle(key, remove)

    def register_forward_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False,
        always_call: bool = False,
    ) -> RemovableHandle:  # fmt: skip
        """Calls `hook(module, args, output)` after forward; a result replaces the output.

        Args:
            hook: The function; with `with_kwargs` it is `hook(module, args, kwargs, output)`.
            prepend: Call it before the hooks that are there.
            with_kwargs: Give it the keyword arguments too.
            always_call: Call it also when forward raises (with output None).
        """
        return self._add_hook("_forward_hooks", (hook, with_kwargs, always_call), prepend)

    def register_forward_pre_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Calls `hook(module, args)` before forward; a result replaces the arguments.

        With `with_kwargs` it is `hook(module, args, kwargs)` and a result is `(args, kwargs)`.
        """
        return self._add_hook("_forward_pre_hooks", (hook, with_kwargs), prepend)

    def register_full_backward_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Calls `hook(module, grad_input, grad_output)`; a result replaces the input gradients."""
        return self._add_hook("_backward_hooks", hook, prepend)

    def register_full_backward_pre_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Calls `hook(module, grad_output)`; a result replaces the output gradients."""
        return self._add_hook("_backward_pre_hooks", hook, prepend)

    def _call_with_hooks(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        for hook in list(_global_forward_pre.values()):
            changed = hook(self, args)
            if changed is not None:
                args = changed if isinstance(changed, tuple) else (changed,)
        for hook, with_kwargs in list(self._forward_pre_hooks.values()):
            changed = hook(self, args, kwargs) if with_kwargs else hook(self, args)
            if changed is None:
                continue
            if with_kwargs:
                args, kwargs = changed
            else:
                args = changed if isinstance(changed, tuple) else (changed,)
        backward = None
        if self._backward_hooks or self._backward_pre_hooks:
            from ._backward_hooks import BackwardHooks

            backward = BackwardHooks(
                cast("Module", self),
                list(self._backward_hooks.values()),
                list(self._backward_pre_hooks.values()),
            )
            args = backward.enter(args)
        try:
            output = self.forward(*args, **kwargs)
        except BaseException:
            for hook, with_kwargs, always in list(self._forward_hooks.values()):
                if always:
                    hook(self, args, kwargs, None) if with_kwargs else hook(self, args, None)
            raise
        for hook in list(_global_forward.values()):
            changed = hook(self, args, output)
            output = output if changed is None else changed
        for hook, with_kwargs, _ in list(self._forward_hooks.values()):
            changed = hook(self, args, kwargs, output) if with_kwargs else hook(self, args, output)
            output = output if changed is None else changed
        return output if backward is None else backward.leave(output)
