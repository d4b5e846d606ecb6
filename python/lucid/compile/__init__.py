"""``lucid.compile``: functions and modules turned into cached executables.

The package is callable: ``lucid.compile(f)``, ``@lucid.compile`` and ``from lucid.compile import
CompiledModule`` all work, in any order of import.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from .._errors import CompileWarning as CompileWarning
from ..nn import Module
from ._compiled import CompiledModule as CompiledModule
from ._explain import Explanation as Explanation
from ._signature import Signature as Signature

__all__ = ["CompileWarning", "CompiledModule", "Explanation", "Signature", "compile"]


def compile(
    target: Callable[..., Any] | None = None,
    dynamic: bool = False,
    *,
    fullgraph: bool = False,
) -> Any:
    """Compiles a module or a function; also a decorator, bare or with options.

    Args:
        target: An ``nn.Module``, or a callable of tensors, containers and plain values.
        dynamic: Leave the leading (batch) extent open: one executable for every batch size. Graphs
            with operations that need it fixed, such as convolutions, fall back to one per shape.
        fullgraph: Raise where a value is read during tracing, instead of running eagerly.

    Returns:
        A :class:`CompiledModule`; a decorator if no target is given.

    Raises:
        TypeError: The target is not callable, or is an async or generator function.

    Example:
        >>> import lucid
        >>> double = lucid.compile(lambda x: x + x)
        >>> double(lucid.tensor([1.0, 2.0])).tolist()
        [2.0, 4.0]
    """
    if target is None:
        return lambda function: compile(function, dynamic, fullgraph=fullgraph)
    if isinstance(target, CompiledModule):
        return target
    if not isinstance(dynamic, bool):
        raise TypeError(f"compile: dynamic must be a bool, not {type(dynamic).__name__}")
    if not callable(target) or isinstance(target, type):
        raise TypeError(
            f"compile: expected an nn.Module or a callable, not {type(target).__name__}"
        )
    run = target.forward if isinstance(target, Module) else target
    run = getattr(run, "func", run)
    if (
        inspect.iscoroutinefunction(run)
        or inspect.isgeneratorfunction(run)
        or inspect.isasyncgenfunction(run)
    ):
        raise TypeError("compile: async and generator functions cannot be compiled")
    return CompiledModule(target, dynamic, fullgraph=fullgraph)


class _CallableModule(ModuleType):
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return compile(*args, **kwargs)


sys.modules[__name__].__class__ = _CallableModule
