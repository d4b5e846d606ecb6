"""Automatic differentiation."""

from ._check import gradcheck as gradcheck
from ._function import Function as Function
from ._function import FunctionCtx as FunctionCtx
from ._grad import backward as backward
from ._grad import grad as grad
from ._modes import enable_grad as enable_grad
from ._modes import inference_mode as inference_mode
from ._modes import is_grad_enabled as is_grad_enabled
from ._modes import is_inference_mode_enabled as is_inference_mode_enabled
from ._modes import no_grad as no_grad
from ._modes import set_grad_enabled as set_grad_enabled

__all__ = [
    "Function",
    "FunctionCtx",
    "backward",
    "enable_grad",
    "grad",
    "gradcheck",
    "inference_mode",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "no_grad",
    "set_grad_enabled",
]
