"""Recurrent layers."""

from __future__ import annotations

import math
from typing import Any

from .._creation import empty, zeros
from .._functions._shape import cat, stack
from .._tensor import Tensor
from . import functional as F
from . import init
from ._module import Module
from ._parameter import Parameter

# Rows of weights per unit: the gates of the cell.
_GATES = {"RNN": 1, "LSTM": 4, "GRU": 3}


def _rnn_step(x: Tensor, state: tuple[Tensor, ...], weight: Tensor, bias: Any, act: Any) -> Any:
    return (act(x + F.linear(state[0], weight, bias)),)


def _lstm_step(x: Tensor, state: tuple[Tensor, ...], weight: Tensor, bias: Any, act: Any) -> Any:
    hidden, cell = state
    i, f, g, o = (x + F.linear(hidden, weight, bias)).chunk(4, -1)
    cell = f.sigmoid() * cell + i.sigmoid() * g.tanh()
    return (o.sigmoid() * cell.tanh(), cell)


def _gru_step(x: Tensor, state: tuple[Tensor, ...], weight: Tensor, bias: Any, act: Any) -> Any:
    (hidden,) = state
    xr, xz, xn = x.chunk(3, -1)
    hr, hz, hn = F.linear(hidden, weight, bias).chunk(3, -1)
    reset, update = (xr + hr).sigmoid(), (xz + hz).sigmoid()
    new = (xn + reset * hn).tanh()
    return (new + update * (hidden - new),)


_STEPS: dict[str, Any] = {"RNN": _rnn_step, "LSTM": _lstm_step, "GRU": _gru_step}


def _nonlinearity(name: str) -> Any:
    if name not in ("tanh", "relu"):
        raise ValueError(f"Unknown nonlinearity '{name}'. Select from 'tanh' or 'relu'.")
    return Tensor.tanh if name == "tanh" else Tensor.relu


class _Recurrent(Module):
    _kind: str

    def __init__(
        self, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True,
        batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False,
        nonlinearity: str = "tanh", device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if not 0 <= dropout <= 1:
            raise ValueError(
                "dropout should be a number in range [0, 1] representing the probability of an "
                "element being zeroed"
            )
        if hidden_size <= 0:
            raise ValueError("hidden_size must be greater than zero")
        if num_layers <= 0:
            raise ValueError("num_layers must be greater than zero")
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.nonlinearity = nonlinearity
        self._activation = _nonlinearity(nonlinearity)
        directions = 2 if bidirectional else 1
        rows = _GATES[self._kind] * hidden_size
        for layer in range(num_layers):
            width = input_size if layer == 0 else hidden_size * directions
            for suffix in self._suffixes(layer):
                shapes: list[tuple[str, tuple[int, ...]]] = [
                    ("weight_ih", (rows, width)),
                    ("weight_hh", (rows, hidden_size)),
                ]
                if bias:
                    shapes += [("bias_ih", (rows,)), ("bias_hh", (rows,))]
                for name, shape in shapes:
                    value = Parameter(empty(*shape, device=device, dtype=dtype))
                    setattr(self, name + suffix, value)
        self.reset_parameters()

    def _suffixes(self, layer: int) -> list[str]:
        names = [f"_l{layer}"]
        return [*names, f"_l{layer}_reverse"] if self.bidirectional else names

    def reset_parameters(self) -> None:
        """Draws new initial values."""
        bound = 1.0 / math.sqrt(self.hidden_size)
        for parameter in self.parameters():
            init.uniform_(parameter, -bound, bound)

    def flatten_parameters(self) -> None:
        """No effect."""

    def _direction(
        self, x: Tensor, state: tuple[Tensor, ...], suffix: str, backward: bool
    ) -> tuple[list[Tensor], tuple[Tensor, ...]]:
        """One layer in one direction over `(L, N, width)`."""
        bias_ih = getattr(self, "bias_ih" + suffix) if self.bias else None
        bias_hh = getattr(self, "bias_hh" + suffix) if self.bias else None
        weight = getattr(self, "weight_hh" + suffix)
        # The part that does not depend on the state is one product for all steps.
        projected = F.linear(x, getattr(self, "weight_ih" + suffix), bias_ih).unbind(0)
        step = _STEPS[self._kind]
        outputs = []
        for item in reversed(projected) if backward else projected:
            state = step(item, state, weight, bias_hh, self._activation)
            outputs.append(state[0])
        return (outputs[::-1] if backward else outputs), state

    def _run(self, input: Tensor, states: tuple[Tensor, ...] | None, count: int) -> Any:
        if input.ndim not in (2, 3):
            raise ValueError(
                f"{self._kind}: Expected input to be 2D or 3D, got {input.ndim}D instead"
            )
        if input.shape[-1] != self.input_size:
            raise RuntimeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got "
                f"{input.shape[-1]}"
            )
        single = input.ndim == 2
        x = input.unsqueeze(0 if self.batch_first else 1) if single else input
        if self.batch_first:
            x = x.transpose(0, 1)
        directions = 2 if self.bidirectional else 1
        total = self.num_layers * directions
        if states is None:
            states = (
                zeros(total, x.shape[1], self.hidden_size, dtype=x.dtype, device=x.device),
            ) * count
        elif single:
            states = tuple(s.unsqueeze(1) for s in states)
        last: list[tuple[Tensor, ...]] = []
        for layer in range(self.num_layers):
            outputs: list[list[Tensor]] = []
            for d, suffix in enumerate(self._suffixes(layer)):
                begin = tuple(s[layer * directions + d] for s in states)
                steps, end = self._direction(x, begin, suffix, d == 1)
                outputs.append(steps)
                last.append(end)
            x = stack(outputs[0])
            if directions == 2:
                x = cat([x, stack(outputs[1])], -1)
            if self.dropout and layer < self.num_layers - 1:
                x = F.dropout(x, self.dropout, self.training)
        ends = tuple(stack([end[i] for end in last]) for i in range(count))
        if self.batch_first:
            x = x.transpose(0, 1)
        if single:
            return x.squeeze(0 if self.batch_first else 1), tuple(e.squeeze(1) for e in ends)
        return x, ends

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        if self.num_layers != 1:
            text += f", num_layers={self.num_layers}"
        if not self.bias:
            text += f", bias={self.bias}"
        if self.batch_first:
            text += f", batch_first={self.batch_first}"
        if self.dropout:
            text += f", dropout={self.dropout}"
        if self.bidirectional:
            text += f", bidirectional={self.bidirectional}"
        return text


