"""The base class of everything with parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from .._device import as_device
from .._dtype import bfloat16, dtype, float16, float32
from .._tensor import Tensor
from ._epoch import Registry, bump, same_value
from ._hooks import HookMixin
from ._parameter import Buffer, Parameter
from ._state import StateMixin

T = TypeVar("T", bound="Module")
_MISSING: Any = object()
_REGISTRIES = ("_parameters", "_buffers", "_modules")


class Module(HookMixin, StateMixin):
    """The base of all layers and models.

    Assigning a `Parameter`, a `Buffer` or another `Module` to an attribute registers it. Subclasses
    call `super().__init__()` first and define `forward`.

    Example:
        >>> import lucid
        >>> class Double(lucid.nn.Module):
        ...     def forward(self, x):
        ...         return x * 2
        >>> Double()(lucid.tensor([1.0, 2.0]))
        tensor([2., 4.])
    """

    training: bool
    _parameters: Registry
    _buffers: Registry
    _modules: Registry
    _epoch: int
    _version: int = 1

    def __init__(self) -> None:
        """Sets up the registries; subclasses call this before assigning anything."""
        state = self.__dict__
        state["_epoch"] = 0
        state["training"] = True
        for name in _REGISTRIES:
            state[name] = Registry(self)
        state["_non_persistent"] = set()
        self._init_hooks()

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the module computes; subclasses define it."""
        raise NotImplementedError(
            f'Module [{type(self).__name__}] is missing the required "forward" function'
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._hooked:
            return self._call_with_hooks(args, kwargs)
        return self.forward(*args, **kwargs)

    # ---- Attributes ---------------------------------------------------------------------------

    def __setattr__(self, name: str, value: Any) -> None:
        state = self.__dict__
        if isinstance(value, Tensor):
            if isinstance(value, Parameter):
                self._leave(name, "_parameters")
                self.register_parameter(name, value)
                return
            if isinstance(value, Buffer):
                self._leave(name, "_buffers")
                self.register_buffer(name, value, value.persistent)
                return
        elif isinstance(value, Module):
            self._leave(name, "_modules")
            self.register_module(name, value)
            return
        if "_parameters" in state:
            if name in state["_parameters"]:
                if value is not None:
                    raise TypeError(
                        f"cannot assign '{_type_name(value)}' as parameter '{name}' "
                        "(lucid.nn.Parameter or None expected)"
                    )
                state["_parameters"][name] = None
                return
            if name in state["_modules"]:
                if value is not None:
                    raise TypeError(
                        f"cannot assign '{_type_name(value)}' as child module '{name}' "
                        "(lucid.nn.Module or None expected)"
                    )
                state["_modules"][name] = None
                return
            if name in state["_buffers"]:
                if value is not None and not isinstance(value, Tensor):
                    raise TypeError(
                        f"cannot assign '{_type_name(value)}' as buffer '{name}' "
                        "(lucid.Tensor or None expected)"
                    )
                state["_buffers"][name] = value
                return
        old = state.get(name, _MISSING)
        object.__setattr__(self, name, value)
        if old is _MISSING or not same_value(old, value):
            bump(self)

    def _leave(self, name: str, target: str) -> None:
        """Takes `name` out of what it was before it is registered in `target`."""
        state = self.__dict__
        if target not in state:
            kind = {"_parameters": "parameters", "_buffers": "buffers", "_modules": "module"}[
                target
            ]
            raise AttributeError(f"cannot assign {kind} before Module.__init__() call")
        for registry in _REGISTRIES:
            if registry != target and name in state[registry]:
                del state[registry][name]
        if name not in state[target]:
            state.pop(name, None)
        state["_non_persistent"].discard(name)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __delattr__(self, name: str) -> None:
        state = self.__dict__
        for registry in _REGISTRIES:
            if name in state.get(registry, ()):
                del state[registry][name]
                state["_non_persistent"].discard(name)
                return
        object.__delattr__(self, name)
        bump(self)

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        for name in _REGISTRIES:
            registry = state[name]
            for entry in registry:
                state.pop(entry, None)
            state[name] = dict(registry)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for name in _REGISTRIES:
            self.__dict__[name] = Registry(self, state[name])
        self.__dict__["_epoch"] = 0

    # ---- Registering --------------------------------------------------------------------------

    def _check_name(self, kind: str, name: str, registry: str) -> None:
        if registry not in self.__dict__:
            raise AttributeError(f"cannot assign {kind} before Module.__init__() call")
        if not isinstance(name, str):
            raise TypeError(f"{kind} name should be a string. Got {type(name).__name__}")
        if "." in name:
            raise KeyError(f'{kind} name can\'t contain ".", got: {name}')
        if name == "":
            raise KeyError(f'{kind} name can\'t be empty string ""')
        if hasattr(self, name) and name not in self.__dict__[registry]:
            raise KeyError(f"attribute '{name}' already exists")

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Adds a parameter; None reserves the name."""
        self._check_name("parameter", name, "_parameters")
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(
                f"cannot assign '{_type_name(param)}' object to parameter '{name}' "
                "(lucid.nn.Parameter or None required)"
            )
        if param is not None and not param.is_leaf:
            raise ValueError(
                f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be "
                "created explicitly; compute the value in forward() instead"
            )
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Adds a tensor that belongs to the module but is no parameter.

        Args:
            name: The attribute to make.
            tensor: The buffer; None reserves the name.
            persistent: Whether it is part of the state dict.
        """
        self._check_name("buffer", name, "_buffers")
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot assign '{_type_name(tensor)}' object to buffer '{name}' "
                "(lucid.Tensor or None required)"
            )
        self._buffers[name] = tensor
        if persistent:
            self._non_persistent.discard(name)
        else:
            self._non_persistent.add(name)

    def register_module(self, name: str, module: Module | None) -> None:
        """Adds a submodule; None reserves the name."""
        self._check_name("module", name, "_modules")
        if module is not None and not isinstance(module, Module):
            raise TypeError(f"{_type_name(module)} is not a Module subclass")
        self._modules[name] = module

    add_module = register_module

    # ---- Walking ------------------------------------------------------------------------------

    def named_modules(
        self, memo: set[Module] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Module]]:
        """This module and everything below it with dotted names, each module once."""
        memo = set() if memo is None else memo
        stack: list[tuple[str, Module]] = [(prefix, self)]
        while stack:
            name, module = stack.pop()
            if remove_duplicate:
                if module in memo:
                    continue
                memo.add(module)
            yield name, module
            below = [
                (f"{name}.{child}" if name else child, m)
                for child, m in module._modules.items()
                if m is not None
            ]
            stack.extend(reversed(below))

    def modules(self) -> Iterator[Module]:
        """This module and everything below it, each once."""
        for _, module in self.named_modules():
            yield module

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """The direct submodules with their names, each once."""
        seen: set[Module] = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def children(self) -> Iterator[Module]:
        """The direct submodules, each once."""
        for _, module in self.named_children():
            yield module

    def _named_members(
        self, registry: str, prefix: str, recurse: bool, remove_duplicate: bool
    ) -> Iterator[tuple[str, Any]]:
        seen: set[int] = set()
        modules = (
            self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
            if recurse
            else [(prefix, self)]
        )
        for module_prefix, module in modules:
            for name, value in list(module.__dict__[registry].items()):
                if value is None or (remove_duplicate and id(value) in seen):
                    continue
                seen.add(id(value))
                yield (f"{module_prefix}.{name}" if module_prefix else name), value

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """Parameters with dotted names; a shared parameter comes once, under its first name."""
        return self._named_members("_parameters", prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """Parameters, each once."""
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """Buffers with dotted names, each once."""
        return self._named_members("_buffers", prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """Buffers, each once."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def get_submodule(self, target: str) -> Module:
        """The submodule with this dotted name; the empty name is the module itself."""
        module: Any = self
        for part in target.split(".") if target else []:
            if not hasattr(module, part):
                raise AttributeError(f"{type(module).__name__} has no attribute `{part}`")
            module = getattr(module, part)
            if not isinstance(module, Module):
                raise AttributeError(f"`{part}` is not an nn.Module")
        return module

    def _get_member(self, target: str, registry: str, kind: str) -> Any:
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if not hasattr(module, name):
            raise AttributeError(f"{type(module).__name__} has no attribute `{name}`")
        if name not in module.__dict__[registry]:
            raise AttributeError(f"`{name}` is not {kind}")
        return module.__dict__[registry][name]

    def get_parameter(self, target: str) -> Parameter:
        """The parameter with this dotted name."""
        return self._get_member(target, "_parameters", "an nn.Parameter")

    def get_buffer(self, target: str) -> Tensor:
        """The buffer with this dotted name."""
        return self._get_member(target, "_buffers", "a buffer")

    # ---- Changing everything ------------------------------------------------------------------

    def apply(self: T, fn: Callable[[Module], Any]) -> T:
        """Calls `fn` on every submodule, then on this module."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def _apply(self: T, fn: Callable[[Tensor], Tensor]) -> T:
        """Replaces what parameters, gradients and buffers hold; parameters keep their identity."""
        done: set[int] = set()
        for module in self.modules():
            for parameter in module._parameters.values():
                if parameter is None or id(parameter) in done:
                    continue
                done.add(id(parameter))
                gradient, data = parameter.grad, parameter.data
                new = fn(data)
                if new is not data:
                    parameter.data = new
                    bump(module)
                if gradient is not None:
                    parameter.grad = fn(gradient.detach())
            for name, buffer in module._buffers.items():
                if buffer is not None:
                    module._buffers[name] = fn(buffer)
        return self

    def to(self: T, *args: Any, **kwargs: Any) -> T:
        """Moves or converts all parameters and buffers; integers keep their type.

        Accepts a device, a floating-point dtype, both, or a tensor to be like.
        """
        target_device: Any = kwargs.pop("device", None)
        target_dtype: Any = kwargs.pop("dtype", None)
        kwargs.pop("non_blocking", None)
        for arg in args:
            if isinstance(arg, dtype):
                target_dtype = arg
            elif isinstance(arg, Tensor):
                target_device, target_dtype = arg.device, arg.dtype
            elif arg is not None and not isinstance(arg, bool):
                target_device = arg
        if kwargs:
            raise TypeError(f"to() got an unexpected keyword argument '{next(iter(kwargs))}'")
        if target_dtype is not None and not target_dtype.is_floating_point:
            raise TypeError(
                "nn.Module.to only accepts floating point dtypes, but got desired "
                f"dtype={target_dtype}"
            )
        where = None if target_device is None else as_device(target_device)

        def convert(tensor: Tensor) -> Tensor:
            if target_dtype is not None and tensor.is_floating_point():
                tensor = tensor.to(target_dtype)
            return tensor if where is None else tensor.to(where)

        return self._apply(convert)

    def cpu(self: T) -> T:
        """Labels everything `cpu`."""
        return self.to("cpu")

    def metal(self: T) -> T:
        """Labels everything `metal`."""
        return self.to("metal")

    def type(self: T, dst_type: dtype) -> T:
        """Converts everything to one type."""
        return self._apply(lambda t: t.to(dst_type))

    def float(self: T) -> T:
        """Converts floating-point parameters and buffers to float32."""
        return self.to(float32)

    def half(self: T) -> T:
        """Converts floating-point parameters and buffers to float16."""
        return self.to(float16)

    def bfloat16(self: T) -> T:
        """Converts floating-point parameters and buffers to bfloat16."""
        return self.to(bfloat16)

    def train(self: T, mode: bool = True) -> T:
        """Sets training mode here and below."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        for module in self.modules():
            module.training = mode
        return self

    def eval(self: T) -> T:
        """Sets evaluation mode here and below."""
        return self.train(False)

    def requires_grad_(self: T, requires_grad: bool = True) -> T:
        """Sets whether gradients of all parameters are wanted."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Drops the gradients of all parameters, or zeroes them."""
        for parameter in self.parameters():
            if set_to_none:
                parameter.grad = None
            elif parameter.grad is not None:
                parameter.grad = parameter.grad.detach().zero_()

    # ---- Text ---------------------------------------------------------------------------------

    def _child_lines(self) -> list[str]:
        return [f"({n}): " + repr(m).replace("\n", "\n  ") for n, m in self._modules.items()]

    def _get_name(self) -> str:
        return type(self).__name__

    def extra_repr(self) -> str:
        """What stands between the parentheses; subclasses define it."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        lines = extra.split("\n") if extra else []
        children = self._child_lines()
        if len(lines) == 1 and not children:
            return f"{self._get_name()}({lines[0]})"
        body = lines + children
        if not body:
            return f"{self._get_name()}()"
        return f"{self._get_name()}(\n  " + "\n  ".join(body) + "\n)"

    def __dir__(self) -> list[str]:
        return sorted(n for n in {*super().__dir__(), *self.__dict__} if not n[:1].isdigit())


def _type_name(value: Any) -> str:
    kind = type(value)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"
