"""Stochastic gradient descent."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .._tensor import Tensor
from ._optimizer import Group, Optimizer, State, check_range


class SGD(Optimizer):
    """Gradient descent with momentum.

    Args:
        params: What to optimize.
        lr: The learning rate.
        momentum: The share of the earlier direction that is kept.
        dampening: What is taken from the new gradient's weight in the momentum.
        weight_decay: The weight of the parameter added to its gradient.
        nesterov: Look ahead along the momentum.
        maximize: Go up instead of down.
        foreach: No effect.
        differentiable: Not available.
        fused: No effect: updates of a compiled step are fused.
    """

    def __init__(
        self, params: Iterable[Any], lr: Any = 1e-3, momentum: float = 0, dampening: float = 0,
        weight_decay: float = 0, nesterov: bool = False, *, maximize: bool = False,
        foreach: bool | None = None, differentiable: bool = False, fused: bool | None = None,
    ) -> None:  # fmt: skip
        check_range("learning rate", lr, 0.0)
        check_range("momentum value", momentum, 0.0)
        check_range("weight_decay value", weight_decay, 0.0)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        if differentiable:
            raise NotImplementedError("differentiable optimizers are not available")
        super().__init__(
            params,
            {
                "lr": lr,
                "momentum": momentum,
                "dampening": dampening,
                "weight_decay": weight_decay,
                "nesterov": nesterov,
                "maximize": maximize,
            },
        )

    def _init(self, param: Tensor, group: Group) -> State:
        return {}

    def _update(
        self, param: Tensor, grad: Tensor, state: State, group: Group
    ) -> tuple[Tensor, State]:
        if group["maximize"]:
            grad = -grad
        decay, momentum = group["weight_decay"], group["momentum"]
        if decay != 0:
            grad = grad + param * decay
        changed: State = {}
        if momentum != 0:
            buffer = state.get("momentum_buffer")
            if buffer is None:
                buffer = grad.clone()
            else:
                buffer = buffer * momentum + grad * (1 - group["dampening"])
            changed["momentum_buffer"] = buffer
            grad = grad + buffer * momentum if group["nesterov"] else buffer
        return param - grad * group["lr"], changed
