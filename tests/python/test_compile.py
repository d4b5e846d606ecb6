"""`lucid.compile` against NumPy: signatures, guards, writes, draws, gradients, training steps."""

from __future__ import annotations

import copy
import gc
import warnings
import weakref
from collections import namedtuple
from dataclasses import dataclass

import numpy as np
import pytest

import lucid
import lucid.nn as nn
import lucid.nn.functional as F


def floats(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def same(tensor: lucid.Tensor, expected: object) -> None:
    np.testing.assert_allclose(tensor.detach().numpy(), expected, rtol=1e-5, atol=1e-5)


# ---- Call styles --------------------------------------------------------------------------------


def test_call_styles() -> None:
    x = lucid.tensor(floats(3, 8))
    layer = nn.Linear(8, 4)
    same(lucid.compile(layer)(x), layer(x).detach().numpy())

    @lucid.compile
    def bare(x):
        return x + 1

    @lucid.compile(dynamic=True)
    def options(x):
        return x * 2

    same(bare(x), x.numpy() + 1)
    same(options(x), x.numpy() * 2)
    assert bare.__name__ == "bare"
    assert lucid.compile(bare) is bare

    class Scaled:
        factor = 3.0

        @lucid.compile
        def scale(self, x):
            return x * self.factor

        def __call__(self, x):
            return x - 1

    same(Scaled().scale(x), x.numpy() * 3)
    same(lucid.compile(Scaled())(x), x.numpy() - 1)


@pytest.mark.parametrize("target", [3, None, nn.Linear, "f"])
def test_refuses_what_is_no_function(target: object) -> None:
    if target is None:
        assert callable(lucid.compile())
        return
    with pytest.raises(TypeError):
        lucid.compile(target)


def test_refuses_async_and_generator_functions() -> None:
    async def waits(x):
        return x

    def yields(x):
        yield x

    for target in (waits, yields):
        with pytest.raises(TypeError):
            lucid.compile(target)


# ---- Arguments and results ----------------------------------------------------------------------

Pair = namedtuple("Pair", "first second")


@dataclass
class Holder:
    tensor: lucid.Tensor
    label: str


def test_tensors_in_containers_are_bound_at_each_call() -> None:
    compiled = lucid.compile(lambda ts: {"b": ts[0] + 1, "a": (ts[1]["k"] * 2, None, 3)})
    for i in range(4):
        result = compiled([lucid.tensor([float(i)]), {"k": lucid.tensor([2.0 * i])}])
        assert list(result) == ["b", "a"]
        assert result["b"].tolist() == [i + 1.0]
        assert result["a"][0].tolist() == [4.0 * i]
        assert result["a"][1:] == (None, 3)
    assert compiled.cache_info()["entries"] == 1


def test_result_types_come_back() -> None:
    x = lucid.tensor([1.0])
    for make in (
        lambda x: Pair(x + 1, x + 2),
        lambda x: Holder(x + 1, "label"),
        lambda x: [x + 1, 2],
        lambda x: None,
        lambda x: 3,
        lambda x: "a",
    ):
        compiled = lucid.compile(make)
        for _ in range(3):
            assert type(compiled(x)) is type(make(x))
    assert lucid.compile(lambda x: Pair(x + 1, x + 2))(x).second.tolist() == [3.0]


def test_structure_of_one_signature_does_not_leak_into_another() -> None:
    def f(x, y=None):
        return (x, None) if y is None else (x + 1, x)

    x = lucid.tensor([1.0])
    compiled = lucid.compile(f)
    for y in (None, 0, None, 0):
        first, second = compiled(x, y)
        assert first.tolist() == ([1.0] if y is None else [2.0])
        assert (second is None) == (y is None)
    assert compiled(x)[1] is None


def test_equal_numbers_of_other_types_are_other_signatures() -> None:
    compiled = lucid.compile(lambda x, n: (x + 1, type(n).__name__))
    x = lucid.tensor([1.0])
    assert [compiled(x, n)[1] for n in (1, True, 1.0, 1)] == ["int", "bool", "float", "int"]


def test_nan_argument_hits() -> None:
    compiled = lucid.compile(lambda x, n: x + 1)
    for _ in range(3):
        compiled(lucid.tensor([1.0]), float("nan"))
    assert compiled.cache_info()["misses"] == 1


def test_results_keep_their_memory() -> None:
    compiled = lucid.compile(lambda x: x + 1)
    results = [compiled(lucid.tensor([value])) for value in (1.1, 1.2, 1.3)]
    np.testing.assert_allclose([r.item() for r in results], [2.1, 2.2, 2.3], rtol=1e-6)


def test_returned_argument_is_the_callers_object() -> None:
    compiled = lucid.compile(lambda x: (x, x + 1))
    for value in (1.0, 2.0, 3.0):
        x = lucid.tensor([value])
        same_object, other = compiled(x)
        assert same_object is x
        assert other.tolist() == [value + 1]


def test_same_tensor_in_two_places() -> None:
    compiled = lucid.compile(lambda x, y: x * 2 + y)
    a, b = lucid.tensor([1.0]), lucid.tensor([10.0])
    assert compiled(a, a).tolist() == [3.0]
    assert compiled(a, b).tolist() == [12.0]
    assert compiled(b, b).tolist() == [30.0]


def test_one_executable_per_graph_and_not_per_similar_graph() -> None:
    x, y = lucid.tensor([2.0]), lucid.tensor([3.0])
    assert lucid.compile(lambda x, y: (x + y) * x)(x, y).tolist() == [10.0]
    assert lucid.compile(lambda x, y: (x + y) * y)(x, y).tolist() == [15.0]


# ---- Python state -------------------------------------------------------------------------------

FACTOR = 2.0
OPTIONS = {"shift": 1.0, "deep": {"scale": 1.0}}


class Flagged(nn.Module):
    kind = 1.0

    def __init__(self) -> None:
        super().__init__()
        self.disabled = False
        self.options = {"gain": 1.0}
        self.config = Holder(lucid.tensor(0.0), "x")
        self.weight = nn.Parameter(lucid.ones(2))
        self.register_buffer("offset", lucid.zeros(2))

    def forward(self, x):
        y = x * x if self.disabled else x * x + 1
        if self.config.label == "negative":
            y = -y
        return y * self.options["gain"] * self.kind * self.weight + self.offset


def test_stale_state_probe() -> None:
    """Whatever changes what the function reads changes the next two results."""
    model = Flagged()
    compiled = lucid.compile(model)
    x = floats(3, 2)

    def expected() -> np.ndarray:
        y = x * x if model.disabled else x * x + 1
        if model.config.label == "negative":
            y = -y
        y = y * model.options["gain"] * model.kind
        return y * model.weight.detach().numpy() + model.offset.numpy()

    def through_numpy():
        model.weight.detach().numpy()[0] = 5.0
        # Memory that NumPy holds is looked at anew.

    def through_dlpack():
        lucid.from_dlpack(model.offset)[1] = 4.0

    def step():
        model.weight.grad = lucid.ones(2)
        lucid.optim.SGD([model.weight], lr=0.5).step()

    changes = [
        lambda: setattr(model, "disabled", True),
        lambda: setattr(compiled, "disabled", False),
        lambda: model.options.__setitem__("gain", 3.0),
        lambda: setattr(model.config, "label", "negative"),
        lambda: setattr(Flagged, "kind", 2.0),
        through_numpy,
        through_dlpack,
        lambda: model.weight.data.copy_(lucid.tensor([7.0, 8.0])),
        lambda: model._parameters.__setitem__("weight", nn.Parameter(lucid.tensor([1.5, 2.5]))),
        lambda: setattr(model, "weight", nn.Parameter(lucid.tensor([9.0, 1.0]))),
        lambda: setattr(model, "offset", lucid.tensor([0.5, 0.25])),
        step,
        lambda: model.load_state_dict(
            {"weight": lucid.tensor([3.0, 4.0]), "offset": lucid.tensor([1.0, 2.0])}
        ),
    ]
    try:
        with lucid.no_grad():
            same(compiled(lucid.tensor(x)), expected())
            same(compiled(lucid.tensor(x)), expected())
        for change in changes:
            change()
            with lucid.no_grad():
                for _ in range(2):
                    same(compiled(lucid.tensor(x)), expected())
    finally:
        Flagged.kind = 1.0


def test_globals_closures_and_nested_containers() -> None:
    global FACTOR
    shift = 0.0

    def f(x):
        return x * FACTOR * OPTIONS["deep"]["scale"] + OPTIONS["shift"] + shift

    compiled = lucid.compile(f)
    x = lucid.tensor([4.0])
    assert compiled(x).tolist() == [9.0]
    FACTOR = 10.0
    assert compiled(x).tolist() == [41.0]
    OPTIONS["shift"] = 2.0
    assert compiled(x).tolist() == [42.0]
    OPTIONS["deep"]["scale"] = 0.5
    assert compiled(x).tolist() == [22.0]
    shift = 100.0
    assert compiled(x).tolist() == [122.0]
    FACTOR, OPTIONS["shift"], OPTIONS["deep"]["scale"] = 2.0, 1.0, 1.0


def test_training_flag_of_a_child_counts() -> None:
    model = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5))
    compiled = lucid.compile(model)
    x = lucid.tensor(floats(64, 4))
    model[1].eval()
    same(compiled(x), model[0](x).detach().numpy())
    model[1].train()
    assert (compiled(x).detach().numpy() == 0).any()
    model[1].eval()
    same(compiled(x), model[0](x).detach().numpy())