class RNN(_Recurrent):
    """Elman network: h' = tanh(x @ W_ih.T + b_ih + h @ W_hh.T + b_hh).

    Args:
        input_size: The length of the inputs.
        hidden_size: The length of the state.
        num_layers: The number of layers.
        nonlinearity: `tanh` or `relu`.
        bias: Whether there are biases.
        batch_first: Whether tensors are `(N, L, H)` instead of `(L, N, H)`.
        dropout: The dropout probability between layers.
        bidirectional: Whether a second set of layers runs backward.
        device: Where the parameters live.
        dtype: Their type.
    """

    _kind = "RNN"

    def __init__(
        self, input_size: int, hidden_size: int, num_layers: int = 1, nonlinearity: str = "tanh",
        bias: bool = True, batch_first: bool = False, dropout: float = 0.0,
        bidirectional: bool = False, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(
            input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional,
            nonlinearity, device, dtype,
        )  # fmt: skip

    def forward(self, input: Tensor, hx: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """The outputs of all steps and the last state."""
        out, (hidden,) = self._run(input, None if hx is None else (hx,), 1)
        return out, hidden


class GRU(_Recurrent):
    """Gated recurrent units; arguments as `RNN` without `nonlinearity`."""

    _kind = "GRU"

    def __init__(
        self, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True,
        batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False,
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(
            input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional,
            device=device, dtype=dtype,
        )  # fmt: skip

    def forward(self, input: Tensor, hx: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """The outputs of all steps and the last state."""
        out, (hidden,) = self._run(input, None if hx is None else (hx,), 1)
        return out, hidden


class LSTM(_Recurrent):
    """Long short-term memory; arguments as `GRU`."""

    _kind = "LSTM"

    def __init__(
        self, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True,
        batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False,
        proj_size: int = 0, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        if proj_size:
            raise NotImplementedError("LSTM: proj_size is not available")
        super().__init__(
            input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional,
            device=device, dtype=dtype,
        )  # fmt: skip

    def forward(
        self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """The outputs of all steps, and the last hidden and cell state."""
        return self._run(input, hx, 2)


class _Cell(Module):
    _kind: str

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, nonlinearity: str = "tanh",
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        self.nonlinearity = nonlinearity
        self._activation = _nonlinearity(nonlinearity)
        rows = _GATES[self._kind] * hidden_size
        self.weight_ih = Parameter(empty(rows, input_size, device=device, dtype=dtype))
        self.weight_hh = Parameter(empty(rows, hidden_size, device=device, dtype=dtype))
        for name in ("bias_ih", "bias_hh"):
            value = Parameter(empty(rows, device=device, dtype=dtype)) if bias else None
            self.register_parameter(name, value)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws new initial values."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for parameter in self.parameters():
            init.uniform_(parameter, -bound, bound)

    def _run(self, input: Tensor, states: tuple[Tensor, ...] | None, count: int) -> Any:
        single = input.ndim == 1
        x = input.unsqueeze(0) if single else input
        if states is None:
            states = (zeros(x.shape[0], self.hidden_size, dtype=x.dtype, device=x.device),) * count
        elif single:
            states = tuple(s.unsqueeze(0) for s in states)
        projected = F.linear(x, self.weight_ih, self.bias_ih)
        ends = _STEPS[self._kind](projected, states, self.weight_hh, self.bias_hh, self._activation)
        return tuple(e.squeeze(0) for e in ends) if single else ends

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        if not self.bias:
            text += f", bias={self.bias}"
        if self.nonlinearity != "tanh":
            text += f", nonlinearity={self.nonlinearity}"
        return text


class RNNCell(_Cell):
    """One step of an Elman network."""

    _kind = "RNN"

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        """The next state."""
        return self._run(input, None if hx is None else (hx,), 1)[0]


class GRUCell(_Cell):
    """One step of gated recurrent units."""

    _kind = "GRU"

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(input_size, hidden_size, bias, device=device, dtype=dtype)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        """The next state."""
        return self._run(input, None if hx is None else (hx,), 1)[0]


class LSTMCell(_Cell):
    """One step of long short-term memory."""

    _kind = "LSTM"

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(input_size, hidden_size, bias, device=device, dtype=dtype)

    def forward(
        self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None
    ) -> tuple[Tensor, Tensor]:
        """The next hidden and cell state."""
        return self._run(input, hx, 2)
