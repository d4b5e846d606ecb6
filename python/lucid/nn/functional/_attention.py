"""Attention."""

from __future__ import annotations

from typing import Any

from ... import _ops
from ..._errors import ArgumentError
from ..._tensor import Tensor


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = None,
    dropout_p: float = 0.0, is_causal: bool = False, scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:  # fmt: skip
    """softmax(query @ key.T · scale + attn_mask) @ value.

    Args:
        query: `(…, L, E)`.
        key: `(…, S, E)`.
        value: `(…, S, Ev)`.
        attn_mask: Broadcasts to `(…, L, S)`; bool with True for pairs that may attend, or floats
            that are added.
        dropout_p: The probability with which weights are dropped, whatever the module's mode.
        is_causal: Pair (i, j) may attend if j <= i; excludes `attn_mask`.
        scale: 1 / √E by default.
        enable_gqa: Keys and values may have fewer heads (axis -3) than queries.

    Returns:
        `(…, L, Ev)`. Rows in which no pair may attend are zero.
    """
    if attn_mask is not None and is_causal:
        raise ArgumentError(
            "scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True"
        )
    if enable_gqa:
        heads = query.shape[-3]
        key, value = _spread(key, heads), _spread(value, heads)
    return _ops.scaled_dot_product_attention(
        query, key, value, attn_mask, float(dropout_p), is_causal, scale
    )


def _spread(tensor: Tensor, heads: Any) -> Tensor:
    own = tensor.shape[-3]
    if own == heads:
        return tensor
    if heads % own:
        raise ArgumentError(f"{heads} query heads are no multiple of {own} key and value heads")
    return _ops.repeat_interleave(tensor, heads // own, tensor.ndim - 3)
