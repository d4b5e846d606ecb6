"""Gives Tensor its methods: functions whose first argument is the tensor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import _creation, _native, _ops, _random
from ._functions import _linalg, _more, _pointwise, _reduce, _select, _shape
from ._operators import in_place, store
from ._tensor import Tensor

# Operations of the catalog whose form is already that of the method.
FROM_CATALOG = [
    "abs",
    "acos",
    "acosh",
    "addcdiv",
    "addcmul",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "bitwise_and",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "bmm",
    "ceil",
    "clamp_max",
    "clamp_min",
    "copysign",
    "cos",
    "cosh",
    "deg2rad",
    "diag",
    "diag_embed",
    "diff",
    "dot",
    "eq",
    "erf",
    "erfc",
    "erfinv",
    "exp",
    "exp2",
    "expm1",
    "float_power",
    "floor",
    "floor_divide",
    "fmax",
    "fmin",
    "fmod",
    "frac",
    "ge",
    "gt",
    "heaviside",
    "hypot",
    "inner",
    "isclose",
    "isfinite",
    "isinf",
    "isnan",
    "isneginf",
    "isposinf",
    "kron",
    "le",
    "lerp",
    "log",
    "log10",
    "log1p",
    "log2",
    "log_softmax",
    "logaddexp",
    "logaddexp2",
    "logcumsumexp",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "logit",
    "lt",
    "matmul",
    "maximum",
    "minimum",
    "mm",
    "mv",
    "nan_to_num",
    "ne",
    "neg",
    "nextafter",
    "outer",
    "pow",
    "rad2deg",
    "reciprocal",
    "relu",
    "remainder",
    "rsqrt",
    "sigmoid",
    "sign",
    "signbit",
    "sin",
    "sinc",
    "sinh",
    "softmax",
    "sqrt",
    "square",
    "t",
    "tan",
    "tanh",
    "tril",
    "triu",
    "trunc",
    "vdot",
    "xlogy",
]

# PyTorch's other names of the same functions.
ALIASES = {
    "absolute": "abs", "arccos": "acos", "arccosh": "acosh", "arcsin": "asin", "arcsinh": "asinh",
    "arctan": "atan", "arctan2": "atan2", "arctanh": "atanh", "clip": "clamp", "divide": "div",
    "fix": "trunc", "ger": "outer", "greater": "gt", "greater_equal": "ge", "less": "lt",
    "less_equal": "le", "moveaxis": "movedim", "multiply": "mul", "negative": "neg",
    "not_equal": "ne", "subtract": "sub", "swapaxes": "transpose", "swapdims": "transpose",
    "true_divide": "div",
}  # fmt: skip

_FROM_MODULES: tuple[tuple[Any, str], ...] = (
    (
        _pointwise,
        "add allclose clamp conj div equal mul positive round rsub sgn sub",
    ),
    (
        _reduce,
        "all amax amin aminmax any argmax argmin count_nonzero dist histc is_nonzero logsumexp max "
        "mean median min nanmean nanmedian nansum norm prod quantile std sum trace var",
    ),
    (
        _shape,
        "broadcast_to chunk diagonal expand expand_as flatten flip fliplr flipud hsplit movedim "
        "narrow permute ravel repeat repeat_interleave reshape reshape_as roll rot90 select split "
        "squeeze tensor_split tile transpose unbind unflatten unfold unsqueeze view view_as vsplit",
    ),
    (
        _select,
        "argsort argwhere bincount cummax cummin cumprod cumsum gather index_add index_copy "
        "index_fill index_put index_put_ index_select isin kthvalue masked_fill masked_scatter "
        "masked_select mode msort nonzero scatter scatter_add scatter_reduce sort take "
        "take_along_dim topk unique unique_consecutive",
    ),
    (
        _more,
        "corrcoef cov diagflat diagonal_scatter is_same_size isreal ldexp select_scatter "
        "slice_scatter sum_to_size",
    ),
    (_linalg, "addbmm addmm addmv addr baddbmm cross matrix_power"),
    (_ops, "prelu"),
    (_creation, "new_empty new_full new_ones new_tensor new_zeros"),
    (_random, "bernoulli multinomial"),
)

# Methods that also exist as `name_`: the result is written to the tensor.
IN_PLACE = [
    "abs",
    "absolute",
    "acos",
    "acosh",
    "add",
    "addbmm",
    "addcdiv",
    "addcmul",
    "addmm",
    "addmv",
    "addr",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "baddbmm",
    "bitwise_and",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "ceil",
    "clamp",
    "clamp_max",
    "clamp_min",
    "clip",
    "copysign",
    "cos",
    "cosh",
    "cumprod",
    "cumsum",
    "deg2rad",
    "div",
    "divide",
    "eq",
    "erf",
    "erfc",
    "erfinv",
    "exp",
    "exp2",
    "expm1",
    "fix",
    "float_power",
    "floor",
    "floor_divide",
    "fmod",
    "frac",
    "ge",
    "greater",
    "greater_equal",
    "gt",
    "heaviside",
    "hypot",
    "index_add",
    "index_copy",
    "index_fill",
    "le",
    "lerp",
    "less",
    "less_equal",
    "log",
    "log10",
    "log1p",
    "log2",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "logit",
    "lt",
    "masked_fill",
    "masked_scatter",
    "mul",
    "multiply",
    "nan_to_num",
    "ne",
    "neg",
    "negative",
    "nextafter",
    "not_equal",
    "pow",
    "rad2deg",
    "reciprocal",
    "relu",
    "remainder",
    "round",
    "rsqrt",
    "scatter",
    "scatter_add",
    "scatter_reduce",
    "sgn",
    "sigmoid",
    "sign",
    "sin",
    "sinc",
    "sinh",
    "sqrt",
    "square",
    "sub",
    "subtract",
    "tan",
    "tanh",
    "tril",
    "triu",
    "true_divide",
    "trunc",
    "xlogy",
]


def copy_(self: Tensor, src: Any, non_blocking: bool = False) -> Tensor:
    """Writes another tensor's elements, broadcast and converted, into this one."""
    _native.assign(self, src if isinstance(src, Tensor) else _creation.as_tensor(src))
    return self