# ---- Eager signatures ---------------------------------------------------------------------------


def test_value_read_runs_eagerly_and_says_where() -> None:
    @lucid.compile
    def f(x):
        if x.sum() > 0:
            return x + 1
        return x - 1

    with pytest.warns(lucid.CompileWarning, match=r"test_compile\.py"):
        assert f(lucid.tensor([1.0])).tolist() == [2.0]
    assert f(lucid.tensor([-1.0])).tolist() == [-2.0]
    fallback = f.explain().fallbacks[0]
    assert "read" in fallback.reason
    assert fallback.line is not None


def test_fullgraph_raises_at_a_read() -> None:
    f = lucid.compile(lambda x: x * x.sum().item(), fullgraph=True)
    with pytest.raises(RuntimeError, match="fullgraph"):
        f(lucid.tensor([1.0]))
    assert lucid.tensor([1.0]).add(1).tolist() == [2.0]


def test_exception_leaves_nothing_behind() -> None:
    broken = [True]

    def f(x):
        y = x + 1
        if broken[0]:
            raise ValueError("broken")
        return y * 2

    compiled = lucid.compile(f)
    x = lucid.tensor([1.0])
    with pytest.raises(ValueError, match="broken"):
        compiled(x)
    assert compiled.cache_info()["entries"] == 0
    assert lucid.is_grad_enabled()
    broken[0] = False
    assert compiled(x).tolist() == [4.0]
    assert compiled(x).tolist() == [4.0]


