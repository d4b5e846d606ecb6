"""Random numbers.

A generator is a seed and a count of draws; a draw is a function of both and of its position, so
equal seeds give equal numbers, eagerly and compiled, whatever runs in between.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from . import _dtype, _native, _ops
from ._creation import _finish, full_like, size_of, tensor
from ._device import as_device
from ._dtype import as_dtype, int64, uint8
from ._errors import ArgumentError
from ._tensor import Tensor

_SEED_MASK = (1 << 63) - 1


class Generator:
    """A stream of random numbers.

    Args:
        device: No effect: the numbers are the same everywhere.
    """

    def __init__(self, device: Any = None) -> None:
        self.device = as_device(device)
        self._handle = _native.GeneratorHandle(67280421310721)

    def manual_seed(self, seed: int) -> Generator:
        """Starts the stream anew from a seed."""
        self._handle.set(_as_seed(seed), 0)
        return self

    def seed(self) -> int:
        """Starts the stream anew from a seed of the system, which is returned."""
        value = int.from_bytes(os.urandom(8), "little") & _SEED_MASK
        self.manual_seed(value)
        return value

    def initial_seed(self) -> int:
        """The seed that the stream started from."""
        return self._handle.get()[0]

    def get_state(self) -> Tensor:
        """The state as 16 bytes."""
        seed, offset = self._handle.get()
        return tensor(np.array([seed, offset], "<i8").view(np.uint8))

    def set_state(self, new_state: Tensor) -> Generator:
        """Restores what `get_state` gave."""
        if new_state.dtype is not uint8 or new_state.numel() != 16:
            raise TypeError("expected a state of 16 bytes, as get_state gives")
        seed, offset = np.frombuffer(bytes(new_state.tolist()), "<i8").tolist()
        self._handle.set(seed, offset)
        return self


def _as_seed(seed: int) -> int:
    value = int(seed)
    if not -(1 << 63) <= value < 1 << 64:
        raise RuntimeError("Overflow when unpacking long")
    return value - (1 << 64) if value >= 1 << 63 else value


default_generator = Generator.__new__(Generator)
default_generator.device = as_device("cpu")
default_generator._handle = _native.GeneratorHandle(None)


def manual_seed(seed: int) -> Generator:
    """Seeds the default generator and returns it."""
    return default_generator.manual_seed(seed)


def seed() -> int:
    """Seeds the default generator from the system and returns the seed."""
    return default_generator.seed()


def initial_seed() -> int:
    """The seed of the default generator."""
    return default_generator.initial_seed()


def get_rng_state() -> Tensor:
    """The state of the default generator."""
    return default_generator.get_state()


def set_rng_state(new_state: Tensor) -> None:
    """Restores the state of the default generator."""
    default_generator.set_state(new_state)


@contextmanager
def fork_rng() -> Iterator[None]:
    """Restores the default generator's state at the end."""
    state = default_generator._handle.get()
    try:
        yield
    finally:
        default_generator._handle.set(*state)


@contextmanager
def _drawing_from(generator: Generator | None) -> Iterator[None]:
    if generator is None or generator is default_generator:
        yield
        return
    generator._handle.use()
    try:
        yield
    finally:
        _native.use_default_generator()


def _kind(dtype: Any) -> Any:
    return _dtype.get_default_dtype() if dtype is None else as_dtype(dtype)


