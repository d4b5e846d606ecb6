"""Lucid, compiled and eager."""

from __future__ import annotations

from types import SimpleNamespace

import lucid
import lucid.nn.functional as F
from lucid import nn, optim

from . import _torchlike

VERSION = lucid.__version__


def workloads(sizes, *, compiled: bool = True):
    """The table for ``lucid.compile``, or for eager Lucid."""

    def compile_(target, dynamic=False):
        return lucid.compile(target, dynamic=dynamic) if compiled else target

    def set_(parameter, array):
        parameter.data = lucid.tensor(array)

    def train_step(model, optimizer, loss):
        def step(x, t):
            optimizer.zero_grad(set_to_none=True)
            value = loss(model(x), t)
            value.backward()
            optimizer.step()
            return value

        run = compile_(step)
        return lambda x, t: run(x, t).item()

    api = SimpleNamespace(
        lib=lucid, nn=nn, F=F, optim=optim, set=set_, compile=compile_, train_step=train_step,
        tensor=lucid.tensor, grad_off=lucid.inference_mode, read=lambda tensor: tensor.numpy(),
    )  # fmt: skip
    return _torchlike.workloads(sizes, api)
