"""Dropout layers."""

from __future__ import annotations

from .._tensor import Tensor
from . import functional as F
from ._module import Module


class _Dropout(Module):
    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if not 0 <= p <= 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p = p
        self.inplace = inplace

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_Dropout):
    """In training, zeroes elements with probability p and scales the rest by 1/(1-p)."""

    def forward(self, input: Tensor) -> Tensor:
        """Any shape."""
        return F.dropout(input, self.p, self.training, self.inplace)


class Dropout1d(_Dropout):
    """Dropout of whole channels of `(N, C, L)` or `(C, L)`."""

    def forward(self, input: Tensor) -> Tensor:
        """See the class."""
        return F.dropout1d(input, self.p, self.training, self.inplace)


class Dropout2d(_Dropout):
    """Dropout of whole channels of `(N, C, H, W)` or `(C, H, W)`."""

    def forward(self, input: Tensor) -> Tensor:
        """See the class."""
        return F.dropout2d(input, self.p, self.training, self.inplace)


class AlphaDropout(_Dropout):
    """Dropout that keeps mean and variance of self-normalising networks."""

    def forward(self, input: Tensor) -> Tensor:
        """Any shape."""
        return F.alpha_dropout(input, self.p, self.training)


class FeatureAlphaDropout(_Dropout):
    """Alpha dropout of whole channels."""

    def forward(self, input: Tensor) -> Tensor:
        """`(N, C, *)`."""
        return F.feature_alpha_dropout(input, self.p, self.training)
