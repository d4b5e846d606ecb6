"""Adam and AdamW."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .._creation import tensor, zeros_like
from .._tensor import Tensor
from ._optimizer import Group, Optimizer, State, check_range


class Adam(Optimizer):
    """Adam: steps scaled by running averages of the gradient and of its square.

    Args:
        params: What to optimize.
        lr: The learning rate.
        betas: How much of the two averages is kept per step.
        eps: Added to the root of the second.
        weight_decay: The weight of the parameter added to its gradient.
        amsgrad: Use the largest second average so far.
        foreach: No effect.
        maximize: Go up instead of down.
        capturable: No effect: the step count is a tensor anyway.
        differentiable: Not available.
        fused: No effect: updates of a compiled step are fused.
    """

    _decoupled = False

    def __init__(
        self, params: Iterable[Any], lr: Any = 1e-3, betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8, weight_decay: float = 0, amsgrad: bool = False, *,
        foreach: bool | None = None, maximize: bool = False, capturable: bool = False,
        differentiable: bool = False, fused: bool | None = None,
    ) -> None:  # fmt: skip
        check_range("learning rate", lr, 0.0)
        check_range("epsilon value", eps, 0.0)
        check_range("beta parameter at index 0", betas[0], 0.0, 1.0)
        check_range("beta parameter at index 1", betas[1], 0.0, 1.0)
        check_range("weight_decay value", weight_decay, 0.0)
        if differentiable:
            raise NotImplementedError("differentiable optimizers are not available")
        super().__init__(
            params,
            {
                "lr": lr,
                "betas": betas,
                "eps": eps,
                "weight_decay": weight_decay,
                "amsgrad": amsgrad,
                "maximize": maximize,
            },
        )

    def _init(self, param: Tensor, group: Group) -> State:
        state: State = {
            "step": tensor(0.0, device=param.device),
            "exp_avg": zeros_like(param),
            "exp_avg_sq": zeros_like(param),
        }
        if group["amsgrad"]:
            state["max_exp_avg_sq"] = zeros_like(param)
        return state

    def _update(
        self, param: Tensor, grad: Tensor, state: State, group: Group
    ) -> tuple[Tensor, State]:
        beta1, beta2 = group["betas"]
        lr, decay = group["lr"], group["weight_decay"]
        if group["maximize"]:
            grad = -grad
        if decay != 0:
            if self._decoupled:
                param = param * (1 - lr * decay)
            else:
                grad = grad + param * decay
        step = state["step"] + 1
        average = state["exp_avg"] + (grad - state["exp_avg"]) * (1 - beta1)
        square = state["exp_avg_sq"] * beta2 + grad * grad * (1 - beta2)
        changed: State = {"step": step, "exp_avg": average, "exp_avg_sq": square}
        if group["amsgrad"]:
            square = state["max_exp_avg_sq"].maximum(square)
            changed["max_exp_avg_sq"] = square
        correction1 = 1 - beta1**step
        correction2 = 1 - beta2**step
        scale = square.sqrt() / correction2.sqrt() + group["eps"]
        return param - average / scale * (lr / correction1), changed


class AdamW(Adam):
    """Adam with weight decay applied to the parameters themselves.

    Arguments are those of `Adam`; `weight_decay` is 0.01 by default.
    """

    _decoupled = True

    def __init__(
        self, params: Iterable[Any], lr: Any = 1e-3, betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8, weight_decay: float = 1e-2, amsgrad: bool = False, **options: Any,
    ) -> None:  # fmt: skip
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, **options)
