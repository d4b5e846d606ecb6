"""Draws by their distributions, seeds and independence of everything else."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lucid
from lucid import _ops

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from reference.draws import COUNT, DISTRIBUTIONS, Distribution

cases = [
    pytest.param(d, id=f"{d.op}-{n}") for n, d in enumerate(DISTRIBUTIONS)
]  # fmt: skip


def draw(distribution: Distribution, *operands: lucid.Tensor) -> lucid.Tensor:
    attributes = dict(distribution.attributes)
    if attributes.get("dtype"):
        attributes["dtype"] = getattr(lucid, attributes["dtype"])
    return getattr(_ops, distribution.op)(*operands, **attributes)


def operands(distribution: Distribution) -> list[lucid.Tensor]:
    return [lucid.tensor(values) for values in distribution.operands]


def bits(tensor: lucid.Tensor) -> np.ndarray[Any, Any]:
    return tensor.to(lucid.float32 if tensor.dtype.is_floating_point else lucid.int64).numpy()


@pytest.mark.parametrize("distribution", cases)
def test_moments_and_range(distribution: Distribution) -> None:
    lucid.manual_seed(1)
    numbers = draw(distribution, *operands(distribution))
    assert numbers.dtype is getattr(lucid, distribution.dtype)
    values = bits(numbers).astype(np.float64)
    # Features share one decision per row of 200 numbers.
    count = COUNT if "feature" not in distribution.op else COUNT // 200 * 200
    spread = distribution.deviation / math.sqrt(count)
    # Five standard errors: one chance in a million; 1e-3 for the rounding of the half type.
    slack = 1e-3 if distribution.dtype == "float16" else 1e-6
    assert abs(values.mean() - distribution.mean) <= 5 * spread + slack
    assert abs(values.std() - distribution.deviation) <= 0.03 * distribution.deviation + slack
    assert values.min() >= distribution.low - 1e-6
    assert values.max() <= distribution.high + 1e-6


@pytest.mark.parametrize("distribution", cases)
def test_compiled_draws_are_eager_draws(distribution: Distribution) -> None:
    given = operands(distribution)
    function = lucid.compile(lambda *tensors: draw(distribution, *tensors), fullgraph=True)
    lucid.manual_seed(3)
    eager = [bits(draw(distribution, *given)) for _ in range(3)]
    lucid.manual_seed(3)
    compiled = [bits(function(*given)) for _ in range(3)]
    for got, want in zip(compiled, eager, strict=True):
        np.testing.assert_array_equal(got, want)
    if distribution.deviation:
        assert not np.array_equal(eager[0], eager[1])
    assert function.cache_info()["entries"] == 1


@pytest.mark.parametrize("distribution", cases)
def test_numbers_do_not_depend_on_what_else_runs(distribution: Distribution) -> None:
    given = operands(distribution)
    lucid.manual_seed(5)
    alone = bits(draw(distribution, *given))
    lucid.manual_seed(5)
    lucid.ones(3).exp()
    again = bits(draw(distribution, *given))
    np.testing.assert_array_equal(alone, again)
    state = lucid.get_rng_state()
    following = bits(draw(distribution, *given))
    lucid.set_rng_state(state)
    np.testing.assert_array_equal(bits(draw(distribution, *given)), following)


def test_normal_numbers_fill_the_bell() -> None:
    lucid.manual_seed(0)
    values = _ops.randn((COUNT,)).numpy()
    for limit in (0.5, 1.0, 2.0, 3.0):
        share = np.mean(np.abs(values) < limit)
        assert abs(share - math.erf(limit / math.sqrt(2))) < 0.01
    assert np.all(np.isfinite(values))


def test_permutations_are_permutations() -> None:
    for n in (0, 1, 2, 100):
        np.testing.assert_array_equal(np.sort(_ops.randperm((n,)).numpy()), np.arange(n))
    places = np.array([_ops.randperm((4,)).tolist().index(0) for _ in range(400)])
    assert np.all(np.bincount(places, minlength=4) > 60)  # 100 expected, deviation 8.7


def test_multinomial_without_replacement_is_a_choice() -> None:
    weights = lucid.tensor([[1.0, 0.0, 3.0, 2.0], [1.0, 1.0, 1.0, 1.0]])
    for _ in range(20):
        chosen = _ops.multinomial(weights, num_samples=3).numpy()
        assert all(len(set(row)) == 3 for row in chosen)
        assert 1 not in chosen[0]


def test_features_are_dropped_whole() -> None:
    images = lucid.ones(8, 16, 5, 5)
    for op in (_ops.feature_dropout, _ops.feature_alpha_dropout):
        values = op(images, p=0.5).numpy().reshape(128, 25)
        assert np.all(values == values[:, :1])
        assert len(np.unique(values)) == 2


@pytest.mark.parametrize("p", [0.0, 0.3, 1.0])
def test_gradients_follow_the_mask(p: float) -> None:
    for op in (_ops.dropout, _ops.feature_dropout, _ops.alpha_dropout):
        x = lucid.ones(50, 40, requires_grad=True)
        y = op(x, p=p)
        (gradient,) = lucid.autograd.grad(y.sum(), x)
        values, slopes = y.detach().numpy(), gradient.numpy()
        assert np.all(np.isfinite(slopes))
        kept = values == values.max() if 0 < p < 1 else np.full(values.shape, p == 0)
        assert np.all(slopes[~kept] == 0)
        assert len(np.unique(slopes[kept])) <= 1
        if op is not _ops.alpha_dropout:
            np.testing.assert_array_equal(slopes, values)
