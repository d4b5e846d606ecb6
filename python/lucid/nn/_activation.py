"""Activation layers: each calls the function of the same name in `functional`."""

from __future__ import annotations

from typing import Any

from .._creation import full
from .._tensor import Tensor
from . import functional as F
from ._module import Module
from ._parameter import Parameter


class _Inplace(Module):
    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""


class ReLU(_Inplace):
    """max(x, 0)."""

    def forward(self, input: Tensor) -> Tensor:
        """Any shape."""
        return F.relu(input, self.inplace)


class ReLU6(_Inplace):
    """min(max(x, 0), 6)."""

    def forward(self, input: Tensor) -> Tensor:
        """Any shape."""
        return F.relu6(input, self.inplace)


class SiLU(_Inplace):
    """x · sigmoid(x)."""

    def forward(self, input: Tensor) -> Tensor:
        """Any shape."""
        return F.silu(input, self.inplace)


class Mish(_Inplace):
    """x · tanh(softplus(x))."""

    def forward(self, input: Tensor) -> Tensor:
        """Any shape."""
        return F.mish(input, self.inplace)


class SELU(_Inplace):
    """Scaled exponential linear unit."""

    def forward(self, input: Tensor) -> Tensor:
        """Any shape."""
        return F.selu(input, self.inplace)


class Hardswish(_Inplace):
    """x · relu6(x + 3) / 6."""

    def forward(self, input: Tensor) -> Tensor:
        """Any shape."""
        return F.hardswish(input, self.inplace)


class Hardsigmoid(_Inplace):
    """relu6(x + 3) / 6."""

    def forward(self, input: Tensor) -> Tensor:
        """Any shape."""
        return F.hardsigmoid(input, self.inplace)


class _Plain(Module):
    pass


class Sigmoid(_Plain):
    """1 / (1 + exp(-x))."""

    def forward(self, input: Tensor) -> Tensor:
        """Any shape."""
        return input.sigmoid()


class Tanh(_Plain):
    """tanh(x)."""

    def forward(self, input: Tensor) -> Tensor:
        """Any shape."""
        return input.tanh()


class LogSigmoid(_Plain):
    """log(sigmoid(x))."""

    def forward(self, input: Tensor) -> Tensor:
        """Any shape."""
        return F.logsigmoid(input)


class Softsign(_Plain):
    """x / (1 + |x|)."""

    def forward(self, input: Tensor) -> Tensor:
        """Any shape."""
        return F.softsign(input)


class Tanhshrink(_Plain):
    """x - tanh(x)."""

    def forward(self, input: Tensor) -> Tensor:
        """Any shape."""
        return F.tanhshrink(input)


class GELU(Module):
    """x · Φ(x).

    Args:
        approximate: `none` for the error function, `tanh` for the approximation by it.
    """

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Tensor) -> Tensor:
        """Any shape."""
        return F.gelu(input, approximate=self.approximate)

    def extra_repr(self) -> str:
        return f"approximate={self.approximate!r}"


class ELU(Module):
    """x where positive, else alpha · (exp(x) - 1)."""

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Any shape."""
        return F.elu(input, self.alpha, self.inplace)

    def extra_repr(self) -> str:
        return f"alpha={self.alpha}" + (", inplace=True" if self.inplace else "")


class CELU(ELU):
    """x where positive, else alpha · (exp(x / alpha) - 1)."""

    def forward(self, input: Tensor) -> Tensor:
        """Any shape."""
        return F.celu(input, self.alpha, self.inplace)


class LeakyReLU(Module):
    """x where positive, else negative_slope · x."""

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False) -> None:
        super().__init__()
        self.negative_slope = negative_slope
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Any shape."""
        return F.leaky_relu(input, self.negative_slope, self.inplace)

    def extra_repr(self) -> str:
        return f"negative_slope={self.negative_slope}" + (", inplace=True" if self.inplace else "")


class PReLU(Module):
    """x where positive, else weight · x with a learned weight, shared or per channel."""

    def __init__(
        self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.init = init
        self.weight = Parameter(full((num_parameters,), init, device=device, dtype=dtype))

    def forward(self, input: Tensor) -> Tensor:
        """`(N, C, *)`."""
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        return f"num_parameters={self.num_parameters}"


class RReLU(Module):
    """Leaky ReLU with a slope drawn from [lower, upper] in training."""

    def __init__(self, lower: float = 1 / 8, upper: float = 1 / 3, inplace: bool = False) -> None:
        super().__init__()
        self.lower = lower
        self.upper = upper
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Any shape."""
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)

    def extra_repr(self) -> str:
        return f"lower={self.lower}, upper={self.upper}" + (
            ", inplace=True" if self.inplace else ""
        )


class Softplus(Module):
    """log(1 + exp(beta · x)) / beta, linear above `threshold`."""

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta = beta
        self.threshold = threshold

    def forward(self, input: Tensor) -> Tensor:
        """Any shape."""
        return F.softplus(input, self.beta, self.threshold)

    def extra_repr(self) -> str:
        return f"beta={self.beta}, threshold={self.threshold}"


class Hardtanh(Module):
    """x restricted to [min_val, max_val]."""

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        if max_val <= min_val:
            raise AssertionError("max_val must be larger than min_val")
        self.min_val = min_val
        self.max_val = max_val
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Any shape."""
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)

    def extra_repr(self) -> str:
        text = f"min_val={self.min_val}, max_val={self.max_val}"
        return text + (", inplace=True" if self.inplace else "")


class Hardshrink(Module):
    """x where |x| > lambd, else 0."""

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, input: Tensor) -> Tensor:
        """Any shape."""
        return F.hardshrink(input, self.lambd)

    def extra_repr(self) -> str:
        return str(self.lambd)


class Softshrink(Hardshrink):
    """x moved by lambd toward 0, 0 where |x| <= lambd."""

    def forward(self, input: Tensor) -> Tensor:
        """Any shape."""
        return F.softshrink(input, self.lambd)


class Threshold(Module):
    """x where x > threshold, else value."""

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__()
        self.threshold = threshold
        self.value = value
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Any shape."""
        return F.threshold(input, self.threshold, self.value, self.inplace)

    def extra_repr(self) -> str:
        text = f"threshold={self.threshold}, value={self.value}"
        return text + (", inplace=True" if self.inplace else "")


class GLU(Module):
    """The first half along an axis times the sigmoid of the second."""

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """The axis is halved."""
        return F.glu(input, self.dim)

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class _AlongAxis(Module):
    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class Softmax(_AlongAxis):
    """exp(x) over its sum along an axis."""

    def forward(self, input: Tensor) -> Tensor:
        """Any shape."""
        return F.softmax(input, self.dim)


class Softmin(_AlongAxis):
    """Softmax of -x."""

    def forward(self, input: Tensor) -> Tensor:
        """Any shape."""
        return F.softmin(input, self.dim)


class LogSoftmax(_AlongAxis):
    """The logarithm of softmax."""

    def forward(self, input: Tensor) -> Tensor:
        """Any shape."""
        return F.log_softmax(input, self.dim)


class Softmax2d(Module):
    """Softmax over the channels of `(N, C, H, W)`."""

    def forward(self, input: Tensor) -> Tensor:
        """See the class."""
        if input.ndim not in (3, 4):
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.ndim}D instead")
        return F.softmax(input, -3)
