"""One function per operation of the catalog: operands, then attributes.

Written by tools/generate.py from the catalog; change that, not this.
"""

# ruff: noqa

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import TYPE_CHECKING, Any

from ._native import apply, apply_many, note_read
from ._symint import SymInt

if TYPE_CHECKING:
    from ._dtype import dtype as DType
    from ._tensor import Tensor

CATALOG_HASH = 4825233553339764637
COUNT = 352

_ABSENT = bytes(8)
_largest = max  # the operation of this name hides the function below
_structs: dict[int, Struct] = {}


def _extents(shape: Sequence[Any]) -> list[int]:
    """The numbers of a shape as they are in this call, without fixing an open batch to them."""
    return [n.value if isinstance(n, SymInt) else n for n in shape]


def _words(values: Sequence[Any]) -> bytes:
    """Integers as little-endian 64-bit words."""
    count = len(values)
    struct = _structs.get(count)
    if struct is None:
        struct = _structs[count] = Struct(f"<{count}q")
    return struct.pack(*values)


def _ints(values: Sequence[Any]) -> bytes:
    return _words((len(values), *values))


def _floats(values: Sequence[float]) -> bytes:
    return Struct(f"<q{len(values)}d").pack(len(values), *values)


def _dims(values: Sequence[Any]) -> bytes:
    """Extents, each as constant and coefficient of the batch."""
    words: list[Any] = [len(values)]
    for value in values:
        if isinstance(value, SymInt):
            words += (value.constant, value.coefficient)
        else:
            words += (value, 0)
    return _words(words)


def _choices(words: str) -> dict[str, int]:
    return {word: number for number, word in enumerate(words.split())}


def _word(name: str, words: dict[str, int], value: str) -> int:
    """The number of one of the words an attribute can be."""
    try:
        return words[value]
    except (KeyError, TypeError):
        raise ValueError(f"{name} must be one of {', '.join(words)}, got {value!r}") from None


_q = Struct("<q").pack
_qq = Struct("<qq").pack
_qd = Struct("<qd").pack
_APPROXIMATE_NONE_TANH = _choices("none tanh")
_INDEXING_IJ_XY = _choices("ij xy")
_INTERPOLATION_LINEAR_LOWER = _choices("linear lower higher midpoint nearest")
_KIND_SUM_PROD = _choices("sum prod max min")
_MODE_CONSTANT_REFLECT = _choices("constant reflect replicate circular")
_MODE_NEAREST_NEAREST_EXACT = _choices("nearest nearest-exact linear bicubic")
_MODE_SET_ADD = _choices("set add mul amin amax")
_MODE_SUM_MEAN = _choices("sum mean max")
_REDUCE_NONE_ADD = _choices("none add multiply")
_REDUCE_SUM_PROD = _choices("sum prod mean amax amin")
_REDUCTION_NONE_MEAN = _choices("none mean sum")
_d = Struct("<d").pack
_dd = Struct("<dd").pack
_dddq = Struct("<dddq").pack
_dddqq = Struct("<dddqq").pack
_ddq = Struct("<ddq").pack
_ddqq = Struct("<ddqq").pack
_ddqqd = Struct("<ddqqd").pack
_dq = Struct("<dq").pack
_qdd = Struct("<qdd").pack
_qddd = Struct("<qddd").pack
_qdq = Struct("<qdq").pack
_qqd = Struct("<qqd").pack
_qqdq = Struct("<qqdq").pack
_qqq = Struct("<qqq").pack


def neg(input: Any) -> Tensor:
    """Negates each element."""
    return apply(0, b"", input)


def abs(input: Any) -> Tensor:
    """The absolute value."""
    return apply(1, b"", input)


def sign(input: Any) -> Tensor:
    """-1, 0 or 1 by the sign; 0 for NaN."""
    return apply(2, b"", input)


def exp(input: Any) -> Tensor:
    """The exponential of each element."""
    return apply(3, b"", input)


def exp2(input: Any) -> Tensor:
    """2 to the power of each element."""
    return apply(4, b"", input)


def expm1(input: Any) -> Tensor:
    """exp(input) - 1, accurate near 0."""
    return apply(5, b"", input)


def log(input: Any) -> Tensor:
    """The natural logarithm."""
    return apply(6, b"", input)


def log2(input: Any) -> Tensor:
    """The logarithm to base 2."""
    return apply(7, b"", input)


def log10(input: Any) -> Tensor:
    """The logarithm to base 10."""
    return apply(8, b"", input)


def log1p(input: Any) -> Tensor:
    """log(1 + input), accurate near 0."""
    return apply(9, b"", input)


def sqrt(input: Any) -> Tensor:
    """The square root."""
    return apply(10, b"", input)


def rsqrt(input: Any) -> Tensor:
    """1 / sqrt(input)."""
    return apply(11, b"", input)


def reciprocal(input: Any) -> Tensor:
    """1 / input."""
    return apply(12, b"", input)


def sigmoid(input: Any) -> Tensor:
    """1 / (1 + exp(-input))."""
    return apply(13, b"", input)


def erf(input: Any) -> Tensor:
    """The error function."""
    return apply(14, b"", input)


def erfinv(input: Any) -> Tensor:
    """The inverse of the error function; infinite at ±1, NaN outside."""
    return apply(15, b"", input)


def relu(input: Any) -> Tensor:
    """max(input, 0), NaN staying NaN."""
    return apply(16, b"", input)


def square(input: Any) -> Tensor:
    """input * input."""
    return apply(17, b"", input)


def erfc(input: Any) -> Tensor:
    """1 - erf(input)."""
    return apply(18, b"", input)


def deg2rad(input: Any) -> Tensor:
    """Degrees as radians."""
    return apply(19, b"", input)


def rad2deg(input: Any) -> Tensor:
    """Radians as degrees."""
    return apply(20, b"", input)


def floor(input: Any) -> Tensor:
    """The largest integer not above each element."""
    return apply(21, b"", input)


def ceil(input: Any) -> Tensor:
    """The smallest integer not below each element."""
    return apply(22, b"", input)


def trunc(input: Any) -> Tensor:
    """Rounds toward zero."""
    return apply(23, b"", input)


def round(input: Any) -> Tensor:
    """Rounds to the nearest integer, halves to even."""
    return apply(24, b"", input)


def frac(input: Any) -> Tensor:
    """input - trunc(input)."""
    return apply(25, b"", input)


def sin(input: Any) -> Tensor:
    """The sine of an angle in radians."""
    return apply(26, b"", input)


def cos(input: Any) -> Tensor:
    """The cosine of an angle in radians."""
    return apply(27, b"", input)


def tan(input: Any) -> Tensor:
    """The tangent of an angle in radians."""
    return apply(28, b"", input)


def asin(input: Any) -> Tensor:
    """The angle whose sine is given."""
    return apply(29, b"", input)


def acos(input: Any) -> Tensor:
    """The angle whose cosine is given."""
    return apply(30, b"", input)


def atan(input: Any) -> Tensor:
    """The angle whose tangent is given."""
    return apply(31, b"", input)


def sinh(input: Any) -> Tensor:
    """The hyperbolic sine."""
    return apply(32, b"", input)


def cosh(input: Any) -> Tensor:
    """The hyperbolic cosine."""
    return apply(33, b"", input)


def tanh(input: Any) -> Tensor:
    """The hyperbolic tangent."""
    return apply(34, b"", input)


def asinh(input: Any) -> Tensor:
    """The inverse hyperbolic sine."""
    return apply(35, b"", input)


def acosh(input: Any) -> Tensor:
    """The inverse hyperbolic cosine."""
    return apply(36, b"", input)


def atanh(input: Any) -> Tensor:
    """The inverse hyperbolic tangent."""
    return apply(37, b"", input)


def sinc(input: Any) -> Tensor:
    """sin(πx) / (πx), 1 at 0."""
    return apply(38, b"", input)


def logit(input: Any, eps: float | None = None) -> Tensor:
    """log(x / (1 - x)), x first clamped to [eps, 1 - eps] if eps is given."""
    return apply(39, _ABSENT if eps is None else _qd(1, eps), input)


def isnan(input: Any) -> Tensor:
    """Whether an element is NaN."""
    return apply(40, b"", input)


def isinf(input: Any) -> Tensor:
    """Whether an element is infinite."""
    return apply(41, b"", input)


def isfinite(input: Any) -> Tensor:
    """Whether an element is neither infinite nor NaN."""
    return apply(42, b"", input)


def isposinf(input: Any) -> Tensor:
    """Whether an element is +infinity."""
    return apply(43, b"", input)


def isneginf(input: Any) -> Tensor:
    """Whether an element is -infinity."""
    return apply(44, b"", input)


def signbit(input: Any) -> Tensor:
    """Whether the sign bit is set; -0.0 has it."""
    return apply(45, b"", input)


def logical_not(input: Any) -> Tensor:
    """Whether an element is 0."""
    return apply(46, b"", input)


def bitwise_not(input: Any) -> Tensor:
    """Inverts each bit; for bool, the value."""
    return apply(47, b"", input)


def cast(input: Any, dtype: DType) -> Tensor:
    """Converts to another element type. Floating to integer truncates toward zero; to bool is `!= 0`."""
    return apply(48, _q(dtype._number), input)


def clone(input: Any) -> Tensor:
    """A copy."""
    return apply(49, b"", input)


def nan_to_num(
    input: Any,
    nan: float = 0.0,
    posinf: float | None = None,
    neginf: float | None = None,
) -> Tensor:
    """Replaces NaN, and infinities by the given numbers or the largest finite ones."""
    return apply(
        50,
        _d(nan)
        + (_ABSENT if posinf is None else _qd(1, posinf))
        + (_ABSENT if neginf is None else _qd(1, neginf)),
        input,
    )


def add(input: Any, other: Any) -> Tensor:
    """input + other; for bools, or."""
    return apply(51, b"", input, other)


def sub(input: Any, other: Any) -> Tensor:
    """input - other."""
    return apply(52, b"", input, other)


