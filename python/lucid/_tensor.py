"""The tensor."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from . import _native, _ops
from ._device import BY_NUMBER as DEVICES
from ._device import as_device
from ._dtype import BY_NUMBER as DTYPES
from ._dtype import bfloat16, bool_, dtype, float16, float32, int8, int16, int32, int64, uint8
from ._errors import BY_STATUS, ArgumentError, StateError
from ._hooks import RemovableHandle
from ._interop import InteropMixin, coerce
from ._operators import OperatorMixin
from ._symint import Size, SymInt

if _native.catalog_hash() != _ops.CATALOG_HASH:
    raise ImportError(
        "lucid: the library's operations are not those that the package was generated for; "
        "reinstall lucid-mpsgraph"
    )

if TYPE_CHECKING:
    from typing_extensions import Self

    TensorBase: Any
else:
    TensorBase = _native.TensorBase


class GradFn:
    """Names the operation that made a tensor."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def name(self) -> str:
        """Such as `MulBackward0`."""
        return self._name

    def __repr__(self) -> str:
        return f"<{self._name}>"


class Tensor(OperatorMixin, InteropMixin, TensorBase):
    """An array of numbers of one type that gradients can flow through.

    Tensors are made by functions such as `lucid.tensor`, `lucid.zeros` and `lucid.randn`. While
    `lucid.compile` traces, a tensor may stand for a value that is not computed yet; it computes it
    when the value is looked at.

    Attributes:
        shape: The extents, a `lucid.Size`.
        dtype: The element type.
        device: Where the tensor lives.
        ndim: The number of axes.
        is_leaf: Whether gradients accumulate in this tensor.
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        """`Tensor(data)` gives float32; `Tensor(2, 3)` gives uninitialised values."""
        from ._creation import empty, tensor

        if len(args) == 1 and not isinstance(args[0], (int, Size)):
            source = args[0] if isinstance(args[0], Tensor) else tensor(args[0], dtype=float32)
        else:
            size = args[0] if args and isinstance(args[0], Size) else args
            source = empty(*size, dtype=float32)
        return source._as_subclass(cls)

    def _as_subclass(self, cls: Any) -> Any:
        """An object of another class for the same tensor."""
        made = TensorBase.__new__(cls)
        made._adopt(self)
        return made

    # ---- Description --------------------------------------------------------------------------

    def size(self, dim: int | None = None) -> Any:
        """The shape, or one extent of it."""
        return self.shape if dim is None else self.shape[_axis(dim, self.ndim)]

    def dim(self) -> int:
        """The number of axes."""
        return self.ndim

    ndimension = dim

    def numel(self) -> int:
        """The number of elements."""
        return self.shape.numel() if self._is_traced else self._element_count

    nelement = numel

    def stride(self, dim: int | None = None) -> Any:
        """Steps between neighbours along each axis, or along one, in elements."""
        return self._strides if dim is None else self._strides[_axis(dim, self.ndim)]

    def storage_offset(self) -> int:
        """Where element 0 lies in the storage, in elements."""
        return self._storage_offset

    def data_ptr(self) -> int:
        """The address of element 0 at this moment."""
        return _native.data_address(self)

    def element_size(self) -> int:
        """Bytes per element."""
        return self.dtype.itemsize

    @property
    def itemsize(self) -> int:
        """Bytes per element."""
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.numel() * self.dtype.itemsize

    def is_contiguous(self) -> bool:
        """Whether the elements lie packed in row-major order."""
        return self._is_contiguous

    def is_floating_point(self) -> bool:
        """Whether the element type is a floating-point type."""
        return self.dtype.is_floating_point

    def is_complex(self) -> bool:
        """There are no complex types: False."""
        return False

    def is_signed(self) -> bool:
        """Whether the element type has negative numbers."""
        return self.dtype.is_signed

    @property
    def is_cpu(self) -> bool:
        """Whether the device is `cpu`."""
        return self.device.type == "cpu"

    @property
    def is_metal(self) -> bool:
        """Whether the device is `metal`."""
        return self.device.type == "metal"

    def get_device(self) -> int:
        """-1 for the CPU, else 0."""
        return -1 if self.is_cpu else 0

    def is_set_to(self, other: Tensor) -> bool:
        """Whether both show the same memory in the same way."""
        return (
            self._storage_id == other._storage_id
            and self._storage_offset == other._storage_offset
            and self.shape == other.shape
            and self._strides == other._strides
        )

    # ---- Conversion ---------------------------------------------------------------------------

    def to(self, *args: Any, **kwargs: Any) -> Tensor:
        """Another type, another device or both; this tensor itself if nothing changes.

        Args:
            args: A dtype, a device, a device and a dtype, or a tensor to be like.
            kwargs: `dtype`, `device`, `copy` (always a new tensor), `non_blocking` (no effect).
        """
        target_dtype: Any = kwargs.pop("dtype", None)
        target_device: Any = kwargs.pop("device", None)
        copy = kwargs.pop("copy", False)
        for name in kwargs:
            if name not in ("non_blocking", "memory_format"):
                raise TypeError(f"to() got an unexpected keyword argument '{name}'")
        for i, arg in enumerate(args):
            if isinstance(arg, Tensor):
                target_device, target_dtype = arg.device, arg.dtype
            elif isinstance(arg, dtype) or arg in (bool, int, float):
                target_dtype = arg
            elif isinstance(arg, bool):
                copy = copy or (arg and i == len(args) - 1 and i > 1)
            elif arg is not None:
                target_device = arg
        result = self
        if target_dtype is not None:
            from ._dtype import as_dtype

            wanted = as_dtype(target_dtype)
            if wanted is not result.dtype:
                result = _ops.cast(result, wanted)
        if target_device is not None:
            where = as_device(target_device)
            if where != result.device:
                result = _native.to_device(result, where._number)
        return _ops.clone(result) if copy and result is self else result

    def type(self, dtype: Any = None) -> Any:
        """The tensor converted to a type; without one, the name of the type."""
        if dtype is None:
            return f"lucid.{_TYPE_NAMES[self.dtype]}Tensor"
        return self.to(dtype)

    def type_as(self, other: Tensor) -> Tensor:
        """The tensor converted to the type of another."""
        return self.to(other.dtype)

    def cpu(self) -> Tensor:
        """The tensor on `cpu`."""
        return self.to(DEVICES[0])

    def metal(self) -> Tensor:
        """The tensor on `metal`."""
        return self.to(DEVICES[1])

    def float(self) -> Tensor:
        """As float32."""
        return self.to(float32)

    def double(self) -> Tensor:
        """There is no float64: raises with the way out."""
        return self.to(dtype="float64")

    def half(self) -> Tensor:
        """As float16."""
        return self.to(float16)

    def bfloat16(self) -> Tensor:
        """As bfloat16."""
        return self.to(bfloat16)

    def char(self) -> Tensor:
        """As int8."""
        return self.to(int8)

    def byte(self) -> Tensor:
        """As uint8."""
        return self.to(uint8)

    def short(self) -> Tensor:
        """As int16."""
        return self.to(int16)

    def int(self) -> Tensor:
        """As int32."""
        return self.to(int32)

    def long(self) -> Tensor:
        """As int64."""
        return self.to(int64)

    def bool(self) -> Tensor:
        """As bool: `!= 0`."""
        return self.to(bool_)

    def contiguous(self) -> Tensor:
        """The tensor packed in row-major order; itself if it is."""
        return self if self._is_contiguous else _ops.clone(self)

    def clone(self) -> Tensor:
        """A copy that gradients flow through."""
        return _ops.clone(self)

    def detach(self) -> Tensor:
        """The same memory without history."""
        return _native.detach(self)

    def detach_(self) -> Tensor:
        """Forgets this tensor's history."""
        if self._has_grad_fn:
            self._adopt(_native.detach(self))
        return self

    # ---- Gradients ----------------------------------------------------------------------------

    @property
    def requires_grad(self) -> Any:
        """Whether gradients with respect to this tensor are wanted."""
        return self._requires_grad

    @requires_grad.setter
    def requires_grad(self, value: Any) -> None:
        if value and not self.dtype.is_floating_point:
            raise StateError("only Tensors of floating point dtype can require gradients")
        if not value and self._has_grad_fn:
            raise StateError(
                "you can only change requires_grad flags of leaf variables. If you want to use a "
                "computed variable in a subgraph that doesn't require differentiation use "
                "var_no_grad = var.detach()."
            )
        _native.set_requires_grad(self, bool_of(value))

    def requires_grad_(self, requires_grad: Any = True) -> Self:
        """Sets whether gradients are wanted."""
        self.requires_grad = requires_grad
        return self

    @property
    def grad(self) -> Tensor | None:
        """The accumulated gradient."""
        address = _native.grad_address(self)
        if not address:
            self.__dict__.pop("_grad", None)
            return None
        known = self.__dict__.get("_grad")
        if known is not None and known._address == address:
            _native.release_address(address)
            return known
        made = _native.wrap(address)
        self.__dict__["_grad"] = made
        return made

    @grad.setter
    def grad(self, value: Tensor | None) -> None:
        if value is not None:
            if not isinstance(value, Tensor):
                raise TypeError(
                    f"assigned grad expected to be a Tensor or None but got {type(value)}"
                )
            if value.shape != self.shape:
                raise ArgumentError(
                    f"assigned grad has data of a different size: {value.shape} for {self.shape}"
                )
        _native.set_grad(self, value)
        if value is None:
            self.__dict__.pop("_grad", None)
        else:
            self.__dict__["_grad"] = value

    @grad.deleter
    def grad(self) -> None:
        self.grad = None

    @property
    def grad_fn(self) -> GradFn | None:
        """What made this tensor, None for a leaf."""
        if not self._has_grad_fn:
            return None
        return GradFn((_native.grad_fn_name(self) or "Backward") + "0")

    @property
    def data(self) -> Tensor:
        """The same memory without history; assigning replaces what this tensor holds."""
        return _native.detach(self)

    @data.setter
    def data(self, value: Tensor) -> None:
        _native.set_data(self, value)

    def backward(
        self,
        gradient: Tensor | None = None,
        retain_graph: Any = None,
        create_graph: Any = False,
        inputs: Any = None,
    ) -> None:
        """Accumulates gradients of this tensor in the leaves it was computed from.

        Args:
            gradient: The gradient of some scalar with respect to this tensor; needed unless it has
                one element.
            retain_graph: Keep what the backward pass needs, so that it can run again.
            create_graph: Make the gradients differentiable themselves.
            inputs: Accumulate in these tensors only.
        """
        from .autograd import backward

        backward(self, gradient, retain_graph, create_graph, inputs=inputs)

    def register_hook(self, hook: Callable[[Tensor], Tensor | None]) -> RemovableHandle:
        """Calls `hook(gradient)` in backward passes; a result replaces the gradient."""
        if not self.requires_grad:
            raise StateError("cannot register a hook on a tensor that doesn't require gradient")
        identifier = _native.add_hook(self, hook)
        return RemovableHandle(identifier, lambda: _native.remove_hook(self, identifier))

    def register_post_accumulate_grad_hook(self, hook: Callable[[Tensor], None]) -> RemovableHandle:
        """Not available: use `register_hook`."""
        raise NotImplementedError("post-accumulate hooks are not available; use register_hook")

    def retain_grad(self) -> None:
        """Keeps the gradient of this tensor although it is no leaf."""
        if not self.requires_grad:
            raise StateError("can't retain_grad on Tensor that has requires_grad=False")
        self.__dict__["_retains_grad"] = True
        _native.retain_grad(self)

    @property
    def retains_grad(self) -> Any:
        """Whether `retain_grad` was called on this tensor, which is no leaf."""
        return self.__dict__.get("_retains_grad", False) and not self.is_leaf

    # ---- Axes reversed ------------------------------------------------------------------------

    @property
    def T(self) -> Tensor:
        """The axes in reverse order."""
        return _ops.permute(self, range(self.ndim - 1, -1, -1))

    @property
    def mT(self) -> Tensor:
        """The last two axes exchanged."""
        if self.ndim < 2:
            raise StateError(
                f"tensor.mT is only supported on matrices or batches, not {self.ndim}-D"
            )
        return self.transpose(-2, -1)

    @property
    def H(self) -> Tensor:
        """The transpose of a matrix."""
        if self.ndim not in (0, 2):
            raise StateError(f"tensor.H is only supported on matrices, not {self.ndim}-D tensors")
        return self.T

    mH = mT

    # ---- Python protocols ---------------------------------------------------------------------

    def __len__(self) -> Any:
        shape = self.shape
        if not shape:
            raise TypeError("len() of a 0-d tensor")
        return shape[0]

    def __iter__(self) -> Iterator[Tensor]:
        if self.ndim == 0:
            raise TypeError("iteration over a 0-d tensor")
        return iter(self.unbind(0))

    def __contains__(self, item: Any) -> Any:
        if not isinstance(item, (Tensor, int, float)):
            raise TypeError(f"Tensor.__contains__ only supports Tensor or scalar, not {type(item)}")
        return bool_of((self == item).any())

    def __hash__(self) -> Any:
        return id(self)

    def __repr__(self) -> str:
        from ._printing import tensor_repr

        return tensor_repr(self)

    def __format__(self, spec: str) -> str:
        return (
            format(self.item(), spec) if self.ndim == 0 and spec else object.__format__(self, spec)
        )

    def __copy__(self) -> Tensor:
        made = self._as_subclass(type(self))
        made.__dict__.update(self.__dict__)
        return made

    def __deepcopy__(self, memo: dict[Any, Any]) -> Tensor:
        known = memo.get(id(self))
        if known is None:
            if not self.is_leaf:
                raise StateError(
                    "Only Tensors created explicitly by the user (graph leaves) support the "
                    "deepcopy protocol at the moment; use .detach() first"
                )
            known = self.detach().clone()._as_subclass(type(self))
            memo[id(self)] = known
            if self.requires_grad:
                known.requires_grad = True
            gradient = self.grad
            if gradient is not None:
                known.grad = gradient.detach().clone()
        return known

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        from ._interop import rebuild, to_bytes

        return (
            rebuild,
            (to_bytes(self), self.dtype, tuple(self.shape), self.device, self.requires_grad),
        )

    def __dir__(self) -> list[str]:
        return sorted({*dir(type(self)), *self.__dict__})


_TYPE_NAMES = dict(
    zip(
        DTYPES,
        ("Float", "Half", "BFloat16", "Char", "Short", "Int", "Long", "Byte", "Bool"),
        strict=True,
    )
)


def bool_of(value: Any) -> Any:
    """`bool`, which is a method inside the class."""
    return bool(value)


def _axis(dim: int, rank: int) -> int:
    if not -max(rank, 1) <= dim < max(rank, 1):
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-max(rank, 1)}, "
            f"{max(rank, 1) - 1}], but got {dim})"
        )
    return dim


def is_tensor(value: Any) -> bool:
    """Whether the value is a tensor."""
    return isinstance(value, Tensor)


if _native.catalog_hash() != _ops.CATALOG_HASH:
    raise ImportError(
        "lucid: the operations of the Python package and of the library differ; reinstall "
        "lucid-mpsgraph (in a source tree: make develop)"
    )
_native.register(Tensor, Size, DTYPES, DEVICES, BY_STATUS, SymInt, coerce)
