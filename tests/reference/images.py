"""Convolutions, pooling and resampling, written as loops over windows."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from .model import Array, B, Row, S, V, distinct, given, normal

CONVOLUTION = "a convolution's layout needs the batch"
image = partial(Row, ulps=16, size=8.0, per_shape=CONVOLUTION)


def spread(values: Any, count: int) -> list[int]:
    values = list(values)
    return values * count if len(values) == 1 else values


def windows(x: Array, kernel: Any, stride: Any, dilation: Any, out: Any) -> Array:
    """x[..., o·stride + k·dilation] as (..., out axes, kernel axes)."""
    n = len(kernel)
    lead = x.shape[: x.ndim - n]
    result = np.empty((*lead, *out, *kernel))
    for k in np.ndindex(*kernel):
        at = tuple(
            slice(k[i] * dilation[i], k[i] * dilation[i] + (out[i] - 1) * stride[i] + 1, stride[i])
            for i in range(n)
        )
        result[(..., *(slice(None),) * n, *k)] = x[(..., *at)]
    return result


def edges(padding: Any, n: int) -> list[tuple[int, int]]:
    padding = list(padding)
    if (len(padding) == 2 * n and n > 1) or (n == 1 and len(padding) == 2):
        return [(padding[2 * i], padding[2 * i + 1]) for i in range(n)]
    return [(p, p) for p in spread(padding, n)]


def convolution(n: int) -> Callable[..., Array]:
    def function(
        x: Array, w: Array, bias: Array | None = None, stride: Any = (1,), padding: Any = (0,),
        dilation: Any = (1,), groups: int = 1,
    ) -> Array:  # fmt: skip
        if x.ndim == n + 1:
            return function(x[None], w, bias, stride, padding, dilation, groups)[0]
        stride, dilation = spread(stride, n), spread(dilation, n)
        x = np.pad(x, [(0, 0), (0, 0), *edges(padding, n)])
        kernel = w.shape[2:]
        out = [(x.shape[2 + i] - dilation[i] * (kernel[i] - 1) - 1) // stride[i] + 1 for i in range(n)]
        views = windows(x, kernel, stride, dilation, out)
        parts = [
            np.tensordot(v, f, ([1, *range(2 + n, 2 + 2 * n)], [1, *range(2, 2 + n)]))
            for v, f in zip(np.split(views, groups, 1), np.split(w, groups, 0), strict=True)
        ]
        y = np.moveaxis(np.concatenate(parts, -1), -1, 1)
        return y if bias is None else y + bias.reshape(-1, *[1] * n)

    return function


def transposed(n: int) -> Callable[..., Array]:
    def function(
        x: Array, w: Array, bias: Array | None = None, stride: Any = (1,), padding: Any = (0,),
        output_padding: Any = (0,), groups: int = 1, dilation: Any = (1,),
    ) -> Array:  # fmt: skip
        if x.ndim == n + 1:
            return function(x[None], w, bias, stride, padding, output_padding, groups, dilation)[0]
        stride, dilation, padding = spread(stride, n), spread(dilation, n), spread(padding, n)
        extra = spread(output_padding, n)
        kernel, each = w.shape[2:], w.shape[1]
        full = [
            (x.shape[2 + i] - 1) * stride[i] + dilation[i] * (kernel[i] - 1) + 1 + extra[i]
            for i in range(n)
        ]
        y = np.zeros((x.shape[0], each * groups, *full))
        for g, (part, f) in enumerate(zip(np.split(x, groups, 1), np.split(w, groups, 0), strict=True)):
            for place in np.ndindex(*x.shape[2:]):
                for k in np.ndindex(*kernel):
                    at = tuple(place[i] * stride[i] + k[i] * dilation[i] for i in range(n))
                    y[(slice(None), slice(g * each, (g + 1) * each), *at)] += (
                        part[(..., *place)] @ f[(..., *k)]
                    )
        cropped = y[(..., *(slice(padding[i], full[i] - padding[i]) for i in range(n)))]
        return cropped if bias is None else cropped + bias.reshape(-1, *[1] * n)

    return function


def core(x: Array, w: Array, stride: Any, padding: Any, dilation: Any, groups: int) -> Array:
    return convolution(2)(x, w, None, stride, padding, dilation, groups)


def linear_transpose(function: Callable[[Array], Array], shape: Any, gradient: Array) -> Array:
    """The gradient of a linear function, from what it does to each unit."""
    out = np.zeros(shape)
    for place in np.ndindex(*shape):
        unit = np.zeros(shape)
        unit[place] = 1
        out[place] = np.sum(function(unit) * gradient)
    return out


def conv2d_input_gradient(
    gradient: Array, w: Array, stride: Any, padding: Any, dilation: Any, groups: int, input_size: Any
) -> Array:
    return linear_transpose(
        lambda x: core(x, w, stride, padding, dilation, groups), input_size, gradient
    )


def conv2d_weight_gradient(
    gradient: Array, x: Array, stride: Any, padding: Any, dilation: Any, groups: int, weight_size: Any
) -> Array:
    return linear_transpose(
        lambda w: core(x, w, stride, padding, dilation, groups), weight_size, gradient
    )


def pooled_extent(n: int, kernel: int, stride: int, pads: Any, dilation: int, ceil: bool) -> int:
    span = n + pads[0] + pads[1] - dilation * (kernel - 1) - 1
    count = (-(-span // stride) if ceil else span // stride) + 1
    if ceil and (count - 1) * stride >= n + pads[0]:
        count -= 1  # the last window must start inside the input or its left padding
    return count


def pool_windows(
    x: Array, n: int, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil: bool, fill: float
) -> Array:
    """(..., out axes, kernel axes), `fill` outside of the input."""
    kernel = spread(kernel, n)
    stride = spread(stride, n) if stride else kernel
    dilation, pads = spread(dilation, n), [(p, p) for p in spread(padding, n)]
    out = [
        pooled_extent(x.shape[x.ndim - n + i], kernel[i], stride[i], pads[i], dilation[i], ceil)
        for i in range(n)
    ]
    needed = [(out[i] - 1) * stride[i] + dilation[i] * (kernel[i] - 1) + 1 for i in range(n)]
    grown = [
        (pads[i][0], max(needed[i] - x.shape[x.ndim - n + i] - pads[i][0], 0)) for i in range(n)
    ]
    x = np.pad(x, [(0, 0)] * (x.ndim - n) + grown, constant_values=fill)
    return windows(x, kernel, stride, dilation, out)


def last(n: int) -> tuple[int, ...]:
    return tuple(range(-n, 0))


def max_pool(n: int, with_indices: bool) -> Callable[..., Any]:
    def function(
        x: Array, kernel_size: Any, stride: Any = None, padding: Any = (0,), dilation: Any = (1,),
        ceil_mode: bool = False,
    ) -> Any:  # fmt: skip
        args = (n, kernel_size, stride, padding, dilation, ceil_mode)
        views = pool_windows(x, *args, -math.inf)
        flat = views.reshape(*views.shape[:-n], -1)
        best = np.argmax(flat, -1)
        values = np.take_along_axis(flat, best[..., None], -1)[..., 0]
        if not with_indices:
            return values
        places = np.arange(math.prod(x.shape[-n:])).reshape(x.shape[-n:])
        where = pool_windows(np.broadcast_to(places, x.shape) * 1.0, *args, 0)
        where = where.reshape(flat.shape)
        return values, np.take_along_axis(where, best[..., None], -1)[..., 0]

    return function


def avg_pool(n: int) -> Callable[..., Array]:
    def function(
        x: Array, kernel_size: Any, stride: Any = None, padding: Any = (0,), ceil_mode: bool = False,
        count_include_pad: bool = True, divisor_override: int | None = None,
    ) -> Array:  # fmt: skip
        pads = spread(padding, n)
        total = pool_windows(x, n, kernel_size, stride, padding, (1,), ceil_mode, 0).sum(last(n))
        if divisor_override is not None:
            return total / divisor_override
        # What ceil_mode adds beyond the padding never counts.
        counted = np.ones(x.shape[-n:])
        if count_include_pad:
            counted = np.pad(counted, [(p, p) for p in pads], constant_values=1)
            pad = [0] * n
        else:
            pad = pads
        kernel = spread(kernel_size, n)
        stride_ = spread(stride, n) if stride else kernel
        out = total.shape[-n:]
        needed = [(out[i] - 1) * stride_[i] + kernel[i] for i in range(n)]
        counted = np.pad(
            counted,
            [(pad[i], max(needed[i] - counted.shape[i] - pad[i], 0)) for i in range(n)],
        )
        return total / windows(counted, kernel, stride_, [1] * n, out).sum(last(n))

    return function


def lp_pool(n: int) -> Callable[..., Array]:
    def function(
        x: Array, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
    ) -> Array:
        views = pool_windows(x, n, kernel_size, stride, (0,), (1,), ceil_mode, 0)
        return np.sum(views**norm_type, last(n)) ** (1 / norm_type)

    return function


def adaptive(n: int, reduce: Callable[..., Array]) -> Callable[..., Array]:
    def function(x: Array, output_size: Any) -> Array:
        lead = x.ndim - n
        sizes = [
            x.shape[lead + i] if s == -1 else s for i, s in enumerate(spread(output_size, n))
        ]
        out = np.empty((*x.shape[:lead], *sizes))
        for place in np.ndindex(*sizes):
            at = tuple(
                slice(p * e // s, -(-(p + 1) * e // s))
                for p, s, e in zip(place, sizes, x.shape[lead:], strict=True)
            )
            out[(..., *place)] = reduce(x[(..., *at)], last(n))
        return out

    return function


def asymmetric(x: Array, padding: Any, fill: float) -> Array:
    top, bottom, left, right = padding
    return np.pad(x, [(0, 0), (0, 0), (top, bottom), (left, right)], constant_values=fill)


def core_windows(x: Array, kernel: Any, stride: Any, padding: Any, dilation: Any, fill: float) -> Array:
    return pool_windows(asymmetric(x, padding, fill), 2, kernel, stride, (0,), dilation, False, fill)


def max_pool2d_core(x: Array, kernel: Any, stride: Any, padding: Any, dilation: Any) -> Array:
    return core_windows(x, kernel, stride, padding, dilation, -math.inf).max((-2, -1))


def max_pool2d_indices(x: Array, kernel: Any, stride: Any, padding: Any, dilation: Any) -> Array:
    views = core_windows(x, kernel, stride, padding, dilation, -math.inf)
    places = np.broadcast_to(np.arange(x.shape[2] * x.shape[3]).reshape(x.shape[2:]), x.shape)
    where = core_windows(places * 1.0, kernel, stride, padding, dilation, 0)
    best = np.argmax(views.reshape(*views.shape[:4], -1), -1)
    return np.take_along_axis(where.reshape(*where.shape[:4], -1), best[..., None], -1)[..., 0]


def avg_pool2d_core(x: Array, kernel: Any, stride: Any, padding: Any, dilation: Any) -> Array:
    return core_windows(x, kernel, stride, padding, dilation, 0).mean((-2, -1))


def max_pool2d_gradient(
    gradient: Array, x: Array, kernel: Any, stride: Any, padding: Any, dilation: Any
) -> Array:
    where = max_pool2d_indices(x, kernel, stride, padding, dilation).astype(int)
    out = np.zeros(x.shape)
    for place in np.ndindex(*gradient.shape):
        n, c = place[:2]
        out[n, c].reshape(-1)[where[place]] += gradient[place]
    return out


def avg_pool2d_gradient(
    gradient: Array, x: Array, kernel: Any, stride: Any, padding: Any, dilation: Any
) -> Array:
    return linear_transpose(
        lambda x: avg_pool2d_core(x, kernel, stride, padding, dilation), x.shape, gradient
    )


WHOLE: dict[str, Any] = {"kernel": (2, 2), "stride": (2, 2), "padding": (0, 0, 0, 0), "dilation": (1, 1)}
MIXED: dict[str, Any] = {"kernel": (3, 2), "stride": (1, 2), "padding": (1, 0, 1, 1), "dilation": (1, 1)}
CONV: dict[str, Any] = {"stride": (1, 1), "padding": (0, 0, 0, 0), "dilation": (1, 1), "groups": 1}
CONV2: dict[str, Any] = {"stride": (2, 1), "padding": (1, 0, 1, 2), "dilation": (1, 2), "groups": 2}
KNOWN = [given([[[7.0, 3.0]], [[3.0, 2.0]]]), given([[[3.0, 6.0]], [[4.0, 2.0]]])]


def pool_samples(n: int, kind: Any, **names: Any) -> list[Any]:
    shape = (6, 5)[:n]
    return [
        S(kind(B, 2, *shape), **names),
        S(kind(2, *shape), **names),
        S(kind(1, 1, *shape), stride=(1,), **names),
        S(kind(1, 2, *shape), padding=(1,), stride=(2,), **names),
        S(kind(1, 1, *(7, 7)[:n]), stride=(3,), ceil_mode=True, **names),
        S(kind(1, 1, *(5, 4)[:n]), stride=(2,), padding=(1,), ceil_mode=True, **names),
    ]


max_types = {"types": ("float16",), "exact": True, "per_shape": None}
with_index = {**max_types, "dtype": lambda dtypes, settings: [dtypes[0], "int64"]}

ROWS = [
    image("conv1d", convolution(1), [
        S(normal(B, 2, 6), normal(3, 2, 3), normal(3)), S(*KNOWN, stride=(2,), padding=(1,), dilation=(2,)), S(normal(2, 4, 5), normal(4, 1, 2), None, groups=4), S(normal(2, 6), normal(3, 2, 3), normal(3), padding=(1,)),
        S(normal(1, 2, 6), normal(2, 2, 2), padding=(1, 0)), V(normal(0, 2, 6), normal(3, 2, 3)),
    ]),
    image("conv2d", convolution(2), [
        S(normal(B, 2, 5, 4), normal(3, 2, 3, 3), normal(3)), S(normal(1, 4, 5, 5), normal(6, 2, 3, 2), normal(6), stride=(2, 1), padding=(1, 2), dilation=(1, 2), groups=2),
        S(normal(2, 3, 4, 4), normal(3, 1, 3, 3), None, groups=3, padding=(1,)), S(normal(2, 3, 3), normal(4, 2, 1, 1), normal(4)), S(normal(1, 1, 4, 4), normal(1, 1, 2, 2), padding=(1, 0, 0, 1)),
        S(normal(1, 8, 3, 3), normal(8, 1, 3, 3), None, groups=8, padding=(1,)), V(normal(2, 16, 12, 12), normal(24, 16, 3, 3), normal(24), padding=(1,)), V(normal(2, 3, 17, 17), normal(16, 3, 7, 7), stride=(2,), padding=(3,)),
    ]),
    image("conv_transpose1d", transposed(1), [
        S(normal(B, 2, 4), normal(2, 3, 3), normal(3)), S(normal(1, 4, 3), normal(4, 2, 2), None, stride=(3,), padding=(1,), output_padding=(1,), groups=2, dilation=(2,)), S(normal(1, 1, 2), normal(1, 1, 1), stride=(2,)), S(normal(2, 4), normal(2, 1, 3)),
    ]),
    image("conv_transpose2d", transposed(2), [
        S(normal(B, 2, 3, 3), normal(2, 2, 2, 2), normal(2)), S(normal(1, 4, 2, 3), normal(4, 1, 3, 2), None, stride=(2, 3), padding=(1, 0), output_padding=(1, 2), groups=2, dilation=(2, 1)), S(normal(2, 2, 2), normal(2, 3, 3, 3), normal(3), stride=(2,), padding=(1,)),
    ]),
    image("conv2d_core", core, [S(normal(2, 2, 4, 4), normal(3, 2, 2, 2), **CONV), S(normal(1, 4, 4, 5), normal(2, 2, 3, 2), **CONV2)]),
    image("conv2d_input_gradient", conv2d_input_gradient, [
        S(normal(2, 3, 3, 3), normal(3, 2, 2, 2), **CONV, input_size=(2, 2, 4, 4)), S(normal(1, 2, 2, 6), normal(2, 2, 3, 2), **CONV2, input_size=(1, 4, 4, 5)),
    ], second=False),
    image("conv2d_weight_gradient", conv2d_weight_gradient, [
        S(normal(2, 3, 3, 3), normal(2, 2, 4, 4), **CONV, weight_size=(3, 2, 2, 2)), S(normal(1, 2, 2, 6), normal(1, 4, 4, 5), **CONV2, weight_size=(2, 2, 3, 2)),
    ], second=False),
    *[
        image(f"max_pool{n}d{suffix}", max_pool(n, bool(suffix)), [
            *pool_samples(n, distinct, kernel_size=(2,)), S(distinct(1, 2, *(7, 7)[:n]), kernel_size=(3,), stride=(2,), dilation=(2,)), V(given(np.ones((1, 1, *(4, 4)[:n]))), kernel_size=(2,)),
            V(given(np.where(np.arange(4**n) == 5 % 4**n, np.nan, 1.0).reshape(1, 1, *(4, 4)[:n])), kernel_size=(2,)) if not suffix else S(distinct(1, 1, *(4, 4)[:n]), kernel_size=(3,), padding=(1,)),
        ], **(with_index if suffix else max_types))
        for n in (1, 2) for suffix in ("", "_with_indices")
    ],
    *[image(f"avg_pool{n}d", avg_pool(n), [
        *pool_samples(n, normal, kernel_size=(2,)), S(normal(1, 1, *(5, 5)[:n]), kernel_size=(3,), stride=(2,), padding=(1,), count_include_pad=False), S(normal(1, 1, *(5, 5)[:n]), kernel_size=(2,), ceil_mode=True, count_include_pad=False),
        S(normal(1, 1, *(4, 4)[:n]), kernel_size=(2,), divisor_override=3),
    ], per_shape=None) for n in (1, 2)],
    *[image(f"lp_pool{n}d", lp_pool(n), [
        S(normal(B, 2, *(6, 5)[:n]), norm_type=2.0, kernel_size=(2,)), S(normal(1, 1, *(5, 5)[:n]), norm_type=2.0, kernel_size=(3,), stride=(1,)),
    ], per_shape=None) for n in (1, 2)],
    *[image(f"adaptive_avg_pool{n}d", adaptive(n, np.mean), [
        S(normal(B, 2, *(6, 5)[:n]), output_size=(3,)), S(normal(2, *(6, 5)[:n]), output_size=(4, 3)[:n]), S(normal(1, 2, *(6, 5)[:n]), output_size=(1,)), S(normal(1, 1, *(6, 5)[:n]), output_size=(-1, 2)[:n]), S(normal(1, 1, *(2, 3)[:n]), output_size=(5,)),
    ], per_shape=None) for n in (1, 2)],
    *[image(f"adaptive_max_pool{n}d", adaptive(n, np.max), [
        S(distinct(B, 2, *(6, 5)[:n]), output_size=(3,)), S(distinct(2, *(6, 5)[:n]), output_size=(4, 3)[:n]), S(distinct(1, 1, *(2, 3)[:n]), output_size=(5,)),
    ], **max_types) for n in (1, 2)],
    image("max_pool2d_core", max_pool2d_core, [S(distinct(2, 1, 4, 4), **WHOLE), S(distinct(1, 2, 4, 5), **MIXED)], **max_types),
    image("max_pool2d_indices", max_pool2d_indices, [V(distinct(2, 1, 4, 4), **WHOLE), V(distinct(1, 2, 4, 5), **MIXED)], **{**max_types, "dtype": "int64", "gradient": False}),
    image("avg_pool2d_core", avg_pool2d_core, [S(normal(2, 1, 4, 4), **WHOLE), S(normal(1, 2, 4, 5), **MIXED)], per_shape=None),
    image("max_pool2d_gradient", max_pool2d_gradient, [V(normal(2, 1, 2, 2), distinct(2, 1, 4, 4), **WHOLE), V(normal(1, 2, 3, 3), distinct(1, 2, 4, 5), **MIXED)], per_shape=None, types=("float16",), gradient=False),
    image("avg_pool2d_gradient", avg_pool2d_gradient, [V(normal(2, 1, 2, 2), normal(2, 1, 4, 4), **WHOLE), V(normal(1, 2, 3, 3), normal(1, 2, 4, 5), **MIXED)], per_shape=None, gradient=False),
]  # fmt: skip