def mul(input: Any, other: Any) -> Tensor:
    """input * other; for bools, and."""
    return apply(53, b"", input, other)


def pow(input: Any, other: Any) -> Tensor:
    """input to the power of other."""
    return apply(54, b"", input, other)


def pow_scalar(input: Any, exponent: float) -> Tensor:
    """input to the power of a constant."""
    return apply(55, _d(exponent), input)


def float_power(input: Any, other: Any) -> Tensor:
    """input to the power of other, in floating point."""
    return apply(56, b"", input, other)


def atan2(input: Any, other: Any) -> Tensor:
    """The angle of the point (other, input)."""
    return apply(57, b"", input, other)


def hypot(input: Any, other: Any) -> Tensor:
    """sqrt(input² + other²) without overflow."""
    return apply(58, b"", input, other)


def nextafter(input: Any, other: Any) -> Tensor:
    """The next number after input toward other; float32 only."""
    return apply(59, b"", input, other)


def copysign(input: Any, other: Any) -> Tensor:
    """The magnitude of input with the sign of other."""
    return apply(60, b"", input, other)


def xlogy(input: Any, other: Any) -> Tensor:
    """input · log(other), 0 where input is 0 and other is not NaN."""
    return apply(61, b"", input, other)


def logaddexp(input: Any, other: Any) -> Tensor:
    """log(exp(input) + exp(other))."""
    return apply(62, b"", input, other)


def logaddexp2(input: Any, other: Any) -> Tensor:
    """log2(2^input + 2^other)."""
    return apply(63, b"", input, other)


def heaviside(input: Any, other: Any) -> Tensor:
    """0 for negative input, 1 for positive, other at 0."""
    return apply(64, b"", input, other)


def div(input: Any, other: Any) -> Tensor:
    """input / other, in floating point."""
    return apply(65, b"", input, other)


def floor_divide(input: Any, other: Any) -> Tensor:
    """The quotient rounded down; integers stay integers."""
    return apply(66, b"", input, other)


def trunc_divide(input: Any, other: Any) -> Tensor:
    """The quotient rounded toward zero; integers stay integers."""
    return apply(67, b"", input, other)


def fmod(input: Any, other: Any) -> Tensor:
    """The remainder with the sign of input."""
    return apply(68, b"", input, other)


def remainder(input: Any, other: Any) -> Tensor:
    """The remainder with the sign of other, as Python's %."""
    return apply(69, b"", input, other)


def maximum(input: Any, other: Any) -> Tensor:
    """The larger of two elements; NaN if either is."""
    return apply(70, b"", input, other)


def minimum(input: Any, other: Any) -> Tensor:
    """The smaller of two elements; NaN if either is."""
    return apply(71, b"", input, other)


def fmax(input: Any, other: Any) -> Tensor:
    """The larger of two elements; NaN only if both are."""
    return apply(72, b"", input, other)


def fmin(input: Any, other: Any) -> Tensor:
    """The smaller of two elements; NaN only if both are."""
    return apply(73, b"", input, other)


def where(condition: Any, input: Any, other: Any) -> Tensor:
    """Takes input where the condition holds, else other."""
    return apply(74, b"", condition, input, other)


def clamp(input: Any, min: Any, max: Any) -> Tensor:
    """Limits input to [min, max]; max wins where they cross. NaN stays NaN."""
    return apply(75, b"", input, min, max)


def clamp_min(input: Any, other: Any) -> Tensor:
    """The larger of input and min, all of the gradient to input on a tie."""
    return apply(76, b"", input, other)


def clamp_max(input: Any, other: Any) -> Tensor:
    """The smaller of input and max, all of the gradient to input on a tie."""
    return apply(77, b"", input, other)


def masked_fill(input: Any, mask: Any, value: Any) -> Tensor:
    """input with value where the mask holds."""
    return apply(78, b"", input, mask, value)


def lerp(input: Any, end: Any, weight: Any) -> Tensor:
    """input + weight · (end - input)."""
    return apply(79, b"", input, end, weight)


def addcmul(input: Any, tensor1: Any, tensor2: Any, value: float = 1.0) -> Tensor:
    """input + value · tensor1 · tensor2."""
    return apply(80, _d(value), input, tensor1, tensor2)


def addcdiv(input: Any, tensor1: Any, tensor2: Any, value: float = 1.0) -> Tensor:
    """input + value · tensor1 / tensor2."""
    return apply(81, _d(value), input, tensor1, tensor2)


def eq(input: Any, other: Any) -> Tensor:
    """Whether input == other."""
    return apply(82, b"", input, other)


def ne(input: Any, other: Any) -> Tensor:
    """Whether input != other."""
    return apply(83, b"", input, other)


def lt(input: Any, other: Any) -> Tensor:
    """Whether input < other."""
    return apply(84, b"", input, other)


def le(input: Any, other: Any) -> Tensor:
    """Whether input <= other."""
    return apply(85, b"", input, other)


def gt(input: Any, other: Any) -> Tensor:
    """Whether input > other."""
    return apply(86, b"", input, other)


def ge(input: Any, other: Any) -> Tensor:
    """Whether input >= other."""
    return apply(87, b"", input, other)


def logical_and(input: Any, other: Any) -> Tensor:
    """Whether both elements are nonzero."""
    return apply(88, b"", input, other)


def logical_or(input: Any, other: Any) -> Tensor:
    """Whether either element is nonzero."""
    return apply(89, b"", input, other)


def logical_xor(input: Any, other: Any) -> Tensor:
    """Whether exactly one element is nonzero."""
    return apply(90, b"", input, other)


def bitwise_and(input: Any, other: Any) -> Tensor:
    """The bits set in both."""
    return apply(91, b"", input, other)


def bitwise_or(input: Any, other: Any) -> Tensor:
    """The bits set in either."""
    return apply(92, b"", input, other)


def bitwise_xor(input: Any, other: Any) -> Tensor:
    """The bits set in exactly one."""
    return apply(93, b"", input, other)


def bitwise_left_shift(input: Any, other: Any) -> Tensor:
    """input · 2^other."""
    return apply(94, b"", input, other)


def bitwise_right_shift(input: Any, other: Any) -> Tensor:
    """input / 2^other rounded down."""
    return apply(95, b"", input, other)


def isclose(
    input: Any,
    other: Any,
    rtol: float = 1e-05,
    atol: float = 1e-08,
    equal_nan: bool = False,
) -> Tensor:
    """Whether |input - other| <= atol + rtol · |other|."""
    return apply(96, _ddq(rtol, atol, equal_nan), input, other)


def relu6(input: Any) -> Tensor:
    """input limited to [0, 6]."""
    return apply(97, b"", input)


