"""The only door to the C library.

Everything that calls `lib` or handles `ffi` values lives here; other modules see Python objects.
The hot path (`apply`, `apply_many`, `run_plan`, and the properties of `TensorBase`) is C code of
the extension module itself, see python/native/objects.h.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ._errors import BY_STATUS, LucidError
from ._lucid import ffi, lib

if TYPE_CHECKING:
    from ._tensor import Tensor

_installed: dict[str, Any] = {}
if lib.lucidpy_install(int(ffi.cast("uintptr_t", id(_installed)))) != 0:
    raise ImportError("lucid: the extension module could not set up its objects")
if lib.lucid_abi_version() != lib.LUCID_ABI_VERSION:
    raise ImportError(
        f"lucid: the library has ABI version {lib.lucid_abi_version()}, the extension module was "
        f"built for {lib.LUCID_ABI_VERSION}; reinstall lucid-mpsgraph"
    )

TensorBase: type = _installed["TensorBase"]
#: apply(op number, attribute bytes, *operands) -> Tensor. Operands are tensors, numbers or None.
apply: Callable[..., Tensor] = _installed["apply"]
#: apply_many(op number, attribute bytes, capacity, *operands) -> tuple of tensors.
apply_many: Callable[..., tuple[Tensor, ...]] = _installed["apply_many"]
#: run_plan(plan address, tuple of arguments, capacity) -> tuple of tensors.
run_plan: Callable[[int, tuple[Any, ...], int], tuple[Tensor, ...]] = _installed["run_plan"]
#: call_plan(plan address, arguments, capacity) -> Tensor or tuple; NotImplemented if stale.
call_plan: Callable[[int, tuple[Any, ...], int], Any] = _installed["call_plan"]
#: wrap(address) -> Tensor that takes over one reference.
wrap: Callable[[int], Tensor] = _installed["wrap"]
#: number(bool, int or float) -> the tensor that stands for it in operations.
number: Callable[[Any], Tensor] = _installed["number"]
#: store(target, source): writes and gives True, or False where types or shapes forbid it.
store: Callable[[Any, Any], bool] = _installed["store"]
#: assign(target, source): writes, broadcast and converted.
assign: Callable[[Any, Any], None] = _installed["assign"]
#: recorded(*objects): whether an operation on them is recorded for gradients.
recorded: Callable[..., bool] = _installed["recorded"]
#: detach(tensor): the same storage without history.
detach: Callable[[Any], Tensor] = _installed["detach"]
import_memory: Callable[..., Tensor] = _installed["import_memory"]
from_dlpack: Callable[[Any, int], Tensor] = _installed["from_dlpack"]
to_dlpack: Callable[[Any], Any] = _installed["to_dlpack"]
register: Callable[..., None] = _installed["register"]

MAX_RANK: int = lib.LUCID_MAX_RANK
ERRORS = BY_STATUS

GRAD_OFF: int = lib.LUCID_GRAD_OFF
GRAD_ON: int = lib.LUCID_GRAD_ON
INFERENCE: int = lib.LUCID_INFERENCE
RETAIN_GRAPH: int = lib.LUCID_RETAIN_GRAPH
CREATE_GRAPH: int = lib.LUCID_CREATE_GRAPH
ALLOW_UNUSED: int = lib.LUCID_ALLOW_UNUSED


def last_error(status: int | None = None) -> LucidError:
    """The exception for this thread's last failure."""
    code = lib.lucid_error_status() if status is None else status
    return BY_STATUS.get(code, LucidError)(ffi.string(lib.lucid_error_message()).decode())


def check(status: int) -> None:
    """Raises what a failed status stands for."""
    if status != 0:
        raise last_error(status)


def take(handle: Any) -> Tensor:
    """A tensor object for a new handle; raises if it is NULL."""
    if handle == ffi.NULL:
        raise last_error()
    return wrap(int(ffi.cast("uintptr_t", handle)))


def pointer(tensor: Any) -> Any:
    """The `lucid_tensor *` of a tensor object, borrowed."""
    return ffi.cast("lucid_tensor *", tensor._address)


def _pointers(tensors: Sequence[Any]) -> Any:
    return ffi.new(
        "lucid_tensor *[]", [ffi.NULL if t is None else pointer(t) for t in tensors] or 1
    )


