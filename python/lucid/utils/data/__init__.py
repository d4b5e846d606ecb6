"""Data sets and loaders."""

from ._dataset import ConcatDataset as ConcatDataset
from ._dataset import Dataset as Dataset
from ._dataset import IterableDataset as IterableDataset
from ._dataset import Subset as Subset
from ._dataset import TensorDataset as TensorDataset
from ._dataset import random_split as random_split
from ._loader import DataLoader as DataLoader
from ._loader import default_collate as default_collate
from ._sampler import BatchSampler as BatchSampler
from ._sampler import RandomSampler as RandomSampler
from ._sampler import Sampler as Sampler
from ._sampler import SequentialSampler as SequentialSampler
from ._sampler import SubsetRandomSampler as SubsetRandomSampler
from ._sampler import WeightedRandomSampler as WeightedRandomSampler

__all__ = [
    "BatchSampler",
    "ConcatDataset",
    "DataLoader",
    "Dataset",
    "IterableDataset",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "Subset",
    "SubsetRandomSampler",
    "TensorDataset",
    "WeightedRandomSampler",
    "default_collate",
    "random_split",
]
