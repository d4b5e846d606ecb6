"""Module backward hooks: identity functions around a module that see its gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .._tensor import Tensor
from ..autograd import Function

if TYPE_CHECKING:
    from ._module import Module


class _Identity(Function):
    """Passes tensors through; `on_gradients(gradients)` may replace what flows back."""

    @staticmethod
    def forward(ctx: Any, on_gradients: Callable[..., Any], *tensors: Tensor) -> Any:
        ctx.on_gradients = on_gradients
        return tuple(t.view_as(t) for t in tensors)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return (None, *ctx.on_gradients(gradients))


def _as_tuple(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


class BackwardHooks:
    """One call of a module with backward hooks."""

    def __init__(self, module: Module, hooks: list[Any], pre_hooks: list[Any]) -> None:
        self.module = module
        self.hooks = hooks
        self.pre_hooks = pre_hooks
        self.grad_output: tuple[Any, ...] = ()
        self.wants_input = False
        self.input_count = 0
        self.input_positions: list[int] = []

    def enter(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments, tensors among them watched."""
        positions = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
        self.input_count = len(args)
        self.input_positions = positions
        self.wants_input = any(args[i].requires_grad for i in positions)
        if not self.wants_input or not self.hooks:
            return args
        watched = _as_tuple(_Identity.apply(self._inputs_arrived, *(args[i] for i in positions)))
        out = list(args)
        for i, tensor in zip(positions, watched, strict=True):
            out[i] = tensor
        return tuple(out)

    def leave(self, output: Any) -> Any:
        """The output, tensors in it watched."""
        parts = output if isinstance(output, (tuple, list)) else (output,)
        positions = [i for i, p in enumerate(parts) if isinstance(p, Tensor)]
        if not any(parts[i].requires_grad for i in positions):
            return output
        watched = _as_tuple(_Identity.apply(self._outputs_arrived, *(parts[i] for i in positions)))
        if not isinstance(output, (tuple, list)):
            return watched[0]
        out = list(parts)
        for i, tensor in zip(positions, watched, strict=True):
            out[i] = tensor
        return type(output)(out) if type(output) in (tuple, list) else type(output)(*out)

    def _outputs_arrived(self, gradients: tuple[Any, ...]) -> tuple[Any, ...]:
        for hook in self.pre_hooks:
            changed = hook(self.module, gradients)
            if changed is not None:
                gradients = _as_tuple(changed)
        self.grad_output = gradients
        if not self.wants_input:
            for hook in self.hooks:
                hook(self.module, (None,) * self.input_count, gradients)
        return gradients

    def _inputs_arrived(self, gradients: tuple[Any, ...]) -> tuple[Any, ...]:
        full: list[Any] = [None] * self.input_count
        for i, gradient in zip(self.input_positions, gradients, strict=True):
            full[i] = gradient
        for hook in self.hooks:
            changed = hook(self.module, tuple(full), self.grad_output)
            if changed is not None:
                full = list(_as_tuple(changed))
        return tuple(full[i] for i in self.input_positions)
