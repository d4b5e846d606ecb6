"""Reductions: overloads and named results."""

from __future__ import annotations

from typing import Any

from .. import _ops
from .._dtype import as_dtype
from .._errors import ArgumentError
from .._tensor import Tensor
from ._common import ValuesIndices, axes, into, one_axis


def _kept(keepdim: bool, keepdims: bool | None) -> bool:
    return keepdim if keepdims is None else keepdims


def _reduction(name: str, summary: str, typed: bool) -> Any:
    operation = getattr(_ops, name)

    if typed:

        def function(
            input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None,
            axis: Any = None, keepdims: bool | None = None, out: Tensor | None = None,
        ) -> Tensor:  # fmt: skip
            kind = None if dtype is None else as_dtype(dtype)
            return into(out, operation(input, axes(dim, axis), _kept(keepdim, keepdims), kind))

    else:

        def function(  # type: ignore[misc]
            input: Tensor, dim: Any = None, keepdim: bool = False, *, axis: Any = None,
            keepdims: bool | None = None, out: Tensor | None = None,
        ) -> Tensor:  # fmt: skip
            return into(out, operation(input, axes(dim, axis), _kept(keepdim, keepdims)))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = summary + " over axes, all of them by default."
    return function


sum = _reduction("sum", "The sum", True)
prod = _reduction("prod", "The product", True)
mean = _reduction("mean", "The mean", True)
nansum = _reduction("nansum", "The sum of what is not NaN", True)
nanmean = _reduction("nanmean", "The mean of what is not NaN", False)
amax = _reduction("amax", "The largest element", False)
amin = _reduction("amin", "The smallest element", False)
any = _reduction("any", "Whether some element is nonzero", False)
all = _reduction("all", "Whether every element is nonzero", False)


def logsumexp(input: Tensor, dim: Any, keepdim: bool = False) -> Tensor:
    """log(sum(exp(input))) over axes, without overflow."""
    return _ops.logsumexp(input, axes(dim), keepdim)


def count_nonzero(input: Tensor, dim: Any = None) -> Tensor:
    """How many elements are nonzero."""
    return _ops.count_nonzero(input, axes(dim))


def _extremum(input: Tensor, args: tuple[Any, ...], options: dict[str, Any], name: str) -> Any:
    dim = options.pop("dim", options.pop("axis", None))
    keepdim = options.pop("keepdim", options.pop("keepdims", False))
    other = options.pop("other", None)
    options.pop("out", None)
    if options:
        raise TypeError(f"{name}() got an unexpected keyword argument '{next(iter(options))}'")
    if args:
        if isinstance(args[0], Tensor):
            other = args[0]
        else:
            dim = args[0]
            keepdim = args[1] if len(args) > 1 else keepdim
    if other is not None:
        return getattr(_ops, name + "imum")(input, other)
    if dim is None:
        return getattr(_ops, "a" + name)(input)
    return ValuesIndices(*getattr(_ops, name)(input, int(dim), keepdim))


def max(input: Tensor, *args: Any, **kwargs: Any) -> Any:
    """The largest element; with `dim` (and `keepdim`) the largest ones along an axis and their
    positions; with another tensor the larger of two elements.
    """  # noqa: D205
    return _extremum(input, args, kwargs, "max")


def min(input: Tensor, *args: Any, **kwargs: Any) -> Any:
    """The smallest element; with `dim` (and `keepdim`) the smallest ones along an axis and their
    positions; with another tensor the smaller of two elements.
    """  # noqa: D205
    return _extremum(input, args, kwargs, "min")


def argmax(input: Tensor, dim: Any = None, keepdim: bool = False, *, axis: Any = None) -> Tensor:
    """The position of the largest element along an axis, or in the flat tensor."""
    return _ops.argmax(input, one_axis(dim, axis), keepdim)


def argmin(input: Tensor, dim: Any = None, keepdim: bool = False, *, axis: Any = None) -> Tensor:
    """The position of the smallest element along an axis, or in the flat tensor."""
    return _ops.argmin(input, one_axis(dim, axis), keepdim)


