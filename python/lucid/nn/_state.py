"""Saving and loading the state of modules."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, cast

from .._hooks import RemovableHandle
from .._tensor import Tensor
from ..autograd import no_grad
from ._parameter import Parameter


class IncompatibleKeys(NamedTuple):
    """What `load_state_dict` could not place."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return f"IncompatibleKeys({self.missing_keys=}, {self.unexpected_keys=})".replace(
            "self.", ""
        )

    def __str__(self) -> str:
        return repr(self)


class StateMixin:
    """The part of `Module` that gives and takes state dicts."""

    _parameters: Any
    _buffers: Any
    _modules: Any
    _non_persistent: set[str]
    _version: int

    def state_dict(
        self, *, destination: Any = None, prefix: str = "", keep_vars: bool = False
    ) -> OrderedDict[str, Any]:
        """All parameters and persistent buffers by dotted name.

        Args:
            destination: A dict to fill instead of a new one.
            prefix: What every name starts with.
            keep_vars: Give the tensors themselves instead of detached aliases.
        """
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        metadata = getattr(destination, "_metadata", None)
        if metadata is not None:
            metadata[prefix[:-1]] = {"version": self._version}
        for hook in self.__dict__.get("_state_dict_pre_hooks", {}).values():
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(
                    destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars
                )
        for hook in self.__dict__.get("_state_dict_hooks", {}).values():
            hook(self, destination, prefix, (metadata or {}).get(prefix[:-1], {}))
        return destination

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        """Puts this module's own state into `destination`; subclasses may add to it."""
        for name, value in (*self._parameters.items(), *self._buffers.items()):
            if value is not None and name not in self._non_persistent:
                destination[prefix + name] = value if keep_vars else value.detach()
        extra = getattr(type(self), "get_extra_state", None)
        if extra is not None:
            destination[prefix + "_extra_state"] = extra(self)

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> IncompatibleKeys:
        """Copies values from a state dict into this module and everything below.

        Args:
            state_dict: Tensors (or arrays) by dotted name.
            strict: Raise for missing and unexpected names.
            assign: Take the given tensors themselves instead of copying their values.

        Returns:
            The missing and unexpected names.

        Raises:
            RuntimeError: A shape differs, or with `strict` a name; the message lists them all.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        missing: list[str] = []
        unexpected: list[str] = []
        errors: list[str] = []
        metadata = getattr(state_dict, "_metadata", None) or {}
        remaining = OrderedDict(state_dict)
        self._load(remaining, "", metadata, strict, assign, missing, unexpected, errors)
        result = IncompatibleKeys(missing, unexpected)
        for hook in self.__dict__.get("_load_state_dict_post_hooks", {}).values():
            hook(self, result)
        if strict:
            if unexpected:
                names = ", ".join(f'"{k}"' for k in unexpected)
                errors.insert(0, f"Unexpected key(s) in state_dict: {names}. ")
            if missing:
                names = ", ".join(f'"{k}"' for k in missing)
                errors.insert(0, f"Missing key(s) in state_dict: {names}. ")
        if errors:
            lines = "\n\t".join(errors)
            raise RuntimeError(
                f"Error(s) in loading state_dict for {type(self).__name__}:\n\t{lines}"
            )
        return result

    def _load(
        self, state: dict[str, Any], prefix: str, metadata: Mapping[str, Any], strict: bool,
        assign: bool, missing: list[str], unexpected: list[str], errors: list[str],
    ) -> None:  # fmt: skip
        local = dict(metadata.get(prefix[:-1], {}))
        if assign:
            local["assign_to_params_buffers"] = True
        for hook in self.__dict__.get("_load_state_dict_pre_hooks", {}).values():
            hook(self, state, prefix, local, strict, missing, unexpected, errors)
        self._load_from_state_dict(state, prefix, local, strict, missing, unexpected, errors)
        for name, module in self._modules.items():
            if module is not None:
                below = f"{prefix}{name}."
                module._load(state, below, metadata, strict, assign, missing, unexpected, errors)

    def _load_from_state_dict(
        self, state_dict: dict[str, Any], prefix: str, local_metadata: dict[str, Any], strict: bool,
        missing_keys: list[str], unexpected_keys: list[str], error_msgs: list[str],
    ) -> None:  # fmt: skip
        """Takes this module's own state; subclasses may convert older forms first."""
        assign = local_metadata.get("assign_to_params_buffers", False)
        own = {
            name: value
            for name, value in (*self._parameters.items(), *self._buffers.items())
            if value is not None and name not in self._non_persistent
        }
        for name, value in own.items():
            key = prefix + name
            if key not in state_dict:
                if strict:
                    missing_keys.append(key)
                continue
            self._take(name, value, state_dict[key], key, assign, error_msgs)
        if hasattr(type(self), "set_extra_state"):
            key = prefix + "_extra_state"
            if key in state_dict:
                cast("Any", self).set_extra_state(state_dict[key])
            elif strict:
                missing_keys.append(key)
        if strict:
            for key in state_dict:
                if key.startswith(prefix) and key != prefix + "_extra_state":
                    first, _, rest = key[len(prefix) :].partition(".")
                    if (rest and first not in self._modules) or (not rest and first not in own):
                        unexpected_keys.append(key)

    def _take(
        self, name: str, own: Tensor, given: Any, key: str, assign: bool, errors: list[str]
    ) -> None:
        if not isinstance(given, Tensor):
            if not hasattr(given, "__array__"):
                errors.append(
                    f'While copying the parameter named "{key}", expected lucid.Tensor or '
                    f"Tensor-like object from checkpoint but received {type(given)}"
                )
                return
            from .._creation import as_tensor

            given = as_tensor(given)
        if tuple(given.shape) != tuple(own.shape):
            errors.append(
                f"size mismatch for {key}: copying a param with shape {given.shape} from "
                f"checkpoint, the shape in current model is {own.shape}."
            )
            return
        with no_grad():
            if not assign:
                own.copy_(given)
            elif isinstance(own, Parameter):
                if not isinstance(given, Parameter):
                    given = Parameter(given, requires_grad=own.requires_grad)
                self._parameters[name] = given
            else:
                self._buffers[name] = given

    # ---- Hooks --------------------------------------------------------------------------------

    def _state_hook(self, table: str, hook: Callable[..., Any]) -> RemovableHandle:
        hooks: dict[int, Any] = self.__dict__.setdefault(table, {})
        key = max(hooks, default=-1) + 1
        hooks[key] = hook
        return RemovableHandle(key, lambda: hooks.pop(key, None))

    def register_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Calls `hook(module, prefix, keep_vars)` before the state is gathered."""
        return self._state_hook("_state_dict_pre_hooks", hook)

    def register_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Calls `hook(module, state_dict, prefix, local_metadata)` after the state is gathered."""
        return self._state_hook("_state_dict_hooks", hook)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Calls the hook with the arguments of `_load_from_state_dict` before loading."""
        return self._state_hook("_load_state_dict_pre_hooks", hook)

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Calls `hook(module, incompatible_keys)` after loading; it may edit the lists."""
        return self._state_hook("_load_state_dict_post_hooks", hook)
