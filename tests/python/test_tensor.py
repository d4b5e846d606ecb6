"""Tensors: making them, indexing, writing, printing, and other libraries' memory."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import lucid


def test_creation_types_follow_the_data() -> None:
    assert lucid.tensor([1, 2]).dtype is lucid.int64
    assert lucid.tensor([1, 2.5]).dtype is lucid.float32
    assert lucid.tensor([True]).dtype is lucid.bool_
    assert lucid.tensor(np.zeros(2)).dtype is lucid.float32
    assert lucid.tensor(np.zeros(2, np.int16)).dtype is lucid.int16
    assert lucid.arange(3).dtype is lucid.int64
    assert lucid.ones(2, dtype=lucid.bfloat16).dtype is lucid.bfloat16


def test_float64_is_refused_with_the_way_out() -> None:
    with pytest.raises(TypeError, match="float32"):
        lucid.from_numpy(np.zeros(3))
    with pytest.raises(TypeError, match="float32"):
        lucid.zeros(3, dtype="float64")
    with pytest.raises(TypeError, match="float32"):
        lucid.zeros(3).double()


def test_unknown_device_names_the_valid_ones() -> None:
    with pytest.raises(RuntimeError, match="'cpu' and 'metal'"):
        lucid.zeros(3, device="cuda")


@pytest.mark.parametrize(
    "key",
    [
        0,
        -1,
        slice(1, None),
        (slice(None), 1),
        (Ellipsis, 0),
        (None, 1),
        (slice(None), slice(0, 4, 2)),
        ([0, 2], [1, 3]),
        (slice(None), [0, 0, 3]),
        np.array([[0, 1], [2, 0]]),
    ],
)
def test_indexing_agrees_with_numpy(key: object) -> None:
    array = np.arange(12, dtype=np.float32).reshape(3, 4)
    tensor = lucid.tensor(array)
    np.testing.assert_array_equal(tensor[key].numpy(), array[key])
    tensor[key] = -1.0
    array[key] = -1.0
    np.testing.assert_array_equal(tensor.numpy(), array)


def test_masks() -> None:
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    tensor = lucid.tensor(array)
    np.testing.assert_array_equal(tensor[tensor > 2].numpy(), array[array > 2])
    tensor[tensor > 2] = 0.0
    array[array > 2] = 0.0
    np.testing.assert_array_equal(tensor.numpy(), array)


def test_negative_step_raises() -> None:
    with pytest.raises(ValueError, match="step"):
        lucid.arange(3)[::-1]


def test_views_alias_their_base() -> None:
    base = lucid.zeros(2, 3)
    base[0].add_(1)
    base.t()[2, 1] = 5.0
    assert base.tolist() == [[1, 1, 1], [0, 0, 5]]


def test_in_place_checks_the_type() -> None:
    with pytest.raises(RuntimeError, match="result type Float can't be cast"):
        lucid.arange(3).add_(0.5)
    x = lucid.arange(3)
    assert x.add_(1) is x
    assert x.tolist() == [1, 2, 3]


def test_numpy_shares_memory_while_it_lives() -> None:
    tensor = lucid.zeros(4)
    array = tensor.numpy()
    tensor.add_(1)
    assert array.tolist() == [1, 1, 1, 1]
    array[0] = 7
    assert tensor[0].item() == 7
    del tensor
    assert array.tolist() == [7, 1, 1, 1]
    with pytest.raises(RuntimeError, match="requires grad"):
        lucid.zeros(1, requires_grad=True).numpy()


def test_dlpack_round_trip() -> None:
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    tensor = lucid.from_dlpack(array)
    assert tensor.tolist() == array.tolist()
    back = np.from_dlpack(tensor)
    np.testing.assert_array_equal(back, array)


def test_python_protocols() -> None:
    x = lucid.tensor([1.5, 2.5])
    assert len(x) == 2
    assert [float(v) for v in x] == [1.5, 2.5]
    assert 2.5 in x
    assert copy.deepcopy(x).tolist() == x.tolist()
    assert pickle.loads(pickle.dumps(x)).tolist() == x.tolist()
    with pytest.raises(RuntimeError, match="ambiguous"):
        bool(x)
    with pytest.raises(RuntimeError, match="2 elements"):
        x.item()


def test_printing() -> None:
    assert repr(lucid.tensor([1.0, 2.0])) == "tensor([1., 2.])"
    assert repr(lucid.tensor([1.5, 20.0])) == "tensor([ 1.5000, 20.0000])"
    assert repr(lucid.tensor([1e-5, 1.0])) == "tensor([1.0000e-05, 1.0000e+00])"
    assert repr(lucid.tensor([True, False])) == "tensor([ True, False])"
    assert repr(lucid.zeros(0, 3)) == "tensor([], size=(0, 3))"
    assert repr(lucid.ones(1, dtype=lucid.int8)) == "tensor([1], dtype=lucid.int8)"
    assert repr(lucid.ones(1, requires_grad=True)) == "tensor([1.], requires_grad=True)"
    assert repr(lucid.arange(2000)) == "tensor([   0,    1,    2,  ..., 1997, 1998, 1999])"


def test_gradients() -> None:
    x = lucid.tensor([1.0, 2.0, 3.0], requires_grad=True)
    (x * x).sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [2, 4, 6]
    assert x.grad is x.grad
    (g,) = lucid.autograd.grad((x**3).sum(), x, create_graph=True)
    (h,) = lucid.autograd.grad(g.sum(), x)
    np.testing.assert_allclose(h.numpy(), [6, 12, 18], rtol=1e-6)


def test_hooks_and_custom_functions() -> None:
    class Cube(lucid.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x * x

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return 3 * x * x * g

    x = lucid.tensor([1.0, 2.0], requires_grad=True)
    handle = x.register_hook(lambda g: g * 2)
    Cube.apply(x).sum().backward()
    assert x.grad.tolist() == [6, 24]
    handle.remove()

    def failing(g):
        raise KeyError("from the hook")

    x.register_hook(failing)
    with pytest.raises(KeyError, match="from the hook"):
        x.sum().backward()


def test_random_numbers_repeat() -> None:
    lucid.manual_seed(3)
    first = lucid.rand(4).tolist()
    state = lucid.get_rng_state()
    second = lucid.rand(4).tolist()
    lucid.set_rng_state(state)
    assert lucid.rand(4).tolist() == second
    lucid.manual_seed(3)
    assert lucid.rand(4).tolist() == first
    generator = lucid.Generator().manual_seed(3)
    assert lucid.rand(4, generator=generator).tolist() == first
    assert sorted(lucid.randperm(5).tolist()) == [0, 1, 2, 3, 4]
