"""Optimizers that scale steps by what earlier gradients were."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .._creation import full_like, tensor, zeros_like
from .._tensor import Tensor
from ._optimizer import Group, Optimizer, State, check_range


def _decayed(param: Tensor, grad: Tensor, group: Group) -> Tensor:
    """The gradient with its sign and the weight decay taken into account."""
    if group["maximize"]:
        grad = -grad
    decay = group["weight_decay"]
    return grad + param * decay if decay != 0 else grad


def _count(param: Tensor) -> Tensor:
    return tensor(0.0, device=param.device)


class RMSprop(Optimizer):
    """Steps over the root of a running average of squared gradients.

    Args:
        params: What to optimize.
        lr: The learning rate.
        alpha: How much of the average is kept per step.
        eps: Added to the root.
        weight_decay: The weight of the parameter added to its gradient.
        momentum: The share of the earlier direction that is kept.
        centered: Take the variance instead of the mean square.
        maximize: Go up instead of down.
        options: Without effect: `capturable`, `foreach`.
    """

    def __init__(
        self, params: Iterable[Any], lr: Any = 1e-2, alpha: float = 0.99, eps: float = 1e-8,
        weight_decay: float = 0, momentum: float = 0, centered: bool = False,
        maximize: bool = False, **options: Any,
    ) -> None:  # fmt: skip
        check_range("learning rate", lr, 0.0)
        check_range("epsilon value", eps, 0.0)
        check_range("momentum value", momentum, 0.0)
        check_range("weight_decay value", weight_decay, 0.0)
        check_range("alpha value", alpha, 0.0)
        super().__init__(
            params,
            {
                "lr": lr,
                "alpha": alpha,
                "eps": eps,
                "weight_decay": weight_decay,
                "momentum": momentum,
                "centered": centered,
                "maximize": maximize,
            },
        )

    def _init(self, param: Tensor, group: Group) -> State:
        state: State = {"step": _count(param), "square_avg": zeros_like(param)}
        if group["momentum"] > 0:
            state["momentum_buffer"] = zeros_like(param)
        if group["centered"]:
            state["grad_avg"] = zeros_like(param)
        return state

    def _update(
        self, param: Tensor, grad: Tensor, state: State, group: Group
    ) -> tuple[Tensor, State]:
        grad = _decayed(param, grad, group)
        alpha = group["alpha"]
        square = state["square_avg"] * alpha + grad * grad * (1 - alpha)
        changed: State = {"step": state["step"] + 1, "square_avg": square}
        spread = square
        if group["centered"]:
            average = state["grad_avg"] + (grad - state["grad_avg"]) * (1 - alpha)
            changed["grad_avg"] = average
            spread = square - average * average
        direction = grad / (spread.sqrt() + group["eps"])
        if group["momentum"] > 0:
            direction = state["momentum_buffer"] * group["momentum"] + direction
            changed["momentum_buffer"] = direction
        return param - direction * group["lr"], changed


class Adagrad(Optimizer):
    """Steps over the root of the sum of squared gradients.

    Args:
        params: What to optimize.
        lr: The learning rate.
        lr_decay: How fast it falls with the steps.
        weight_decay: The weight of the parameter added to its gradient.
        initial_accumulator_value: What the sum starts from.
        eps: Added to the root.
        maximize: Go up instead of down.
        options: Without effect: `foreach`, `fused`.
    """

    def __init__(
        self, params: Iterable[Any], lr: Any = 1e-2, lr_decay: float = 0, weight_decay: float = 0,
        initial_accumulator_value: float = 0, eps: float = 1e-10, maximize: bool = False,
        **options: Any,
    ) -> None:  # fmt: skip
        check_range("learning rate", lr, 0.0)
        check_range("lr_decay value", lr_decay, 0.0)
        check_range("weight_decay value", weight_decay, 0.0)
        check_range("epsilon value", eps, 0.0)
        super().__init__(
            params,
            {
                "lr": lr,
                "lr_decay": lr_decay,
                "eps": eps,
                "weight_decay": weight_decay,
                "initial_accumulator_value": initial_accumulator_value,
                "maximize": maximize,
            },
        )

    def _init(self, param: Tensor, group: Group) -> State:
        start = group["initial_accumulator_value"]
        return {"step": _count(param), "sum": full_like(param, float(start))}

    def _update(
        self, param: Tensor, grad: Tensor, state: State, group: Group
    ) -> tuple[Tensor, State]:
        grad = _decayed(param, grad, group)
        total = state["sum"] + grad * grad
        rate = group["lr"] / (1 + state["step"] * group["lr_decay"])
        updated = param - grad / (total.sqrt() + group["eps"]) * rate
        return updated, {"step": state["step"] + 1, "sum": total}


class Adadelta(Optimizer):
    """Steps scaled by running averages of squared gradients and of squared steps.

    Args:
        params: What to optimize.
        lr: The learning rate.
        rho: How much of the averages is kept per step.
        eps: Added under the roots.
        weight_decay: The weight of the parameter added to its gradient.
        maximize: Go up instead of down.
        options: Without effect: `capturable`, `foreach`.
    """

    def __init__(
        self, params: Iterable[Any], lr: Any = 1.0, rho: float = 0.9, eps: float = 1e-6,
        weight_decay: float = 0, maximize: bool = False, **options: Any,
    ) -> None:  # fmt: skip
        check_range("learning rate", lr, 0.0)
        check_range("rho value", rho, 0.0, 1.0 + 1e-12)
        check_range("epsilon value", eps, 0.0)
        check_range("weight_decay value", weight_decay, 0.0)
        super().__init__(
            params,
            {
                "lr": lr,
                "rho": rho,
                "eps": eps,
                "weight_decay": weight_decay,
                "maximize": maximize,
            },
        )

    def _init(self, param: Tensor, group: Group) -> State:
        return {
            "step": _count(param),
            "square_avg": zeros_like(param),
            "acc_delta": zeros_like(param),
        }

    def _update(
        self, param: Tensor, grad: Tensor, state: State, group: Group
    ) -> tuple[Tensor, State]:
        grad = _decayed(param, grad, group)
        rho, eps = group["rho"], group["eps"]
        square = state["square_avg"] * rho + grad * grad * (1 - rho)
        delta = (state["acc_delta"] + eps).sqrt() / (square + eps).sqrt() * grad
        steps = state["acc_delta"] * rho + delta * delta * (1 - rho)
        return param - delta * group["lr"], {
            "step": state["step"] + 1,
            "square_avg": square,
            "acc_delta": steps,
        }


class Adamax(Optimizer):
    """Adam with the infinity norm.

    Args:
        params: What to optimize.
        lr: The learning rate.
        betas: How much of the two averages is kept per step.
        eps: Added to gradients' magnitudes.
        weight_decay: The weight of the parameter added to its gradient.
        maximize: Go up instead of down.
        options: Without effect: `capturable`, `foreach`.
    """

    def __init__(
        self, params: Iterable[Any], lr: Any = 2e-3, betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8, weight_decay: float = 0, maximize: bool = False, **options: Any,
    ) -> None:  # fmt: skip
        check_range("learning rate", lr, 0.0)
        check_range("beta parameter at index 0", betas[0], 0.0, 1.0)
        check_range("beta parameter at index 1", betas[1], 0.0, 1.0)
        super().__init__(
            params,
            {
                "lr": lr,
                "betas": betas,
                "eps": eps,
                "weight_decay": weight_decay,
                "maximize": maximize,
            },
        )

    def _init(self, param: Tensor, group: Group) -> State:
        return {
            "step": _count(param),
            "exp_avg": zeros_like(param),
            "exp_inf": zeros_like(param),
        }

    def _update(
        self, param: Tensor, grad: Tensor, state: State, group: Group
    ) -> tuple[Tensor, State]:
        grad = _decayed(param, grad, group)
        beta1, beta2 = group["betas"]
        step = state["step"] + 1
        average = state["exp_avg"] + (grad - state["exp_avg"]) * (1 - beta1)
        largest = (state["exp_inf"] * beta2).maximum(grad.abs() + group["eps"])
        rate = group["lr"] / (1 - beta1**step)
        return param - average / largest * rate, {
            "step": step,
            "exp_avg": average,
            "exp_inf": largest,
        }
