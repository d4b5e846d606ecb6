"""Functions with a gradient written in Python.

The library knows only its own operations, so a call is built from them: the results get a scalar
`token` added that is always 0 but depends on every input. Hooks see the results' gradients; when
the token's own gradient is known, all of them have arrived and `backward` runs; hooks on aliases of
the inputs then replace the zero gradients that came through the token.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from .. import _native, _ops
from .._tensor import Tensor
from ._modes import enable_grad, no_grad


class FunctionCtx:
    """What `forward` leaves for `backward`."""

    def __init__(self, needs_input_grad: tuple[bool, ...]) -> None:
        self.needs_input_grad = needs_input_grad
        self._saved: tuple[Any, ...] = ()
        self._non_differentiable: set[int] = set()
        self._materialize = True

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keeps tensors for `backward`, where `saved_tensors` gives them back."""
        self._saved = tensors

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """What `save_for_backward` was given."""
        return self._saved

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        """Says which results have no gradient."""
        self._non_differentiable = {id(t) for t in tensors}

    def mark_dirty(self, *tensors: Tensor) -> None:
        """Not available."""
        raise NotImplementedError("functions that change their inputs are not available")

    def set_materialize_grads(self, value: bool) -> None:
        """Whether `backward` gets zeros instead of None for results that do not matter."""
        self._materialize = value


class Function:
    """A differentiable function defined by static `forward(ctx, …)` and `backward(ctx, …)`.

    Example:
        >>> import lucid
        >>> class Square(lucid.autograd.Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         ctx.save_for_backward(x)
        ...         return x * x
        ...     @staticmethod
        ...     def backward(ctx, g):
        ...         (x,) = ctx.saved_tensors
        ...         return 2 * x * g
        >>> x = lucid.tensor(3.0, requires_grad=True)
        >>> Square.apply(x).backward()
        >>> x.grad
        tensor(6.)
    """

    @staticmethod
    def forward(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        """Computes the results; nothing inside is recorded."""
        raise NotImplementedError("You must implement the forward function of a Function")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """The gradient of every argument of `forward`, None for those without."""
        raise NotImplementedError("You must implement the backward function of a Function")

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Calls the function."""
        needs = tuple(isinstance(a, Tensor) and a.requires_grad for a in args)
        ctx = FunctionCtx(needs)
        recording = _native.grad_mode() == _native.GRAD_ON and any(needs)
        with no_grad():
            setup = getattr(cls, "setup_context", None)
            if setup is None:
                outputs = cls.forward(ctx, *args, **kwargs)
            else:
                outputs = cls.forward(*args, **kwargs)
                setup(ctx, args, outputs)
        if not recording:
            return outputs
        single = isinstance(outputs, Tensor)
        results = (outputs,) if single else tuple(outputs)
        connected = _Call(cls, ctx, args).connect(results)
        return connected[0] if single else connected


class _Call:
    """One recorded call."""

    def __init__(self, function: type[Function], ctx: FunctionCtx, args: Sequence[Any]) -> None:
        self.function = function
        self.ctx = ctx
        self.args = args
        self.arrived: dict[int, Tensor] = {}
        self.gradients: dict[int, Tensor | None] = {}
        self.results: tuple[Any, ...] = ()

    def connect(self, results: tuple[Any, ...]) -> tuple[Any, ...]:
        """The results with history."""
        self.results = results
        with enable_grad():
            token = None
            for i, needed in enumerate(self.ctx.needs_input_grad):
                if not needed:
                    continue
                alias = _ops.clone(self.args[i])
                _native.add_hook(alias, partial(self._gradient_for, i))
                none_of_it = _ops.reshape(alias, [-1])[:0].sum()
                token = none_of_it if token is None else token + none_of_it
            assert token is not None
            _native.add_hook(token, self._run)
            out = []
            for j, result in enumerate(results):
                if (
                    not isinstance(result, Tensor)
                    or not result.dtype.is_floating_point
                    or id(result) in self.ctx._non_differentiable
                ):
                    out.append(result)
                    continue
                connected = result.detach() + token.to(result.dtype)
                _native.add_hook(connected, partial(self._arrive, j))
                out.append(connected)
        return tuple(out)

    def _gradient_for(self, i: int, _: Tensor) -> Tensor | None:
        return self.gradients.get(i)

    def _arrive(self, j: int, gradient: Tensor) -> None:
        self.arrived[j] = gradient

    def _run(self, _: Tensor) -> None:
        gradients = [self._gradient_of(j) for j in range(len(self.results))]
        self.arrived.clear()
        given = self.function.backward(self.ctx, *gradients)
        given = given if isinstance(given, (tuple, list)) else (given,)
        if len(given) < len(self.args) or any(g is not None for g in given[len(self.args) :]):
            raise RuntimeError(
                f"function {self.function.__name__}Backward returned an incorrect number of "
                f"gradients (expected {len(self.args)}, got {len(given)})"
            )
        for i, needed in enumerate(self.ctx.needs_input_grad):
            if needed:
                gradient = given[i]
                if gradient is not None and gradient.shape != self.args[i].shape:
                    raise RuntimeError(
                        f"function {self.function.__name__}Backward returned an invalid gradient "
                        f"at index {i} - got {list(gradient.shape)} but expected shape compatible "
                        f"with {list(self.args[i].shape)}"
                    )
                self.gradients[i] = gradient

    def _gradient_of(self, j: int) -> Any:
        gradient = self.arrived.get(j)
        result = self.results[j]
        if gradient is None and self.ctx._materialize and isinstance(result, Tensor):
            from .._creation import zeros_like

            return zeros_like(result)
        return gradient
