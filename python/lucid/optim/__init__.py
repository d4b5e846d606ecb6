"""Optimizers."""

from . import lr_scheduler as lr_scheduler
from ._adam import Adam as Adam
from ._adam import AdamW as AdamW
from ._optimizer import Optimizer as Optimizer
from ._sgd import SGD as SGD

__all__ = ["SGD", "Adam", "AdamW", "Optimizer", "lr_scheduler"]
