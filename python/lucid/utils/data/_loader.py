"""Batches of samples."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from ..._creation import as_tensor, tensor
from ..._functions._shape import stack
from ..._random import Generator
from ..._tensor import Tensor
from ._dataset import IterableDataset, TensorDataset
from ._sampler import BatchSampler, RandomSampler, SequentialSampler


def default_collate(batch: list[Any]) -> Any:
    """Samples as one batch: tensors stacked, numbers as a tensor, containers item by item."""
    first = batch[0]
    if isinstance(first, Tensor):
        return stack(batch, 0)
    if isinstance(first, np.ndarray):
        return stack([as_tensor(a) for a in batch], 0)
    if isinstance(first, (bool, int, float, np.generic)):
        return tensor(batch)
    if isinstance(first, (str, bytes)):
        return batch
    if isinstance(first, Mapping):
        return {key: default_collate([sample[key] for sample in batch]) for key in first}
    if isinstance(first, (tuple, list)):
        if any(len(sample) != len(first) for sample in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        columns = [default_collate(list(column)) for column in zip(*batch, strict=True)]
        if isinstance(first, tuple) and hasattr(first, "_fields"):
            return type(first)(*columns)
        return columns
    raise TypeError(
        "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; "
        f"found {type(first)}"
    )


class DataLoader:
    """Iterates over a data set in batches.

    Args:
        dataset: Samples by number, or in a row.
        batch_size: Samples per batch; None gives single samples.
        shuffle: Whether the order is random.
        sampler: The order; excludes `shuffle`.
        batch_sampler: The batches; excludes the three above and `drop_last`.
        num_workers: Samples are loaded in this process: only 0 has an effect of its own.
        collate_fn: Makes a batch of samples.
        pin_memory: No effect: memory is unified.
        drop_last: Whether an incomplete last batch is left out.
        generator: Where random numbers come from.
    """

    def __init__(
        self, dataset: Any, batch_size: int | None = 1, shuffle: bool | None = None,
        sampler: Iterable[Any] | None = None, batch_sampler: Iterable[Any] | None = None,
        num_workers: int = 0, collate_fn: Callable[[list[Any]], Any] | None = None,
        pin_memory: bool = False, drop_last: bool = False, timeout: float = 0,
        worker_init_fn: Any = None, *, generator: Generator | None = None,
        persistent_workers: bool = False, prefetch_factor: int | None = None,
    ) -> None:  # fmt: skip
        if num_workers < 0:
            raise ValueError("num_workers option should be non-negative")
        self.dataset = dataset
        self.num_workers = num_workers
        self.generator = generator
        self._iterable = isinstance(dataset, IterableDataset)
        if self._iterable and (shuffle or sampler is not None or batch_sampler is not None):
            raise ValueError("an IterableDataset has an order of its own")
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or sampler is not None or drop_last:
                raise ValueError(
                    "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, "
                    "and drop_last"
                )
            batch_size = None
        elif batch_size is None and drop_last:
            raise ValueError(
                "batch_size=None option disables auto-batching and is mutually exclusive with "
                "drop_last"
            )
        if sampler is None and not self._iterable:
            sampler = (
                RandomSampler(dataset, generator=generator)
                if shuffle
                else SequentialSampler(dataset)
            )
        if batch_sampler is None and batch_size is not None and sampler is not None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.sampler = sampler
        self.batch_sampler = batch_sampler
        self._plain = collate_fn is None
        self.collate_fn = default_collate if collate_fn is None else collate_fn

    def __iter__(self) -> Iterator[Any]:
        if self._iterable:
            yield from self._from_row()
        elif self.batch_sampler is not None:
            for indices in self.batch_sampler:
                yield self._batch(indices)
        else:
            assert self.sampler is not None
            for index in self.sampler:
                sample = self.dataset[index]
                yield sample if self._plain else self.collate_fn(sample)

    def _batch(self, indices: list[int]) -> Any:
        if self._plain and type(self.dataset) is TensorDataset:
            # One gather per tensor instead of one view per sample and a stack.
            chosen = tensor(indices)
            return [t[chosen] for t in self.dataset.tensors]
        return self.collate_fn([self.dataset[i] for i in indices])

    def _from_row(self) -> Iterator[Any]:
        if self.batch_size is None:
            yield from self.dataset
            return
        batch: list[Any] = []
        for sample in self.dataset:
            batch.append(sample)
            if len(batch) == self.batch_size:
                yield self.collate_fn(batch)
                batch = []
        if batch and not self.drop_last:
            yield self.collate_fn(batch)

    def __len__(self) -> int:
        if self._iterable:
            n = len(self.dataset)
            if self.batch_size is None:
                return n
            return n // self.batch_size if self.drop_last else -(-n // self.batch_size)
        return len(self.batch_sampler if self.batch_sampler is not None else self.sampler)  # type: ignore[arg-type]
