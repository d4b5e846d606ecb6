"""The numbers all frameworks share: model sizes, parameters and inputs, in NumPy.

Every framework computes the same functions of the same values; layouts are PyTorch's (weights
``(out, in)``, images NCHW, heads before positions).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

RING = 8
Array = np.ndarray


@dataclass(frozen=True)
class Sizes:
    """Sizes of the workloads; :meth:`drawn` varies them at random."""

    mlp: tuple[int, ...] = (784, 512, 256, 10)
    mlp_batch: int = 64
    width: int = 256
    heads: int = 4
    inner: int = 1024
    length: int = 128
    tf_batch: int = 8
    blocks: int = 2
    attention: tuple[int, int, int, int] = (4, 8, 512, 64)
    channels: tuple[tuple[int, int, int], ...] = (
        (3, 32, 1), (32, 64, 2), (64, 64, 1), (64, 128, 2), (128, 128, 1),
    )  # fmt: skip
    image: int = 32
    cnn_batch: int = 32
    points: int = 1 << 20
    rows: tuple[int, int] = (2048, 1024)
    sweep: int = 64
    deep: int = 12
    deep_length: int = 32
    seed: int = 0
    classes: int = field(default=10, init=False)

    @staticmethod
    def drawn(seed: int) -> Sizes:
        """Odd batches, widths, lengths and heads around the listed ones."""
        rng = np.random.default_rng(seed)

        def near(value: int, low: float = 0.6, high: float = 1.3) -> int:
            return int(value * rng.uniform(low, high)) | 1

        heads = int(rng.integers(2, 8))
        head = int(rng.integers(20, 80))
        return Sizes(
            mlp=(near(784), near(512), near(256), 10),
            mlp_batch=near(64),
            width=heads * head,
            heads=heads,
            inner=near(4 * heads * head),
            length=near(128),
            tf_batch=near(8),
            attention=(near(4), near(8), near(512), int(rng.integers(16, 48)) * 2),
            image=near(32),
            cnn_batch=near(32),
            points=near(1 << 20),
            rows=(near(2048), near(1024)),
            seed=seed,
        )


class Data:
    """Parameters and inputs for given sizes, the same in every process."""

    def __init__(self, sizes: Sizes) -> None:
        self.sizes = sizes
        self.rng = np.random.default_rng(sizes.seed)

    def normal(self, *shape: int, scale: float = 1.0) -> Array:
        """Normally distributed float32."""
        return (self.rng.standard_normal(shape) * scale).astype(np.float32)

    def ring(self, *shape: int) -> list[Array]:
        """Fresh inputs for calls that take turns."""
        return [self.normal(*shape) for _ in range(RING)]

    def labels(self, count: int) -> list[Array]:
        """Class labels, int64."""
        return [self.rng.integers(0, self.sizes.classes, count) for _ in range(RING)]

    def mlp(self) -> list[tuple[Array, Array]]:
        """Weights and biases of the layers."""
        return [
            (self.normal(o, i, scale=i**-0.5), self.normal(o, scale=0.01))
            for i, o in pairwise(self.sizes.mlp)
        ]

    def block(self) -> dict[str, Array]:
        """One pre-norm transformer block, by the names of the module below."""
        d, inner = self.sizes.width, self.sizes.inner
        return {
            "norm1.weight": np.ones(d, np.float32),
            "norm1.bias": np.zeros(d, np.float32),
            "qkv.weight": self.normal(3 * d, d, scale=d**-0.5),
            "qkv.bias": self.normal(3 * d, scale=0.01),
            "out.weight": self.normal(d, d, scale=d**-0.5),
            "out.bias": self.normal(d, scale=0.01),
            "norm2.weight": np.ones(d, np.float32),
            "norm2.bias": np.zeros(d, np.float32),
            "up.weight": self.normal(inner, d, scale=d**-0.5),
            "up.bias": self.normal(inner, scale=0.01),
            "down.weight": self.normal(d, inner, scale=inner**-0.5),
            "down.bias": self.normal(d, scale=0.01),
        }

    def blocks(self, count: int) -> list[dict[str, Array]]:
        """Parameters of a stack of blocks."""
        return [self.block() for _ in range(count)]

    def convolutions(self) -> list[Array]:
        """Weights of the 3x3 convolutions."""
        return [self.normal(o, i, 3, 3, scale=(9 * i) ** -0.5) for i, o, _ in self.sizes.channels]

    def head(self) -> tuple[Array, Array]:
        """The classifier after the convolutions."""
        last = self.sizes.channels[-1][1]
        return self.normal(self.sizes.classes, last, scale=0.1), self.normal(
            self.sizes.classes, scale=0.01
        )
