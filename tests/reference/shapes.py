"""Shapes, slices, joining, repetition and padding."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from .model import Array, B, Row, S, V, bools, given, ints, normal

shape = partial(Row, exact=True, types=("float16", "bfloat16", "int32", "bool"))
INT = partial(ints, 0, 99)


def flatten(x: Array, start_dim: int = 0, end_dim: int = -1) -> Array:
    rank = max(x.ndim, 1)
    x = x.reshape(x.shape or (1,))
    first, last = start_dim % rank, end_dim % rank
    joined = math.prod(x.shape[first : last + 1])
    return x.reshape(*x.shape[:first], joined, *x.shape[last + 1 :])


def unflatten(x: Array, dim: int, sizes: Sequence[int]) -> Array:
    dim %= x.ndim
    parts = list(sizes)
    if -1 in parts:
        known = -math.prod(parts)
        parts[parts.index(-1)] = x.shape[dim] // known
    return x.reshape(*x.shape[:dim], *parts, *x.shape[dim + 1 :])


def squeeze(x: Array, dim: Sequence[int] | None = None) -> Array:
    wanted = range(x.ndim) if dim is None else [d % max(x.ndim, 1) for d in dim]
    return x.reshape([n for i, n in enumerate(x.shape) if not (i in wanted and n == 1)])


def expand(x: Array, size: Sequence[int]) -> Array:
    lead = len(size) - x.ndim
    full = [x.shape[i - lead] if n == -1 else n for i, n in enumerate(size)]
    return np.broadcast_to(x, full)


def diagonal(x: Array, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Array:
    return np.diagonal(x, offset, dim1, dim2)


def unfold(x: Array, dimension: int, size: int, step: int) -> Array:
    windows = np.lib.stride_tricks.sliding_window_view(x, size, dimension)
    return windows[(slice(None),) * (dimension % x.ndim) + (slice(None, None, step),)]


def sliced(x: Array, starts: Any, ends: Any, steps: Any) -> Array:
    return x[tuple(slice(a, b, c) for a, b, c in zip(starts, ends, steps, strict=True))]


def ranges(starts: Any, lengths: Any, steps: Any) -> tuple[slice, ...]:
    return tuple(
        slice(a, a + (n - 1) * c + 1 if n else a, c)
        for a, n, c in zip(starts, lengths, steps, strict=True)
    )


def strided_slice(x: Array, starts: Any, lengths: Any, steps: Any) -> Array:
    return x[ranges(starts, lengths, steps)]


def strided_slice_update(x: Array, source: Array, starts: Any, lengths: Any, steps: Any) -> Array:
    out = x.copy()
    out[ranges(starts, lengths, steps)] = source
    return out


def narrow(x: Array, dim: int, start: int, length: int) -> Array:
    return np.take(x, range(start % max(x.shape[dim], 1), start % max(x.shape[dim], 1) + length), dim)


def cat(*tensors: Array, dim: int = 0) -> Array:
    rank = max(t.ndim for t in tensors)
    return np.concatenate([t for t in tensors if t.ndim == rank], dim)


def block_diag(*tensors: Array) -> Array:
    blocks = [np.atleast_2d(t) for t in tensors]
    out = np.zeros([sum(b.shape[i] for b in blocks) for i in range(2)])
    row = column = 0
    for block in blocks:
        out[row : row + block.shape[0], column : column + block.shape[1]] = block
        row, column = row + block.shape[0], column + block.shape[1]
    return out


def meshgrid(*tensors: Array, indexing: str = "ij") -> list[Array]:
    return list(np.meshgrid(*tensors, indexing=indexing))


def cartesian_prod(*tensors: Array) -> Array:
    if len(tensors) == 1:
        return tensors[0]
    return np.stack([g.reshape(-1) for g in np.meshgrid(*tensors, indexing="ij")], -1)


def split(x: Array, sizes: Sequence[int], dim: int = 0) -> list[Array]:
    return np.split(x, np.cumsum(sizes)[:-1], dim)


def chunk(x: Array, chunks: int, dim: int = 0) -> list[Array]:
    each = -(-x.shape[dim] // chunks)
    return np.split(x, range(each, x.shape[dim], each), dim)


def tensor_split(
    x: Array, indices: Sequence[int], sections: int | None = None, dim: int = 0
) -> list[Array]:
    return np.array_split(x, sections if sections is not None else list(indices), dim)


def unbind(x: Array, dim: int = 0) -> list[Array]:
    return list(np.moveaxis(x, dim, 0))


def repeat_interleave(x: Array, repeats: int, dim: int | None = None) -> Array:
    return np.repeat(x, repeats, dim)


def roll(x: Array, shifts: Sequence[int], dims: Sequence[int] = ()) -> Array:
    return np.roll(x, tuple(shifts), tuple(dims)) if dims else np.roll(x, shifts[0])


def diag_embed(x: Array, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Array:
    n = x.shape[-1] + abs(offset)
    out = np.zeros((*x.shape[:-1], n, n), x.dtype)
    i = np.arange(x.shape[-1])
    out[..., i + max(-offset, 0), i + max(offset, 0)] = x
    return np.moveaxis(out, (-2, -1), (dim1, dim2))


MODES = {"constant": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}


def crop(x: Array, pairs: Sequence[tuple[int, int]]) -> Array:
    return x[tuple(slice(max(-a, 0), n - max(-b, 0)) for n, (a, b) in zip(x.shape, pairs, strict=True))]


def pad(x: Array, pad: Sequence[int], mode: str = "constant", value: float = 0.0) -> Array:
    pairs = [(0, 0)] * (x.ndim - len(pad) // 2)
    pairs += [(pad[i], pad[i + 1]) for i in range(len(pad) - 2, -1, -2)]
    x = crop(x, pairs)
    grown = [(max(a, 0), max(b, 0)) for a, b in pairs]
    options = {"constant_values": value} if mode == "constant" else {}
    return np.pad(x, grown, MODES[mode], **options)


def pad_nd(x: Array, pads: Sequence[int], value: float) -> Array:
    pairs = list(zip(pads[::2], pads[1::2], strict=True))
    grown = [(max(a, 0), max(b, 0)) for a, b in pairs]
    return np.pad(crop(x, pairs), grown, constant_values=value)


def reshaped() -> list[Any]:
    return [
        S(normal(B, 4), shape=(B, 2, 2)), S(normal(B, 4), shape=(-1,)), S(normal(2, 6), shape=(3, -1)),
        S(normal(4), shape=(2, 2, 1)), S(normal(), shape=(1, 1)), S(normal(1), shape=()),
        V(INT(2, 3), shape=(6,)), V(bools(2, 2), shape=(4,)), V(normal(0, 4), shape=(2, 0)),
    ]  # fmt: skip


def several(*dims: int) -> list[Any]:
    """Operands for joining, equal except along an axis."""
    return [
        *[S(normal(2, 3), normal(2, 3), dim=dim) for dim in dims],
        S(normal(B, 2), normal(B, 2), normal(B, 2), dim=1),
        S(normal(3), dim=0),
        V(INT(2, 2), INT(2, 2), dim=0),
    ]


ROWS = [
    shape("reshape", lambda x, shape: x.reshape(tuple(shape)), reshaped()),
    shape("view", lambda x, shape: x.reshape(tuple(shape)), reshaped()),
    shape("permute", lambda x, dims: np.transpose(x, dims), [
        S(normal(B, 4), dims=(1, 0)), S(normal(B, 2, 3), dims=(0, 2, 1)), S(normal(2, 3, 4), dims=(-1, 0, 1)),
        S(normal(), dims=()), S(normal(2, 1, 3, 2), dims=(3, 1, 2, 0)), V(INT(2, 3), dims=(1, 0)),
        V(normal(2, 3, 1, 2, 2), dims=(4, 2, 0, 3, 1)), V(normal(0, 3), dims=(1, 0)),
    ]),
    shape("expand", expand, [
        S(normal(B, 1), size=(-1, 4)), S(normal(3), size=(2, 3)), S(normal(), size=(2, 2)),
        S(normal(1, 3), size=(2, 4, 3)), V(INT(2, 1), size=(2, 3)), V(normal(1), size=(0,)),
    ]),
    shape("flatten", flatten, [
        S(normal(B, 2, 3), start_dim=1), S(normal(2, 3)), S(normal()), S(normal(2, 3, 4), end_dim=-2),
        S(normal(2, 3, 2, 2), start_dim=1, end_dim=2), V(normal(0, 3)),
    ]),
    shape("unflatten", unflatten, [
        S(normal(B, 6), dim=1, sizes=(2, 3)), S(normal(6, 2), dim=0, sizes=(-1, 2)), S(normal(2, 4), dim=-1, sizes=(2, 2, 1)),
    ]),
    shape("squeeze", squeeze, [
        S(normal(B, 1, 3), dim=(1,)), S(normal(1, 2, 1)), S(normal(1, 2, 1), dim=(-1,)), S(normal(2, 3), dim=(0,)),
        S(normal(1, 1), dim=(0, 1)), S(normal()),
    ]),
    shape("unsqueeze", lambda x, dim: np.expand_dims(x, dim), [
        S(normal(B, 4), dim=1), S(normal(2), dim=-1), S(normal(), dim=0), S(normal(2, 3), dim=0),
    ]),
    shape("transpose", lambda x, dim0, dim1: np.swapaxes(x, dim0, dim1) if x.ndim else x, [
        S(normal(B, 4), dim0=0, dim1=1), S(normal(B, 2, 3), dim0=1, dim1=-1), S(normal(2, 2, 3), dim0=0, dim1=0),
        S(normal(2, 3, 2, 2), dim0=0, dim1=3),
    ]),
    shape("t", lambda x: x.T, [S(normal(B, 4)), S(normal(3)), S(normal()), V(INT(2, 3))]),
    shape("movedim", lambda x, source, destination: np.moveaxis(x, source, destination), [
        S(normal(B, 2, 4), source=(1,), destination=(2,)), S(normal(2, 3, 4), source=(0, 1), destination=(-1, 0)),
    ]),
    shape("diagonal", diagonal, [
        S(normal(3, 3)), S(normal(2, 4), offset=1), S(normal(4, 2), offset=-1), S(normal(B, 3, 2), dim1=1, dim2=2),
        S(normal(2, 3, 3), dim1=-1, dim2=0), V(normal(2, 2), offset=3),
    ]),
    shape("unfold", unfold, [
        S(normal(B, 7), dimension=1, size=3, step=2), S(normal(5), dimension=0, size=2, step=1),
        S(normal(4, 3), dimension=-2, size=4, step=1), S(normal(2, 6, 2), dimension=1, size=2, step=3),
    ]),
    shape("slice", sliced, [
        S(normal(2, 5), starts=(0, 1), ends=(2, 5), steps=(1, 2)), S(normal(4), starts=(-3,), ends=(9,), steps=(1,)),
        V(normal(3, 3), starts=(2, 0), ends=(1, 3), steps=(1, 1)), S(normal(5, 2), starts=(1, -1), ends=(-1, 2), steps=(2, 1)),
    ]),
    shape("narrow", narrow, [
        S(normal(B, 5), dim=1, start=1, length=3), S(normal(4, 2), dim=0, start=-2, length=2), V(normal(3), dim=0, start=3, length=0),
    ]),
    shape("select", lambda x, dim, index: np.take(x, index, dim), [
        S(normal(B, 4), dim=1, index=2), S(normal(3, 2), dim=0, index=-1), S(normal(3), dim=-1, index=0), S(normal(2, 3, 2), dim=1, index=1),
    ]),
    shape("strided_slice", strided_slice, [
        S(normal(2, 5), starts=(0, 1), lengths=(2, 2), steps=(1, 2)), S(normal(4), starts=(1,), lengths=(3,), steps=(1,)),
        V(normal(4), starts=(1,), lengths=(0,), steps=(1,)),
    ]),
    shape("strided_slice_update", strided_slice_update, [
        S(normal(2, 5), normal(2, 2), starts=(0, 1), lengths=(2, 2), steps=(1, 2)),
        S(normal(4), normal(3), starts=(1,), lengths=(3,), steps=(1,)),
        V(INT(4), INT(2), starts=(0,), lengths=(2,), steps=(2,)),
    ]),
    shape("cat", cat, [*several(0, 1, -1), S(normal(2, 2), normal(2, 3), normal(2, 1), dim=1), S(normal(0), normal(1), dim=0),
        V(normal(0), normal(2, 3), dim=0), V(INT(2), normal(2), dim=0), V(INT(2), bools(2), dim=0)]),
    shape("concat", cat, [*several(0, 1), S(normal(2, 2), normal(2, 3), normal(2, 1), dim=1)]),
    shape("stack", lambda *tensors, dim=0: np.stack(tensors, dim), [*several(0, 1, -1), S(normal(), normal(), dim=0)]),
    shape("hstack", lambda *t: np.hstack(t), [S(normal(B, 2), normal(B, 3)), S(normal(2), normal(3)), S(normal(), normal())]),
    shape("vstack", lambda *t: np.vstack(t), [S(normal(2, 3), normal(1, 3)), S(normal(2), normal(2)), S(normal(), normal())]),
    shape("dstack", lambda *t: np.dstack(t), [S(normal(2, 3), normal(2, 3)), S(normal(2), normal(2)), S(normal(2, 1, 2), normal(2, 1, 1))]),
    shape("column_stack", lambda *t: np.column_stack(t), [S(normal(2), normal(2)), S(normal(2, 3), normal(2))]),
    shape("block_diag", block_diag, [S(normal(2, 3), normal(1, 2)), S(normal(2), normal(), normal(2, 2))]),
    shape("meshgrid", meshgrid, [S(normal(2), normal(3)), S(normal(2), normal(3), indexing="xy"), S(normal(2), normal(2), normal(3))]),
    shape("cartesian_prod", cartesian_prod, [S(normal(2), normal(3)), S(normal(2), normal(2), normal(2)), S(normal(3))]),
    shape("split", split, [S(normal(B, 5), sizes=(2, 3), dim=1), S(normal(4), sizes=(1, 3)), S(normal(2, 6), sizes=(2, 2, 2), dim=-1)]),
    shape("chunk", chunk, [S(normal(B, 5), chunks=2, dim=1), S(normal(7), chunks=3), S(normal(3), chunks=5)]),
    shape("tensor_split", tensor_split, [S(normal(B, 5), indices=(1, 3), dim=1), S(normal(7), indices=(), sections=3), V(normal(4), indices=(2, 9))]),
    shape("unbind", unbind, [S(normal(B, 3), dim=1), S(normal(2, 2)), S(normal(2, 2, 3), dim=-1)]),
    shape("repeat", lambda x, repeats: np.tile(x, repeats), [
        S(normal(B, 2), repeats=(1, 3)), S(normal(2), repeats=(2, 2)), S(normal(), repeats=(3,)), V(normal(2, 2), repeats=(0, 1)),
    ]),
    shape("tile", lambda x, dims: np.tile(x, dims), [S(normal(B, 2), dims=(3,)), S(normal(2), dims=(2, 2))]),
    shape("repeat_interleave", repeat_interleave, [
        S(normal(B, 2), repeats=3, dim=1), S(normal(2, 2), repeats=2), S(normal(2, 3), repeats=2, dim=-2), V(normal(3), repeats=0),
    ]),
    shape("kron", np.kron, [S(normal(2, 2), normal(2, 3)), S(normal(2), normal(3)), S(normal(2, 2), normal(3))], types=("float16",)),
    shape("flip", lambda x, dims: np.flip(x, tuple(dims)), [
        S(normal(B, 4), dims=(1,)), S(normal(2, 3), dims=(0, 1)), S(normal(2, 3, 2), dims=(-1,)), V(INT(4), dims=(0,)), S(normal(2), dims=()),
    ]),
    shape("roll", roll, [
        S(normal(B, 4), shifts=(1,), dims=(1,)), S(normal(2, 3), shifts=(-2,)), S(normal(2, 3), shifts=(1, -1), dims=(0, 1)), S(normal(4), shifts=(9,), dims=(0,)),
    ]),
    shape("rot90", lambda x, k=1, dims=(0, 1): np.rot90(x, k, dims), [
        S(normal(2, 3)), S(normal(2, 3), k=2), S(normal(2, 3), k=-1), S(normal(B, 2, 3), k=3, dims=(1, 2)), S(normal(2, 3), k=4),
    ]),
    shape("tril", lambda x, diagonal=0: np.tril(x, diagonal), [
        S(normal(3, 3)), S(normal(B, 3, 4), diagonal=1), S(normal(4, 2), diagonal=-1), V(INT(3, 3)), V(given([[1.0, math.nan], [1.0, math.inf]])),
    ]),
    shape("triu", lambda x, diagonal=0: np.triu(x, diagonal), [
        S(normal(3, 3)), S(normal(B, 3, 4), diagonal=1), S(normal(4, 2), diagonal=-1), V(INT(3, 3)), V(given([[1.0, 2.0], [math.nan, math.inf]])),
    ]),
    shape("diag_embed", diag_embed, [S(normal(B, 3)), S(normal(2), offset=1), S(normal(2, 2), offset=-1), S(normal(2, 3), dim1=0, dim2=-1)]),
    shape("diag", lambda x, diagonal=0: np.diag(x, diagonal), [S(normal(3)), S(normal(2), diagonal=-1), S(normal(3, 4), diagonal=1), S(normal(3, 3))]),
    shape("diff", lambda x, n=1, dim=-1: np.diff(x, n, dim), [S(normal(B, 4)), S(normal(4, 2), dim=0), S(normal(2, 5), n=2), S(normal(2, 2), n=0)],
        types=("float16", "int32")),
    shape("pad", pad, [
        S(normal(B, 4), pad=(1, 2)), S(normal(2, 3), pad=(1, 0, 2, 1), value=1.5), S(normal(2, 5), pad=(-1, 2)), S(normal(2, 4), pad=(-1, -2)),
        S(normal(B, 2, 4), pad=(2, 1), mode="reflect"), S(normal(1, 2, 3, 4), pad=(2, 1, 1, 2), mode="reflect"),
        S(normal(B, 2, 4), pad=(2, 1), mode="replicate"), S(normal(1, 2, 3, 4), pad=(3, 1, 0, 2), mode="replicate"),
        S(normal(B, 2, 4), pad=(2, 1), mode="circular"), S(normal(1, 1, 3, 4), pad=(2, 1, 1, 2), mode="circular"),
        V(INT(3), pad=(1, 1), value=7.0), V(normal(0), pad=(1, 1)),
    ], types=("float16", "int32")),
    shape("pad_nd", pad_nd, [S(normal(2, 3), pads=(1, 0, 0, 2), value=0.5), S(normal(4), pads=(-1, 2), value=0.0), S(normal(4), pads=(-1, -1), value=0.0)],
        types=("float16", "int32")),
]  # fmt: skip