def test_wrong_shapes_raise_and_the_next_call_works() -> None:
    compiled = lucid.compile(nn.Linear(8, 4))
    with pytest.raises(lucid.ShapeError):
        compiled(lucid.ones(2, 7))
    assert compiled(lucid.ones(2, 8)).shape == (2, 4)


# ---- Writes, draws, statistics ------------------------------------------------------------------


def test_writes_to_arguments_in_program_order() -> None:
    @lucid.compile
    def f(dst, src):
        dst[0:, :] = src[0:, :]
        src.add_(1)
        return src

    for _ in range(3):
        dst, src = lucid.zeros(3, 4), lucid.arange(12).reshape(3, 4).float()
        assert f(dst, src) is src
        np.testing.assert_array_equal(dst.numpy().ravel(), np.arange(12))
        np.testing.assert_array_equal(src.numpy().ravel(), np.arange(1, 13))
    assert f.cache_info()["misses"] == 1


def test_batch_norm_statistics() -> None:
    def make() -> nn.Module:
        lucid.manual_seed(0)
        return nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU())

    eager, model = make(), make()
    compiled = lucid.compile(model)
    for seed in range(4):
        x = lucid.tensor(floats(4, 3, 8, 8, seed=seed))
        same(compiled(x), eager(x).detach().numpy())
    for name, value in eager.state_dict().items():
        same(model.state_dict()[name].float(), value.float().numpy())
    assert model[1].num_batches_tracked.item() == 4
    assert compiled.cache_info()["hits"] >= 2