def fill_(self: Tensor, value: Any) -> Tensor:
    """Writes one value everywhere."""
    if isinstance(value, Tensor):
        if value.ndim != 0:
            raise RuntimeError(
                f"fill_ only supports 0-dimension value tensor but got tensor with {value.ndim} "
                "dimensions."
            )
        _native.assign(self, value)
    else:
        _native.assign(self, _native.number(value))
    return self


def zero_(self: Tensor) -> Tensor:
    """Writes zeros everywhere."""
    _native.assign(self, _native.number(0))
    return self


def fill_diagonal_(self: Tensor, fill_value: Any, wrap: bool = False) -> Tensor:
    """Writes one value on the main diagonal of a matrix."""
    fill_(_shape.diagonal(self), fill_value)
    return self


def _reshaping(name: str) -> Callable[..., Tensor]:
    """`squeeze_` and its kind: this tensor itself becomes the view."""
    function = getattr(_ops if name == "t" else _shape, name)

    def method(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        self._adopt(function(self, *args, **kwargs))
        return self

    method.__name__ = method.__qualname__ = f"{name}_"
    method.__doc__ = f"In-place form of `{name}`: only the shape of this tensor changes."
    return method


def put_(self: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """Writes elements at positions of the flat tensor."""
    flat = _ops.reshape(self, [-1])
    changed = _ops.index_put(
        flat, _ops.reshape(source, [-1]), _ops.reshape(index, [-1]), axes=[0], accumulate=accumulate
    )
    return store(self, _ops.reshape(changed, self.shape))


def unchanged(self: Tensor, *args: Any) -> Tensor:
    """The tensor itself: memory is unified, shared, and never conjugated lazily."""
    return self


def apply_(self: Tensor, callable: Callable[[Any], Any]) -> Tensor:
    """Replaces every element by what the function gives for it; slow."""
    from ._interop import read_numpy

    values = read_numpy(self)
    flat = values.reshape(-1)
    for i in range(flat.size):
        flat[i] = callable(flat[i].item())
    return copy_(self, _creation.tensor(values, dtype=self.dtype, device=self.device))


def install() -> None:
    """Sets all methods; called once at import."""
    methods: dict[str, Any] = {}
    for name in FROM_CATALOG:
        methods[name] = getattr(_ops, name)
    for module, names in _FROM_MODULES:
        for name in names.split():
            methods[name] = getattr(module, name)
    for alias, name in ALIASES.items():
        methods[alias] = methods[name]
    for name in IN_PLACE:
        methods[f"{name}_"] = in_place(methods[name], f"{name}_")
    for name in ("squeeze", "unsqueeze", "transpose", "t"):
        methods[f"{name}_"] = _reshaping(name)
    methods["swapaxes_"] = methods["swapdims_"] = methods["transpose_"]
    methods["where"] = _pointwise.where_method
    methods["split_with_sizes"] = _shape.split
    for name in ("pin_memory", "share_memory_", "resolve_conj", "resolve_neg"):
        methods[name] = unchanged
    methods["adjoint"] = lambda self: self.mT
    own = (copy_, fill_, zero_, fill_diagonal_, put_, apply_)
    for function in (*own, *_random.METHODS):
        methods[function.__name__] = function
    for name, function in methods.items():
        setattr(Tensor, name, function)


install()