def rand(
    *args: Any, size: Any = None, generator: Generator | None = None, dtype: Any = None,
    device: Any = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """Uniform numbers in [0, 1)."""
    with _drawing_from(generator):
        made = _ops.rand(size_of(args, size), _kind(dtype))
    return _finish(made, device, requires_grad)


def randn(
    *args: Any, size: Any = None, generator: Generator | None = None, dtype: Any = None,
    device: Any = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """Normal numbers with mean 0 and variance 1."""
    with _drawing_from(generator):
        made = _ops.randn(size_of(args, size), _kind(dtype))
    return _finish(made, device, requires_grad)


def randint(
    low: int, high: Any = None, size: Any = None, *, generator: Generator | None = None,
    dtype: Any = int64, device: Any = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """Integers in [low, high); with one number it is `high`."""
    if size is None and not isinstance(high, int):
        low, high, size = 0, low, high
    elif high is None:
        low, high = 0, low
    if size is None:
        raise TypeError("randint() missing 1 required positional argument: 'size'")
    if high <= low:
        raise ArgumentError(
            f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}"
        )
    with _drawing_from(generator):
        made = _ops.randint(size_of((size,)), int(low), int(high), as_dtype(dtype))
    return _finish(made, device, requires_grad)


def randperm(
    n: int, *, generator: Generator | None = None, dtype: Any = int64, device: Any = None
) -> Tensor:
    """The integers below n in random order."""
    with _drawing_from(generator):
        made = _ops.randperm((int(n),), as_dtype(dtype))
    return _finish(made, device, False)


def rand_like(input: Tensor, *, dtype: Any = None, device: Any = None, requires_grad: bool = False,
              generator: Generator | None = None) -> Tensor:  # fmt: skip
    """Uniform numbers in [0, 1) with another tensor's shape, type and device."""
    return rand(
        size=input.shape, dtype=input.dtype if dtype is None else dtype, generator=generator,
        device=input.device if device is None else device, requires_grad=requires_grad,
    )  # fmt: skip


def randn_like(input: Tensor, *, dtype: Any = None, device: Any = None, requires_grad: bool = False,
               generator: Generator | None = None) -> Tensor:  # fmt: skip
    """Normal numbers with another tensor's shape, type and device."""
    return randn(
        size=input.shape, dtype=input.dtype if dtype is None else dtype, generator=generator,
        device=input.device if device is None else device, requires_grad=requires_grad,
    )  # fmt: skip


def randint_like(input: Tensor, low: int, high: int | None = None, *, dtype: Any = None,
                 device: Any = None) -> Tensor:  # fmt: skip
    """Integers in [low, high) with another tensor's shape, type and device."""
    if high is None:
        low, high = 0, low
    return randint(
        low, high, tuple(input.shape), dtype=input.dtype if dtype is None else dtype,
        device=input.device if device is None else device,
    )  # fmt: skip


def normal(
    mean: Any = 0.0, std: Any = 1.0, size: Any = None, *, generator: Generator | None = None,
    dtype: Any = None, device: Any = None,
) -> Tensor:  # fmt: skip
    """Normal numbers with given mean and standard deviation, numbers or tensors."""
    like = mean if isinstance(mean, Tensor) else std if isinstance(std, Tensor) else None
    if like is None:
        if size is None:
            raise TypeError("normal() needs a size where mean and std are numbers")
        return randn(size=size, generator=generator, dtype=dtype, device=device) * std + mean
    shape = (mean * 0 + std).shape if isinstance(mean, Tensor) else like.shape
    return randn(size=shape, generator=generator, dtype=like.dtype, device=like.device) * std + mean


def bernoulli(input: Tensor, p: Any = None, *, generator: Generator | None = None) -> Tensor:
    """1 with the probability that each element says (or `p`), else 0."""
    probability = input if p is None else full_like(input, p)
    with _drawing_from(generator):
        return _ops.bernoulli(probability)


def multinomial(
    input: Tensor, num_samples: int, replacement: bool = False, *,
    generator: Generator | None = None,
) -> Tensor:  # fmt: skip
    """Numbers drawn with the weights of each row."""
    if not replacement and num_samples > input.shape[-1]:
        raise ArgumentError(
            "cannot sample n_sample > prob_dist.size(-1) samples without replacement"
        )
    with _drawing_from(generator):
        return _ops.multinomial(input, int(num_samples), replacement)


# ---- In place -----------------------------------------------------------------------------------


def uniform_(self: Tensor, a: float = 0.0, b: float = 1.0, *, generator: Generator | None = None,
             **ends: float) -> Tensor:  # fmt: skip
    """Writes uniform numbers in [a, b); `from` and `to` are other names of the ends."""
    a, b = ends.get("from", a), ends.get("to", b)
    drawn = rand(size=self.shape, generator=generator, dtype=self.dtype, device=self.device)
    _native.assign(self, drawn * (b - a) + a if (a, b) != (0.0, 1.0) else drawn)
    return self


def normal_(
    self: Tensor, mean: float = 0.0, std: float = 1.0, *, generator: Generator | None = None
) -> Tensor:
    """Writes normal numbers."""
    drawn = randn(size=self.shape, generator=generator, dtype=self.dtype, device=self.device)
    _native.assign(self, drawn * std + mean if (mean, std) != (0.0, 1.0) else drawn)
    return self


def bernoulli_(self: Tensor, p: Any = 0.5, *, generator: Generator | None = None) -> Tensor:
    """Writes 1 with probability p, else 0."""
    _native.assign(self, bernoulli(self, p, generator=generator))
    return self


def random_(self: Tensor, low: int = 0, high: int | None = None, *,
            generator: Generator | None = None) -> Tensor:  # fmt: skip
    """Writes integers in [low, high); up to the type's largest by default."""
    if high is None:
        kind = self.dtype
        low, high = (
            0,
            low or (1 << 24 if kind.is_floating_point else 2 ** (8 * kind.itemsize - 1) - 1),
        )
    drawn = randint(low, high, size=tuple(self.shape), generator=generator, device=self.device)
    _native.assign(self, drawn)
    return self


def exponential_(self: Tensor, lambd: float = 1.0, *, generator: Generator | None = None) -> Tensor:
    """Writes numbers of the exponential distribution."""
    with _drawing_from(generator):
        _native.assign(self, _ops.exponential(self, lambd))
    return self


METHODS = (uniform_, normal_, bernoulli_, random_, exponential_)
