"""Multi-head attention."""

from __future__ import annotations

from typing import Any

from .._creation import empty, zeros
from .._tensor import Tensor
from . import functional as F
from . import init
from ._linear import Linear
from ._module import Module
from ._parameter import Parameter


class NonDynamicallyQuantizableLinear(Linear):
    """The output projection of attention."""


class MultiheadAttention(Module):
    """Attention with several heads.

    Args:
        embed_dim: The length of the vectors.
        num_heads: The number of heads; divides `embed_dim`.
        dropout: The probability with which attention weights are dropped in training.
        bias: Whether projections have biases.
        add_bias_kv: Whether a learned key and value are added to the sequence.
        add_zero_attn: Whether a zero key and value are added.
        kdim: The length of keys, `embed_dim` by default.
        vdim: The length of values, `embed_dim` by default.
        batch_first: Whether tensors are `(N, L, E)` instead of `(L, N, E)`.
        device: Where the parameters live.
        dtype: Their type.
    """

    def __init__(
        self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True,
        add_bias_kv: bool = False, add_zero_attn: bool = False, kdim: int | None = None,
        vdim: int | None = None, batch_first: bool = False, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                f"embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and "
                f"num_heads={num_heads} instead"
            )
        if embed_dim % num_heads != 0:
            raise AssertionError("embed_dim must be divisible by num_heads")
        made: dict[str, Any] = {"device": device, "dtype": dtype}
        self.embed_dim = embed_dim
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim = embed_dim // num_heads
        self.add_zero_attn = add_zero_attn
        if self._qkv_same_embed_dim:
            self.in_proj_weight = Parameter(empty(3 * embed_dim, embed_dim, **made))
            for name in ("q_proj_weight", "k_proj_weight", "v_proj_weight"):
                self.register_parameter(name, None)
        else:
            self.q_proj_weight = Parameter(empty(embed_dim, embed_dim, **made))
            self.k_proj_weight = Parameter(empty(embed_dim, self.kdim, **made))
            self.v_proj_weight = Parameter(empty(embed_dim, self.vdim, **made))
            self.register_parameter("in_proj_weight", None)
        if bias:
            self.in_proj_bias = Parameter(empty(3 * embed_dim, **made))
        else:
            self.register_parameter("in_proj_bias", None)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias=bias, **made)
        self.bias_k: Parameter | None = None
        self.bias_v: Parameter | None = None
        if add_bias_kv:
            self.bias_k = Parameter(empty(1, 1, embed_dim, **made))
            self.bias_v = Parameter(empty(1, 1, embed_dim, **made))
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        if self._qkv_same_embed_dim:
            init.xavier_uniform_(self.in_proj_weight)
        else:
            for weight in (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight):
                init.xavier_uniform_(weight)
        if self.in_proj_bias is not None:
            init.zeros_(self.in_proj_bias)
            init.zeros_(self.out_proj.bias)
        if self.bias_k is not None and self.bias_v is not None:
            init.xavier_normal_(self.bias_k)
            init.xavier_normal_(self.bias_v)

    def _projected(self, query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, ...]:
        """Queries, keys and values, `(N, L, E)` each."""
        if not self._qkv_same_embed_dim:
            weights: Any = (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight)
        else:
            if query is key and key is value:
                # Self-attention: one product.
                joined = F.linear(query, self.in_proj_weight, self.in_proj_bias)
                return joined.chunk(3, -1)
            weights = self.in_proj_weight.chunk(3, 0)
        biases: Any = (None,) * 3 if self.in_proj_bias is None else self.in_proj_bias.chunk(3, 0)
        return tuple(
            F.linear(x, w, b) for x, w, b in zip((query, key, value), weights, biases, strict=True)
        )

    def _heads(self, x: Tensor) -> Tensor:
        return x.reshape(x.shape[0], x.shape[1], self.num_heads, self.head_dim).transpose(1, 2)

    def _mask(
        self, attn_mask: Tensor | None, key_padding_mask: Tensor | None, like: Tensor, added: int
    ) -> Tensor | None:
        """One mask to add to the scores, `(N or 1, heads or 1, L, S)`."""
        mask = None
        if attn_mask is not None:
            mask = _additive(attn_mask, like)
            if mask.ndim == 3:
                mask = mask.reshape(-1, self.num_heads, mask.shape[1], mask.shape[2])
        if key_padding_mask is not None:
            padding = _additive(key_padding_mask, like).unsqueeze(1).unsqueeze(1)
            mask = padding if mask is None else mask + padding
        return mask if mask is None or not added else F.pad(mask, (0, added))

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, key_padding_mask: Tensor | None = None,
        need_weights: bool = True, attn_mask: Tensor | None = None,
        average_attn_weights: bool = True, is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:  # fmt: skip
        """Attends.

        Args:
            query: `(L, N, E)`, `(N, L, E)` with batch_first, or `(L, E)`.
            key: `(S, N, kdim)` and so on.
            value: `(S, N, vdim)` and so on.
            key_padding_mask: `(N, S)`; True (or -inf) for keys to leave out.
            need_weights: Whether to return the attention weights; without it is faster.
            attn_mask: `(L, S)` or `(N·heads, L, S)`; True (or -inf) for pairs to leave out.
            average_attn_weights: Whether weights are averaged over heads.
            is_causal: Says that `attn_mask` is the causal mask.

        Returns:
            The result, shaped as the query, and the weights `(N, L, S)` or None.
        """
        if is_causal and attn_mask is None:
            raise RuntimeError("Need attn_mask if specifying the is_causal hint.")
        batched = query.ndim == 3
        same = query is key and key is value
        if not batched:
            query, key, value = (x.unsqueeze(0) for x in (query, key, value))
            if key_padding_mask is not None:
                key_padding_mask = key_padding_mask.unsqueeze(0)
        elif not self.batch_first:
            query, key, value = (x.transpose(0, 1) for x in (query, key, value))
        if same:
            key = value = query
        q, k, v = self._projected(query, key, value)
        added = 0
        batch = q.shape[0]
        if self.bias_k is not None and self.bias_v is not None:
            from .._functions._shape import cat

            k = cat([k, self.bias_k.expand(batch, 1, self.embed_dim)], 1)
            v = cat([v, self.bias_v.expand(batch, 1, self.embed_dim)], 1)
            added += 1
        if self.add_zero_attn:
            from .._functions._shape import cat

            zero = zeros(batch, 1, self.embed_dim, dtype=k.dtype, device=k.device)
            k, v = cat([k, zero], 1), cat([v, zero], 1)
            added += 1
        q, k, v = self._heads(q), self._heads(k), self._heads(v)
        dropped = self.dropout if self.training else 0.0
        weights = None
        if need_weights:
            mask = self._mask(attn_mask, key_padding_mask, q, added)
            scores = (q * self.head_dim**-0.5) @ k.transpose(-2, -1)
            weights = F.softmax(scores if mask is None else scores + mask, -1)
            result = F.dropout(weights, dropped, self.training) @ v
        elif is_causal and key_padding_mask is None and not added:
            result = F.scaled_dot_product_attention(q, k, v, None, dropped, True)
        else:
            mask = self._mask(attn_mask, key_padding_mask, q, added)
            result = F.scaled_dot_product_attention(q, k, v, mask, dropped)
        joined = result.transpose(1, 2).reshape(batch, q.shape[2], self.embed_dim)
        out = self.out_proj(joined)
        if weights is not None and average_attn_weights:
            weights = weights.mean(1)
        if not batched:
            return out.squeeze(0), None if weights is None else weights.squeeze(0)
        return out if self.batch_first else out.transpose(0, 1), weights


def _additive(mask: Tensor, like: Tensor) -> Tensor:
    """A mask to add to scores; True means leaving out."""
    if mask.dtype.is_floating_point:
        return mask.to(like.dtype)
    from .._creation import zeros as make

    return make(mask.shape, dtype=like.dtype, device=like.device).masked_fill(
        mask.bool(), float("-inf")
    )
