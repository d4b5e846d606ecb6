"""Convolutions."""

from __future__ import annotations

import math
from typing import Any

from .._creation import empty
from .._tensor import Tensor
from . import functional as F
from . import init
from ._module import Module
from ._parameter import Parameter

Pair = int | tuple[int, ...]


def tuple_of(value: Any, count: int) -> tuple[int, ...]:
    """The value repeated, unless it is a tuple already."""
    return tuple(value) if isinstance(value, (tuple, list)) else (value,) * count


class _Conv(Module):
    _axes: int
    _transposed = False

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Pair, stride: Pair = 1,
        padding: Any = 0, dilation: Pair = 1, groups: int = 1, bias: bool = True,
        padding_mode: str = "zeros", device: Any = None, dtype: Any = None,
        output_padding: Pair = 0,
    ) -> None:  # fmt: skip
        super().__init__()
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        if in_channels % groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        if out_channels % groups != 0:
            raise ValueError("out_channels must be divisible by groups")
        modes = {"zeros", "reflect", "replicate", "circular"}
        if padding_mode not in modes:
            raise ValueError(
                f"padding_mode must be one of {modes}, but got padding_mode='{padding_mode}'"
            )
        n = self._axes
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = tuple_of(kernel_size, n)
        self.stride = tuple_of(stride, n)
        if isinstance(padding, str):
            if padding not in ("same", "valid"):
                raise ValueError(
                    f"Invalid padding string {padding!r}, should be one of {{'same', 'valid'}}"
                )
            if padding == "same" and any(s != 1 for s in self.stride):
                raise ValueError("padding='same' is not supported for strided convolutions")
            self.padding: Any = padding
        else:
            self.padding = tuple_of(padding, n)
        self.dilation = tuple_of(dilation, n)
        self.output_padding = tuple_of(output_padding, n)
        self.groups = groups
        self.padding_mode = padding_mode
        first, second = (
            (in_channels, out_channels) if self._transposed else (out_channels, in_channels)
        )
        shape = (first, second // groups, *self.kernel_size)
        self.weight = Parameter(empty(*shape, device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(empty(out_channels, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws new initial values."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in = self.weight.shape[1] * math.prod(self.kernel_size)
            if fan_in != 0:
                bound = 1 / math.sqrt(fan_in)
                init.uniform_(self.bias, -bound, bound)

    def _padded(self, input: Tensor) -> tuple[Tensor, Any]:
        """The input padded by hand where the mode needs it, and what is left to pad."""
        if self.padding_mode == "zeros":
            return input, self.padding
        pads: list[int] = []
        for i in reversed(range(self._axes)):
            if self.padding == "same":
                total = self.dilation[i] * (self.kernel_size[i] - 1)
                pads += [total // 2, total - total // 2]
            else:
                pads += [0, 0] if self.padding == "valid" else [self.padding[i], self.padding[i]]
        return F.pad(input, pads, mode=self.padding_mode), (0,) * self._axes

    def extra_repr(self) -> str:
        text = (
            f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, "
            f"stride={self.stride}"
        )
        ones, zeros = (1,) * self._axes, (0,) * self._axes
        if self.padding != zeros:
            text += f", padding={self.padding}"
        if self.dilation != ones:
            text += f", dilation={self.dilation}"
        if self.output_padding != zeros:
            text += f", output_padding={self.output_padding}"
        if self.groups != 1:
            text += f", groups={self.groups}"
        if self.bias is None:
            text += ", bias=False"
        if self.padding_mode != "zeros":
            text += f", padding_mode={self.padding_mode}"
        return text


class Conv1d(_Conv):
    """Convolution of `(N, C, L)` or `(C, L)`.

    Args and defaults are PyTorch's; `padding` may be `same` or `valid`.
    """

    _axes = 1

    def forward(self, input: Tensor) -> Tensor:
        """`(N, out_channels, L')`."""
        input, padding = self._padded(input)
        return F.conv1d(
            input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups
        )


class Conv2d(_Conv):
    """Convolution of `(N, C, H, W)` or `(C, H, W)`.

    Args and defaults are PyTorch's; `padding` may be `same` or `valid`.
    """

    _axes = 2

    def forward(self, input: Tensor) -> Tensor:
        """`(N, out_channels, H', W')`."""
        input, padding = self._padded(input)
        return F.conv2d(
            input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups
        )


class _ConvTranspose(_Conv):
    _transposed = True

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Pair, stride: Pair = 1,
        padding: Pair = 0, output_padding: Pair = 0, groups: int = 1, bias: bool = True,
        dilation: Pair = 1, padding_mode: str = "zeros", device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias,
            padding_mode, device, dtype, output_padding,
        )  # fmt: skip

    def _output_padding(self, input: Tensor, output_size: Any) -> tuple[int, ...]:
        if output_size is None:
            return self.output_padding
        n = self._axes
        sizes = list(output_size)[-n:]
        out = []
        for i in range(n):
            extent = input.shape[input.ndim - n + i]
            least = (
                (extent - 1) * self.stride[i]
                - 2 * self.padding[i]
                + self.dilation[i] * (self.kernel_size[i] - 1)
                + 1
            )
            if not least <= sizes[i] < least + self.stride[i]:
                raise ValueError(
                    f"requested an output size of {sizes}, but valid sizes along axis {i} range "
                    f"from {least} to {least + self.stride[i] - 1}"
                )
            out.append(sizes[i] - least)
        return tuple(out)


class ConvTranspose1d(_ConvTranspose):
    """Transposed convolution of `(N, C, L)`: the gradient of a convolution."""

    _axes = 1

    def forward(self, input: Tensor, output_size: Any = None) -> Tensor:
        """`(N, out_channels, L')`."""
        return F.conv_transpose1d(
            input, self.weight, self.bias, self.stride, self.padding,
            self._output_padding(input, output_size), self.groups, self.dilation,
        )  # fmt: skip


class ConvTranspose2d(_ConvTranspose):
    """Transposed convolution of `(N, C, H, W)`: the gradient of a convolution."""

    _axes = 2

    def forward(self, input: Tensor, output_size: Any = None) -> Tensor:
        """`(N, out_channels, H', W')`."""
        return F.conv_transpose2d(
            input, self.weight, self.bias, self.stride, self.padding,
            self._output_padding(input, output_size), self.groups, self.dilation,
        )  # fmt: skip
