"""Parameters: tensors that modules register."""

from __future__ import annotations

from typing import Any

from .._tensor import Tensor


class Parameter(Tensor):
    """A tensor that becomes a parameter of the module it is assigned to.

    Args:
        data: The values; an empty tensor if left out. They are shared, not copied.
        requires_grad: Whether gradients are wanted.
    """

    def __new__(cls, data: Any = None, requires_grad: bool = True) -> Parameter:
        """Makes the parameter share the storage of `data`."""
        if data is None:
            from .._creation import empty

            data = empty(0)
        if not isinstance(data, Tensor):
            raise TypeError(f"Parameter data must be a Tensor, not {type(data).__name__}")
        self = data.detach()._as_subclass(cls)
        self.requires_grad = requires_grad
        return self

    def __init__(self, data: Any = None, requires_grad: bool = True) -> None:
        """Everything happens in `__new__`."""

    def __repr__(self) -> str:
        return "Parameter containing:\n" + super().__repr__()

    def __deepcopy__(self, memo: dict[int, Any]) -> Parameter:
        known = memo.get(id(self))
        if known is None:
            known = type(self)(self.detach().clone(), self.requires_grad)
            memo[id(self)] = known
            known.__dict__.update(self.__dict__)
        return known

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return (Parameter, (self.detach(), self.requires_grad))


class Buffer(Tensor):
    """A tensor that becomes a buffer of the module it is assigned to.

    Args:
        data: The values, shared.
        persistent: Whether the buffer is part of the state dict.
    """

    persistent: bool

    def __new__(cls, data: Any = None, *, persistent: bool = True) -> Buffer:
        """Makes the buffer share the storage of `data`."""
        if data is None:
            from .._creation import empty

            data = empty(0)
        self = data.detach()._as_subclass(cls)
        self.persistent = persistent
        return self

    def __init__(self, data: Any = None, *, persistent: bool = True) -> None:
        """Everything happens in `__new__`."""
