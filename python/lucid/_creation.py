"""Functions that make tensors."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from . import _dtype, _native, _ops
from ._device import as_device
from ._dtype import NO_FLOAT64, as_dtype, bool_, from_numpy_dtype, int64
from ._dtype import dtype as DType
from ._errors import ArgumentError, DTypeError
from ._symint import SymInt
from ._tensor import Tensor


def _finish(made: Tensor, device: Any, requires_grad: bool) -> Tensor:
    """Puts a new tensor where it is wanted."""
    where = as_device(device)._number
    if where != 0:  # new tensors are on the CPU
        made = _native.to_device(made, where)
    if requires_grad:
        made.requires_grad = True
    return made


def size_of(args: tuple[Any, ...], size: Any = None) -> tuple[Any, ...]:
    """The shape that `f(2, 3)`, `f((2, 3))` or `f(size=(2, 3))` asks for."""
    if size is not None:
        args = (size,)
    if len(args) == 1 and not isinstance(args[0], (int, SymInt, np.integer)):
        args = tuple(args[0])
    return tuple(n if isinstance(n, SymInt) else n.__index__() for n in args)


# ---- From data ----------------------------------------------------------------------------------


def _plain(data: Any) -> Any:
    """Nested sequences with tensors in them as nested sequences of numbers."""
    if isinstance(data, Tensor):
        return data.tolist()
    if isinstance(data, (list, tuple)) and any(
        isinstance(item, (Tensor, list, tuple)) for item in data
    ):
        return [_plain(item) for item in data]
    return data


def _to_array(data: Any) -> tuple[np.ndarray[Any, Any], DType]:
    """The data as an array of a type that exists here, and the type that it suggests."""
    given = isinstance(data, (np.ndarray, np.generic)) or hasattr(data, "__array__")
    try:
        array = np.asarray(data if given else _plain(data))
    except ValueError as error:
        raise ArgumentError(f"the nested sequence has no regular shape: {error}") from None
    except OverflowError:
        raise ArgumentError("an integer does not fit int64") from None
    kind = array.dtype.kind
    if array.size == 0 and not given:
        return array.astype(np.float32), _dtype.get_default_dtype()
    if array.dtype == np.float64 or (kind == "f" and from_numpy_dtype(array.dtype) is None):
        suggested = _dtype.float32 if given else _dtype.get_default_dtype()
        return array.astype(np.float32), suggested
    if kind == "O":
        numbers = [getattr(v, "__float__", None) for v in array.ravel()]
        if all(numbers) and not any(isinstance(v, (str, bytes)) for v in array.ravel()):
            if all(isinstance(v, int) for v in array.ravel()):
                raise ArgumentError("an integer does not fit int64")
            return array.astype(np.float32), _dtype.get_default_dtype()
        raise TypeError(f"cannot make a tensor of {type(array.ravel()[0]).__name__} objects")
    if kind == "c":
        raise DTypeError("complex numbers are not available: keep real and imaginary parts apart")
    if kind in "USSMm":
        raise TypeError(f"cannot make a tensor of {array.dtype} values")
    array = array.astype(array.dtype.newbyteorder("="), copy=False)
    found = from_numpy_dtype(array.dtype)
    if found is None:
        raise DTypeError(
            f"{array.dtype} is not available: convert to a signed or smaller type first"
        )
    return array, found


def _from_array(array: np.ndarray[Any, Any], suggested: DType, wanted: Any, device: Any) -> Tensor:
    target = suggested if wanted is None else as_dtype(wanted)
    own = from_numpy_dtype(array.dtype)
    if target is not own and target._typestr is not None:
        with np.errstate(invalid="ignore", over="ignore"):
            array = array.astype(target._typestr)
        own = target
    assert own is not None
    packed = np.ascontiguousarray(array).reshape(array.shape)
    where = as_device(device)._number
    made = _native.create(own._number, array.shape, where, packed.reshape(-1).view(np.uint8))
    if target is not own:
        made = _ops.cast(made, target)
    elif _native.is_tracing():
        # A run of the plan must start from these values, whatever the function then does to them.
        made = _ops.clone(made)
    return made


def tensor(
    data: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """A tensor with a copy of the data.

    Args:
        data: A number, nested sequences of numbers, or an array.
        dtype: The element type; by default what the data suggests. Python floats and NumPy float64
            become float32.
        device: Where it lives.
        requires_grad: Whether gradients with respect to it are wanted.
        pin_memory: No effect: memory is unified.

    Raises:
        DTypeError: `dtype` is float64, or the data is complex.
        ValueError: The sequences have no regular shape.
    """
    if isinstance(data, Tensor):
        warnings.warn(
            "To copy construct from a tensor, it is recommended to use "
            "sourceTensor.detach().clone() rather than lucid.tensor(sourceTensor).",
            UserWarning,
            stacklevel=2,
        )
        made = data.detach().to(data.device if device is None else device, dtype, copy=True)
        made = made if made is not data else data.detach().clone()
        return made.requires_grad_() if requires_grad else made
    made = _from_array(*_to_array(data), dtype, device)
    if requires_grad:
        made.requires_grad = True
    return made


def as_tensor(data: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """The data as a tensor: itself if it is one, over the same memory if it is an array."""
    if isinstance(data, Tensor):
        where = data.device if device is None else as_device(device)
        return data.to(where, data.dtype if dtype is None else dtype)
    if isinstance(data, np.ndarray):
        own = from_numpy_dtype(data.dtype) if data.dtype.isnative else None
        if own is not None and (dtype is None or as_dtype(dtype) is own) and data.flags.writeable:
            return _finish(from_numpy(data), device, False)
    return _from_array(*_to_array(data), dtype, device)


def from_numpy(ndarray: np.ndarray[Any, Any]) -> Tensor:
    """A tensor over an array's memory where that is possible, else a copy.

    Memory is shared if the array is contiguous, writable and 64-byte aligned.

    Raises:
        DTypeError: The element type does not exist here; for float64 the way out is named.
    """
    if not isinstance(ndarray, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(ndarray).__name__})")
    if ndarray.dtype == np.float64:
        raise DTypeError(NO_FLOAT64)
    own = from_numpy_dtype(ndarray.dtype)
    if own is None:
        raise DTypeError(
            f"can't convert np.ndarray of type {ndarray.dtype}. The only supported types are: "
            "float32, float16, int64, int32, int16, int8, uint8, and bool."
        )
    itemsize = ndarray.itemsize
    if any(s % itemsize for s in ndarray.strides) or any(s < 0 for s in ndarray.strides):
        ndarray = ndarray.copy()
    strides = tuple(s // itemsize for s in ndarray.strides)
    reach = sum((n - 1) * s for n, s in zip(ndarray.shape, strides, strict=True)) + 1
    byte_count = reach * itemsize if ndarray.size else 0
    address = ndarray.__array_interface__["data"][0]
    return _native.import_memory(
        ndarray, address, byte_count, own._number, ndarray.shape, strides,
        as_device("cpu")._number, ndarray.flags.writeable,
    )  # fmt: skip


def frombuffer(
    buffer: Any, *, dtype: Any, count: int = -1, offset: int = 0, requires_grad: bool = False
) -> Tensor:
    """A tensor over the memory of a buffer."""
    kind = as_dtype(dtype)
    if kind._typestr is None:
        raise DTypeError("frombuffer: bfloat16 has no NumPy type; read uint8 and view it")
    return _finish(
        from_numpy(np.frombuffer(buffer, kind._typestr, count, offset)), None, requires_grad
    )


# ---- Filled -------------------------------------------------------------------------------------


def _filled(
    size: tuple[Any, ...], value: Any, dtype: Any, device: Any, requires_grad: bool
) -> Tensor:
    kind = _dtype.get_default_dtype() if dtype is None else as_dtype(dtype)
    integer = value if isinstance(value, int) and not isinstance(value, bool) else None
    return _finish(_ops.full(size, float(value), kind, integer), device, requires_grad)


def zeros(
    *args: Any, size: Any = None, dtype: Any = None, device: Any = None,
    requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """Zeros of a shape given as numbers or as one sequence."""
    return _filled(size_of(args, size), 0.0, dtype, device, requires_grad)


def ones(
    *args: Any, size: Any = None, dtype: Any = None, device: Any = None,
    requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """Ones of a shape given as numbers or as one sequence."""
    return _filled(size_of(args, size), 1.0, dtype, device, requires_grad)


def empty(
    *args: Any, size: Any = None, dtype: Any = None, device: Any = None,
    requires_grad: bool = False, memory_format: Any = None, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """A tensor whose values do not matter (they are zeros, so that runs repeat)."""
    return _filled(size_of(args, size), 0.0, dtype, device, requires_grad)


def full(
    size: Any, fill_value: Any, *, dtype: Any = None, device: Any = None,
    requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """One value everywhere; its type is that of the value unless given."""
    shape = size_of((size,))
    if isinstance(fill_value, Tensor):
        made = fill_value.detach().expand(shape).clone()
        made = made.to(as_device(device), made.dtype if dtype is None else dtype)
        return made.requires_grad_() if requires_grad else made
    if dtype is None:
        dtype = (
            bool_
            if isinstance(fill_value, bool)
            else int64
            if isinstance(fill_value, int)
            else None
        )
    return _filled(shape, fill_value, dtype, device, requires_grad)


def _like(input: Tensor, value: Any, dtype: Any, device: Any, requires_grad: bool) -> Tensor:
    return _filled(
        tuple(input.shape),
        value,
        input.dtype if dtype is None else dtype,
        input.device if device is None else device,
        requires_grad,
    )


def zeros_like(
    input: Tensor, *, dtype: Any = None, device: Any = None, requires_grad: bool = False,
    memory_format: Any = None,
) -> Tensor:  # fmt: skip
    """Zeros with the shape, type and device of another tensor."""
    return _like(input, 0.0, dtype, device, requires_grad)


def ones_like(
    input: Tensor, *, dtype: Any = None, device: Any = None, requires_grad: bool = False,
    memory_format: Any = None,
) -> Tensor:  # fmt: skip
    """Ones with the shape, type and device of another tensor."""
    return _like(input, 1.0, dtype, device, requires_grad)


empty_like = zeros_like


def full_like(
    input: Tensor, fill_value: Any, *, dtype: Any = None, device: Any = None,
    requires_grad: bool = False, memory_format: Any = None,
) -> Tensor:  # fmt: skip
    """One value everywhere, with the shape, type and device of another tensor."""
    return _like(input, fill_value, dtype, device, requires_grad)


# ---- Ranges -------------------------------------------------------------------------------------


def arange(
    start: Any, end: Any = None, step: Any = 1, *, dtype: Any = None, device: Any = None,
    requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """Numbers from `start` up to but not including `end`.

    Integers give int64, floats the default type. With one number it is the end.
    """
    if end is None:
        start, end = 0, start
    values = [v.item() if isinstance(v, (Tensor, np.generic)) else v for v in (start, end, step)]
    if dtype is None:
        whole = all(isinstance(v, (int, SymInt)) for v in values)
        dtype = int64 if whole else _dtype.get_default_dtype()
    if isinstance(values[1], SymInt) and values[0] == 0 and values[2] == 1:
        made = _ops.coordinate((values[1],), 0, as_dtype(dtype))  # type: ignore[arg-type]
    else:
        first, last, by = (float(v) for v in values)
        if by == 0:
            raise ArgumentError("step must be nonzero")
        if (last - first) / by < 0:
            raise ArgumentError("upper bound and lower bound inconsistent with step sign")
        made = _ops.arange(first, last, by, dtype=as_dtype(dtype))
    return _finish(made, device, requires_grad)


def linspace(
    start: float, end: float, steps: int, *, dtype: Any = None, device: Any = None,
    requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """`steps` numbers evenly from `start` to `end`, both included."""
    kind = _dtype.get_default_dtype() if dtype is None else as_dtype(dtype)
    return _finish(_ops.linspace(float(start), float(end), int(steps), kind), device, requires_grad)


def logspace(
    start: float, end: float, steps: int, base: float = 10.0, *, dtype: Any = None,
    device: Any = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """`base` to the power of evenly spaced numbers."""
    kind = _dtype.get_default_dtype() if dtype is None else as_dtype(dtype)
    made = _ops.logspace(float(start), float(end), int(steps), kind, float(base))
    return _finish(made, device, requires_grad)


def eye(
    n: int, m: int | None = None, *, dtype: Any = None, device: Any = None,
    requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """Ones on the main diagonal, zeros elsewhere."""
    kind = _dtype.get_default_dtype() if dtype is None else as_dtype(dtype)
    return _finish(_ops.eye(int(n), int(n if m is None else m), kind), device, requires_grad)


def tril_indices(
    row: int, col: int, offset: int = 0, *, dtype: Any = int64, device: Any = None
) -> Tensor:
    """Rows and columns of the lower triangle of a matrix, `(2, n)`."""
    rows, columns = np.tril_indices(row, offset, col)
    return tensor(np.stack([rows, columns]), dtype=dtype, device=device)


def triu_indices(
    row: int, col: int, offset: int = 0, *, dtype: Any = int64, device: Any = None
) -> Tensor:
    """Rows and columns of the upper triangle of a matrix, `(2, n)`."""
    rows, columns = np.triu_indices(row, offset, col)
    return tensor(np.stack([rows, columns]), dtype=dtype, device=device)


# ---- Methods ------------------------------------------------------------------------------------


def new_tensor(self: Tensor, data: Any, *, dtype: Any = None, device: Any = None,
               requires_grad: bool = False) -> Tensor:  # fmt: skip
    """A tensor with a copy of the data, of this tensor's type and device."""
    return tensor(
        data,
        dtype=self.dtype if dtype is None else dtype,
        device=self.device if device is None else device,
        requires_grad=requires_grad,
    )


def new_zeros(self: Tensor, *size: Any, dtype: Any = None, device: Any = None,
              requires_grad: bool = False) -> Tensor:  # fmt: skip
    """Zeros of this tensor's type and device."""
    return _new(self, size, 0.0, dtype, device, requires_grad)


def new_ones(self: Tensor, *size: Any, dtype: Any = None, device: Any = None,
             requires_grad: bool = False) -> Tensor:  # fmt: skip
    """Ones of this tensor's type and device."""
    return _new(self, size, 1.0, dtype, device, requires_grad)


new_empty = new_zeros


def new_full(self: Tensor, size: Any, fill_value: Any, *, dtype: Any = None, device: Any = None,
             requires_grad: bool = False) -> Tensor:  # fmt: skip
    """One value everywhere, of this tensor's type and device."""
    return _new(self, (size,), fill_value, dtype, device, requires_grad)


def _new(like: Tensor, size: tuple[Any, ...], value: Any, dtype: Any, device: Any,
         requires_grad: bool) -> Tensor:  # fmt: skip
    return _filled(
        size_of(size),
        value,
        like.dtype if dtype is None else dtype,
        like.device if device is None else device,
        requires_grad,
    )
