"""Lucid: PyTorch-like tensors and compiled functions on MPSGraph.

`lucid.compile` turns a function or an `nn.Module` into cached executables that give the same answer
as eager code, faster.
"""

# ruff: noqa: I001, RUF022
# fmt: off

from math import e, inf, nan, pi

from . import _methods as _methods  # gives Tensor its methods
from . import autograd, backends, compile, linalg, metal, nn, optim, utils
from ._creation import (
    arange, as_tensor, as_tensor as asarray, empty, empty_like, eye, from_numpy, frombuffer, full,
    full_like, linspace, logspace, ones, ones_like, tensor, tril_indices, triu_indices, zeros,
    zeros_like,
)
from ._device import device, get_default_device, set_default_device
from ._dtype import (
    bfloat16, bool_, bool_ as bool, can_cast, dtype, finfo, float32 as float, float16, float32,
    get_default_dtype, float16 as half, iinfo, int32 as int, int16, int32, int64, int8,
    int64 as long, promote_types, set_default_dtype, int16 as short, uint8,
)
from ._errors import (
    ArgumentError, ArgumentTypeError, AxisError, CompileWarning, DeviceError, DTypeError,
    LucidError, OutOfMemoryError, ShapeError, StateError, UnsupportedError,
)
from ._functions._linalg import (
    addbmm, addmm, addmv, addr, baddbmm, chain_matmul, cross, einsum, matrix_power, tensordot,
)
from ._functions._more import (
    clone, combinations, corrcoef, cov, detach, diagflat, diagonal_scatter, is_complex,
    is_floating_point, is_same_size, isreal, ldexp, pdist, result_type, scalar_tensor,
    select_scatter, slice_scatter, trapezoid, trapz, unravel_index, vander,
)
from ._functions._pointwise import (
    add, allclose, clamp, clamp as clip, conj, div, div as divide, equal, mul, mul as multiply,
    positive, round, rsub, sgn, sub, sub as subtract, div as true_divide, where,
)
from ._functions._reduce import (
    all, amax, amin, aminmax, any, argmax, argmin, count_nonzero, dist, histc, is_nonzero,
    logsumexp, max, mean, median, min, nanmean, nanmedian, nansum, norm, numel, prod, quantile,
    std, std_mean, sum, trace, var, var_mean,
)
from ._functions._select import (
    argsort, argwhere, bincount, bucketize, cummax, cummin, cumprod, cumsum, gather, index_add,
    index_copy, index_fill, index_put, index_select, isin, kthvalue, masked_fill, masked_scatter,
    masked_select, mode, msort, nonzero, scatter, scatter_add, scatter_reduce, searchsorted, sort,
    take, take_along_dim, topk, unique, unique_consecutive,
)
from ._functions._shape import (
    atleast_1d, atleast_2d, atleast_3d, block_diag, broadcast_shapes, broadcast_tensors,
    broadcast_to, cartesian_prod, cat, chunk, column_stack, cat as concat, cat as concatenate,
    diagonal, dstack, flatten, flip, fliplr, flipud, hsplit, hstack, meshgrid,
    movedim as moveaxis, movedim, narrow, permute, ravel, repeat_interleave, reshape, roll, rot90,
    vstack as row_stack, select, split, squeeze, stack, transpose as swapaxes,
    transpose as swapdims, tensor_split, tile, transpose, unbind, unflatten, unsqueeze, vsplit,
    vstack,
)
from ._interop import from_dlpack, to_dlpack
from ._ops import (
    abs, abs as absolute, acos, acosh, addcdiv, addcmul, acos as arccos, acosh as arccosh,
    asin as arcsin, asinh as arcsinh, atan as arctan, atan2 as arctan2, atanh as arctanh, asin,
    asinh, atan, atan2, atanh, bitwise_and, bitwise_left_shift, bitwise_not, bitwise_or,
    bitwise_right_shift, bitwise_xor, bmm, cdist, ceil, clamp_max, clamp_min, copysign, cos, cosh,
    deg2rad, diag, diag_embed, diff, dot, eq, erf, erfc, erfinv, exp, exp2, expm1, trunc as fix,
    float_power, floor, floor_divide, fmax, fmin, fmod, frac, ge, outer as ger, gt as greater,
    ge as greater_equal, gt, heaviside, hypot, inner, isclose, isfinite, isinf, isnan, isneginf,
    isposinf, kron, le, lerp, lt as less, le as less_equal, log, log10, log1p, log2, logaddexp,
    logaddexp2, logcumsumexp, logical_and, logical_not, logical_or, logical_xor, logit, lt,
    matmul, maximum, minimum, mm, mv, nan_to_num, ne, neg, neg as negative, nextafter,
    ne as not_equal, outer, pow, rad2deg, reciprocal, relu, remainder, rsqrt, sigmoid, sign,
    signbit, sin, sinc, sinh, sqrt, square, t, tan, tanh, tril, triu, trunc, vdot, xlogy,
)
from ._printing import set_printoptions
from ._random import (
    bernoulli, default_generator, fork_rng, Generator, get_rng_state, initial_seed, manual_seed,
    multinomial, normal, rand, rand_like, randint, randint_like, randn, randn_like, randperm,
    seed, set_rng_state,
)
from ._safetensors import load_safetensors, save_safetensors
from ._serialization import load, save
from ._symint import Size, SymInt
from ._tensor import is_tensor, Tensor
from ._threads import get_num_threads, set_num_threads
from .autograd import (
    enable_grad, inference_mode, is_grad_enabled, is_inference_mode_enabled, no_grad,
    set_grad_enabled,
)
from .nn.functional import (
    batch_norm, bilinear, conv_transpose1d, conv_transpose2d, rms_norm, celu, conv1d, conv2d,
    cosine_similarity, dropout, embedding, group_norm, layer_norm, log_softmax, prelu, selu,
    softmax,
)
from ._version import __version__

