"""Normalisation layers."""

from __future__ import annotations

from typing import Any

from .._creation import empty, ones, tensor, zeros
from .._dtype import int64
from .._tensor import Tensor
from . import functional as F
from . import init
from ._module import Module
from ._parameter import Parameter


class _Batch(Module):
    """What batch and instance normalisation share."""

    _version = 2
    _ranks: tuple[int, ...]

    def __init__(
        self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1,
        affine: bool = True, track_running_stats: bool = True, device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        if affine:
            self.weight = Parameter(empty(num_features, device=device, dtype=dtype))
            self.bias = Parameter(empty(num_features, device=device, dtype=dtype))
        else:
            self.register_parameter("weight", None)
            self.register_parameter("bias", None)
        if track_running_stats:
            self.register_buffer("running_mean", zeros(num_features, device=device, dtype=dtype))
            self.register_buffer("running_var", ones(num_features, device=device, dtype=dtype))
            self.register_buffer("num_batches_tracked", tensor(0, dtype=int64, device=device))
        else:
            for name in ("running_mean", "running_var", "num_batches_tracked"):
                self.register_buffer(name, None)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Forgets the batches seen."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        """Sets weight 1, bias 0 and forgets the batches seen."""
        self.reset_running_stats()
        if self.affine:
            init.ones_(self.weight)
            init.zeros_(self.bias)

    def _check(self, input: Tensor) -> None:
        if input.ndim not in self._ranks:
            expected = " or ".join(f"{r}D" for r in self._ranks)
            raise ValueError(f"expected {expected} input (got {input.ndim}D input)")

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, local_metadata: Any, *rest: Any
    ) -> None:
        # Files from before version 2 have no counter.
        key = prefix + "num_batches_tracked"
        version = local_metadata.get("version")
        if (
            (version is None or version < 2)
            and self.track_running_stats
            and key not in state_dict
            and prefix + "running_mean" in state_dict
        ):
            state_dict[key] = tensor(0, dtype=int64)
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)

    def extra_repr(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, "
            f"affine={self.affine}, track_running_stats={self.track_running_stats}"
        )


class _BatchNorm(_Batch):
    def forward(self, input: Tensor) -> Tensor:
        """The shape of the input."""
        self._check(input)
        momentum: Any = 0.0 if self.momentum is None else self.momentum
        if self.training and self.track_running_stats:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:
                # The cumulative average; the count stays a tensor so that it is never read.
                momentum = 1.0 / self.num_batches_tracked
        use_batch = self.training or self.running_mean is None
        keep = not self.training or self.track_running_stats
        return F.batch_norm(
            input,
            self.running_mean if keep else None,
            self.running_var if keep else None,
            self.weight,
            self.bias,
            use_batch,
            momentum,
            self.eps,
        )


class BatchNorm1d(_BatchNorm):
    """Normalises each channel of `(N, C)` or `(N, C, L)` over the batch.

    Args:
        num_features: C.
        eps: Added to the variance.
        momentum: The share of the new batch in the running statistics; None for the average of all.
        affine: Whether there are weight and bias.
        track_running_stats: Whether evaluation uses statistics gathered in training.
        device: Where parameters and buffers live.
        dtype: Their type.
    """

    _ranks = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Normalises each channel of `(N, C, H, W)` over the batch; arguments as `BatchNorm1d`."""

    _ranks = (4,)


class _InstanceNorm(_Batch):
    def __init__(
        self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1,
        affine: bool = False, track_running_stats: bool = False, device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype)

    def forward(self, input: Tensor) -> Tensor:
        """The shape of the input."""
        self._check(input)
        unbatched = input.ndim == self._ranks[0]
        if unbatched:
            input = input.unsqueeze(0)
        out = F.instance_norm(
            input, self.running_mean, self.running_var, self.weight, self.bias,
            self.training or not self.track_running_stats,
            0.0 if self.momentum is None else self.momentum, self.eps,
        )  # fmt: skip
        return out.squeeze(0) if unbatched else out


class InstanceNorm1d(_InstanceNorm):
    """Normalises each channel of each sample of `(N, C, L)` or `(C, L)`."""

    _ranks = (2, 3)


class InstanceNorm2d(_InstanceNorm):
    """Normalises each channel of each sample of `(N, C, H, W)` or `(C, H, W)`."""

    _ranks = (3, 4)


class LayerNorm(Module):
    """Normalises over the last axes.

    Args:
        normalized_shape: Their extents.
        eps: Added to the variance.
        elementwise_affine: Whether there is a weight (and bias).
        bias: Whether there is a bias.
        device: Where the parameters live.
        dtype: Their type.
    """

    def __init__(
        self, normalized_shape: Any, eps: float = 1e-5, elementwise_affine: bool = True,
        bias: bool = True, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if isinstance(normalized_shape, int):
            normalized_shape = (normalized_shape,)
        self.normalized_shape = tuple(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        for name, wanted in (("weight", True), ("bias", bias)):
            if elementwise_affine and wanted:
                setattr(
                    self, name, Parameter(empty(*self.normalized_shape, device=device, dtype=dtype))
                )
            else:
                self.register_parameter(name, None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Sets weight 1 and bias 0."""
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def forward(self, input: Tensor) -> Tensor:
        """`(*, *normalized_shape)`."""
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"
        )


class RMSNorm(Module):
    """Divides by the root mean square over the last axes.

    Args:
        normalized_shape: Their extents.
        eps: Added to the mean square; None for the type's epsilon.
        elementwise_affine: Whether there is a weight.
        device: Where the weight lives.
        dtype: Its type.
    """

    def __init__(
        self, normalized_shape: Any, eps: float | None = None, elementwise_affine: bool = True,
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if isinstance(normalized_shape, int):
            normalized_shape = (normalized_shape,)
        self.normalized_shape = tuple(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        if elementwise_affine:
            self.weight = Parameter(empty(*self.normalized_shape, device=device, dtype=dtype))
        else:
            self.register_parameter("weight", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Sets the weight to 1."""
        if self.weight is not None:
            init.ones_(self.weight)

    def forward(self, input: Tensor) -> Tensor:
        """`(*, *normalized_shape)`."""
        return F.rms_norm(input, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"
        )


class GroupNorm(Module):
    """Normalises groups of channels of each sample.

    Args:
        num_groups: The number of groups; divides `num_channels`.
        num_channels: C of `(N, C, *)`.
        eps: Added to the variance.
        affine: Whether there are weight and bias per channel.
        device: Where the parameters live.
        dtype: Their type.
    """

    def __init__(
        self, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True,
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if num_channels % num_groups != 0:
            raise ValueError("num_channels must be divisible by num_groups")
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        if affine:
            self.weight = Parameter(empty(num_channels, device=device, dtype=dtype))
            self.bias = Parameter(empty(num_channels, device=device, dtype=dtype))
        else:
            self.register_parameter("weight", None)
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Sets weight 1 and bias 0."""
        if self.affine:
            init.ones_(self.weight)
            init.zeros_(self.bias)

    def forward(self, input: Tensor) -> Tensor:
        """`(N, C, *)`."""
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}"


class LocalResponseNorm(Module):
    """Divides by the sum of squares over neighbouring channels."""

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input: Tensor) -> Tensor:
        """`(N, C, *)`."""
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"
