"""Normalisation, distances and attention."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from .model import Array, B, Row, S, V, bools, distinct, given, normal, uniform

#: Statistics and their gradients chain sums of rounded terms.
norm = partial(Row, ulps=16, size=2.0)


def standardize(x: Array, dims: Any, eps: float) -> Any:
    axes = tuple(dims)
    mean = np.mean(x, axes, keepdims=True)
    var = np.mean((x - mean) ** 2, axes, keepdims=True)
    return (x - mean) / np.sqrt(var + eps), mean, var


def affine(x: Array, weight: Array | None, bias: Array | None, axis: int | None = None) -> Array:
    """Scales and shifts the last axes, or the channels on one axis."""
    if axis is not None:
        shape = [-1 if i == axis else 1 for i in range(x.ndim)]
        weight = None if weight is None else weight.reshape(shape)
        bias = None if bias is None else bias.reshape(shape)
    return x * (1 if weight is None else weight) + (0 if bias is None else bias)


def layer_norm(
    x: Array, weight: Array | None = None, bias: Array | None = None, *, normalized_shape: Any,
    eps: float = 1e-5,
) -> Array:  # fmt: skip
    axes = range(x.ndim - len(normalized_shape), x.ndim)
    return affine(standardize(x, axes, eps)[0], weight, bias)


def rms_norm(
    x: Array, weight: Array | None = None, *, normalized_shape: Any, eps: float | None = None
) -> Array:
    axes = tuple(range(x.ndim - len(normalized_shape), x.ndim))
    small = float(np.finfo(np.float32).eps) if eps is None else eps
    return affine(x / np.sqrt(np.mean(x * x, axes, keepdims=True) + small), weight, None)


def group_norm(
    x: Array, weight: Array | None = None, bias: Array | None = None, *, num_groups: int,
    eps: float = 1e-5,
) -> Array:  # fmt: skip
    grouped = x.reshape(x.shape[0], num_groups, -1)
    return affine(standardize(grouped, (2,), eps)[0].reshape(x.shape), weight, bias, 1)


def instance_norm(
    x: Array, weight: Array | None = None, bias: Array | None = None, eps: float = 1e-5
) -> Array:
    return affine(standardize(x, range(2, x.ndim), eps)[0], weight, bias, 1)


def channels(x: Array, values: Array) -> Array:
    return values.reshape([-1 if i == 1 else 1 for i in range(x.ndim)])


def batch_norm(
    x: Array, mean: Array, var: Array, weight: Array | None = None, bias: Array | None = None,
    eps: float = 1e-5,
) -> Array:  # fmt: skip
    y = (x - channels(x, mean)) / np.sqrt(channels(x, var) + eps)
    return affine(y, weight, bias, 1)


def batch_norm_batch(
    x: Array, weight: Array | None = None, bias: Array | None = None, eps: float = 1e-5
) -> Any:
    axes = (0, *range(2, x.ndim))
    y, mean, var = standardize(x, axes, eps)
    count = x.size // x.shape[1]
    unbiased = var.reshape(-1) * count / (count - 1)
    return affine(y, weight, bias, 1), mean.reshape(-1), unbiased


def batch_norm_training(
    x: Array, running_mean: Array, running_var: Array, weight: Array | None = None,
    bias: Array | None = None, momentum: float = 0.1, eps: float = 1e-5,
) -> Any:  # fmt: skip
    y, mean, var = batch_norm_batch(x, weight, bias, eps)
    return (
        y,
        (1 - momentum) * running_mean + momentum * mean,
        (1 - momentum) * running_var + momentum * var,
    )


def local_response_norm(
    x: Array, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0
) -> Array:
    out = np.empty(x.shape)
    for c in range(x.shape[1]):
        near = x[:, max(c - size // 2, 0) : c + (size - 1) // 2 + 1]
        out[:, c] = x[:, c] / (k + alpha * np.sum(near**2, 1) / size) ** beta
    return out


def p_norm(x: Array, p: float, axis: Any, keepdims: bool = False) -> Array:
    magnitude = np.abs(x)
    if p == math.inf:
        return np.max(magnitude, axis, keepdims=keepdims)
    if p == 0:
        return np.sum(magnitude != 0, axis, keepdims=keepdims) * 1.0
    return np.sum(magnitude**p, axis, keepdims=keepdims) ** (1 / p)


def normalize(x: Array, p: float = 2.0, dim: Any = (1,), eps: float = 1e-12) -> Array:
    return x / np.maximum(p_norm(x, p, tuple(dim), True), eps)


def cosine_similarity(a: Array, b: Array, dim: int = 1, eps: float = 1e-8) -> Array:
    a, b = np.broadcast_arrays(a, b)
    lengths = np.maximum(p_norm(a, 2, dim), eps) * np.maximum(p_norm(b, 2, dim), eps)
    return np.sum(a * b, dim) / lengths


def pairwise_distance(
    a: Array, b: Array, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False
) -> Array:
    return p_norm(a - b + eps, p, -1, keepdim)


def cdist(a: Array, b: Array, p: float = 2.0) -> Array:
    return p_norm(a[..., :, None, :] - b[..., None, :, :], p, -1)


def scores_to_weights(scores: Array) -> Array:
    """softmax, rows without anything allowed giving zeros."""
    top = np.max(scores, -1, keepdims=True)
    e = np.exp(scores - np.where(np.isfinite(top), top, 0))
    total = np.sum(e, -1, keepdims=True)
    return e / np.where(total == 0, 1, total)


def scaled_dot_product_attention(
    q: Array, k: Array, v: Array, mask: Array | None = None, dropout_p: float = 0.0,
    is_causal: bool = False, scale: float | None = None,
) -> Array:  # fmt: skip
    factor = 1 / math.sqrt(q.shape[-1]) if scale is None else scale
    scores = q @ np.swapaxes(k, -1, -2) * factor
    if is_causal:
        scores = np.where(np.tri(*scores.shape[-2:], dtype=bool), scores, -math.inf)
    if mask is not None:
        scores = np.where(mask, scores, -math.inf) if mask.dtype == bool else scores + mask
    return scores_to_weights(scores) @ v


def attention(
    q: Array, k: Array, v: Array, mask: Array | None = None, *, scale: float, is_causal: bool
) -> Array:
    return scaled_dot_product_attention(q, k, v, mask, 0.0, is_causal, scale)


def attention_gradient(
    q: Array, k: Array, v: Array, gradient: Array, mask: Array | None = None, *, scale: float,
    is_causal: bool,
) -> Any:  # fmt: skip
    """From the product rule; d softmax(s) = p (ds - sum(p ds))."""
    scores = q @ np.swapaxes(k, -1, -2) * scale
    if is_causal:
        scores = np.where(np.tri(*scores.shape[-2:], dtype=bool), scores, -math.inf)
    p = scores_to_weights(scores if mask is None else scores + mask)
    dp = gradient @ np.swapaxes(v, -1, -2)
    ds = p * (dp - np.sum(p * dp, -1, keepdims=True)) * scale
    return ds @ k, np.swapaxes(ds, -1, -2) @ q, np.swapaxes(p, -1, -2) @ gradient


def first_type(dtypes: list[str], settings: dict[str, Any]) -> str:
    return dtypes[0]


def heads(lq: int, lk: int, d: int = 4, dv: int | None = None, batch: Any = B) -> list[Any]:
    return [normal(batch, 2, lq, d), normal(batch, 2, lk, d), normal(batch, 2, lk, dv or d)]


ONE_ROW_BLOCKED = given([[True, False, True, True], [False] * 4, [True] * 4], "bool")
INF = math.inf

ROWS = [
    norm("standardize", standardize, [S(normal(B, 5), dims=(1,), eps=1e-5), S(normal(2, 3, 4), dims=(0, 2), eps=1e-5), S(normal(4, 3), dims=(0,), eps=1e-3)], types=()),
    norm("layer_norm", layer_norm, [
        S(normal(B, 5), normal(5), normal(5), normalized_shape=(5,)), S(normal(2, 3, 4), normal(3, 4), None, normalized_shape=(3, 4)), S(normal(2, 4), None, None, normalized_shape=(4,), eps=1e-3),
        V(normal(3, 512), uniform(0.5, 1.5, 512), normal(512), normalized_shape=(512,)), V(given([[2.0, 2.0, 2.0]]), normalized_shape=(3,)),
        V(normal(0, 4), normal(4), normal(4), normalized_shape=(4,)),
        S(normal(2, 5, 6), normal(6), normal(6), normalized_shape=(6,)),
    ]),
    norm("rms_norm", rms_norm, [S(normal(B, 5), normal(5), normalized_shape=(5,)), S(normal(2, 3, 4), None, normalized_shape=(3, 4), eps=1e-5), V(normal(3, 512), normal(512), normalized_shape=(512,), eps=1e-6)]),
    norm("group_norm", group_norm, [S(normal(B, 4, 3), normal(4), normal(4), num_groups=2), S(normal(2, 6, 2, 2), normal(6), normal(6), num_groups=3), S(normal(2, 4, 3), None, None, num_groups=1), S(normal(2, 4, 3), num_groups=4, eps=1e-3)]),
    norm("instance_norm", instance_norm, [S(normal(B, 2, 5), normal(2), normal(2)), S(normal(2, 3, 2, 2), None, None)]),
    norm("batch_norm", batch_norm, [S(normal(B, 4), normal(4), uniform(0.5, 2, 4), normal(4), normal(4)), S(normal(2, 3, 2, 2), normal(3), uniform(0.5, 2, 3)), S(normal(2, 3, 4), normal(3), uniform(0.5, 2, 3), normal(3), None, eps=1e-3)]),
    norm("batch_norm_training", batch_norm_training, [S(normal(5, 4), normal(4), uniform(0.5, 2, 4), normal(4), normal(4)), S(normal(2, 3, 2, 2), normal(3), uniform(0.5, 2, 3), momentum=0.3), S(normal(4, 3, 2), normal(3), uniform(0.5, 2, 3), normal(3), None, eps=1e-3)], linked=1),
    norm("batch_norm_batch", batch_norm_batch, [S(normal(5, 4), normal(4), normal(4)), S(normal(2, 3, 2, 2)), S(normal(4, 3, 2), normal(3), None, eps=1e-3)], linked=1,
        dtype=lambda dtypes, settings: [dtypes[0], "float32"]),
    norm("local_response_norm", local_response_norm, [S(normal(B, 5, 3), size=3), S(normal(2, 4, 2, 2), size=2, alpha=0.5, beta=0.5, k=2.0)]),
    norm("normalize", normalize, [S(normal(B, 4)), S(normal(2, 3, 2), p=1.0, dim=(2,)), S(normal(2, 3), p=3.0, dim=(0,)), S(normal(2, 3), dim=(0, 1)), V(given([[0.0, 0.0]]), dim=(1,)), S(distinct(2, 3), p=INF)]),
    norm("cosine_similarity", cosine_similarity, [S(normal(B, 4), normal(B, 4)), S(normal(2, 3, 2), normal(2, 3, 2), dim=-1), S(normal(1, 4), normal(3, 4)), V(given([[0.0, 0.0]]), given([[1.0, 2.0]]))]),
    norm("pairwise_distance", pairwise_distance, [S(normal(B, 4), normal(B, 4)), S(normal(2, 3), normal(3), p=1.0, keepdim=True), S(normal(2, 3), normal(2, 3), p=3.0), S(normal(3), normal(3))]),
    norm("cdist", cdist, [S(normal(B, 4), normal(2, 4)), S(normal(2, 3, 2), normal(2, 2, 2), p=1.0), S(normal(2, 3), normal(2, 3), p=3.0), S(normal(3, 2), normal(2, 2), p=INF)], ulps=64),
    # Attention has first derivatives only: its gradient is one kernel.
    norm("scaled_dot_product_attention", scaled_dot_product_attention, [
        S(*heads(3, 4)), S(*heads(4, 4), None, is_causal=True), S(*heads(3, 4), normal(3, 4)), S(*heads(3, 4), ONE_ROW_BLOCKED), S(*heads(2, 3, 4, 5, 2), scale=0.3),
        S(normal(2, 4), normal(3, 4), normal(3, 4)), S(normal(2, 3, 4), normal(2, 3, 4), normal(2, 3, 4), None, is_causal=True), S(*heads(2, 4, batch=1), None, is_causal=True), S(*heads(4, 2, batch=1), None, is_causal=True),
        S(*heads(3, 4, batch=2), bools(2, 1, 3, 4)), V(*heads(65, 70, 16, batch=1)), V(*heads(40, 40, 8, batch=1), None, is_causal=True),
        V(*heads(2, 3, batch=1), given([[0.0, -INF, 1.0], [-INF, -INF, -INF]])),
    ], dtype=first_type, second=False),
    norm("attention", attention, [
        S(*heads(3, 4), scale=0.5, is_causal=False), S(*heads(4, 4), None, scale=0.5, is_causal=True), S(*heads(3, 4), normal(1, 1, 3, 4), scale=0.5, is_causal=False),
    ], types=("float16",), second=False),
    norm("attention_gradient", attention_gradient, [
        V(*heads(3, 4), normal(B, 2, 3, 4), scale=0.5, is_causal=False), V(*heads(4, 4), normal(B, 2, 4, 4), None, scale=0.5, is_causal=True), V(*heads(3, 4), normal(B, 2, 3, 4), normal(1, 2, 3, 4), scale=0.5, is_causal=False),
    ], types=("float16",), gradient=False),
]  # fmt: skip
