"""Optimizers."""

from . import lr_scheduler as lr_scheduler
from ._adam import Adam as Adam
from ._adam import AdamW as AdamW
from ._adaptive import Adadelta as Adadelta
from ._adaptive import Adagrad as Adagrad
from ._adaptive import Adamax as Adamax
from ._adaptive import RMSprop as RMSprop
from ._optimizer import Optimizer as Optimizer
from ._sgd import SGD as SGD

__all__ = [
    "SGD",
    "Adadelta",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "Optimizer",
    "RMSprop",
    "lr_scheduler",
]
