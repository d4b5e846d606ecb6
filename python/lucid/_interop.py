"""Tensors as Python numbers, NumPy arrays and DLPack capsules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _native
from ._dtype import BY_NUMBER, bfloat16, dtype
from ._errors import StateError
from ._symint import SymInt

if TYPE_CHECKING:
    from ._device import device
    from ._tensor import Tensor


_TYPESTRS = tuple(kind._typestr for kind in BY_NUMBER)


def coerce(value: Any) -> Tensor:
    """An operand of an operation that is neither a tensor nor a plain Python number."""
    if isinstance(value, SymInt):
        if value.coefficient != 0 and _native.is_tracing():
            from . import _ops

            return _ops.extent((value,))  # type: ignore[arg-type]
        return _native.number(value.value)
    if isinstance(value, np.generic):
        return _native.number(value.item())
    if isinstance(value, np.ndarray):
        from ._creation import as_tensor

        return as_tensor(value)
    raise TypeError(f"expected a lucid.Tensor or a number, not {type(value).__name__}")


def read_numpy(tensor: Any) -> np.ndarray[Any, Any]:
    """A copy of the elements; bfloat16 becomes float32."""
    kind = tensor.dtype
    shape = tuple(int(n) for n in tensor.shape)
    if kind is bfloat16:
        raw = np.empty(shape, np.uint16)
        _native.read(tensor, raw)
        return (raw.astype(np.uint32) << 16).view(np.float32)
    out = np.empty(shape, kind._typestr)
    _native.read(tensor, out)
    return out


def to_bytes(tensor: Any) -> bytes:
    """The elements, packed row-major."""
    out = bytearray(tensor.numel() * tensor.dtype.itemsize)
    _native.read(tensor, out)
    return bytes(out)


def rebuild(
    data: bytes, kind: dtype, shape: tuple[int, ...], where: device, requires_grad: bool
) -> Tensor:
    """The tensor that `to_bytes` was called on (for pickle)."""
    made = _native.create(kind._number, shape, where._number, data)
    if requires_grad:
        made.requires_grad = True
    return made


class InteropMixin:
    """The part of `Tensor` that leads out of it."""

    __slots__ = ()

    if TYPE_CHECKING:
        dtype: Any
        shape: Any
        device: Any
        requires_grad: Any

        def numel(self) -> int: ...

        def _array_interface(self, typestrs: tuple[str | None, ...]) -> Any: ...
        def _item(self) -> Any: ...
        def detach(self) -> Tensor: ...
        def cpu(self) -> Tensor: ...

    def item(self) -> Any:
        """The only element as a Python number.

        Raises:
            RuntimeError: There is not exactly one element.
        """
        value = self._item()
        if value is None:
            raise StateError(f"a Tensor with {self.numel()} elements cannot be converted to Scalar")
        return value

    def tolist(self) -> Any:
        """The elements as nested lists of Python numbers; a number for a 0-d tensor."""
        return read_numpy(self).tolist()

    def __bool__(self) -> bool:
        value = self._item()
        if value is None:
            words = "no values" if self.numel() == 0 else "more than one value"
            raise StateError(f"Boolean value of Tensor with {words} is ambiguous")
        return bool(value)

    def __int__(self) -> int:
        return int(self.item())

    def __float__(self) -> float:
        return float(self.item())

    def __complex__(self) -> complex:
        return complex(self.item())

    def __index__(self) -> int:
        kind = self.dtype
        if kind.is_floating_point or self.numel() != 1:
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return int(self.item())

    def __round__(self, ndigits: int | None = None) -> Any:
        from ._functions._pointwise import round

        return round(self, decimals=ndigits or 0)  # type: ignore[arg-type]

    # ---- NumPy --------------------------------------------------------------------------------

    def numpy(self, *, force: bool = False) -> np.ndarray[Any, Any]:
        """An array over the same memory: writes through one are seen through the other.

        Args:
            force: Detach first, and copy where memory cannot be shared.

        Raises:
            RuntimeError: The tensor requires grad.
            TypeError: NumPy has no such element type (bfloat16).
        """
        interface = self._array_interface(_TYPESTRS)
        if interface is None:
            if not force:
                raise StateError(
                    "Can't call numpy() on Tensor that requires grad. "
                    "Use tensor.detach().numpy() instead."
                )
            return self.detach().numpy(force=True)
        if interface is NotImplemented:
            if self.numel() == 0 and self.dtype._typestr is not None:
                return np.empty(tuple(self.shape), self.dtype._typestr)
            if force:
                return read_numpy(self)
            raise TypeError(
                "Got unsupported ScalarType BFloat16: NumPy has no such type; use .float().numpy()"
            )
        return np.asarray(_native.Export(self, interface))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        array = self.numpy()
        if dtype is not None and array.dtype != np.dtype(dtype):
            if copy is False:
                raise ValueError("the element type differs, so a copy is needed")
            return array.astype(dtype)
        return array.copy() if copy else array

    # ---- DLPack -------------------------------------------------------------------------------

    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """A capsule over this memory, or over a copy with `copy=True`."""
        if self.requires_grad:
            raise BufferError(
                "Can't export tensors that require gradient, use tensor.detach() first."
            )
        if dl_device is not None and tuple(dl_device) != (1, 0):
            raise BufferError(f"memory is on DLPack device (1, 0), not {tuple(dl_device)}")
        if copy:
            from . import _ops

            return _native.to_dlpack(_ops.clone(self))
        return _native.to_dlpack(self)

    def __dlpack_device__(self) -> tuple[int, int]:
        """Memory that the CPU can address: (kDLCPU, 0)."""
        return (1, 0)


def from_dlpack(source: Any) -> Tensor:
    """A tensor over the memory of another library's array, or a copy if it is not aligned.

    Args:
        source: An object with `__dlpack__`, or a capsule.
    """
    capsule = source.__dlpack__() if hasattr(source, "__dlpack__") else source
    return _native.from_dlpack(capsule, 0)


def to_dlpack(tensor: Tensor) -> Any:
    """A DLPack capsule over the tensor's memory."""
    return tensor.__dlpack__()
