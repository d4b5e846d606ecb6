"""Ties, extents that vanish, and aliases: what a table of smooth samples does not show."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import lucid
import lucid.nn.functional as F


def gradient(function: Callable[[lucid.Tensor], lucid.Tensor], x: lucid.Tensor) -> np.ndarray:
    x = x.detach().requires_grad_(True)
    function(x).sum().backward()
    return x.grad.numpy()


def both(function: Callable[..., lucid.Tensor]) -> list[Callable[..., lucid.Tensor]]:
    return [function, lucid.compile(function)]


@pytest.mark.parametrize(
    "reduce",
    [
        lambda x: x.max(),
        lambda x: x.max(dim=1)[0].sum() / 2,
        lambda x: x.amax((0, 1)),
        lambda x: x.min(),
        lambda x: x.median(),
        lambda x: x.sort(dim=1)[0][:, -1].sum() / 2,
    ],
)
def test_equal_elements_share_one_gradient(reduce: Callable[..., lucid.Tensor]) -> None:
    for function in both(reduce):
        for _ in range(3):
            found = gradient(function, lucid.full((2, 4), 3.0))
            assert found.sum() == pytest.approx(1.0)
            assert np.all(np.isfinite(found))


def test_pooled_windows_of_equal_elements_have_one_gradient() -> None:
    for function in both(lambda x: F.max_pool2d(x, 2)):
        found = gradient(function, lucid.ones(1, 1, 4, 4))
        windows = found.reshape(2, 2, 2, 2).sum((1, 3))
        np.testing.assert_array_equal(windows, np.ones((2, 2)))


@pytest.mark.parametrize("batch", [1, 2, 6, 3])
def test_extents_below_the_batch_may_vanish(batch: int) -> None:
    def differences(x: lucid.Tensor) -> lucid.Tensor:
        return (x[1:] - x[:-1]) * 2

    function = lucid.compile(differences, dynamic=True)
    for size in (4, batch, 4):
        x = lucid.arange(size * 3).to(lucid.float32).reshape(size, 3)
        np.testing.assert_array_equal(function(x).numpy(), differences(x).numpy())
        np.testing.assert_array_equal(gradient(function, x), gradient(differences, x))


def test_gradients_of_sums_need_no_batch() -> None:
    function = lucid.compile(lambda x: x.sum(), dynamic=True)
    for size in (4, 7, 1, 0, 4):
        np.testing.assert_array_equal(gradient(function, lucid.ones(size, 2)), np.ones((size, 2)))
    assert function.cache_info()["entries"] == 1


@pytest.mark.parametrize(
    "view", [lambda x: x.t(), lambda x: x[0], lambda x: x.reshape(-1), lambda x: x.detach()]
)
def test_returned_views_share_memory_from_the_first_call(
    view: Callable[[lucid.Tensor], lucid.Tensor],
) -> None:
    function = lucid.compile(view)
    for _ in range(3):
        x = lucid.zeros(2, 3)
        function(x).add_(1)
        wanted = lucid.zeros(2, 3)
        view(wanted).add_(1)
        assert x.tolist() == wanted.tolist()


@pytest.mark.parametrize(
    "view", [lambda x: x.t(), lambda x: x.reshape(-1), lambda x: x.detach(), lambda x: x]
)
def test_returned_views_lead_back_as_eager_ones(
    view: Callable[[lucid.Tensor], lucid.Tensor],
) -> None:
    function = lucid.compile(view)
    for _ in range(3):
        x = lucid.ones(2, 3, requires_grad=True)
        assert function(x).requires_grad == view(x).requires_grad
        assert function(x).is_leaf == view(x).is_leaf


def test_views_after_a_read_share_memory() -> None:
    def read_then_view(x: lucid.Tensor) -> lucid.Tensor:
        return x.t() if float(x.sum()) < 100 else x

    function = lucid.compile(read_then_view)
    for call in range(3):
        x = lucid.zeros(2, 3)
        if call:
            result = function(x)
        else:
            with pytest.warns(lucid.CompileWarning):
                result = function(x)
        result.add_(1)
        assert x.tolist() == [[1, 1, 1], [1, 1, 1]]


def test_writes_after_a_read_reach_the_caller() -> None:
    def read_then_write(x: lucid.Tensor) -> lucid.Tensor:
        x.mul_(2)
        if float(x.sum()) < 100:
            x.add_(1)
        return x * 2

    function = lucid.compile(read_then_write)
    for call in range(3):
        x = lucid.ones(3)
        if call:
            result = function(x)
        else:
            with pytest.warns(lucid.CompileWarning):
                result = function(x)
        assert (result.tolist(), x.tolist()) == ([6, 6, 6], [3, 3, 3])


def test_containers_read_by_methods_are_watched() -> None:
    factors = {"a": 2.0, "b": 3.0}

    def scaled(x: lucid.Tensor) -> lucid.Tensor:
        for value in factors.values():
            x = x * value
        return x

    function = lucid.compile(scaled)
    x = lucid.ones(1)
    assert [function(x).item() for _ in range(3)] == [6.0, 6.0, 6.0]
    assert function.cache_info()["entries"] == 1
    factors["b"] = 5.0
    assert function(x).item() == 10.0