# ---- Library ------------------------------------------------------------------------------------


def catalog_hash() -> int:
    return lib.lucid_catalog_hash()


def backend_description() -> str:
    return ffi.string(lib.lucid_backend_description()).decode()


def device_available(device: int) -> bool:
    return bool(lib.lucid_device_available(device))


def stats() -> dict[str, int]:
    """Numbers about the process, by the names of `lucid_stats`."""
    values = ffi.new("lucid_stats *")
    values.struct_size = ffi.sizeof("lucid_stats")
    check(lib.lucid_stats_read(values))
    fields = ffi.typeof("lucid_stats").fields
    return {name: getattr(values, name) for name, _ in fields if name != "struct_size"}


def reset_peak_memory() -> None:
    check(lib.lucid_memory_reset_peak())


def clear_caches(executables: bool) -> None:
    check(lib.lucid_caches_clear(executables))


def set_threads(count: int) -> None:
    check(lib.lucid_threads_set(count))


def synchronize() -> None:
    check(lib.lucid_synchronize())


def add_library_path(directory: str) -> None:
    lib.lucid_library_path_add(os.fsencode(directory))


if sys.platform == "linux":
    # Where the wheel of the math library puts it.
    add_library_path(os.path.join(sys.prefix, "lib"))


# ---- Tensors ------------------------------------------------------------------------------------


def create(dtype: int, shape: tuple[int, ...], device: int, data: Any) -> Tensor:
    """A tensor with a copy of `data` (a C-contiguous buffer), zeros if it is None."""
    if data is None:
        return take(lib.lucid_tensor_create(dtype, len(shape), shape, device, ffi.NULL, 0))
    buffer = ffi.from_buffer(data)
    return take(lib.lucid_tensor_create(dtype, len(shape), shape, device, buffer, len(buffer)))


#: Called before values are read, so that a trace can say which line needed them.
on_read: Callable[[], None] = lambda: None  # noqa: E731


def note_read() -> None:
    """Says that what follows reads values."""
    on_read()


def read(tensor: Any, destination: Any) -> None:
    """Copies the elements, packed, into a writable buffer."""
    on_read()
    buffer = ffi.from_buffer(destination, require_writable=True)
    check(lib.lucid_tensor_read(pointer(tensor), buffer, len(buffer)))


class Export:
    """Keeps a tensor's memory at its address while NumPy looks at it."""

    __slots__ = ("__array_interface__", "__weakref__", "_tensor")

    def __init__(self, tensor: Any, interface: dict[str, Any]) -> None:
        """Takes over the export that `tensor._array_interface` began."""
        self._tensor = tensor
        self.__array_interface__ = interface

    def __del__(self) -> None:
        lib.lucid_tensor_unexport(pointer(self._tensor))


def data_address(tensor: Any) -> int:
    """The address of element 0 at this moment."""
    handle = pointer(tensor)
    data = ffi.new("void **")
    check(lib.lucid_tensor_export(handle, data))
    lib.lucid_tensor_unexport(handle)
    return int(ffi.cast("uintptr_t", data[0]))


def mark_written(tensor: Any) -> None:
    check(lib.lucid_tensor_mark_written(pointer(tensor)))


def set_data(tensor: Any, source: Any) -> None:
    check(lib.lucid_tensor_set_data(pointer(tensor), pointer(source)))


def to_device(tensor: Any, device: int) -> Tensor:
    return take(lib.lucid_tensor_to_device(pointer(tensor), device))


def is_tracing() -> bool:
    """Whether this thread records operations instead of running them."""
    return lib.lucid_trace_current() != ffi.NULL


# ---- Gradients ----------------------------------------------------------------------------------


def set_requires_grad(tensor: Any, value: bool) -> None:
    check(lib.lucid_tensor_set_requires_grad(pointer(tensor), value))


def grad_address(tensor: Any) -> int:
    """The handle of the accumulated gradient with a reference, 0 if there is none."""
    return int(ffi.cast("uintptr_t", lib.lucid_tensor_grad(pointer(tensor))))


def release_address(address: int) -> None:
    lib.lucid_tensor_release(ffi.cast("lucid_tensor *", address))


