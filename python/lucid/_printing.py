"""How tensors print: as PyTorch prints them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _dtype
from ._device import get_default_device
from ._interop import read_numpy


@dataclass
class _Options:
    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


_options = _Options()
_PROFILES: dict[str, dict[str, Any]] = {
    "default": {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80},
    "short": {"precision": 2, "threshold": 1000, "edgeitems": 2, "linewidth": 80},
    "full": {"precision": 4, "threshold": math.inf, "edgeitems": 3, "linewidth": 80},
}


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Sets how tensors print.

    Args:
        precision: Digits after the point.
        threshold: More elements than this are summarised.
        edgeitems: Elements shown at each end of a summarised axis.
        linewidth: Characters per line.
        profile: `default`, `short` or `full`: sets the four above first.
        sci_mode: Scientific notation always (True), never (False) or where it helps (None).
    """
    if profile is not None:
        if profile not in _PROFILES:
            raise ValueError(f"profile must be one of {', '.join(_PROFILES)}, not {profile!r}")
        for name, value in _PROFILES[profile].items():
            setattr(_options, name, value)
    given = {
        "precision": precision,
        "threshold": threshold,
        "edgeitems": edgeitems,
        "linewidth": linewidth,
    }
    for name, value in given.items():
        if value is not None:
            setattr(_options, name, value)
    _options.sci_mode = sci_mode


class _Formatter:
    """Gives every shown element of a tensor the same width."""

    def __init__(self, shown: np.ndarray[Any, Any]) -> None:
        self.floating = shown.dtype.kind == "f"
        self.scientific = False
        self.whole = True
        self.width = 1
        if not self.floating:
            self.width = max((len(str(v)) for v in shown.ravel().tolist()), default=1)
            return
        values = shown.astype(np.float64).ravel()
        values = values[np.isfinite(values) & (values != 0)]
        if values.size == 0:
            return
        magnitudes = np.abs(values)
        largest, smallest = float(magnitudes.max()), float(magnitudes.min())
        self.whole = bool((values == np.ceil(values)).all())
        spread = largest / smallest > 1000.0 or largest > 1.0e8
        self.scientific = spread or (not self.whole and smallest < 1.0e-4)
        for value in values.tolist():
            self.width = max(self.width, len(self._number(value)))
        if _options.sci_mode is not None:
            self.scientific = _options.sci_mode

    def _number(self, value: float) -> str:
        if self.scientific:
            return f"{value:.{_options.precision}e}"
        if self.whole:
            text = f"{value:.0f}"
            return text + "." if math.isfinite(value) else text
        return f"{value:.{_options.precision}f}"

    def __call__(self, value: Any) -> str:
        text = self._number(value) if self.floating else str(value)
        return text.rjust(self.width)


def _edges(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The elements that a summary shows."""
    edge = _options.edgeitems
    for axis, extent in enumerate(array.shape):
        if extent > 2 * edge:
            kept = [*range(edge), *range(extent - edge, extent)]
            array = np.take(array, kept, axis=axis)
    return array


def _vector(row: np.ndarray[Any, Any], indent: int, summarize: bool, format_one: _Formatter) -> str:
    per_line = max(1, (_options.linewidth - indent) // (format_one.width + 2))
    edge = _options.edgeitems
    if summarize and edge == 0:
        items = ["..."]
    elif summarize and len(row) > 2 * edge:
        ends = row[:edge].tolist(), row[-edge:].tolist()
        items = [*map(format_one, ends[0]), " ...", *map(format_one, ends[1])]
    else:
        items = [format_one(v) for v in row.tolist()]
    lines = [", ".join(items[i : i + per_line]) for i in range(0, len(items), per_line)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"


def _block(
    array: np.ndarray[Any, Any], indent: int, summarize: bool, format_one: _Formatter
) -> str:
    if array.ndim == 0:
        return format_one(array.item())
    if array.ndim == 1:
        return _vector(array, indent, summarize, format_one)
    edge = _options.edgeitems
    if summarize and len(array) > 2 * edge:
        rows = [_block(a, indent + 1, summarize, format_one) for a in array[:edge]]
        rows.append("...")
        rows += [_block(a, indent + 1, summarize, format_one) for a in array[len(array) - edge :]]
    else:
        rows = [_block(a, indent + 1, summarize, format_one) for a in array]
    separator = "," + "\n" * (array.ndim - 1) + " " * (indent + 1)
    return "[" + separator.join(rows) + "]"


def tensor_repr(tensor: Any) -> str:
    """The text of a tensor: values, then what differs from the defaults."""
    prefix = "tensor("
    indent = len(prefix)
    kind = tensor.dtype
    shape = tuple(int(n) for n in tensor.shape)
    count = math.prod(shape)
    suffixes: list[str] = []
    if tensor.device != get_default_device():
        suffixes.append(f"device='{tensor.device}'")
    if count == 0:
        if len(shape) != 1:
            suffixes.append(f"size={shape}")
        if kind is not _dtype.get_default_dtype():
            suffixes.append(f"dtype={kind}")
        text = "[]"
    else:
        if kind not in (_dtype.get_default_dtype(), _dtype.int64, _dtype.bool_):
            suffixes.append(f"dtype={kind}")
        array = read_numpy(tensor)
        summarize = count > _options.threshold
        text = _block(array, indent, summarize, _Formatter(_edges(array) if summarize else array))
    maker = tensor.grad_fn
    if maker is not None:
        suffixes.append(f"grad_fn={maker}")
    elif tensor.requires_grad:
        suffixes.append("requires_grad=True")
    parts = [prefix + text]
    column = len(parts[0]) - parts[0].rfind("\n") + 1
    for suffix in suffixes:
        if column + len(suffix) + 2 > _options.linewidth:
            parts.append(",\n" + " " * indent + suffix)
            column = indent + len(suffix)
        else:
            parts.append(", " + suffix)
            column += len(suffix) + 2
    return "".join(parts) + ")"
