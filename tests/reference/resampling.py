"""Rearranging and resampling images."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from .images import spread, windows
from .model import Array, B, Row, S, normal

moving = partial(Row, exact=True)


def pixel_shuffle(x: Array, upscale_factor: int) -> Array:
    r = upscale_factor
    out = np.empty((*x.shape[:-3], x.shape[-3] // r**2, x.shape[-2] * r, x.shape[-1] * r))
    for i in range(r):
        for j in range(r):
            out[..., i::r, j::r] = x[..., i * r + j :: r * r, :, :]
    return out


def pixel_unshuffle(x: Array, downscale_factor: int) -> Array:
    r = downscale_factor
    out = np.empty((*x.shape[:-3], x.shape[-3] * r**2, x.shape[-2] // r, x.shape[-1] // r))
    for i in range(r):
        for j in range(r):
            out[..., i * r + j :: r * r, :, :] = x[..., i::r, j::r]
    return out


def channel_shuffle(x: Array, groups: int) -> Array:
    order = np.arange(x.shape[1]).reshape(groups, -1).T.reshape(-1)
    return x[:, order]


def im2col(
    x: Array, kernel_size: Any, dilation: Any = (1,), padding: Any = (0,), stride: Any = (1,)
) -> Array:
    if x.ndim == 3:
        return im2col(x[None], kernel_size, dilation, padding, stride)[0]
    k, d, p, s = (spread(v, 2) for v in (kernel_size, dilation, padding, stride))
    x = np.pad(x, [(0, 0), (0, 0), (p[0], p[0]), (p[1], p[1])])
    out = [(x.shape[2 + i] - d[i] * (k[i] - 1) - 1) // s[i] + 1 for i in range(2)]
    views = windows(x, k, s, d, out)
    return views.transpose(0, 1, 4, 5, 2, 3).reshape(x.shape[0], -1, math.prod(out))


def col2im(
    x: Array, output_size: Any, kernel_size: Any, dilation: Any = (1,), padding: Any = (0,),
    stride: Any = (1,),
) -> Array:  # fmt: skip
    if x.ndim == 2:
        return col2im(x[None], output_size, kernel_size, dilation, padding, stride)[0]
    k, d, p, s = (spread(v, 2) for v in (kernel_size, dilation, padding, stride))
    size = [output_size[i] + 2 * p[i] for i in range(2)]
    out = [(size[i] - d[i] * (k[i] - 1) - 1) // s[i] + 1 for i in range(2)]
    parts = x.reshape(x.shape[0], -1, *k, *out)
    image = np.zeros((x.shape[0], parts.shape[1], *size))
    for a, b, i, j in np.ndindex(*k, *out):
        image[:, :, a * d[0] + i * s[0], b * d[1] + j * s[1]] += parts[:, :, a, b, i, j]
    return image[:, :, p[0] : size[0] - p[0], p[1] : size[1] - p[1]]


def cubic(t: float) -> float:
    """Keys's kernel with a = -0.75."""
    t, a = abs(t), -0.75
    if t <= 1:
        return (a + 2) * t**3 - (a + 3) * t**2 + 1
    return a * t**3 - 5 * a * t**2 + 8 * a * t - 4 * a if t < 2 else 0.0


def matrix(old: int, new: int, mode: str, align: bool, scale: float | None) -> Array:
    """The weight of each old position in each new one."""
    step = 1 / scale if scale else old / new
    out = np.zeros((new, old))
    for i in range(new):
        if mode == "nearest":
            out[i, min(math.floor(i * step), old - 1)] = 1
        elif mode == "nearest-exact":
            out[i, min(math.floor((i + 0.5) * step), old - 1)] = 1
        else:
            at = i * (old - 1) / max(new - 1, 1) if align else (i + 0.5) * step - 0.5
            if mode == "linear":
                at = max(at, 0)
            base = math.floor(at)
            taps = {0: 1 - (at - base), 1: at - base} if mode == "linear" else {
                k: cubic(at - base - k) for k in (-1, 0, 1, 2)}  # fmt: skip
            for k, weight in taps.items():
                out[i, min(max(base + k, 0), old - 1)] += weight
    return out


def interpolate(
    x: Array, size: Any, mode: str = "nearest", align_corners: bool = False, scales: Any = None
) -> Array:
    for i, new in enumerate(size):
        weights = matrix(x.shape[2 + i], new, mode, align_corners, scales[i] if scales else None)
        x = np.moveaxis(np.tensordot(x, weights, (2 + i, 1)), -1, 2 + i)
    return x


MODES = ("nearest", "nearest-exact", "linear", "bicubic")

ROWS = [
    moving("pixel_shuffle", pixel_shuffle, [S(normal(B, 4, 2, 3), upscale_factor=2), S(normal(9, 1, 2), upscale_factor=3)]),
    moving("pixel_unshuffle", pixel_unshuffle, [S(normal(B, 1, 4, 2), downscale_factor=2), S(normal(2, 3, 3), downscale_factor=3)]),
    moving("channel_shuffle", channel_shuffle, [S(normal(B, 6, 2), groups=3), S(normal(2, 4), groups=2)]),
    moving("im2col", im2col, [S(normal(B, 2, 4, 4), kernel_size=(2,)), S(normal(2, 5, 4), kernel_size=(3, 2), dilation=(1, 2), padding=(1,), stride=(2, 1))]),
    Row("col2im", col2im, [S(normal(B, 8, 9), output_size=(4, 4), kernel_size=(2,)), S(normal(8, 4), output_size=(4, 4), kernel_size=(2, 2), stride=(2,))], ulps=8),
    Row("interpolate", interpolate, [
        S(normal(B, 2, 4, 3), size=(6, 5), mode="linear"),
        *[S(normal(1, 2, 4, 3), size=size, mode=mode) for mode in MODES for size in ((8, 6), (3, 2))],
        *[S(normal(1, 1, 4, 3), size=(7, 5), mode=mode, align_corners=True) for mode in MODES[2:]],
        *[S(normal(2, 1, 5), size=(9,), mode=mode) for mode in MODES[:3]],
        S(normal(1, 1, 4, 4), size=(6, 6), mode="linear", scales=(1.6, 1.6)),
    ], ulps=32, size=2.0),
]  # fmt: skip