def set_grad(tensor: Any, gradient: Any) -> None:
    handle = ffi.NULL if gradient is None else pointer(gradient)
    check(lib.lucid_tensor_set_grad(pointer(tensor), handle))


def retain_grad(tensor: Any) -> None:
    check(lib.lucid_tensor_retain_grad(pointer(tensor)))


def grad_fn_name(tensor: Any) -> str | None:
    name = lib.lucid_tensor_grad_fn_name(pointer(tensor))
    return None if name == ffi.NULL else ffi.string(name).decode()


_hooks: dict[int, Callable[[Any], Any]] = {}
_hook_errors = threading.local()


@ffi.def_extern(name="lucidpy_hook")
def _run_hook(payload: Any, gradient: Any, failed: Any) -> Any:
    try:
        lib.lucid_tensor_retain(gradient)
        result = _hooks[int(ffi.cast("intptr_t", payload))](take(gradient))
        if result is None:
            return ffi.NULL
        handle = pointer(result)
        lib.lucid_tensor_retain(handle)
        return handle
    except BaseException as error:
        _hook_errors.value = error
        failed[0] = 1
        return ffi.NULL


@ffi.def_extern(name="lucidpy_hook_release")
def _drop_hook(payload: Any, hooks: Any = _hooks, cast: Any = ffi.cast) -> None:
    # Also called while the interpreter ends, when module globals are gone.
    hooks.pop(int(cast("intptr_t", payload)), None)


_hook_lock = threading.Lock()
_next_hook = 0


def add_hook(tensor: Any, hook: Callable[[Any], Any]) -> int:
    """Calls `hook(gradient)` in backward passes; gives the id for `remove_hook`."""
    global _next_hook
    with _hook_lock:
        _next_hook += 1
        key = _next_hook
    _hooks[key] = hook
    identifier = ffi.new("int64_t *")
    status = lib.lucid_tensor_add_hook(
        pointer(tensor),
        lib.lucidpy_hook,
        ffi.cast("void *", key),
        lib.lucidpy_hook_release,
        identifier,
    )
    if status != 0:
        _hooks.pop(key, None)
        raise last_error(status)
    return identifier[0]


def remove_hook(tensor: Any, identifier: int) -> None:
    check(lib.lucid_tensor_remove_hook(pointer(tensor), identifier))


def _check_backward(status: int) -> None:
    error = getattr(_hook_errors, "value", None)
    if error is not None:
        _hook_errors.value = None
        if status != 0:
            raise error
    check(status)


def backward(outputs: Sequence[Any], cotangents: Sequence[Any], flags: int) -> None:
    _check_backward(
        lib.lucid_backward(_pointers(outputs), _pointers(cotangents), len(outputs), flags)
    )


def gradients(
    outputs: Sequence[Any], cotangents: Sequence[Any], inputs: Sequence[Any], flags: int
) -> list[Tensor | None]:
    results = ffi.new("lucid_tensor *[]", max(len(inputs), 1))
    _check_backward(
        lib.lucid_gradients(
            _pointers(outputs),
            _pointers(cotangents),
            len(outputs),
            _pointers(inputs),
            len(inputs),
            flags,
            results,
        )
    )
    return [None if r == ffi.NULL else take(r) for r in results[0 : len(inputs)]]


set_grad_mode: Callable[[int], int] = lib.lucid_grad_mode_set
grad_mode: Callable[[], int] = lib.lucid_grad_mode


# ---- Random -------------------------------------------------------------------------------------


class GeneratorHandle:
    """Owns one generator of the library."""

    __slots__ = ("_handle",)

    def __init__(self, seed: int | None) -> None:
        """A new generator with this seed; the process's default for None."""
        if seed is None:
            handle = lib.lucid_generator_default()
        else:
            handle = lib.lucid_generator_create(seed)
        if handle == ffi.NULL:
            raise last_error()
        self._handle = ffi.gc(handle, lib.lucid_generator_release)

    def get(self) -> tuple[int, int]:
        """Seed and offset."""
        seed, offset = ffi.new("int64_t *"), ffi.new("int64_t *")
        check(lib.lucid_generator_get(self._handle, seed, offset))
        return seed[0], offset[0]

    def set(self, seed: int, offset: int) -> None:
        check(lib.lucid_generator_set(self._handle, seed, offset))

    def use(self) -> None:
        """This thread's next operations draw from this generator."""
        check(lib.lucid_generator_use(self._handle))


