"""Tensors in safetensors files (needs the `safetensors` package)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from . import _native
from ._device import as_device
from ._dtype import BY_NUMBER
from ._interop import to_bytes
from ._tensor import Tensor

# The format's names of the element types, by number.
_NAMES = ("F32", "F16", "BF16", "I8", "I16", "I32", "I64", "U8", "BOOL")
_TYPES = dict(zip(_NAMES, BY_NUMBER, strict=True))


def _package() -> Any:
    try:
        import safetensors
    except ImportError:
        raise ImportError(
            "reading and writing safetensors files needs the package: "
            "pip install 'lucid-mpsgraph[safetensors]'"
        ) from None
    return safetensors


def save_safetensors(
    tensors: Mapping[str, Tensor], filename: str | os.PathLike[str],
    metadata: dict[str, str] | None = None,
) -> None:  # fmt: skip
    """Writes tensors, such as a state dict, to a file.

    Args:
        tensors: Tensors by name.
        filename: The file.
        metadata: Text to keep with them.
    """
    package = _package()
    described = {
        name: {
            "dtype": tensor.dtype._name,
            "shape": [int(n) for n in tensor.shape],
            "data": to_bytes(tensor),
        }
        for name, tensor in tensors.items()
    }
    package.serialize_file(described, str(filename), metadata)


def load_safetensors(filename: str | os.PathLike[str], device: Any = None) -> dict[str, Tensor]:
    """The tensors of a file by name.

    Raises:
        TypeError: The file has a type that does not exist here; float64 is read as float32.
    """
    package = _package()
    with open(filename, "rb") as file:
        entries = package.deserialize(file.read())
    where = as_device(device)._number
    return {name: _restored(name, entry, where) for name, entry in entries}


def _restored(name: str, entry: dict[str, Any], device: int) -> Tensor:
    data, shape = entry["data"], tuple(entry["shape"])
    if entry["dtype"] == "F64":
        data = np.frombuffer(data, "<f8").astype("<f4").tobytes()
        return _native.create(0, shape, device, data)
    kind = _TYPES.get(entry["dtype"])
    if kind is None:
        raise TypeError(f"{name} has the type {entry['dtype']}, which is not available")
    return _native.create(kind._number, shape, device, bytes(data))