def aminmax(input: Tensor, *, dim: int | None = None, keepdim: bool = False) -> tuple[Tensor, ...]:
    """The smallest and the largest element."""
    return _ops.aminmax(input, axes(dim), keepdim)


def _correction(args: tuple[Any, ...], options: dict[str, Any]) -> tuple[Any, float, bool]:
    """PyTorch's forms: (dim, unbiased, keepdim), (unbiased), (dim, *, correction, keepdim)."""
    dim = options.pop("dim", options.pop("axis", None))
    unbiased = options.pop("unbiased", None)
    keepdim = options.pop("keepdim", options.pop("keepdims", False))
    correction = options.pop("correction", None)
    if options:
        raise TypeError(f"unexpected keyword argument '{next(iter(options))}'")
    rest = list(args)
    if rest and isinstance(rest[0], bool):
        unbiased = rest.pop(0)
    elif rest:
        dim = rest.pop(0)
        if rest:
            unbiased = rest.pop(0)
        if rest:
            keepdim = rest.pop(0)
    if correction is None:
        correction = 1.0 if unbiased is None or unbiased else 0.0
    return axes(dim), float(correction), bool(keepdim)


def var(input: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """The variance over axes; `correction` (1) is taken from the count."""
    return _ops.var(input, *_correction(args, kwargs))


def std(input: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """The standard deviation over axes; `correction` (1) is taken from the count."""
    return _ops.std(input, *_correction(args, kwargs))


def var_mean(input: Tensor, *args: Any, **kwargs: Any) -> tuple[Tensor, ...]:
    """The variance and the mean."""
    return _ops.var_mean(input, *_correction(args, kwargs))


def std_mean(input: Tensor, *args: Any, **kwargs: Any) -> tuple[Tensor, ...]:
    """The standard deviation and the mean."""
    return _ops.std_mean(input, *_correction(args, kwargs))


def norm(
    input: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, dtype: Any = None
) -> Tensor:
    """The p-norm over axes, as of one long vector."""
    if dtype is not None:
        input = input.to(dtype)
    if p == "fro" or p is None:
        p = 2.0
    elif isinstance(p, str):
        raise ArgumentError(f"norm: p={p!r} is not available")
    return _ops.norm(input, float(p), axes(dim), keepdim)


def dist(input: Tensor, other: Tensor, p: float = 2) -> Tensor:
    """The p-norm of input - other."""
    return norm(_ops.sub(input, other), p)


def median(input: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
    """The lower median, of all elements or along an axis with positions."""
    if dim is None:
        return _ops.median(_ops.reshape(input, [-1]), 0, False)[0]
    return ValuesIndices(*_ops.median(input, dim, keepdim))


def nanmedian(input: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
    """The lower median of what is not NaN."""
    if dim is None:
        return _ops.nanmedian(_ops.reshape(input, [-1]), 0, False)[0]
    return ValuesIndices(*_ops.nanmedian(input, dim, keepdim))


def quantile(
    input: Tensor, q: Any, dim: int | None = None, keepdim: bool = False, *,
    interpolation: str = "linear",
) -> Tensor:  # fmt: skip
    """The q-quantiles of each line, or of all elements; several q make a first axis."""
    several = isinstance(q, (Tensor, list, tuple)) and not (isinstance(q, Tensor) and q.ndim == 0)
    given = q.tolist() if isinstance(q, Tensor) else q
    values = list(given) if several else [float(given)]
    result = _ops.quantile(input, values, dim, keepdim, interpolation)
    return result if several else result[0]


def trace(input: Tensor) -> Tensor:
    """The sum of the diagonal of a matrix."""
    return _ops.trace(input)


def histc(input: Tensor, bins: int = 100, min: float = 0, max: float = 0) -> Tensor:
    """Counts of elements in equal bins."""
    return _ops.histc(input, bins, float(min), float(max))


def numel(input: Tensor) -> int:
    """The number of elements."""
    return input.numel()


def is_nonzero(input: Tensor) -> bool:
    """Whether the only element is nonzero."""
    return bool(input)
