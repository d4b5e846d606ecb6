"""PyTorch, eager and through torch.compile."""

from __future__ import annotations

from types import SimpleNamespace

import torch
import torch.nn.functional as F
from torch import nn

from . import _torchlike

VERSION = torch.__version__


def workloads(sizes, *, compiled: bool = False):
    """The table for eager PyTorch, or for torch.compile."""
    torch.set_num_threads(2)

    def compile_(target, dynamic=False):
        if not compiled:
            return target
        return torch.compile(target, dynamic=True) if dynamic else torch.compile(target)

    def set_(parameter, array):
        parameter.data = torch.from_numpy(array.copy())

    def train_step(model, optimizer, loss):
        forward = compile_(lambda x, t: loss(model(x), t))

        def step(x, t):
            optimizer.zero_grad(set_to_none=True)
            value = forward(x, t)
            value.backward()
            optimizer.step()
            return value.item()

        return step

    api = SimpleNamespace(
        lib=torch, nn=nn, F=F, optim=torch.optim, set=set_, compile=compile_, train_step=train_step,
        tensor=lambda array: torch.from_numpy(array.copy()), grad_off=torch.inference_mode,
        read=lambda tensor: tensor.numpy(),
    )  # fmt: skip
    return _torchlike.workloads(sizes, api)