def test_draws_advance_and_equal_eager() -> None:
    def f(x):
        return F.dropout(x, 0.5, True) + lucid.rand(1000)

    compiled = lucid.compile(f)
    x = lucid.ones(1000)
    lucid.manual_seed(1)
    made = [compiled(x).numpy().copy() for _ in range(3)]
    lucid.manual_seed(1)
    for result in made:
        np.testing.assert_array_equal(result, f(x).numpy())
    assert (made[1] != made[2]).any()


# ---- Any batch ----------------------------------------------------------------------------------


def test_one_executable_for_every_batch() -> None:
    model = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.LayerNorm(16), nn.Linear(16, 4))
    compiled = lucid.compile(model, dynamic=True)
    for batch in (3, 5, 1, 0, 7, 64):
        x = lucid.tensor(floats(batch, 8, seed=batch))
        same(compiled(x), model(x).detach().numpy())
    info = compiled.cache_info()
    assert (info["entries"], info["executables"], info["misses"]) == (1, 1, 1)


def test_transformer_with_any_batch_traced_at_one() -> None:
    model = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True).eval()
    compiled = lucid.compile(model, dynamic=True)
    with lucid.no_grad():
        for batch in (1, 4, 2, 9):
            x = lucid.tensor(floats(batch, 6, 16, seed=batch))
            same(compiled(x), model(x).numpy())
    assert compiled.cache_info()["entries"] == 1


def test_convolutions_are_compiled_per_shape() -> None:
    model = nn.Conv2d(1, 2, 3)
    compiled = lucid.compile(model, dynamic=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for batch in (2, 3, 2):
            x = lucid.tensor(floats(batch, 1, 6, 6, seed=batch))
            same(compiled(x), model(x).detach().numpy())
    assert compiled.cache_info()["entries"] == 2


def test_miss_names_the_extent() -> None:
    compiled = lucid.compile(lambda x: x + 1)
    compiled(lucid.ones(7, 2))
    compiled(lucid.ones(8, 2))
    assert "arg 0 dim 0: 7 -> 8" in str(compiled.explain())


# ---- Gradients and training ---------------------------------------------------------------------


def test_gradients_accumulate() -> None:
    w = nn.Parameter(lucid.ones(2))
    f = lucid.compile(lambda x: (w * x).sum())
    f(lucid.tensor([1.0, 2.0])).backward()
    assert w.grad.tolist() == [1, 2]
    f(lucid.tensor([3.0, 4.0])).backward()
    assert w.grad.tolist() == [4, 6]
    w.grad = None
    (f(lucid.tensor([1.0, 2.0])) / 2).backward()
    assert w.grad.tolist() == [0.5, 1]


def test_grad_mode_is_part_of_the_signature() -> None:
    compiled = lucid.compile(nn.Linear(4, 2))
    x = lucid.tensor(floats(3, 4))
    with lucid.no_grad():
        assert not compiled(x).requires_grad
    assert compiled(x).requires_grad
    with lucid.no_grad():
        assert not compiled(x).requires_grad
    assert compiled(x).requires_grad


@pytest.mark.parametrize("make", [lucid.optim.SGD, lucid.optim.Adam, lucid.optim.AdamW])
def test_compiled_training_step_equals_eager(make: type) -> None:
    def model() -> nn.Module:
        lucid.manual_seed(0)
        return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))

    def stepper(m: nn.Module):
        optimizer = make(m.parameters(), lr=1e-2)

        def step(x, y):
            optimizer.zero_grad()
            loss = F.cross_entropy(m(x), y)
            loss.backward()
            optimizer.step()
            return loss

        return step

    a, b = model(), model()
    eager, compiled = stepper(a), lucid.compile(stepper(b))
    for seed in range(8):
        x = lucid.tensor(floats(5, 8, seed=seed))
        y = lucid.tensor(np.random.default_rng(seed).integers(0, 4, 5))
        assert abs(eager(x, y).item() - compiled(x, y).item()) < 1e-5
    for p, q in zip(a.parameters(), b.parameters(), strict=True):
        same(q, p.detach().numpy())
    assert compiled.cache_info()["hits"] >= 4


