"""Starting backward passes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import _native
from .._errors import StateError
from .._tensor import Tensor

Tensors = Tensor | Sequence[Tensor]


def _sequence(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _cotangents(outputs: list[Tensor], given: Any) -> list[Tensor | None]:
    cotangents = [None] * len(outputs) if given is None else _sequence(given)
    if len(cotangents) != len(outputs):
        raise StateError(f"got {len(outputs)} tensors and {len(cotangents)} gradients")
    for output, cotangent in zip(outputs, cotangents, strict=True):
        if not output.requires_grad:
            raise StateError(
                "element 0 of tensors does not require grad and does not have a grad_fn"
            )
        if cotangent is None:
            if output.numel() != 1:
                raise StateError("grad can be implicitly created only for scalar outputs")
        elif cotangent.shape != output.shape:
            raise StateError(
                f"Mismatch in shape: grad_output has a shape of {cotangent.shape} and output has "
                f"a shape of {output.shape}."
            )
    return cotangents


def _flags(retain_graph: bool | None, create_graph: bool, allow_unused: bool = False) -> int:
    retain = create_graph if retain_graph is None else retain_graph
    return (
        (_native.RETAIN_GRAPH if retain else 0)
        | (_native.CREATE_GRAPH if create_graph else 0)
        | (_native.ALLOW_UNUSED if allow_unused else 0)
    )


def backward(
    tensors: Tensors,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Tensors | None = None,
) -> None:
    """Accumulates the gradients of `tensors` in the leaves they were computed from.

    Args:
        tensors: One tensor or several.
        grad_tensors: Their gradients; None for tensors with one element.
        retain_graph: Keep what the pass needs for another; by default what `create_graph` says.
        create_graph: Make the gradients differentiable.
        inputs: Accumulate in these tensors only.
    """
    outputs = _sequence(tensors)
    cotangents = _cotangents(outputs, grad_tensors)
    if inputs is None:
        _native.backward(outputs, cotangents, _flags(retain_graph, create_graph))
        return
    targets = _sequence(inputs)
    if not targets:
        raise StateError("'inputs' argument to backward() cannot be empty.")
    gradients = _native.gradients(
        outputs, cotangents, targets, _flags(retain_graph, create_graph, True)
    )
    for target, gradient in zip(targets, gradients, strict=True):
        if gradient is not None:
            known = target.grad
            target.grad = gradient if known is None else known + gradient


def grad(
    outputs: Tensors,
    inputs: Tensors,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Tensor | None, ...]:
    """The gradients of `outputs` with respect to `inputs`, without touching any `.grad`.

    Args:
        outputs: One tensor or several; what is differentiated.
        inputs: One tensor or several; with respect to what.
        grad_outputs: The gradients of the outputs; None for tensors with one element.
        retain_graph: Keep what the pass needs for another; by default what `create_graph` says.
        create_graph: Make the gradients differentiable.
        allow_unused: Give None for inputs that do not matter instead of raising.
        is_grads_batched: Not available.
        materialize_grads: Give zeros for inputs that do not matter.
    """
    if is_grads_batched:
        raise NotImplementedError("is_grads_batched is not available; loop over the gradients")
    outs, ins = _sequence(outputs), _sequence(inputs)
    for i, tensor in enumerate(ins):
        if not tensor.requires_grad:
            raise StateError(f"input {i} does not require grad")
    unused = materialize_grads if allow_unused is None else allow_unused or materialize_grads
    gradients = _native.gradients(
        outs, _cotangents(outs, grad_outputs), ins, _flags(retain_graph, create_graph, unused)
    )
    if materialize_grads:
        from .._creation import zeros_like

        return tuple(zeros_like(t) if g is None else g for t, g in zip(ins, gradients, strict=True))
    return tuple(gradients)
