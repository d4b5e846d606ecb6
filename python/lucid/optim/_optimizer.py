"""The base of optimizers.

A subclass says what state a parameter starts with (`_init`) and how one step changes parameter and
state (`_update`), in tensor operations. Numbers that may change between steps (the learning rate,
the step count) enter the operations as operands, so a compiled step is not compiled again for them.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any

from .._hooks import RemovableHandle
from .._tensor import Tensor
from ..autograd import enable_grad, no_grad

Group = dict[str, Any]
State = dict[str, Any]


class Optimizer:
    """Updates parameters from their gradients.

    Args:
        params: Parameters, or (name, parameter) pairs, or groups: dicts with `params` and options.
        defaults: Options of groups that do not set them.

    Attributes:
        param_groups: The groups; options may be changed at any time.
        state: What the optimizer remembers per parameter.
    """

    def __init__(self, params: Iterable[Any], defaults: dict[str, Any]) -> None:
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, "
                f"but got {type(params).__name__}"
            )
        self.defaults = defaults
        self.state: defaultdict[Tensor, State] = defaultdict(dict)
        self.param_groups: list[Group] = []
        self._hooks: dict[str, dict[int, Any]] = {"pre": {}, "post": {}}
        self._hook_ids = itertools.count()
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def _init(self, param: Tensor, group: Group) -> State:
        """The state before the first step."""
        raise NotImplementedError

    def _update(
        self, param: Tensor, grad: Tensor, state: State, group: Group
    ) -> tuple[Tensor, State]:
        """The parameter and the state after a step; changes neither argument."""
        raise NotImplementedError

    def add_param_group(self, param_group: Group) -> None:
        """Adds parameters with options of their own."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        group = dict(param_group)
        given = group["params"]
        given = [given] if isinstance(given, Tensor) else given
        if isinstance(given, set):
            raise TypeError(
                "optimizer parameters need to be organized in ordered collections, but the "
                "ordering of tensors in sets will change between runs. Please use a list instead."
            )
        params: list[Tensor] = []
        names: list[str] = []
        for item in given:
            if isinstance(item, tuple) and len(item) == 2:
                names.append(item[0])
                item = item[1]
            params.append(item)
        for param in params:
            if not isinstance(param, Tensor):
                raise TypeError(
                    f"optimizer can only optimize Tensors, but one of the params is {type(param)}"
                )
            if not (param.is_leaf or param.retains_grad):
                raise ValueError("can't optimize a non-leaf Tensor")
        if len({id(p) for p in params}) != len(params):
            raise ValueError("optimizer contains a parameter group with duplicate parameters")
        known = {id(p) for g in self.param_groups for p in g["params"]}
        if any(id(p) in known for p in params):
            raise ValueError("some parameters appear in more than one parameter group")
        group["params"] = params
        if names:
            group["param_names"] = names
        for name, default in self.defaults.items():
            group.setdefault(name, default)
        self.param_groups.append(group)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Drops the gradients, or zeroes them."""
        for group in self.param_groups:
            for param in group["params"]:
                if set_to_none:
                    param.grad = None
                elif param.grad is not None:
                    param.grad = param.grad.detach().zero_()

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """One update of all parameters that have a gradient.

        Args:
            closure: Computes the loss anew and its gradients; its result is returned.
        """
        for hook in list(self._hooks["pre"].values()):
            hook(self, (closure,), {})
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        with no_grad():
            for group in self.param_groups:
                self._step_group(group)
        for hook in list(self._hooks["post"].values()):
            hook(self, (closure,), {})
        return loss

    def _step_group(self, group: Group) -> None:
        for param in group["params"]:
            grad = param.grad
            if grad is None:
                continue
            state = self.state[param]
            if not state:
                state.update(self._init(param, group))
            updated, changed = self._update(param, grad, state, group)
            param.copy_(updated)
            for name, value in changed.items():
                old = state.get(name)
                if isinstance(old, Tensor) and isinstance(value, Tensor):
                    old.copy_(value)
                else:
                    state[name] = value

    # ---- State --------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """State and options; parameters are numbered in order."""
        numbers: dict[int, int] = {}
        groups = []
        for group in self.param_groups:
            packed = {k: v for k, v in group.items() if k != "params"}
            for param in group["params"]:
                numbers.setdefault(id(param), len(numbers))
            packed["params"] = [numbers[id(p)] for p in group["params"]]
            groups.append(packed)
        state = {
            numbers.get(id(k), k) if isinstance(k, Tensor) else k: v for k, v in self.state.items()
        }
        return {"state": state, "param_groups": groups}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restores what `state_dict` gave; the groups must have the same sizes."""
        saved = state_dict["param_groups"]
        if len(saved) != len(self.param_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        for mine, theirs in zip(self.param_groups, saved, strict=True):
            if len(mine["params"]) != len(theirs["params"]):
                raise ValueError(
                    "loaded state dict contains a parameter group that doesn't match the size of "
                    "optimizer's group"
                )
        params = {
            number: param
            for mine, theirs in zip(self.param_groups, saved, strict=True)
            for number, param in zip(theirs["params"], mine["params"], strict=True)
        }
        state: defaultdict[Tensor, State] = defaultdict(dict)
        for key, value in state_dict["state"].items():
            param = params.get(key)
            if param is None:
                state[key] = deepcopy(value)
                continue
            state[param] = {name: self._restored(item, param, name) for name, item in value.items()}
        self.state = state
        for mine, theirs in zip(self.param_groups, saved, strict=True):
            mine.update({k: deepcopy(v) for k, v in theirs.items() if k != "params"})

    @staticmethod
    def _restored(value: Any, param: Tensor, name: str) -> Any:
        if not isinstance(value, Tensor):
            return deepcopy(value)
        value = value.detach().clone()
        if name != "step" and param.is_floating_point() and value.is_floating_point():
            value = value.to(param.dtype)
        return value.to(param.device)

    # ---- Hooks --------------------------------------------------------------------------------

    def _add_hook(self, when: str, hook: Callable[..., Any]) -> RemovableHandle:
        key = next(self._hook_ids)
        self._hooks[when][key] = hook
        return RemovableHandle(key, lambda: self._hooks[when].pop(key, None))

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Calls `hook(optimizer, args, kwargs)` before each step."""
        return self._add_hook("pre", hook)

    def register_step_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Calls `hook(optimizer, args, kwargs)` after each step."""
        return self._add_hook("post", hook)

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for i, group in enumerate(self.param_groups):
            lines.append(f"Parameter Group {i}")
            lines += [f"    {k}: {group[k]}" for k in sorted(group) if k != "params"]
        return "\n".join([*lines, ")"])


def check_range(name: str, value: Any, low: float, high: float | None = None) -> None:
    """Raises for an option outside of [low, high)."""
    if isinstance(value, Tensor):
        return
    if not value >= low or (high is not None and not value < high):
        raise ValueError(f"Invalid {name}: {value}")