#: What `x[newaxis]` makes a new axis with.
newaxis = None

__all__ = [
    "__version__", "abs", "absolute", "acos", "acosh", "add", "addbmm", "addcdiv", "addcmul",
    "addmm", "addmv", "addr", "all", "allclose", "amax", "amin", "aminmax", "any", "arange",
    "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "argmax", "argmin",
    "argsort", "ArgumentError", "ArgumentTypeError", "argwhere", "as_tensor", "asarray", "asin",
    "asinh", "atan", "atan2", "atanh", "atleast_1d", "atleast_2d", "atleast_3d", "autograd",
    "AxisError", "backends", "baddbmm", "batch_norm", "bernoulli", "bfloat16", "bilinear",
    "bincount", "bitwise_and", "bitwise_left_shift", "bitwise_not", "bitwise_or",
    "bitwise_right_shift", "bitwise_xor", "block_diag", "bmm", "bool", "bool_",
    "broadcast_shapes", "broadcast_tensors", "broadcast_to", "bucketize", "can_cast",
    "cartesian_prod", "cat", "cdist", "ceil", "celu", "chain_matmul", "chunk", "clamp",
    "clamp_max", "clamp_min", "clip", "clone", "column_stack", "combinations", "compile",
    "CompileWarning", "concat", "concatenate", "conj", "conv1d", "conv2d", "conv_transpose1d",
    "conv_transpose2d", "copysign", "corrcoef", "cos", "cosh", "cosine_similarity",
    "count_nonzero", "cov", "cross", "cummax", "cummin", "cumprod", "cumsum", "default_generator",
    "deg2rad", "detach", "device", "DeviceError", "diag", "diag_embed", "diagflat", "diagonal",
    "diagonal_scatter", "diff", "dist", "div", "divide", "dot", "dropout", "dstack", "dtype",
    "DTypeError", "e", "einsum", "embedding", "empty", "empty_like", "enable_grad", "eq", "equal",
    "erf", "erfc", "erfinv", "exp", "exp2", "expm1", "eye", "finfo", "fix", "flatten", "flip",
    "fliplr", "flipud", "float", "float16", "float32", "float_power", "floor", "floor_divide",
    "fmax", "fmin", "fmod", "fork_rng", "frac", "from_dlpack", "from_numpy", "frombuffer", "full",
    "full_like", "gather", "ge", "Generator", "ger", "get_default_device", "get_default_dtype",
    "get_num_threads", "get_rng_state", "greater", "greater_equal", "group_norm", "gt", "half",
    "heaviside", "histc", "hsplit", "hstack", "hypot", "iinfo", "index_add", "index_copy",
    "index_fill", "index_put", "index_select", "inf", "inference_mode", "initial_seed", "inner",
    "int", "int16", "int32", "int64", "int8", "is_complex", "is_floating_point",
    "is_grad_enabled", "is_inference_mode_enabled", "is_nonzero", "is_same_size", "is_tensor",
    "isclose", "isfinite", "isin", "isinf", "isnan", "isneginf", "isposinf", "isreal", "kron",
    "kthvalue", "layer_norm", "ldexp", "le", "lerp", "less", "less_equal", "linalg", "linspace",
    "load", "load_safetensors", "log", "log10", "log1p", "log2", "log_softmax", "logaddexp",
    "logaddexp2", "logcumsumexp", "logical_and", "logical_not", "logical_or", "logical_xor",
    "logit", "logspace", "logsumexp", "long", "lt", "LucidError", "manual_seed", "masked_fill",
    "masked_scatter", "masked_select", "matmul", "matrix_power", "max", "maximum", "mean",
    "median", "meshgrid", "metal", "min", "minimum", "mm", "mode", "moveaxis", "movedim", "msort",
    "mul", "multinomial", "multiply", "mv", "nan", "nan_to_num", "nanmean", "nanmedian", "nansum",
    "narrow", "ne", "neg", "negative", "newaxis", "nextafter", "nn", "no_grad", "nonzero", "norm",
    "normal", "not_equal", "numel", "ones", "ones_like", "optim", "outer", "OutOfMemoryError",
    "pdist", "permute", "pi", "positive", "pow", "prelu", "prod", "promote_types", "quantile",
    "rad2deg", "rand", "rand_like", "randint", "randint_like", "randn", "randn_like", "randperm",
    "ravel", "reciprocal", "relu", "remainder", "repeat_interleave", "reshape", "result_type",
    "rms_norm", "roll", "rot90", "round", "row_stack", "rsqrt", "rsub", "save",
    "save_safetensors", "scalar_tensor", "scatter", "scatter_add", "scatter_reduce",
    "searchsorted", "seed", "select", "select_scatter", "selu", "set_default_device",
    "set_default_dtype", "set_grad_enabled", "set_num_threads", "set_printoptions",
    "set_rng_state", "sgn", "ShapeError", "short", "sigmoid", "sign", "signbit", "sin", "sinc",
    "sinh", "Size", "slice_scatter", "softmax", "sort", "split", "sqrt", "square", "squeeze",
    "stack", "StateError", "std", "std_mean", "sub", "subtract", "sum", "swapaxes", "swapdims",
    "SymInt", "t", "take", "take_along_dim", "tan", "tanh", "Tensor", "tensor", "tensor_split",
    "tensordot", "tile", "to_dlpack", "topk", "trace", "transpose", "trapezoid", "trapz", "tril",
    "tril_indices", "triu", "triu_indices", "true_divide", "trunc", "uint8", "unbind",
    "unflatten", "unique", "unique_consecutive", "unravel_index", "unsqueeze", "UnsupportedError",
    "utils", "vander", "var", "var_mean", "vdot", "vsplit", "vstack", "where", "xlogy", "zeros",
    "zeros_like",
]
