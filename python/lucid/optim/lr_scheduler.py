"""Learning rates that change over time."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ._optimizer import Optimizer

__all__ = [
    "ConstantLR",
    "CosineAnnealingLR",
    "ExponentialLR",
    "LRScheduler",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "ReduceLROnPlateau",
    "StepLR",
]


class LRScheduler:
    """Sets the learning rate of every group as a function of how often `step` was called.

    Args:
        optimizer: Whose learning rates are set.
        last_epoch: The number of the last step; -1 starts anew.
    """

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        self.optimizer = optimizer
        for group in optimizer.param_groups:
            if last_epoch == -1:
                group.setdefault("initial_lr", group["lr"])
            elif "initial_lr" not in group:
                raise KeyError("param 'initial_lr' is not specified when resuming an optimizer")
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        self.step()

    def _factor(self, epoch: int, group: int) -> float:
        """What the initial learning rate is multiplied with."""
        raise NotImplementedError

    def get_lr(self) -> list[float]:
        """The learning rates of this step."""
        return [lr * self._factor(self.last_epoch, i) for i, lr in enumerate(self.base_lrs)]

    def get_last_lr(self) -> list[float]:
        """The learning rates set last."""
        return self._last_lr

    def step(self) -> None:
        """Goes on by one."""
        self.last_epoch += 1
        self._last_lr = self.get_lr()
        for group, lr in zip(self.optimizer.param_groups, self._last_lr, strict=True):
            group["lr"] = lr

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimizer (and functions)."""
        return {k: v for k, v in self.__dict__.items() if k not in ("optimizer", "lr_lambdas")}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restores what `state_dict` gave."""
        self.__dict__.update(state_dict)


class LambdaLR(LRScheduler):
    """The factor is a function of the step."""

    def __init__(self, optimizer: Optimizer, lr_lambda: Any, last_epoch: int = -1) -> None:
        many = isinstance(lr_lambda, (list, tuple))
        count = len(optimizer.param_groups)
        self.lr_lambdas: list[Callable[[int], float]] = (
            list(lr_lambda) if many else [lr_lambda] * count
        )
        super().__init__(optimizer, last_epoch)

    def _factor(self, epoch: int, group: int) -> float:
        return self.lr_lambdas[group](epoch)


class StepLR(LRScheduler):
    """Multiplies by gamma every `step_size` steps."""

    def __init__(
        self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _factor(self, epoch: int, group: int) -> float:
        return self.gamma ** (epoch // self.step_size)


class MultiStepLR(LRScheduler):
    """Multiplies by gamma at each milestone."""

    def __init__(
        self, optimizer: Optimizer, milestones: list[int], gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.milestones = sorted(milestones)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _factor(self, epoch: int, group: int) -> float:
        return self.gamma ** sum(m <= epoch for m in self.milestones)


class ExponentialLR(LRScheduler):
    """Multiplies by gamma every step."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _factor(self, epoch: int, group: int) -> float:
        return self.gamma**epoch


class ConstantLR(LRScheduler):
    """A factor for the first steps, then 1."""

    def __init__(
        self,
        optimizer: Optimizer,
        factor: float = 1 / 3,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        self.factor = factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def _factor(self, epoch: int, group: int) -> float:
        return self.factor if epoch < self.total_iters else 1.0


class LinearLR(LRScheduler):
    """A factor that goes linearly from one number to another."""

    def __init__(
        self, optimizer: Optimizer, start_factor: float = 1 / 3, end_factor: float = 1.0,
        total_iters: int = 5, last_epoch: int = -1,
    ) -> None:  # fmt: skip
        self.start_factor = start_factor
        self.end_factor = end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def _factor(self, epoch: int, group: int) -> float:
        share = min(epoch, self.total_iters) / self.total_iters
        return self.start_factor + (self.end_factor - self.start_factor) * share


class CosineAnnealingLR(LRScheduler):
    """Half a cosine from the initial learning rate to `eta_min` in `T_max` steps."""

    def __init__(
        self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """The learning rates of this step."""
        share = (1 + math.cos(math.pi * self.last_epoch / self.T_max)) / 2
        return [self.eta_min + (lr - self.eta_min) * share for lr in self.base_lrs]


class ReduceLROnPlateau:
    """Lowers the learning rates when a metric stops getting better.

    Args:
        optimizer: Whose learning rates are set.
        mode: Whether `min` or `max` is better.
        factor: What they are multiplied with.
        patience: How many steps without improvement are let pass.
        threshold: How much counts as an improvement.
        threshold_mode: Whether that is `rel`ative or `abs`olute.
        cooldown: How many steps to wait after a change.
        min_lr: The lower limit.
        eps: Smaller changes are not made.
    """

    def __init__(
        self, optimizer: Optimizer, mode: str = "min", factor: float = 0.1, patience: int = 10,
        threshold: float = 1e-4, threshold_mode: str = "rel", cooldown: int = 0,
        min_lr: float = 0.0, eps: float = 1e-8,
    ) -> None:  # fmt: skip
        if factor >= 1.0:
            raise ValueError("Factor should be < 1.0.")
        if mode not in ("min", "max"):
            raise ValueError(f"mode {mode} is unknown!")
        self.optimizer = optimizer
        self.mode = mode
        self.factor = factor
        self.patience = patience
        self.threshold = threshold
        self.threshold_mode = threshold_mode
        self.cooldown = cooldown
        self.min_lr = min_lr
        self.eps = eps
        self.best = math.inf if mode == "min" else -math.inf
        self.num_bad_epochs = 0
        self.cooldown_counter = 0
        self.last_epoch = 0

    def _better(self, value: float) -> bool:
        sign = 1 if self.mode == "min" else -1
        margin = (
            abs(self.best) * self.threshold
            if self.threshold_mode == "rel" and math.isfinite(self.best)
            else self.threshold
        )
        return sign * value < sign * self.best - (margin if math.isfinite(self.best) else 0.0)

    def step(self, metrics: Any) -> None:
        """Takes the metric of one more epoch."""
        value = float(metrics)
        self.last_epoch += 1
        if self._better(value):
            self.best = value
            self.num_bad_epochs = 0
        else:
            self.num_bad_epochs += 1
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            for group in self.optimizer.param_groups:
                lowered = max(group["lr"] * self.factor, self.min_lr)
                if group["lr"] - lowered > self.eps:
                    group["lr"] = lowered
            self.cooldown_counter = self.cooldown
            self.num_bad_epochs = 0

    def get_last_lr(self) -> list[float]:
        """The learning rates now."""
        return [group["lr"] for group in self.optimizer.param_groups]
