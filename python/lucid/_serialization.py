"""Saving objects with tensors in them to files, and loading them safely."""

from __future__ import annotations

import io
import os
import pickle
from typing import IO, Any

from ._device import as_device
from ._tensor import Tensor

_MAGIC = b"LUCID\x01\n"

# What a file of weights may refer to; anything else could run code.
_ALLOWED = {
    ("collections", "OrderedDict"),
    ("collections", "defaultdict"),
    ("builtins", "set"),
    ("builtins", "dict"),
    ("lucid._interop", "rebuild"),
    ("lucid._device", "device"),
    ("lucid._symint", "Size"),
    ("lucid.nn._parameter", "Parameter"),
}


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: IO[bytes], weights_only: bool) -> None:
        super().__init__(file)
        self._weights_only = weights_only

    def find_class(self, module: str, name: str) -> Any:
        allowed = (module, name) in _ALLOWED or module == "lucid._dtype"
        if self._weights_only and not allowed:
            raise pickle.UnpicklingError(
                f"{module}.{name} is not a tensor or plain container. If you trust the file, load "
                "it with weights_only=False, which can run any code in it"
            )
        return super().find_class(module, name)


def save(obj: Any, f: str | os.PathLike[str] | IO[bytes]) -> None:
    """Writes an object, such as a state dict, to a file.

    Args:
        obj: What to save.
        f: A path or a binary file.
    """
    if hasattr(f, "write"):
        f.write(_MAGIC)
        pickle.dump(obj, f, protocol=4)  # type: ignore[arg-type]
        return
    with open(f, "wb") as file:
        save(obj, file)


def load(
    f: str | os.PathLike[str] | IO[bytes], map_location: Any = None, *, weights_only: bool = True
) -> Any:
    """Reads what `save` wrote.

    Args:
        f: A path or a binary file.
        map_location: The device to put tensors on.
        weights_only: Accept tensors, plain values and containers only.

    Raises:
        UnpicklingError: The file is none of `save`, or refers to other classes.
    """
    if not hasattr(f, "read"):
        with open(f, "rb") as file:
            return load(file, map_location, weights_only=weights_only)
    data = f.read()
    if not data.startswith(_MAGIC):
        raise pickle.UnpicklingError("this is not a file that lucid.save wrote")
    result = _Unpickler(io.BytesIO(data[len(_MAGIC) :]), weights_only).load()
    return result if map_location is None else _moved(result, as_device(map_location))


def _moved(value: Any, where: Any) -> Any:
    if isinstance(value, Tensor):
        return value.to(where)
    if isinstance(value, dict):
        moved = type(value)()
        for key, item in value.items():
            moved[key] = _moved(item, where)
        return moved
    if type(value) in (list, tuple, set):
        return type(value)(_moved(item, where) for item in value)
    return value
