"""Padding and resampling of spatial axes."""

from __future__ import annotations

import math
from typing import Any

from ... import _ops
from ..._errors import ArgumentError
from ..._tensor import Tensor


def pad(input: Tensor, pad: Any, mode: str = "constant", value: float | None = None) -> Tensor:
    """Adds elements around the last axes; the list starts with left and right of the last axis.

    Args:
        input: What to pad.
        pad: Two counts per axis; negative ones crop.
        mode: `constant`, `reflect`, `replicate` or `circular`.
        value: The constant.
    """
    return _ops.pad(input, [int(n) for n in pad], mode, float(value or 0.0))


pixel_shuffle = _ops.pixel_shuffle
pixel_unshuffle = _ops.pixel_unshuffle
channel_shuffle = _ops.channel_shuffle


def _output_sizes(input: Tensor, size: Any, scale_factor: Any) -> tuple[list[int], list[Any]]:
    axes = input.ndim - 2
    extents = [int(n) for n in input.shape[2:]]
    if (size is None) == (scale_factor is None):
        raise ArgumentError("either size or scale_factor should be defined, and not both")
    if size is not None:
        sizes = [size] * axes if isinstance(size, int) else list(size)
        return [int(s) for s in sizes], [None] * axes
    factors = (
        [scale_factor] * axes if isinstance(scale_factor, (int, float)) else list(scale_factor)
    )
    return [math.floor(n * f) for n, f in zip(extents, factors, strict=True)], factors


def interpolate(
    input: Tensor, size: Any = None, scale_factor: Any = None, mode: str = "nearest",
    align_corners: bool | None = None, recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:  # fmt: skip
    """Scales the spatial axes of `(N, C, …)`.

    Args:
        input: What to scale.
        size: The wanted extents, one number or one per axis.
        scale_factor: Or the factors.
        mode: `nearest`, `nearest-exact`, `linear`, `bilinear`, `bicubic` or `area`.
        align_corners: Whether corner elements keep their values (linear modes).
        recompute_scale_factor: Whether factors are worked out from the sizes.
        antialias: Not available.
    """
    if antialias:
        raise NotImplementedError("interpolate: antialias is not available")
    modes = {"linear": 3, "bilinear": 4, "bicubic": 4}
    if mode not in ("nearest", "nearest-exact", "area", *modes):
        raise NotImplementedError(f"interpolate: mode {mode!r} is not available")
    if input.ndim != modes.get(mode, input.ndim):
        raise NotImplementedError(
            f"Got {input.ndim}D input, but {mode} mode needs {modes[mode]}D input"
        )
    sizes, factors = _output_sizes(input, size, scale_factor)
    if mode in modes:
        kept: Any = (
            None if recompute_scale_factor or None in factors else [float(f) for f in factors]
        )
        kind = "bicubic" if mode == "bicubic" else "linear"
        return _ops.interpolate(input, sizes, kind, bool(align_corners), kept)
    if align_corners is not None:
        raise ArgumentError(
            "align_corners option can only be set with the interpolating modes: linear | bilinear "
            "| bicubic"
        )
    if mode == "area":
        from ._pool import adaptive_avg_pool1d, adaptive_avg_pool2d

        pool: Any = adaptive_avg_pool1d if input.ndim == 3 else adaptive_avg_pool2d
        return pool(input, sizes)
    kept = None if recompute_scale_factor or None in factors else [float(f) for f in factors]
    return _ops.interpolate(input, sizes, mode, False, kept)


def upsample(
    input: Tensor, size: Any = None, scale_factor: Any = None, mode: str = "nearest",
    align_corners: bool | None = None,
) -> Tensor:  # fmt: skip
    """Older name of `interpolate`."""
    return interpolate(input, size, scale_factor, mode, align_corners)


def _pairs(value: Any) -> list[int]:
    return [int(v) for v in value] if isinstance(value, (tuple, list)) else [int(value)] * 2


def unfold(
    input: Tensor, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Tensor:
    """The windows of `(N, C, H, W)` as columns: `(N, C·k·k, windows)`."""
    return _ops.im2col(
        input, _pairs(kernel_size), _pairs(dilation), _pairs(padding), _pairs(stride)
    )


def fold(
    input: Tensor, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0,
    stride: Any = 1,
) -> Tensor:  # fmt: skip
    """The sum of columns put back where `unfold` takes them from."""
    return _ops.col2im(
        input, _pairs(output_size), _pairs(kernel_size), _pairs(dilation), _pairs(padding),
        _pairs(stride),
    )  # fmt: skip