def hardtanh(input: Any, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    """input limited to [min_val, max_val]."""
    return apply(98, _dd(min_val, max_val), input)


def leaky_relu(input: Any, negative_slope: float = 0.01) -> Tensor:
    """input where positive, else negative_slope · input."""
    return apply(99, _d(negative_slope), input)


def prelu(input: Any, weight: Any) -> Tensor:
    """input where positive, else weight · input, with a weight per channel (axis 1) or one for all."""
    return apply(100, b"", input, weight)


def elu(input: Any, alpha: float = 1.0) -> Tensor:
    """input where positive, else alpha · (exp(input) - 1)."""
    return apply(101, _d(alpha), input)


def celu(input: Any, alpha: float = 1.0) -> Tensor:
    """input where positive, else alpha · (exp(input / alpha) - 1)."""
    return apply(102, _d(alpha), input)


def selu(input: Any) -> Tensor:
    """The self-normalising scaled elu."""
    return apply(103, b"", input)


def hardshrink(input: Any, lambd: float = 0.5) -> Tensor:
    """input outside [-lambd, lambd], 0 inside."""
    return apply(104, _d(lambd), input)


def softshrink(input: Any, lambd: float = 0.5) -> Tensor:
    """input moved toward 0 by lambd, and 0 within."""
    return apply(105, _d(lambd), input)


def threshold(input: Any, threshold: float, value: float) -> Tensor:
    """input above the threshold, value elsewhere."""
    return apply(106, _dd(threshold, value), input)


def gelu(input: Any, approximate: str = "none") -> Tensor:
    """input · Φ(input), exactly or by the tanh approximation."""
    return apply(107, _q(_word("approximate", _APPROXIMATE_NONE_TANH, approximate)), input)


def silu(input: Any) -> Tensor:
    """input · sigmoid(input)."""
    return apply(108, b"", input)


def mish(input: Any) -> Tensor:
    """input · tanh(softplus(input))."""
    return apply(109, b"", input)


def softplus(input: Any, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    """log(1 + exp(beta · input)) / beta, input itself where that is above threshold."""
    return apply(110, _dd(beta, threshold), input)


def logsigmoid(input: Any) -> Tensor:
    """log(sigmoid(input))."""
    return apply(111, b"", input)


def softsign(input: Any) -> Tensor:
    """input / (1 + |input|)."""
    return apply(112, b"", input)


def tanhshrink(input: Any) -> Tensor:
    """input - tanh(input)."""
    return apply(113, b"", input)


def hardsigmoid(input: Any) -> Tensor:
    """(input + 3) / 6 limited to [0, 1]."""
    return apply(114, b"", input)


def hardswish(input: Any) -> Tensor:
    """input · hardsigmoid(input)."""
    return apply(115, b"", input)


def glu(input: Any, dim: int = -1) -> Tensor:
    """The first half of an axis times the sigmoid of the second."""
    return apply(116, _q(dim), input)


def softmax(input: Any, dim: int, dtype: DType | None = None) -> Tensor:
    """exp(input) over its sum along an axis; NaN where all are -inf."""
    return apply(117, _q(dim) + (_ABSENT if dtype is None else _qq(1, dtype._number)), input)


def log_softmax(input: Any, dim: int, dtype: DType | None = None) -> Tensor:
    """The logarithm of softmax, without its underflow."""
    return apply(118, _q(dim) + (_ABSENT if dtype is None else _qq(1, dtype._number)), input)


def softmin(input: Any, dim: int, dtype: DType | None = None) -> Tensor:
    """softmax of the negated operand."""
    return apply(119, _q(dim) + (_ABSENT if dtype is None else _qq(1, dtype._number)), input)


def softmax_lines(input: Any, dim: int) -> Tensor:
    """softmax of a floating-point operand with axes."""
    return apply(120, _q(dim), input)


def log_softmax_lines(input: Any, dim: int) -> Tensor:
    """log_softmax of a floating-point operand with axes."""
    return apply(121, _q(dim), input)


def sum(
    input: Any,
    dim: Sequence[int] | None = None,
    keepdim: bool = False,
    dtype: DType | None = None,
) -> Tensor:
    """The sum over axes (all of them if none are given). Integers and bools add up in int64."""
    return apply(
        122,
        (_ABSENT if dim is None else _q(1) + _ints(dim))
        + _q(keepdim)
        + (_ABSENT if dtype is None else _qq(1, dtype._number)),
        input,
    )


def prod(
    input: Any,
    dim: Sequence[int] | None = None,
    keepdim: bool = False,
    dtype: DType | None = None,
) -> Tensor:
    """The product over axes (all of them if none are given). Integers multiply in int64."""
    return apply(
        123,
        (_ABSENT if dim is None else _q(1) + _ints(dim))
        + _q(keepdim)
        + (_ABSENT if dtype is None else _qq(1, dtype._number)),
        input,
    )


def amax(input: Any, dim: Sequence[int] | None = None, keepdim: bool = False) -> Tensor:
    """The largest element over axes; NaN if there is one."""
    return apply(124, (_ABSENT if dim is None else _q(1) + _ints(dim)) + _q(keepdim), input)


def amin(input: Any, dim: Sequence[int] | None = None, keepdim: bool = False) -> Tensor:
    """The smallest element over axes; NaN if there is one."""
    return apply(125, (_ABSENT if dim is None else _q(1) + _ints(dim)) + _q(keepdim), input)


def any(input: Any, dim: Sequence[int] | None = None, keepdim: bool = False) -> Tensor:
    """Whether some element is nonzero."""
    return apply(126, (_ABSENT if dim is None else _q(1) + _ints(dim)) + _q(keepdim), input)


def all(input: Any, dim: Sequence[int] | None = None, keepdim: bool = False) -> Tensor:
    """Whether every element is nonzero."""
    return apply(127, (_ABSENT if dim is None else _q(1) + _ints(dim)) + _q(keepdim), input)


def arg_extremum(input: Any, dim: int, keepdim: bool = False, largest: bool = True) -> Tensor:
    """The first position of the largest or smallest element along an axis; of a NaN if any."""
    return apply(128, _qqq(dim, keepdim, largest), input)


def argmax(input: Any, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """The position of the largest element, in the flat tensor if dim is none."""
    return apply(129, (_ABSENT if dim is None else _qq(1, dim)) + _q(keepdim), input)


def argmin(input: Any, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """The position of the smallest element, in the flat tensor if dim is none."""
    return apply(130, (_ABSENT if dim is None else _qq(1, dim)) + _q(keepdim), input)


def max(input: Any, dim: int, keepdim: bool = False) -> tuple[Tensor, ...]:
    """The largest element of each line along dim, and its position."""
    return apply_many(131, _qq(dim, keepdim), 2, input)


def min(input: Any, dim: int, keepdim: bool = False) -> tuple[Tensor, ...]:
    """The smallest element of each line along dim, and its position."""
    return apply_many(132, _qq(dim, keepdim), 2, input)


def aminmax(
    input: Any,
    dim: Sequence[int] | None = None,
    keepdim: bool = False,
) -> tuple[Tensor, ...]:
    """The smallest and the largest element."""
    return apply_many(133, (_ABSENT if dim is None else _q(1) + _ints(dim)) + _q(keepdim), 2, input)


def mean(
    input: Any,
    dim: Sequence[int] | None = None,
    keepdim: bool = False,
    dtype: DType | None = None,
) -> Tensor:
    """The mean over axes (all of them if none are given); NaN over no elements."""
    return apply(
        134,
        (_ABSENT if dim is None else _q(1) + _ints(dim))
        + _q(keepdim)
        + (_ABSENT if dtype is None else _qq(1, dtype._number)),
        input,
    )


def var(
    input: Any,
    dim: Sequence[int] | None = None,
    correction: float = 1.0,
    keepdim: bool = False,
) -> Tensor:
    """The variance over axes: squared deviations over count - correction."""
    return apply(
        135,
        (_ABSENT if dim is None else _q(1) + _ints(dim)) + _dq(correction, keepdim),
        input,
    )


def std(
    input: Any,
    dim: Sequence[int] | None = None,
    correction: float = 1.0,
    keepdim: bool = False,
) -> Tensor:
    """The square root of the variance over axes."""
    return apply(
        136,
        (_ABSENT if dim is None else _q(1) + _ints(dim)) + _dq(correction, keepdim),
        input,
    )


def var_mean(
    input: Any,
    dim: Sequence[int] | None = None,
    correction: float = 1.0,
    keepdim: bool = False,
) -> tuple[Tensor, ...]:
    """The variance and the mean over axes."""
    return apply_many(
        137,
        (_ABSENT if dim is None else _q(1) + _ints(dim)) + _dq(correction, keepdim),
        2,
        input,
    )


def std_mean(
    input: Any,
    dim: Sequence[int] | None = None,
    correction: float = 1.0,
    keepdim: bool = False,
) -> tuple[Tensor, ...]:
    """The standard deviation and the mean over axes."""
    return apply_many(
        138,
        (_ABSENT if dim is None else _q(1) + _ints(dim)) + _dq(correction, keepdim),
        2,
        input,
    )


def nansum(
    input: Any,
    dim: Sequence[int] | None = None,
    keepdim: bool = False,
    dtype: DType | None = None,
) -> Tensor:
    """The sum over axes, NaN counting as 0."""
    return apply(
        139,
        (_ABSENT if dim is None else _q(1) + _ints(dim))
        + _q(keepdim)
        + (_ABSENT if dtype is None else _qq(1, dtype._number)),
        input,
    )


def nanmean(input: Any, dim: Sequence[int] | None = None, keepdim: bool = False) -> Tensor:
    """The mean over axes of what is not NaN."""
    return apply(140, (_ABSENT if dim is None else _q(1) + _ints(dim)) + _q(keepdim), input)


def logsumexp(input: Any, dim: Sequence[int] | None = None, keepdim: bool = False) -> Tensor:
    """log(sum(exp(input))) over axes; -inf where all are."""
    return apply(141, (_ABSENT if dim is None else _q(1) + _ints(dim)) + _q(keepdim), input)


def count_nonzero(input: Any, dim: Sequence[int] | None = None) -> Tensor:
    """How many elements are nonzero."""
    return apply(142, _ABSENT if dim is None else _q(1) + _ints(dim), input)


def norm(
    input: Any,
    p: float = 2.0,
    dim: Sequence[int] | None = None,
    keepdim: bool = False,
) -> Tensor:
    """The vector p-norm over axes (all of them if none are given), p any number or ±inf."""
    return apply(143, _d(p) + (_ABSENT if dim is None else _q(1) + _ints(dim)) + _q(keepdim), input)


def trace(input: Any) -> Tensor:
    """The sum of the main diagonal."""
    return apply(144, b"", input)


def scan(input: Any, dim: int, kind: str, reverse: bool = False) -> Tensor:
    """The running sum, product, maximum or minimum along an axis, from the end if reverse."""
    return apply(145, _qqq(dim, _word("kind", _KIND_SUM_PROD, kind), reverse), input)


def cumsum(input: Any, dim: int, dtype: DType | None = None) -> Tensor:
    """The running sum along an axis; integers and bools add up in int64."""
    return apply(146, _q(dim) + (_ABSENT if dtype is None else _qq(1, dtype._number)), input)


def cumprod(input: Any, dim: int, dtype: DType | None = None) -> Tensor:
    """The running product along an axis; integers multiply in int64."""
    return apply(147, _q(dim) + (_ABSENT if dtype is None else _qq(1, dtype._number)), input)


def cummax(input: Any, dim: int) -> tuple[Tensor, ...]:
    """The running maximum along an axis, and its last position."""
    return apply_many(148, _q(dim), 2, input)


def cummin(input: Any, dim: int) -> tuple[Tensor, ...]:
    """The running minimum along an axis, and its last position."""
    return apply_many(149, _q(dim), 2, input)


def logcumsumexp(input: Any, dim: int) -> Tensor:
    """The logarithm of the running sum of exponentials; its cost is quadratic in the extent."""
    return apply(150, _q(dim), input)


def sort(input: Any, dim: int = -1, descending: bool = False) -> tuple[Tensor, ...]:
    """The elements of each line in order, and where they were. Equal ones keep their order."""
    return apply_many(151, _qq(dim, descending), 2, input)


def argsort(input: Any, dim: int = -1, descending: bool = False) -> Tensor:
    """Where the elements of each line in order were."""
    return apply(152, _qq(dim, descending), input)


def argsort_lines(input: Any, dim: int, descending: bool) -> Tensor:
    """argsort of an operand with axes."""
    return apply(153, _qq(dim, descending), input)


def topk(input: Any, k: int, dim: int = -1, largest: bool = True) -> tuple[Tensor, ...]:
    """The k largest (or smallest) elements of each line in order, and their positions."""
    return apply_many(154, _qqq(k, dim, largest), 2, input)


def topk_lines(input: Any, k: int, dim: int, largest: bool) -> Tensor:
    """The positions that topk gives."""
    return apply(155, _qqq(k, dim, largest), input)


def kthvalue(input: Any, k: int, dim: int = -1, keepdim: bool = False) -> tuple[Tensor, ...]:
    """The k-th smallest element of each line, and its position."""
    return apply_many(156, _qqq(k, dim, keepdim), 2, input)


def median(input: Any, dim: int | None = None, keepdim: bool = False) -> tuple[Tensor, ...]:
    """The lower median of each line, and its position; NaN if there is one."""
    return apply_many(157, (_ABSENT if dim is None else _qq(1, dim)) + _q(keepdim), 2, input)


def nanmedian(input: Any, dim: int | None = None, keepdim: bool = False) -> tuple[Tensor, ...]:
    """The lower median of what is not NaN in each line, and its position."""
    return apply_many(158, (_ABSENT if dim is None else _qq(1, dim)) + _q(keepdim), 2, input)


def mode(input: Any, dim: int = -1, keepdim: bool = False) -> tuple[Tensor, ...]:
    """The smallest of the most frequent elements of each line, and its last position."""
    return apply_many(159, _qq(dim, keepdim), 2, input)


def quantile(
    input: Any,
    q: Sequence[float],
    dim: int | None = None,
    keepdim: bool = False,
    interpolation: str = "linear",
) -> Tensor:
    """The q-quantiles of each line (of the flat tensor if dim is none), as the first axis."""
    return apply(
        160,
        (_floats(q))
        + (_ABSENT if dim is None else _qq(1, dim))
        + _qq(keepdim, _word("interpolation", _INTERPOLATION_LINEAR_LOWER, interpolation)),
        input,
    )


def histc(input: Any, bins: int = 100, min: float = 0.0, max: float = 0.0) -> Tensor:
    """Counts of elements in equal bins from min to max, or over the range of the data if these are equal."""
    return apply(161, _qdd(bins, min, max), input)


def reshape(input: Any, shape: Sequence[int]) -> Tensor:
    """The same elements in row-major order under another shape; one extent may be -1."""
    return apply(162, _dims(shape), input)


def permute(input: Any, dims: Sequence[int]) -> Tensor:
    """Reorders the axes."""
    return apply(163, _ints(dims), input)


def expand(input: Any, size: Sequence[int]) -> Tensor:
    """Repeats extents of 1 without copying; -1 keeps an extent."""
    return apply(164, _dims(size), input)


def view(input: Any, shape: Sequence[int]) -> Tensor:
    """The same elements under another shape; one extent may be -1."""
    return apply(165, _dims(shape), input)


def flatten(input: Any, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Joins the axes from start_dim to end_dim into one."""
    return apply(166, _qq(start_dim, end_dim), input)


def unflatten(input: Any, dim: int, sizes: Sequence[int]) -> Tensor:
    """Splits an axis into several; one extent may be -1."""
    return apply(167, _q(dim) + (_dims(sizes)), input)


def squeeze(input: Any, dim: Sequence[int] | None = None) -> Tensor:
    """Drops the given axes of extent 1, or all such axes."""
    return apply(168, _ABSENT if dim is None else _q(1) + _ints(dim), input)


def unsqueeze(input: Any, dim: int) -> Tensor:
    """Inserts an axis of extent 1."""
    return apply(169, _q(dim), input)


def transpose(input: Any, dim0: int, dim1: int) -> Tensor:
    """Swaps two axes."""
    return apply(170, _qq(dim0, dim1), input)


def t(input: Any) -> Tensor:
    """The transpose of a matrix; vectors and scalars stay."""
    return apply(171, b"", input)


def movedim(input: Any, source: Sequence[int], destination: Sequence[int]) -> Tensor:
    """Moves axes to other places; the others keep their order."""
    return apply(172, (_ints(source)) + (_ints(destination)), input)


def diagonal(input: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """The diagonal of two axes, as the last axis."""
    return apply(173, _qqq(offset, dim1, dim2), input)


def unfold(input: Any, dimension: int, size: int, step: int) -> Tensor:
    """Windows of an axis, step apart, as a new last axis."""
    return apply(174, _qqq(dimension, size, step), input)


def slice(input: Any, starts: Sequence[int], ends: Sequence[int], steps: Sequence[int]) -> Tensor:
    """A range of every axis, as Python's start:end:step with a positive step."""
    return apply(175, (_dims(starts)) + (_dims(ends)) + (_ints(steps)), input)


def narrow(input: Any, dim: int, start: int, length: int) -> Tensor:
    """length elements of an axis from start on."""
    return apply(176, _qqq(dim, start, length), input)


def select(input: Any, dim: int, index: int) -> Tensor:
    """One index of an axis, which is dropped."""
    return apply(177, _qq(dim, index), input)


def strided_slice(
    input: Any,
    starts: Sequence[int],
    lengths: Sequence[int],
    steps: Sequence[int],
) -> Tensor:
    """length elements, step apart, of every axis."""
    return apply(178, (_dims(starts)) + (_dims(lengths)) + (_ints(steps)), input)


def strided_slice_update(
    input: Any,
    source: Any,
    starts: Sequence[int],
    lengths: Sequence[int],
    steps: Sequence[int],
) -> Tensor:
    """input with a range of every axis replaced."""
    return apply(179, (_dims(starts)) + (_dims(lengths)) + (_ints(steps)), input, source)


def cat(*tensors: Any, dim: int = 0) -> Tensor:
    """Joins tensors along an axis. Tensors of shape (0,) are ignored."""
    return apply(180, _q(dim), *tensors)


def concat(*tensors: Any, dim: int = 0) -> Tensor:
    """Joins tensors of one element type along an axis."""
    return apply(181, _q(dim), *tensors)


def stack(*tensors: Any, dim: int = 0) -> Tensor:
    """Joins tensors of one shape along a new axis."""
    return apply(182, _q(dim), *tensors)


def hstack(*tensors: Any) -> Tensor:
    """Joins tensors along the second axis, vectors along the first."""
    return apply(183, b"", *tensors)


def vstack(*tensors: Any) -> Tensor:
    """Joins tensors along the first axis, vectors as rows."""
    return apply(184, b"", *tensors)


def dstack(*tensors: Any) -> Tensor:
    """Joins tensors along the third axis."""
    return apply(185, b"", *tensors)


def column_stack(*tensors: Any) -> Tensor:
    """Joins vectors as columns, tensors along the second axis."""
    return apply(186, b"", *tensors)


def block_diag(*tensors: Any) -> Tensor:
    """A matrix with the given ones on its diagonal."""
    return apply(187, b"", *tensors)


def meshgrid(*tensors: Any, indexing: str = "ij") -> tuple[Tensor, ...]:
    """Grids of coordinates from vectors."""
    return apply_many(
        188,
        _q(_word("indexing", _INDEXING_IJ_XY, indexing)),
        _largest(1, len(tensors)),
        *tensors,
    )


def cartesian_prod(*tensors: Any) -> Tensor:
    """All combinations of elements of vectors, as rows."""
    return apply(189, b"", *tensors)


def split(input: Any, sizes: Sequence[int], dim: int = 0) -> tuple[Tensor, ...]:
    """Copies of consecutive parts of an axis with these extents."""
    return apply_many(
        190,
        (_dims(sizes)) + _q(dim),
        _largest(1, *_extents(input.shape), len(sizes) + 1),
        input,
    )


def chunk(input: Any, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """Copies of at most this many equal parts of an axis."""
    return apply_many(191, _qq(chunks, dim), _largest(1, *_extents(input.shape)), input)


def tensor_split(
    input: Any,
    indices: Sequence[int],
    sections: int | None = None,
    dim: int = 0,
) -> tuple[Tensor, ...]:
    """Copies of the parts of an axis between these positions, or of `sections` even parts."""
    return apply_many(
        192,
        (_ints(indices)) + (_ABSENT if sections is None else _qq(1, sections)) + _q(dim),
        _largest(1, *_extents(input.shape), len(indices) + 1, sections or 1),
        input,
    )


def unbind(input: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Copies of the slices along an axis."""
    return apply_many(193, _q(dim), _largest(1, *_extents(input.shape)), input)


def repeat(input: Any, repeats: Sequence[int]) -> Tensor:
    """Tiles the tensor this many times along each axis; more repeats than axes add axes."""
    return apply(194, _dims(repeats), input)


def tile(input: Any, dims: Sequence[int]) -> Tensor:
    """repeat, where missing leading repeats count as 1."""
    return apply(195, _dims(dims), input)


def repeat_interleave(input: Any, repeats: int, dim: int | None = None) -> Tensor:
    """Repeats each element along dim, or of the flat tensor if dim is none."""
    return apply(196, _q(repeats) + (_ABSENT if dim is None else _qq(1, dim)), input)


def kron(input: Any, other: Any) -> Tensor:
    """The Kronecker product: blocks of other scaled by the elements of input."""
    return apply(197, b"", input, other)


def flip(input: Any, dims: Sequence[int]) -> Tensor:
    """Reverses the order along axes."""
    return apply(198, _ints(dims), input)


def roll(input: Any, shifts: Sequence[int], dims: Sequence[int] = ()) -> Tensor:
    """Shifts elements along axes, what leaves at one end entering at the other; the flat tensor if dims is empty."""
    return apply(199, (_ints(shifts)) + (_ints(dims)), input)


def rot90(input: Any, k: int = 1, dims: Sequence[int] = (0, 1)) -> Tensor:
    """Rotates k times by 90 degrees from the first of two axes to the second."""
    return apply(200, _q(k) + (_ints(dims)), input)


def tril(input: Any, diagonal: int = 0) -> Tensor:
    """The elements on or below a diagonal, zeros elsewhere."""
    return apply(201, _q(diagonal), input)


def triu(input: Any, diagonal: int = 0) -> Tensor:
    """The elements on or above a diagonal, zeros elsewhere."""
    return apply(202, _q(diagonal), input)


def diag_embed(input: Any, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """Matrices with the last axis as a diagonal."""
    return apply(203, _qqq(offset, dim1, dim2), input)


def diag(input: Any, diagonal: int = 0) -> Tensor:
    """A matrix with this diagonal, or the diagonal of a matrix."""
    return apply(204, _q(diagonal), input)


def diff(input: Any, n: int = 1, dim: int = -1) -> Tensor:
    """Differences of neighbours along an axis, n times."""
    return apply(205, _qq(n, dim), input)


def pad(input: Any, pad: Sequence[int], mode: str = "constant", value: float = 0.0) -> Tensor:
    """Adds elements around the last axes; the list starts with left and right of the last axis."""
    return apply(206, (_ints(pad)) + _qd(_word("mode", _MODE_CONSTANT_REFLECT, mode), value), input)


def pad_nd(input: Any, pads: Sequence[int], value: float) -> Tensor:
    """Adds one value around each axis, left and right per axis; negative counts crop."""
    return apply(207, (_ints(pads)) + _d(value), input)


def gather(input: Any, index: Any, dim: int) -> Tensor:
    """The element of input at index along dim, for every element of index."""
    return apply(208, _q(dim), input, index)


def gather_along(input: Any, index: Any, dim: int) -> Tensor:
    """gather where index and input agree except along dim."""
    return apply(209, _q(dim), input, index)


def index_gather(input: Any, index: Any, dim: int) -> Tensor:
    """The slices of input at index along dim; the axes of index take the place of dim."""
    return apply(210, _q(dim), input, index)


def index_select(input: Any, index: Any, dim: int) -> Tensor:
    """The slices of input at index along dim."""
    return apply(211, _q(dim), input, index)


def embedding(input: Any, weight: Any, padding_idx: int | None = None) -> Tensor:
    """The rows of weight at input; the row padding_idx gets no gradient."""
    return apply(212, _ABSENT if padding_idx is None else _qq(1, padding_idx), input, weight)


def take(input: Any, index: Any) -> Tensor:
    """The elements of the flat input at index."""
    return apply(213, b"", input, index)


def take_along_dim(input: Any, indices: Any, dim: int | None = None) -> Tensor:
    """gather with input and index broadcast to each other; the flat input if dim is none."""
    return apply(214, _ABSENT if dim is None else _qq(1, dim), input, indices)


def scatter_along(input: Any, index: Any, source: Any, dim: int, mode: str = "set") -> Tensor:
    """scatter where index and input agree except along dim."""
    return apply(215, _qq(dim, _word("mode", _MODE_SET_ADD, mode)), input, index, source)


def index_scatter(input: Any, index: Any, source: Any, dim: int, mode: str = "set") -> Tensor:
    """input with its slices at index along dim combined with those of source."""
    return apply(216, _qq(dim, _word("mode", _MODE_SET_ADD, mode)), input, index, source)


def scatter(input: Any, index: Any, src: Any, dim: int, reduce: str = "none") -> Tensor:
    """input with the elements at index along dim replaced by those of src."""
    return apply(217, _qq(dim, _word("reduce", _REDUCE_NONE_ADD, reduce)), input, index, src)


def scatter_add(input: Any, index: Any, src: Any, dim: int) -> Tensor:
    """input with the elements of src added at index along dim."""
    return apply(218, _q(dim), input, index, src)


def scatter_reduce(
    input: Any,
    index: Any,
    src: Any,
    dim: int,
    reduce: str,
    include_self: bool = True,
) -> Tensor:
    """input with the elements of src combined at index along dim."""
    return apply(
        219,
        _qqq(dim, _word("reduce", _REDUCE_SUM_PROD, reduce), include_self),
        input,
        index,
        src,
    )


def index_add(input: Any, index: Any, source: Any, dim: int, alpha: float = 1.0) -> Tensor:
    """input with alpha · source added at index along dim."""
    return apply(220, _qd(dim, alpha), input, index, source)


def index_copy(input: Any, index: Any, source: Any, dim: int) -> Tensor:
    """input with its slices at index along dim replaced by source's."""
    return apply(221, _q(dim), input, index, source)


def index_fill(input: Any, index: Any, value: Any, dim: int) -> Tensor:
    """input with its slices at index along dim filled with one value."""
    return apply(222, _q(dim), input, index, value)


def masked_scatter(input: Any, mask: Any, source: Any) -> Tensor:
    """input with the elements where the mask holds replaced by those of source, in order."""
    return apply(223, b"", input, mask, source)


def one_hot(input: Any, num_classes: int) -> Tensor:
    """1 at the position of each class along a new last axis."""
    return apply(224, _q(num_classes), input)


def isin(elements: Any, test_elements: Any, invert: bool = False) -> Tensor:
    """Whether each element occurs among test_elements."""
    return apply(225, _q(invert), elements, test_elements)


def searchsorted(
    sorted_sequence: Any,
    input: Any,
    right: bool = False,
    out_int32: bool = False,
) -> Tensor:
    """Where values would be inserted into the sorted last axis."""
    return apply(226, _qq(right, out_int32), sorted_sequence, input)


def bucketize(input: Any, boundaries: Any, right: bool = False, out_int32: bool = False) -> Tensor:
    """The bucket of each element between sorted boundaries."""
    return apply(227, _qq(right, out_int32), input, boundaries)


def index(input: Any, *indices: Any, axes: Sequence[int]) -> Tensor:
    """The elements at integer tensors, one for each axis in axes, broadcast together."""
    return apply(228, _ints(axes), input, *indices)


def index_put(
    input: Any,
    values: Any,
    *indices: Any,
    axes: Sequence[int],
    accumulate: bool = False,
) -> Tensor:
    """input with the elements at integer tensors replaced by values, or values added to them."""
    return apply(229, (_ints(axes)) + _q(accumulate), input, values, *indices)


def embedding_bag(
    input: Any,
    weight: Any,
    offsets: Any,
    per_sample_weights: Any = None,
    mode: str = "mean",
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    """Sums, means or maxima of rows of weight: one bag per row of input, or, for a flat input, per offset."""
    return apply(
        230,
        _qq(_word("mode", _MODE_SUM_MEAN, mode), include_last_offset)
        + (_ABSENT if padding_idx is None else _qq(1, padding_idx)),
        input,
        weight,
        offsets,
        per_sample_weights,
    )


def full(size: Sequence[int], value: float, dtype: DType, integer: int | None = None) -> Tensor:
    """A tensor filled with one value; `integer` holds values that a double cannot."""
    return apply(
        231,
        (_dims(size))
        + _dq(value, dtype._number)
        + (_ABSENT if integer is None else _qq(1, integer)),
    )


def constant_integers(values: Sequence[int]) -> Tensor:
    """A vector of these integers."""
    return apply(232, _ints(values))


def constant_floats(values: Sequence[float]) -> Tensor:
    """A float32 vector of these numbers."""
    return apply(233, _floats(values))


def extent(size: Sequence[int], dtype: DType | None = None) -> Tensor:
    """An extent that may depend on the batch, as a number."""
    return apply(234, (_dims(size)) + _q(6 if dtype is None else dtype._number))


def coordinate(size: Sequence[int], dim: int, dtype: DType | None = None) -> Tensor:
    """The index along one axis of a shape, for every element."""
    return apply(235, (_dims(size)) + _qq(dim, 6 if dtype is None else dtype._number))


def arange(start: float, end: float, step: float = 1.0, *, dtype: DType) -> Tensor:
    """start, start + step, … up to but not including end."""
    return apply(236, _dddq(start, end, step, dtype._number))


def linspace(start: float, end: float, steps: int, dtype: DType | None = None) -> Tensor:
    """steps numbers evenly from start to end, both included."""
    return apply(237, _ddqq(start, end, steps, 0 if dtype is None else dtype._number))


def logspace(
    start: float,
    end: float,
    steps: int,
    dtype: DType | None = None,
    base: float = 10.0,
) -> Tensor:
    """base to the power of evenly spaced numbers."""
    return apply(238, _ddqqd(start, end, steps, 0 if dtype is None else dtype._number, base))


def eye(n: int, m: int, dtype: DType | None = None) -> Tensor:
    """Ones on the main diagonal, zeros elsewhere."""
    return apply(239, _qqq(n, m, 0 if dtype is None else dtype._number))


def tril_indices(row: int, col: int, offset: int = 0) -> Tensor:
    """Row and column of each element on or below a diagonal."""
    return apply(240, _qqq(row, col, offset))


def triu_indices(row: int, col: int, offset: int = 0) -> Tensor:
    """Row and column of each element on or above a diagonal."""
    return apply(241, _qqq(row, col, offset))


def matmul(input: Any, other: Any) -> Tensor:
    """The matrix product of the last two axes, leading axes broadcasting; rank-1 operands are vectors."""
    return apply(242, b"", input, other)


def matmul_nd(input: Any, other: Any) -> Tensor:
    """The matrix product of floating-point operands of rank 2 or more, leading axes broadcasting."""
    return apply(243, b"", input, other)


def mm(input: Any, other: Any) -> Tensor:
    """The product of two matrices."""
    return apply(244, b"", input, other)


def bmm(input: Any, other: Any) -> Tensor:
    """The products of two batches of matrices."""
    return apply(245, b"", input, other)


def mv(input: Any, other: Any) -> Tensor:
    """The product of a matrix and a vector."""
    return apply(246, b"", input, other)


def dot(input: Any, other: Any) -> Tensor:
    """The inner product of two vectors."""
    return apply(247, b"", input, other)


def vdot(input: Any, other: Any) -> Tensor:
    """The inner product of two vectors."""
    return apply(248, b"", input, other)


def linear(input: Any, weight: Any, bias: Any = None) -> Tensor:
    """input · weightᵀ + bias."""
    return apply(249, b"", input, weight, bias)


def bilinear(input1: Any, input2: Any, weight: Any, bias: Any = None) -> Tensor:
    """input1 · weight · input2 for each output feature, plus bias."""
    return apply(250, b"", input1, input2, weight, bias)


def chain_matmul(*matrices: Any) -> Tensor:
    """The product of matrices, multiplied in the cheapest order."""
    return apply(251, b"", *matrices)


def inner(input: Any, other: Any) -> Tensor:
    """Sums of products over the last axes."""
    return apply(252, b"", input, other)


def outer(input: Any, other: Any) -> Tensor:
    """All products of elements of two vectors."""
    return apply(253, b"", input, other)


def cross(input: Any, other: Any, dim: int = -1) -> Tensor:
    """The cross product along an axis."""
    return apply(254, _q(dim), input, other)


def addmm(input: Any, mat1: Any, mat2: Any, beta: float = 1.0, alpha: float = 1.0) -> Tensor:
    """beta · input + alpha · mat1 · mat2."""
    return apply(255, _dd(beta, alpha), input, mat1, mat2)


def addmv(input: Any, mat: Any, vec: Any, beta: float = 1.0, alpha: float = 1.0) -> Tensor:
    """beta · input + alpha · mat · vec."""
    return apply(256, _dd(beta, alpha), input, mat, vec)


def addr(input: Any, vec1: Any, vec2: Any, beta: float = 1.0, alpha: float = 1.0) -> Tensor:
    """beta · input + alpha · the outer product of vec1 and vec2."""
    return apply(257, _dd(beta, alpha), input, vec1, vec2)


def baddbmm(input: Any, batch1: Any, batch2: Any, beta: float = 1.0, alpha: float = 1.0) -> Tensor:
    """beta · input + alpha · batch1 · batch2."""
    return apply(258, _dd(beta, alpha), input, batch1, batch2)


def addbmm(input: Any, batch1: Any, batch2: Any, beta: float = 1.0, alpha: float = 1.0) -> Tensor:
    """beta · input + alpha · the sum of the products of the batches."""
    return apply(259, _dd(beta, alpha), input, batch1, batch2)


def tensordot(input: Any, other: Any, dims_a: Sequence[int], dims_b: Sequence[int]) -> Tensor:
    """Sums of products over pairs of axes; the other axes of input come first."""
    return apply(260, (_ints(dims_a)) + (_ints(dims_b)), input, other)


def einsum(*operands: Any, equation: Sequence[int]) -> Tensor:
    """Sums of products by Einstein's convention; the equation as the codes of its characters."""
    return apply(261, _ints(equation), *operands)


def standardize(input: Any, dims: Sequence[int], eps: float) -> tuple[Tensor, ...]:
    """(input - mean) / sqrt(variance + eps) over axes, with the mean and the population variance."""
    return apply_many(262, (_ints(dims)) + _d(eps), 3, input)


def layer_norm(
    input: Any,
    weight: Any = None,
    bias: Any = None,
    *,
    normalized_shape: Sequence[int],
    eps: float = 1e-05,
) -> Tensor:
    """Standardizes over the last axes, then scales by weight and adds bias."""
    return apply(263, (_dims(normalized_shape)) + _d(eps), input, weight, bias)


def rms_norm(
    input: Any,
    weight: Any = None,
    *,
    normalized_shape: Sequence[int],
    eps: float | None = None,
) -> Tensor:
    """Divides by the root of the mean square over the last axes, then scales by weight."""
    return apply(
        264,
        (_dims(normalized_shape)) + (_ABSENT if eps is None else _qd(1, eps)),
        input,
        weight,
    )


def group_norm(
    input: Any,
    weight: Any = None,
    bias: Any = None,
    *,
    num_groups: int,
    eps: float = 1e-05,
) -> Tensor:
    """Standardizes over groups of channels and all positions, then scales and shifts channels."""
    return apply(265, _qd(num_groups, eps), input, weight, bias)


def instance_norm(input: Any, weight: Any = None, bias: Any = None, eps: float = 1e-05) -> Tensor:
    """Standardizes each channel over its positions, then scales and shifts channels."""
    return apply(266, _d(eps), input, weight, bias)


def batch_norm(
    input: Any,
    running_mean: Any,
    running_var: Any,
    weight: Any = None,
    bias: Any = None,
    eps: float = 1e-05,
) -> Tensor:
    """Normalizes channels by running statistics, then scales and shifts them."""
    return apply(267, _d(eps), input, running_mean, running_var, weight, bias)


def batch_norm_training(
    input: Any,
    running_mean: Any,
    running_var: Any,
    weight: Any = None,
    bias: Any = None,
    momentum: float = 0.1,
    eps: float = 1e-05,
) -> tuple[Tensor, ...]:
    """Standardizes channels over the batch, then scales and shifts them; also the running statistics after the step."""
    return apply_many(268, _dd(momentum, eps), 3, input, running_mean, running_var, weight, bias)


def batch_norm_batch(
    input: Any,
    weight: Any = None,
    bias: Any = None,
    eps: float = 1e-05,
) -> tuple[Tensor, ...]:
    """batch_norm_training without running statistics: also the batch's mean and unbiased variance."""
    return apply_many(269, _d(eps), 3, input, weight, bias)


def local_response_norm(
    input: Any,
    size: int,
    alpha: float = 0.0001,
    beta: float = 0.75,
    k: float = 1.0,
) -> Tensor:
    """Divides by (k + alpha · the mean square of neighbouring channels)^beta."""
    return apply(270, _qddd(size, alpha, beta, k), input)


def normalize(input: Any, p: float = 2.0, dim: Sequence[int] = (1,), eps: float = 1e-12) -> Tensor:
    """Divides by the p-norm along an axis, or by eps if that is smaller."""
    return apply(271, _d(p) + (_ints(dim)) + _d(eps), input)


def cosine_similarity(x1: Any, x2: Any, dim: int = 1, eps: float = 1e-08) -> Tensor:
    """The cosine of the angle between vectors along an axis."""
    return apply(272, _qd(dim, eps), x1, x2)


def pairwise_distance(
    x1: Any,
    x2: Any,
    p: float = 2.0,
    eps: float = 1e-06,
    keepdim: bool = False,
) -> Tensor:
    """The p-norm of x1 - x2 + eps along the last axis."""
    return apply(273, _ddq(p, eps, keepdim), x1, x2)


def cdist(x1: Any, x2: Any, p: float = 2.0) -> Tensor:
    """The p-norm distance of each row of x1 to each row of x2."""
    return apply(274, _d(p), x1, x2)


def scaled_dot_product_attention(
    query: Any,
    key: Any,
    value: Any,
    mask: Any = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
) -> Tensor:
    """softmax(query · keyᵀ · scale + mask) · value. A bool mask is true where attention is allowed; is_causal allows j <= i. Rows that allow nothing give zeros."""
    return apply(
        275,
        _dq(dropout_p, is_causal) + (_ABSENT if scale is None else _qd(1, scale)),
        query,
        key,
        value,
        mask,
    )


def attention(
    query: Any,
    key: Any,
    value: Any,
    mask: Any = None,
    *,
    scale: float,
    is_causal: bool,
) -> Tensor:
    """Attention of rank-4 operands, with an additive finite mask or a causal one."""
    return apply(276, _dq(scale, is_causal), query, key, value, mask)


def attention_gradient(
    query: Any,
    key: Any,
    value: Any,
    gradient: Any,
    mask: Any = None,
    *,
    scale: float,
    is_causal: bool,
) -> tuple[Tensor, ...]:
    """The gradients of attention with respect to query, key and value."""
    return apply_many(277, _dq(scale, is_causal), 3, query, key, value, gradient, mask)


def conv1d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Sequence[int] = (1,),
    padding: Sequence[int] = (0,),
    dilation: Sequence[int] = (1,),
    groups: int = 1,
) -> Tensor:
    """The convolution over the last axis. padding is one number per axis, or before and after of each axis."""
    return apply(
        278,
        (_ints(stride)) + (_ints(padding)) + (_ints(dilation)) + _q(groups),
        input,
        weight,
        bias,
    )


def conv2d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Sequence[int] = (1,),
    padding: Sequence[int] = (0,),
    dilation: Sequence[int] = (1,),
    groups: int = 1,
) -> Tensor:
    """The convolution over the last two axes. padding is one number per axis, or before and after of each axis."""
    return apply(
        279,
        (_ints(stride)) + (_ints(padding)) + (_ints(dilation)) + _q(groups),
        input,
        weight,
        bias,
    )


def conv_transpose1d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Sequence[int] = (1,),
    padding: Sequence[int] = (0,),
    output_padding: Sequence[int] = (0,),
    groups: int = 1,
    dilation: Sequence[int] = (1,),
) -> Tensor:
    """The transposed convolution over the last axis. The weight is (input channels, output channels / groups, kernel)."""
    return apply(
        280,
        (_ints(stride))
        + (_ints(padding))
        + (_ints(output_padding))
        + _q(groups)
        + (_ints(dilation)),
        input,
        weight,
        bias,
    )


def conv_transpose2d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Sequence[int] = (1,),
    padding: Sequence[int] = (0,),
    output_padding: Sequence[int] = (0,),
    groups: int = 1,
    dilation: Sequence[int] = (1,),
) -> Tensor:
    """The transposed convolution over the last two axes. The weight is (input channels, output channels / groups, kernel)."""
    return apply(
        281,
        (_ints(stride))
        + (_ints(padding))
        + (_ints(output_padding))
        + _q(groups)
        + (_ints(dilation)),
        input,
        weight,
        bias,
    )


def conv2d_core(
    input: Any,
    weight: Any,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
) -> Tensor:
    """The convolution of (N, C, H, W) with (O, C / groups, kH, kW); padding is top, bottom, left, right."""
    return apply(
        282,
        (_ints(stride)) + (_ints(padding)) + (_ints(dilation)) + _q(groups),
        input,
        weight,
    )


def conv2d_input_gradient(
    gradient: Any,
    weight: Any,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
    input_size: Sequence[int],
) -> Tensor:
    """The gradient of conv2d_core with respect to an input of shape input_size."""
    return apply(
        283,
        (_ints(stride)) + (_ints(padding)) + (_ints(dilation)) + _q(groups) + (_dims(input_size)),
        gradient,
        weight,
    )


def conv2d_weight_gradient(
    gradient: Any,
    input: Any,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
    weight_size: Sequence[int],
) -> Tensor:
    """The gradient of conv2d_core with respect to a weight of shape weight_size."""
    return apply(
        284,
        (_ints(stride)) + (_ints(padding)) + (_ints(dilation)) + _q(groups) + (_dims(weight_size)),
        gradient,
        input,
    )


def max_pool1d(
    input: Any,
    kernel_size: Sequence[int],
    stride: Sequence[int] | None = None,
    padding: Sequence[int] = (0,),
    dilation: Sequence[int] = (1,),
    ceil_mode: bool = False,
) -> Tensor:
    """The largest element of each window."""
    return apply(
        285,
        (_ints(kernel_size))
        + (_ABSENT if stride is None else _q(1) + _ints(stride))
        + (_ints(padding))
        + (_ints(dilation))
        + _q(ceil_mode),
        input,
    )


def max_pool1d_with_indices(
    input: Any,
    kernel_size: Sequence[int],
    stride: Sequence[int] | None = None,
    padding: Sequence[int] = (0,),
    dilation: Sequence[int] = (1,),
    ceil_mode: bool = False,
) -> tuple[Tensor, ...]:
    """The largest element of each window, and its position in the flat pooled axes."""
    return apply_many(
        286,
        (_ints(kernel_size))
        + (_ABSENT if stride is None else _q(1) + _ints(stride))
        + (_ints(padding))
        + (_ints(dilation))
        + _q(ceil_mode),
        2,
        input,
    )


def avg_pool1d(
    input: Any,
    kernel_size: Sequence[int],
    stride: Sequence[int] | None = None,
    padding: Sequence[int] = (0,),
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """The mean of each window."""
    return apply(
        287,
        (_ints(kernel_size))
        + (_ABSENT if stride is None else _q(1) + _ints(stride))
        + (_ints(padding))
        + _qq(ceil_mode, count_include_pad)
        + (_ABSENT if divisor_override is None else _qq(1, divisor_override)),
        input,
    )


def lp_pool1d(
    input: Any,
    norm_type: float,
    kernel_size: Sequence[int],
    stride: Sequence[int] | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """The p-norm of each window."""
    return apply(
        288,
        _d(norm_type)
        + (_ints(kernel_size))
        + (_ABSENT if stride is None else _q(1) + _ints(stride))
        + _q(ceil_mode),
        input,
    )


def adaptive_avg_pool1d(input: Any, output_size: Sequence[int]) -> Tensor:
    """The means of output_size even windows. -1 keeps an extent."""
    return apply(289, _ints(output_size), input)


def adaptive_max_pool1d(input: Any, output_size: Sequence[int]) -> Tensor:
    """The largest elements of output_size even windows. -1 keeps an extent."""
    return apply(290, _ints(output_size), input)


def max_pool2d(
    input: Any,
    kernel_size: Sequence[int],
    stride: Sequence[int] | None = None,
    padding: Sequence[int] = (0,),
    dilation: Sequence[int] = (1,),
    ceil_mode: bool = False,
) -> Tensor:
    """The largest element of each window."""
    return apply(
        291,
        (_ints(kernel_size))
        + (_ABSENT if stride is None else _q(1) + _ints(stride))
        + (_ints(padding))
        + (_ints(dilation))
        + _q(ceil_mode),
        input,
    )


def max_pool2d_with_indices(
    input: Any,
    kernel_size: Sequence[int],
    stride: Sequence[int] | None = None,
    padding: Sequence[int] = (0,),
    dilation: Sequence[int] = (1,),
    ceil_mode: bool = False,
) -> tuple[Tensor, ...]:
    """The largest element of each window, and its position in the flat pooled axes."""
    return apply_many(
        292,
        (_ints(kernel_size))
        + (_ABSENT if stride is None else _q(1) + _ints(stride))
        + (_ints(padding))
        + (_ints(dilation))
        + _q(ceil_mode),
        2,
        input,
    )


def avg_pool2d(
    input: Any,
    kernel_size: Sequence[int],
    stride: Sequence[int] | None = None,
    padding: Sequence[int] = (0,),
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """The mean of each window."""
    return apply(
        293,
        (_ints(kernel_size))
        + (_ABSENT if stride is None else _q(1) + _ints(stride))
        + (_ints(padding))
        + _qq(ceil_mode, count_include_pad)
        + (_ABSENT if divisor_override is None else _qq(1, divisor_override)),
        input,
    )


def lp_pool2d(
    input: Any,
    norm_type: float,
    kernel_size: Sequence[int],
    stride: Sequence[int] | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """The p-norm of each window."""
    return apply(
        294,
        _d(norm_type)
        + (_ints(kernel_size))
        + (_ABSENT if stride is None else _q(1) + _ints(stride))
        + _q(ceil_mode),
        input,
    )


def adaptive_avg_pool2d(input: Any, output_size: Sequence[int]) -> Tensor:
    """The means of output_size even windows. -1 keeps an extent."""
    return apply(295, _ints(output_size), input)


def adaptive_max_pool2d(input: Any, output_size: Sequence[int]) -> Tensor:
    """The largest elements of output_size even windows. -1 keeps an extent."""
    return apply(296, _ints(output_size), input)


def max_pool2d_core(
    input: Any,
    kernel: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
) -> Tensor:
    """The largest element of each window of (N, C, H, W)."""
    return apply(
        297,
        (_ints(kernel)) + (_ints(stride)) + (_ints(padding)) + (_ints(dilation)),
        input,
    )


def max_pool2d_indices(
    input: Any,
    kernel: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
) -> Tensor:
    """The flat position in (H, W) of the largest element of each window."""
    return apply(
        298,
        (_ints(kernel)) + (_ints(stride)) + (_ints(padding)) + (_ints(dilation)),
        input,
    )


def avg_pool2d_core(
    input: Any,
    kernel: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
) -> Tensor:
    """The mean of each window of (N, C, H, W), padding counting as zeros."""
    return apply(
        299,
        (_ints(kernel)) + (_ints(stride)) + (_ints(padding)) + (_ints(dilation)),
        input,
    )


def max_pool2d_gradient(
    gradient: Any,
    input: Any,
    kernel: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
) -> Tensor:
    """The gradient of max_pool2d_core."""
    return apply(
        300,
        (_ints(kernel)) + (_ints(stride)) + (_ints(padding)) + (_ints(dilation)),
        gradient,
        input,
    )


def avg_pool2d_gradient(
    gradient: Any,
    input: Any,
    kernel: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
) -> Tensor:
    """The gradient of avg_pool2d_core."""
    return apply(
        301,
        (_ints(kernel)) + (_ints(stride)) + (_ints(padding)) + (_ints(dilation)),
        gradient,
        input,
    )


def pixel_shuffle(input: Any, upscale_factor: int) -> Tensor:
    """Moves blocks of channels to squares of pixels."""
    return apply(302, _q(upscale_factor), input)


def pixel_unshuffle(input: Any, downscale_factor: int) -> Tensor:
    """Moves squares of pixels to blocks of channels."""
    return apply(303, _q(downscale_factor), input)


def channel_shuffle(input: Any, groups: int) -> Tensor:
    """Interleaves groups of channels."""
    return apply(304, _q(groups), input)


def im2col(
    input: Any,
    kernel_size: Sequence[int],
    dilation: Sequence[int] = (1,),
    padding: Sequence[int] = (0,),
    stride: Sequence[int] = (1,),
) -> Tensor:
    """The windows of an image as columns: (N, C · kH · kW, windows)."""
    return apply(
        305,
        (_ints(kernel_size)) + (_ints(dilation)) + (_ints(padding)) + (_ints(stride)),
        input,
    )


def col2im(
    input: Any,
    output_size: Sequence[int],
    kernel_size: Sequence[int],
    dilation: Sequence[int] = (1,),
    padding: Sequence[int] = (0,),
    stride: Sequence[int] = (1,),
) -> Tensor:
    """Adds columns, as im2col makes them, up to an image of output_size."""
    return apply(
        306,
        (_ints(output_size))
        + (_ints(kernel_size))
        + (_ints(dilation))
        + (_ints(padding))
        + (_ints(stride)),
        input,
    )


def interpolate(
    input: Any,
    size: Sequence[int],
    mode: str = "nearest",
    align_corners: bool = False,
    scales: Sequence[float] | None = None,
) -> Tensor:
    """Resamples the axes behind the channels to new extents; linear is bilinear for two axes."""
    return apply(
        307,
        (_ints(size))
        + _qq(_word("mode", _MODE_NEAREST_NEAREST_EXACT, mode), align_corners)
        + (_ABSENT if scales is None else _q(1) + _floats(scales)),
        input,
    )


def mse_loss(input: Any, target: Any, reduction: str = "mean") -> Tensor:
    """The squared difference."""
    return apply(308, _q(_word("reduction", _REDUCTION_NONE_MEAN, reduction)), input, target)


def l1_loss(input: Any, target: Any, reduction: str = "mean") -> Tensor:
    """The absolute difference."""
    return apply(309, _q(_word("reduction", _REDUCTION_NONE_MEAN, reduction)), input, target)


def smooth_l1_loss(input: Any, target: Any, beta: float = 1.0, reduction: str = "mean") -> Tensor:
    """The squared difference over 2 · beta below beta, else linear."""
    return apply(310, _dq(beta, _word("reduction", _REDUCTION_NONE_MEAN, reduction)), input, target)


def huber_loss(input: Any, target: Any, delta: float = 1.0, reduction: str = "mean") -> Tensor:
    """Half the squared difference below delta, else linear."""
    return apply(
        311,
        _dq(delta, _word("reduction", _REDUCTION_NONE_MEAN, reduction)),
        input,
        target,
    )


def kl_div(input: Any, target: Any, log_target: bool = False, reduction: str = "mean") -> Tensor:
    """target · (log(target) - input), or exp(target) for a target of logarithms."""
    return apply(
        312,
        _qq(log_target, _word("reduction", _REDUCTION_NONE_MEAN, reduction)),
        input,
        target,
    )


def cross_entropy(
    input: Any,
    target: Any,
    weight: Any = None,
    reduction: str = "mean",
    ignore_index: int = -100,
    label_smoothing: float = 0.0,
) -> Tensor:
    """-log softmax over the classes (axis 1, or 0 of a vector) at target: class numbers, or probabilities of input's shape."""
    return apply(
        313,
        _qqd(_word("reduction", _REDUCTION_NONE_MEAN, reduction), ignore_index, label_smoothing),
        input,
        target,
        weight,
    )


def nll_loss(
    input: Any,
    target: Any,
    weight: Any = None,
    reduction: str = "mean",
    ignore_index: int = -100,
) -> Tensor:
    """-input at the target's class (axis 1, or 0 of a vector) for logarithms of probabilities."""
    return apply(
        314,
        _qq(_word("reduction", _REDUCTION_NONE_MEAN, reduction), ignore_index),
        input,
        target,
        weight,
    )


def hinge_embedding_loss(
    input: Any,
    target: Any,
    margin: float = 1.0,
    reduction: str = "mean",
) -> Tensor:
    """input where target is 1, max(0, margin - input) where it is -1."""
    return apply(
        315,
        _dq(margin, _word("reduction", _REDUCTION_NONE_MEAN, reduction)),
        input,
        target,
    )


def soft_margin_loss(input: Any, target: Any, reduction: str = "mean") -> Tensor:
    """log(1 + exp(-target · input))."""
    return apply(316, _q(_word("reduction", _REDUCTION_NONE_MEAN, reduction)), input, target)


def margin_ranking_loss(
    input1: Any,
    input2: Any,
    target: Any,
    margin: float = 0.0,
    reduction: str = "mean",
) -> Tensor:
    """max(0, -target · (input1 - input2) + margin)."""
    return apply(
        317,
        _dq(margin, _word("reduction", _REDUCTION_NONE_MEAN, reduction)),
        input1,
        input2,
        target,
    )


def multi_margin_loss(
    input: Any,
    target: Any,
    weight: Any = None,
    p: int = 1,
    margin: float = 1.0,
    reduction: str = "mean",
) -> Tensor:
    """The mean over classes of max(0, margin - input[target] + input)^p."""
    return apply(
        318,
        _qdq(p, margin, _word("reduction", _REDUCTION_NONE_MEAN, reduction)),
        input,
        target,
        weight,
    )


def multilabel_margin_loss(input: Any, target: Any, reduction: str = "mean") -> Tensor:
    """Over classes, the sum of max(0, 1 - input[label] + input[other]) by their number; labels end at -1."""
    return apply(319, _q(_word("reduction", _REDUCTION_NONE_MEAN, reduction)), input, target)


def multilabel_soft_margin_loss(
    input: Any,
    target: Any,
    weight: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """The mean over the last axis of the binary cross entropy of sigmoid(input)."""
    return apply(
        320,
        _q(_word("reduction", _REDUCTION_NONE_MEAN, reduction)),
        input,
        target,
        weight,
    )


def cosine_embedding_loss(
    input1: Any,
    input2: Any,
    target: Any,
    margin: float = 0.0,
    reduction: str = "mean",
) -> Tensor:
    """1 - cosine where target is 1, max(0, cosine - margin) where it is -1."""
    return apply(
        321,
        _dq(margin, _word("reduction", _REDUCTION_NONE_MEAN, reduction)),
        input1,
        input2,
        target,
    )


def triplet_margin_loss(
    anchor: Any,
    positive: Any,
    negative: Any,
    margin: float = 1.0,
    p: float = 2.0,
    eps: float = 1e-06,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """max(0, |anchor - positive| - |anchor - negative| + margin) in the p-norm of the last axis."""
    return apply(
        322,
        _dddqq(margin, p, eps, swap, _word("reduction", _REDUCTION_NONE_MEAN, reduction)),
        anchor,
        positive,
        negative,
    )


def binary_cross_entropy(
    input: Any,
    target: Any,
    weight: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """-(target · log(input) + (1 - target) · log(1 - input)), logarithms at least -100."""
    return apply(
        323,
        _q(_word("reduction", _REDUCTION_NONE_MEAN, reduction)),
        input,
        target,
        weight,
    )


def binary_cross_entropy_with_logits(
    input: Any,
    target: Any,
    weight: Any = None,
    pos_weight: Any = None,
    reduction: str = "mean",
) -> Tensor:
    """binary_cross_entropy of sigmoid(input), without its overflow; pos_weight scales the positive part."""
    return apply(
        324,
        _q(_word("reduction", _REDUCTION_NONE_MEAN, reduction)),
        input,
        target,
        weight,
        pos_weight,
    )


def poisson_nll_loss(
    input: Any,
    target: Any,
    log_input: bool = True,
    full: bool = False,
    eps: float = 1e-08,
    reduction: str = "mean",
) -> Tensor:
    """exp(input) - target · input for a logarithmic input."""
    return apply(
        325,
        _qqdq(log_input, full, eps, _word("reduction", _REDUCTION_NONE_MEAN, reduction)),
        input,
        target,
    )


def gaussian_nll_loss(
    input: Any,
    target: Any,
    var: Any,
    full: bool = False,
    eps: float = 1e-06,
    reduction: str = "mean",
) -> Tensor:
    """Half of log(var) + (input - target)² / var, var being at least eps."""
    return apply(
        326,
        _qdq(full, eps, _word("reduction", _REDUCTION_NONE_MEAN, reduction)),
        input,
        target,
        var,
    )


def ctc_loss(
    log_probs: Any,
    targets: Any,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    """The connectionist temporal classification loss: -log of the probability of a target over all its alignments."""
    return apply(
        327,
        _qqq(blank, _word("reduction", _REDUCTION_NONE_MEAN, reduction), zero_infinity),
        log_probs,
        targets,
        input_lengths,
        target_lengths,
    )


def philox_uniform(seed: Any, offset: Any, size: Sequence[int]) -> Tensor:
    """Numbers in [0, 1) with 24 random bits, one word each."""
    return apply(328, _dims(size), seed, offset)


def philox_bits(seed: Any, offset: Any, size: Sequence[int]) -> Tensor:
    """Integers in [0, 2^32), one word each."""
    return apply(329, _dims(size), seed, offset)


def rand(size: Sequence[int], dtype: DType | None = None) -> Tensor:
    """Uniform numbers in [0, 1)."""
    return apply(330, (_dims(size)) + _q(0 if dtype is None else dtype._number))


def randn(size: Sequence[int], dtype: DType | None = None) -> Tensor:
    """Normal numbers of mean 0 and variance 1."""
    return apply(331, (_dims(size)) + _q(0 if dtype is None else dtype._number))


def randint(size: Sequence[int], low: int, high: int, dtype: DType | None = None) -> Tensor:
    """Integers in [low, high)."""
    return apply(332, (_dims(size)) + _qqq(low, high, 6 if dtype is None else dtype._number))


def randperm(size: Sequence[int], dtype: DType | None = None) -> Tensor:
    """The integers from 0 to n - 1 in random order; size is (n,)."""
    return apply(333, (_dims(size)) + _q(6 if dtype is None else dtype._number))


def bernoulli(input: Any) -> Tensor:
    """1 with the probability that input gives, else 0."""
    return apply(334, b"", input)


def rand_like(input: Any, low: float = 0.0, high: float = 1.0) -> Tensor:
    """Uniform numbers in [low, high) of input's shape."""
    return apply(335, _dd(low, high), input)


def randn_like(input: Any, mean: float = 0.0, std: float = 1.0) -> Tensor:
    """Normal numbers of input's shape."""
    return apply(336, _dd(mean, std), input)


def exponential(input: Any, lambd: float = 1.0) -> Tensor:
    """Exponential numbers of rate lambd and of input's shape."""
    return apply(337, _d(lambd), input)


def normal(mean: Any, std: Any) -> Tensor:
    """Normal numbers with the given means and deviations."""
    return apply(338, b"", mean, std)


def dropout(input: Any, p: float = 0.5, training: bool = True) -> Tensor:
    """Zeros elements with probability p and scales the rest by 1 / (1 - p)."""
    return apply(339, _dq(p, training), input)


def feature_dropout(input: Any, p: float = 0.5, training: bool = True) -> Tensor:
    """dropout of whole channels: one decision per (sample, channel)."""
    return apply(340, _dq(p, training), input)


def alpha_dropout(input: Any, p: float = 0.5, training: bool = True) -> Tensor:
    """dropout that keeps the mean and variance of selu."""
    return apply(341, _dq(p, training), input)


def feature_alpha_dropout(input: Any, p: float = 0.5, training: bool = True) -> Tensor:
    """alpha_dropout of whole channels."""
    return apply(342, _dq(p, training), input)


def rrelu(
    input: Any,
    lower: float = 0.125,
    upper: float = 0.3333333333333333,
    training: bool = True,
) -> Tensor:
    """input where positive, else input times a slope drawn from [lower, upper] (their mean outside training)."""
    return apply(343, _ddq(lower, upper, training), input)


def multinomial(input: Any, num_samples: int, replacement: bool = False) -> Tensor:
    """Indices drawn with probabilities proportional to the last axis."""
    return apply(344, _qq(num_samples, replacement), input)


def detach(input: Any) -> Tensor:
    """The same elements, without leading back to the operand."""
    return apply(345, b"", input)


def nonzero(input: Any) -> Tensor:
    """The positions of nonzero elements, one row each, in row-major order."""
    note_read()
    return apply(346, b"", input)


def masked_select(input: Any, mask: Any) -> Tensor:
    """The elements where the mask holds, in row-major order."""
    note_read()
    return apply(347, b"", input, mask)


def unique(input: Any) -> tuple[Tensor, ...]:
    """The distinct elements in order, where each element of input is among them, and how often they occur. NaN counts as distinct each time."""
    note_read()
    return apply_many(348, b"", 3, input)


def unique_consecutive(input: Any) -> tuple[Tensor, ...]:
    """unique, but only neighbours of the flat tensor count as equal."""
    note_read()
    return apply_many(349, b"", 3, input)


def bincount(input: Any, minlength: int = 0) -> Tensor:
    """How often each number from 0 up to the largest (or minlength - 1) occurs."""
    note_read()
    return apply(350, _q(minlength), input)


def repeat_positions(repeats: Any) -> Tensor:
    """Each position i of repeats, repeats[i] times: what repeat_interleave selects."""
    note_read()
    return apply(351, b"", repeats)
