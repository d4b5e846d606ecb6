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


def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """`(*, C·r², H, W)` to `(*, C, H·r, W·r)`."""
    r = upscale_factor
    *lead, channels, height, width = input.shape
    if channels % (r * r) != 0:
        raise ArgumentError(
            f"pixel_shuffle expects its input's 'channel' dimension to be divisible by the square "
            f"of upscale_factor, but input.size(-3)={channels} is not divisible by {r * r}"
        )
    n = len(lead)
    parts = _ops.reshape(input, [*lead, channels // (r * r), r, r, height, width])
    order = [*range(n), n, n + 3, n + 1, n + 4, n + 2]
    return _ops.reshape(
        _ops.permute(parts, order), [*lead, channels // (r * r), height * r, width * r]
    )


def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    """`(*, C, H·r, W·r)` to `(*, C·r², H, W)`."""
    r = downscale_factor
    *lead, channels, height, width = input.shape
    if height % r or width % r:
        raise ArgumentError("pixel_unshuffle expects height and width to be divisible by downscale_factor")
    n = len(lead)
    parts = _ops.reshape(input, [*lead, channels, height // r, r, width // r, r])
    order = [*range(n), n, n + 2, n + 4, n + 1, n + 3]
    return _ops.reshape(
        _ops.permute(parts, order), [*lead, channels * r * r, height // r, width // r]
    )


def channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """Interleaves groups of channels."""
    batch, channels, *rest = input.shape
    if channels % groups:
        raise ArgumentError("Number of channels must be divisible by groups")
    parts = _ops.reshape(input, [batch, groups, channels // groups, *rest])
    return _ops.reshape(_ops.transpose(parts, 1, 2), [batch, channels, *rest])


def _output_sizes(input: Tensor, size: Any, scale_factor: Any) -> tuple[list[int], list[Any]]:
    axes = input.ndim - 2
    extents = [int(n) for n in input.shape[2:]]
    if (size is None) == (scale_factor is None):
        raise ArgumentError("either size or scale_factor should be defined, and not both")
    if size is not None:
        sizes = [size] * axes if isinstance(size, int) else list(size)
        return [int(s) for s in sizes], [None] * axes
    factors = [scale_factor] * axes if isinstance(scale_factor, (int, float)) else list(scale_factor)
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
        mode: `nearest`, `nearest-exact`, `linear`, `bilinear` or `area`.
        align_corners: Whether corner elements keep their values (linear modes).
        recompute_scale_factor: Whether factors are worked out from the sizes.
        antialias: Not available.
    """
    if antialias:
        raise NotImplementedError("interpolate: antialias is not available")
    if mode not in ("nearest", "nearest-exact", "linear", "bilinear", "area"):
        raise NotImplementedError(f"interpolate: mode {mode!r} is not available")
    sizes, factors = _output_sizes(input, size, scale_factor)
    if recompute_scale_factor:
        factors = [None] * len(sizes)
    if mode in ("nearest", "nearest-exact", "area") and align_corners is not None:
        raise ArgumentError(
            "align_corners option can only be set with the interpolating modes: linear | bilinear"
        )
    if mode == "area":
        from ._pool import adaptive_avg_pool1d, adaptive_avg_pool2d

        pool: Any = adaptive_avg_pool1d if input.ndim == 3 else adaptive_avg_pool2d
        return pool(input, sizes)
    result = input
    for i, (wanted, factor) in enumerate(zip(sizes, factors, strict=True)):
        extent = int(input.shape[2 + i])
        if wanted == extent and mode != "nearest-exact":
            continue
        step = 1.0 / factor if factor is not None else extent / wanted
        if mode.startswith("nearest"):
            result = _nearest(result, 2 + i, extent, wanted, step, mode == "nearest-exact")
        else:
            result = _linear(result, 2 + i, extent, wanted, step, bool(align_corners))
    return result


def _index(values: list[int], like: Tensor) -> Tensor:
    return _ops.constant_integers(values).to(like.device)


def _nearest(
    input: Tensor, axis: int, extent: int, wanted: int, step: float, exact: bool
) -> Tensor:
    if not exact and wanted % extent == 0 and step == extent / wanted:
        return _ops.repeat_interleave(input, wanted // extent, axis)
    half = 0.5 if exact else 0.0
    places = [min(math.floor((i + half) * step), extent - 1) for i in range(wanted)]
    return _ops.index_select(input, _index(places, input), axis)


def _linear(
    input: Tensor, axis: int, extent: int, wanted: int, step: float, align: bool
) -> Tensor:
    if align:
        step = (extent - 1) / (wanted - 1) if wanted > 1 else 0.0
        places = [i * step for i in range(wanted)]
    else:
        places = [max((i + 0.5) * step - 0.5, 0.0) for i in range(wanted)]
    low = [min(math.floor(p), extent - 1) for p in places]
    high = [min(n + 1, extent - 1) for n in low]
    shape = [wanted if i == axis else 1 for i in range(input.ndim)]
    shares = _ops.constant_floats([p - n for p, n in zip(places, low, strict=True)])
    weight = _ops.reshape(_ops.cast(shares, input.dtype), shape).to(input.device)
    below = _ops.index_select(input, _index(low, input), axis)
    above = _ops.index_select(input, _index(high, input), axis)
    return below * (1 - weight) + above * weight


def upsample(
    input: Tensor, size: Any = None, scale_factor: Any = None, mode: str = "nearest",
    align_corners: bool | None = None,
) -> Tensor:  # fmt: skip
    """Older name of `interpolate`."""
    return interpolate(input, size, scale_factor, mode, align_corners)
