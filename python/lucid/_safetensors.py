"""Tensors in safetensors files: a JSON header, then the elements."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np

from . import _native
from ._device import as_device
from ._dtype import BY_NUMBER
from ._errors import ArgumentError, DTypeError
from ._interop import to_bytes
from ._tensor import Tensor

# The format's names of the element types, by number.
_NAMES = ("F32", "F16", "BF16", "I8", "I16", "I32", "I64", "U8", "BOOL")
_TYPES = dict(zip(_NAMES, BY_NUMBER, strict=True))
_METADATA = "__metadata__"


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
    header: dict[str, Any] = {} if metadata is None else {_METADATA: dict(metadata)}
    offset = 0
    # Larger element types first, so that every tensor lies aligned.
    ordered = sorted(tensors.items(), key=lambda item: (-item[1].dtype.itemsize, item[0]))
    for name, tensor in ordered:
        size = tensor.numel() * tensor.dtype.itemsize
        header[name] = {
            "dtype": _NAMES[tensor.dtype._number],
            "shape": [int(n) for n in tensor.shape],
            "data_offsets": [offset, offset + size],
        }
        offset += size
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(filename, "wb") as file:
        file.write(len(text).to_bytes(8, "little"))
        file.write(text)
        for _, tensor in ordered:
            file.write(to_bytes(tensor))


def load_safetensors(filename: str | os.PathLike[str], device: Any = None) -> dict[str, Tensor]:
    """The tensors of a file by name; float64 is read as float32.

    Raises:
        ValueError: The file is damaged.
        TypeError: It has an element type that does not exist here.
    """
    where = as_device(device)._number
    with open(filename, "rb") as file:
        content = memoryview(file.read())
    start = 8 + int.from_bytes(content[:8], "little")
    if len(content) < 8 or start > len(content):
        raise ArgumentError(f"{filename} is not a safetensors file: its header does not fit")
    try:
        header = json.loads(bytes(content[8:start]))
    except ValueError:
        raise ArgumentError(f"{filename} is not a safetensors file: no JSON header") from None
    data = content[start:]
    return {
        name: _restored(name, entry, data, where)
        for name, entry in header.items()
        if name != _METADATA
    }


def _restored(name: str, entry: dict[str, Any], data: memoryview, device: int) -> Tensor:
    shape = tuple(entry["shape"])
    begin, end = entry["data_offsets"]
    wide = entry["dtype"] == "F64"
    kind = _TYPES["F32"] if wide else _TYPES.get(entry["dtype"])
    if kind is None:
        raise DTypeError(f"{name} has the type {entry['dtype']}, which is not available")
    size = prod(shape) * (8 if wide else kind.itemsize)
    if not 0 <= begin <= end <= len(data) or end - begin != size:
        raise ArgumentError(f"{name} does not fit the file: {end - begin} bytes for shape {shape}")
    part: Any = data[begin:end]
    if wide:
        part = np.frombuffer(part, "<f8").astype("<f4").tobytes()
    return _native.create(kind._number, shape, device, part)