def use_default_generator() -> None:
    check(lib.lucid_generator_use(ffi.NULL))


# ---- Compilation --------------------------------------------------------------------------------


def _text(pointer: Any) -> str | None:
    return None if pointer == ffi.NULL else ffi.string(pointer).decode()


class TraceHandle:
    """Owns the recording of one call."""

    __slots__ = ("_handle",)

    def __init__(self, dynamic: bool, full: bool, batch: int) -> None:
        flags = lib.LUCID_TRACE_DYNAMIC * dynamic | lib.LUCID_TRACE_FULL * full
        handle = lib.lucid_trace_begin(flags, batch)
        if handle == ffi.NULL:
            raise last_error()
        self._handle = ffi.gc(handle, lib.lucid_trace_release)

    def argument(self, tensor: Any, symbolic: bool) -> Tensor:
        """The tensor that stands for an argument while recording."""
        return take(lib.lucid_trace_argument(self._handle, pointer(tensor), symbolic))

    def end(self, outputs: Sequence[Any]) -> PlanHandle | None:
        """Compiles, runs and gives the plan; None if the call cannot be repeated."""
        plan = ffi.new("lucid_plan **")
        check(lib.lucid_trace_end(self._handle, _pointers(outputs), len(outputs), plan))
        return None if plan[0] == ffi.NULL else PlanHandle(plan[0])

    def abort(self) -> None:
        lib.lucid_trace_abort(self._handle)

    def reason(self) -> str | None:
        """Why the call cannot be repeated."""
        return _text(lib.lucid_trace_reason(self._handle))


def flush_trace(reason: str) -> None:
    """Computes what this thread recorded; the rest of the call runs eagerly."""
    trace = lib.lucid_trace_current()
    if trace != ffi.NULL:
        check(lib.lucid_trace_flush(trace, reason.encode()))


def specialise_trace(reason: str) -> None:
    """The batch of this thread's trace is a number from now on."""
    trace = lib.lucid_trace_current()
    if trace != ffi.NULL:
        check(lib.lucid_trace_specialise(trace, reason.encode()))


class PlanHandle:
    """Owns a compiled call."""

    __slots__ = ("_handle", "address")

    def __init__(self, handle: Any) -> None:
        self._handle = ffi.gc(handle, lib.lucid_plan_release)
        self.address = int(ffi.cast("uintptr_t", handle))

    def captured(self) -> list[int]:
        """The addresses of the tensors that the function reached by itself, 0 for gradients."""
        count = ffi.new("size_t *")
        check(lib.lucid_plan_captured(self._handle, ffi.NULL, 0, count))
        found = ffi.new("lucid_tensor *[]", max(count[0], 1))
        check(lib.lucid_plan_captured(self._handle, found, count[0], count))
        addresses = [int(ffi.cast("uintptr_t", found[i])) for i in range(count[0])]
        for i in range(count[0]):
            lib.lucid_tensor_release(found[i])  # whoever owns them keeps them alive
        return addresses

    def rebind(self, index: int, tensor: Any) -> bool:
        """Whether the plan takes another tensor in place of a captured one."""
        status = lib.lucid_plan_rebind(self._handle, index, pointer(tensor))
        if status == lib.LUCID_ERROR_STALE:
            return False
        check(status)
        return True

    def info(self) -> dict[str, Any]:
        """Numbers about the plan, by the names of `lucid_plan_info`."""
        values = ffi.new("lucid_plan_info *")
        values.struct_size = ffi.sizeof("lucid_plan_info")
        check(lib.lucid_plan_describe(self._handle, values))
        fields = ffi.typeof("lucid_plan_info").fields
        return {name: getattr(values, name) for name, _ in fields if name != "struct_size"}

    def dump(self, form: int) -> str:
        """Text about the plan; the forms are those of `lucid_plan_dump`."""
        text = lib.lucid_plan_dump(self._handle, form)
        if text == ffi.NULL:
            raise last_error()
        try:
            return ffi.string(text).decode()
        finally:
            lib.lucid_string_free(text)
