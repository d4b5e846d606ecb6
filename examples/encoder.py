"""A pre-trained sentence encoder, compiled once per padded length for every batch size."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
from bert import load

import lucid

DATA = Path(__file__).parent / "data"
TOLERANCE = 1e-5


def batches(lengths: list[int]) -> list[list[int]]:
    """Sentence numbers in batches of 1 to 16, sorted by length so that padding is short."""
    order = sorted(range(len(lengths)), key=lengths.__getitem__)
    sizes = [1, 2, 3, 5, 8, 11, 14, 16]
    out, start, turn = [], 0, 0
    while start < len(order):
        out.append(order[start : start + sizes[turn % len(sizes)]])
        start += len(out[-1])
        turn += 1
    return out


def padded(rows: list[list[int]], length: int) -> tuple[lucid.Tensor, lucid.Tensor]:
    """Token ids padded to one length, and the mask of the real ones."""
    ids = np.zeros((len(rows), length), np.int64)
    mask = np.zeros((len(rows), length), bool)
    for row, tokens in enumerate(rows):
        ids[row, : len(tokens)] = tokens
        mask[row, : len(tokens)] = True
    return lucid.tensor(ids), lucid.tensor(mask)


def timed(function, *args):
    """The result as an array, and milliseconds."""
    start = time.perf_counter()
    with lucid.no_grad():
        result = function(*args).numpy()
    return result, (time.perf_counter() - start) * 1e3


def main() -> None:
    """Encodes, compares, and shows neighbours and times."""
    model, tokenizer = load()
    compiled = lucid.compile(model, dynamic=True)
    sentences = (DATA / "sentences.txt").read_text(encoding="utf-8").splitlines()
    tokens = [tokenizer.encode(sentence).ids for sentence in sentences]
    recorded = np.load(DATA / "embeddings.npy")
    found = np.zeros_like(recorded)
    lengths_seen: set[int] = set()
    print("batch  length   eager ms   first ms   again ms   executables")
    for members in batches([len(row) for row in tokens]):
        rows = [tokens[i] for i in members]
        length = max(map(len, rows))
        lengths_seen.add(length)
        ids, mask = padded(rows, length)
        eager, eager_ms = timed(model, ids, mask)
        _, first_ms = timed(compiled, ids, mask)
        result, again_ms = timed(compiled, ids, mask)
        check("compiled against eager", result, eager)
        found[members] = result
        executables = compiled.cache_info()["executables"]
        print(
            f"{len(rows):5d}  {length:6d}  {eager_ms:9.2f}  {first_ms:9.2f}  {again_ms:9.2f}"
            f"  {executables:12d}"
        )
    executables = compiled.cache_info()["executables"]
    if executables != len(lengths_seen):
        raise SystemExit(f"{executables} executables for {len(lengths_seen)} padded lengths")
    check("the recorded run", found, recorded)
    batch_and_padding(compiled, tokens, found)
    neighbours(sentences, found)
    print(
        f"{len(sentences)} sentences, {len(lengths_seen)} padded lengths, {executables} executables"
    )


def batch_and_padding(compiled, tokens: list[list[int]], found: np.ndarray) -> None:
    """The same sentence alone, in company and with more padding is the same vector."""
    for i in range(0, len(tokens), 10):
        row = tokens[i]
        alone, _ = timed(compiled, *padded([row], len(row)))
        wide, _ = timed(compiled, *padded([row, tokens[0], row], max(len(row), len(tokens[0])) + 7))
        check("alone", alone[0], found[i])
        check("with more padding", wide[0], found[i])
        check("in another row", wide[2], found[i])


def check(what: str, got: np.ndarray, wanted: np.ndarray) -> None:
    """Stops the demo if numbers differ."""
    worst = float(np.abs(got - wanted).max())
    if not worst < TOLERANCE:
        raise SystemExit(f"{what}: off by {worst:.2e}, allowed {TOLERANCE:.0e}")


def neighbours(sentences: list[str], vectors: np.ndarray) -> None:
    """Prints the nearest sentence to a few."""
    likeness = vectors @ vectors.T
    np.fill_diagonal(likeness, -1)
    for i in (0, 23, 30, 43, 72, 84):
        best = int(likeness[i].argmax())
        print(f"{sentences[i][:58]:58} ~ {likeness[i, best]:.2f}  {sentences[best][:70]}")


if __name__ == "__main__":
    main()
