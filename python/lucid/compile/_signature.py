"""The key of a call: everything that two calls must share to use one plan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .._native import grad_mode
from .._tensor import Tensor
from ._tree import Spec, flatten

__all__ = ["Call", "Signature", "describe_change", "read_call"]


@dataclass(frozen=True)
class Signature:
    """A call without its tensors' contents.

    Attributes:
        structure: Containers and plain leaves of the arguments, each with type and value.
        tensors: Per tensor leaf (shape, dtype, device, requires_grad); a symbolic leading extent is
            the string ``"B"``. requires_grad counts only while gradients are recorded.
        aliases: For each tensor leaf the position of the first leaf with the same storage.
        grad_mode: Recording, not recording, or inference.
    """

    structure: Spec
    tensors: tuple[tuple[Any, ...], ...]
    aliases: tuple[int, ...]
    grad_mode: int

    def __str__(self) -> str:
        parts = [
            f"{dtype}[{', '.join(map(str, shape))}]".replace("lucid.", "")
            for shape, dtype, _, _ in self.tensors
        ]
        return f"({', '.join(parts)})"


@dataclass
class Call:
    """One call, taken apart."""

    leaves: list[Tensor]
    signature: Signature
    symbolic: tuple[bool, ...]
    batch: int


def read_call(args: tuple[object, ...], kwargs: dict[str, object], dynamic: bool) -> Call:
    """Takes a call apart.

    Raises:
        Unhashable: An argument is neither a tensor nor comparable.
    """
    leaves: list[Tensor] = []
    structure = (
        flatten(args, leaves),
        tuple([(name, flatten(kwargs[name], leaves)) for name in sorted(kwargs)]),
    )
    mode = grad_mode()
    batch = -1
    if dynamic:
        batch = next((leaf.shape[0] for leaf in leaves if len(leaf.shape)), -1)
    symbolic: list[bool] = []
    tensors: list[tuple[Any, ...]] = []
    first: dict[int, int] = {}
    aliases: list[int] = []
    for position, leaf in enumerate(leaves):
        shape = tuple(leaf.shape)
        follows = batch >= 0 and len(shape) > 0 and shape[0] == batch
        symbolic.append(follows)
        if follows:
            shape = ("B", *shape[1:])
        tensors.append(
            (shape, leaf.dtype, leaf.device, leaf._requires_grad if mode == 1 else False)
        )
        aliases.append(first.setdefault(leaf._storage_id, position))
    return Call(
        leaves,
        Signature(structure, tuple(tensors), tuple(aliases), mode),
        tuple(symbolic),
        batch,
    )


def describe_change(new: Signature, known: list[Signature]) -> str:
    """What sets a signature apart from the nearest known one, in one line."""
    if not known:
        return "first call"
    return min((_differences(new, old) for old in known), key=len)[0]


def _differences(new: Signature, old: Signature) -> list[str]:
    found: list[str] = []
    if len(new.tensors) != len(old.tensors):
        found.append(f"tensor arguments: {len(old.tensors)} -> {len(new.tensors)}")
    for position, (now, before) in enumerate(zip(new.tensors, old.tensors, strict=False)):
        found.extend(_tensor_differences(position, now, before))
    if new.aliases != old.aliases:
        found.append("which tensor arguments share memory")
    if new.grad_mode != old.grad_mode:
        words = ("off", "on", "inference")
        found.append(f"grad mode: {words[old.grad_mode]} -> {words[new.grad_mode]}")
    if new.structure != old.structure:
        found.append("plain arguments or their structure")
    return found or ["guarded Python state"]


def _tensor_differences(position: int, now: tuple[Any, ...], before: tuple[Any, ...]) -> list[str]:
    found: list[str] = []
    if len(now[0]) != len(before[0]):
        found.append(f"arg {position} rank: {len(before[0])} -> {len(now[0])}")
    else:
        for axis, (a, b) in enumerate(zip(now[0], before[0], strict=True)):
            if a != b:
                found.append(f"arg {position} dim {axis}: {b} -> {a}")
    for name, index in (("dtype", 1), ("device", 2), ("requires_grad", 3)):
        if now[index] != before[index]:
            found.append(f"arg {position} {name}: {before[index]} -> {now[index]}")
    return found