def test_learning_rate_change_counts() -> None:
    p = nn.Parameter(lucid.tensor([1.0]))
    optimizer = lucid.optim.SGD([p], lr=0.1)

    @lucid.compile
    def step(one):
        optimizer.zero_grad()
        loss = (p * one).sum()
        loss.backward()
        optimizer.step()
        return loss

    one = lucid.tensor([1.0])
    step(one)
    assert abs(p.item() - 0.9) < 1e-6
    optimizer.param_groups[0]["lr"] = 0.01
    step(one)
    assert abs(p.item() - 0.89) < 1e-6


# ---- The wrapper --------------------------------------------------------------------------------


def test_wrapper_stands_in_the_modules_place() -> None:
    model = nn.Sequential(nn.Linear(4, 3), nn.ReLU())
    compiled = lucid.compile(model)
    outer = nn.Sequential(compiled, nn.Linear(3, 2))
    assert list(compiled.state_dict()) == ["0.weight", "0.bias"]
    assert list(outer.state_dict()) == ["0.0.weight", "0.0.bias", "1.weight", "1.bias"]
    assert compiled[0] is model[0]
    assert len(compiled) == 2
    compiled.flag = 5
    assert model.flag == 5
    assert isinstance(compiled, nn.Module)
    compiled.eval()
    assert not model.training
    assert {id(p) for p in outer.parameters()} >= {id(p) for p in model.parameters()}
    x = lucid.tensor(floats(2, 4))
    same(copy.deepcopy(compiled)(x), compiled(x).detach().numpy())


def test_function_wrapper_has_no_parameters() -> None:
    compiled = lucid.compile(lambda x: x)
    assert list(compiled.parameters()) == []
    assert list(compiled.buffers()) == []
    assert compiled.state_dict() == {}


def test_dropping_the_wrapper_frees_the_model_and_inputs() -> None:
    model = nn.Linear(4, 4)
    x = lucid.tensor(floats(2, 4))
    compiled = lucid.compile(model)
    for _ in range(3):
        compiled(x)
    watched = [weakref.ref(model), weakref.ref(compiled)]
    del model, compiled
    gc.collect()
    assert [ref() for ref in watched] == [None, None]


def test_cache_is_bounded() -> None:
    from lucid.compile import CompiledModule

    compiled = CompiledModule(lambda x: x + 1, capacity=4)
    for size in range(1, 9):
        compiled(lucid.ones(size))
    info = compiled.cache_info()
    assert info["entries"] == 4
    assert info["evictions"] == 4
    assert compiled(lucid.ones(1)).tolist() == [2.0]
    compiled.clear_cache()
    assert compiled.cache_info()["entries"] == 0


def test_inner_wrapper_dissolves_into_the_outer_graph() -> None:
    inner = lucid.compile(lambda x: x * 2)
    for _ in range(3):  # an inner plan that is ready to run must dissolve too
        inner(lucid.tensor([5.0]))
    outer = lucid.compile(lambda x: inner(x) + 1)
    for value in (1.0, 2.0, 3.0):
        assert outer(lucid.tensor([value])).tolist() == [2 * value + 1]
    assert outer.cache_info()["hits"] == 2


@pytest.mark.parametrize("count", [10, 100, 1000, 10000])
def test_no_size_cliff(count: int) -> None:
    def chain(x):
        for _ in range(count):
            x = x + 1
        return x

    compiled = lucid.compile(chain)
    for _ in range(2):
        assert compiled(lucid.zeros(2)).tolist() == [count, count]
