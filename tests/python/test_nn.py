"""Modules, optimizers and data loading."""

from __future__ import annotations

import copy
from pathlib import Path

import numpy as np
import pytest

import lucid
from lucid import nn
from lucid.nn import _epoch


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(3, 4)
        self.second = nn.Linear(4, 2, bias=False)
        self.register_buffer("scale", lucid.ones(1))
        self.register_buffer("scratch", lucid.zeros(1), persistent=False)

    def forward(self, x):
        return self.second(self.first(x).relu()) * self.scale


def test_registration_and_names() -> None:
    net = Net()
    assert [n for n, _ in net.named_parameters()] == ["first.weight", "first.bias", "second.weight"]
    assert list(net.state_dict()) == ["scale", "first.weight", "first.bias", "second.weight"]
    assert [n for n, _ in net.named_modules()] == ["", "first", "second"]
    assert net.get_parameter("first.bias") is net.first.bias
    with pytest.raises(TypeError, match="cannot assign"):
        net.first.weight = lucid.ones(4, 3)
    with pytest.raises(AttributeError, match="no attribute 'third'"):
        net.third  # noqa: B018
    del net.second
    assert not hasattr(net, "second")


def test_repr() -> None:
    net = nn.Sequential(nn.Linear(2, 3), nn.ReLU())
    assert repr(net) == (
        "Sequential(\n  (0): Linear(in_features=2, out_features=3, bias=True)\n  (1): ReLU()\n)"
    )


def test_load_state_dict_reports() -> None:
    net = Net()
    state = net.state_dict()
    state["first.weight"] = lucid.ones(5, 3)
    del state["first.bias"]
    state["other"] = lucid.ones(1)
    with pytest.raises(RuntimeError, match="Missing key") as caught:
        net.load_state_dict(state)
    text = str(caught.value)
    assert 'Missing key(s) in state_dict: "first.bias".' in text
    assert 'Unexpected key(s) in state_dict: "other".' in text
    assert "size mismatch for first.weight" in text
    del state["first.weight"], state["other"]
    result = net.load_state_dict(state, strict=False)
    assert result.missing_keys == []
    assert str(net.load_state_dict(Net().state_dict())) == "<All keys matched successfully>"


def test_shared_parameters_come_once() -> None:
    net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    net[1].weight = net[0].weight
    assert len(list(net.parameters())) == 3
    copied = copy.deepcopy(net)
    assert copied[0].weight is copied[1].weight
    assert copied[0].weight is not net[0].weight


def test_changes_are_counted_unless_nothing_changes() -> None:
    net = Net()
    net.flag = 1
    before = _epoch.changes.count
    net.flag = 1
    net.train(True)
    assert _epoch.changes.count == before
    net.flag = True
    assert _epoch.changes.count == before + 1
    net.first.bias = None
    net._buffers["scale"] = lucid.zeros(1)
    net.eval()
    assert _epoch.changes.count == before + 1 + 1 + 1 + 3


def test_conversion_keeps_parameters() -> None:
    net = Net()
    weight = net.first.weight
    net.half()
    assert net.first.weight is weight
    assert weight.dtype is lucid.float16
    net.float()
    assert weight.dtype is lucid.float32


def test_hooks() -> None:
    net = nn.Linear(2, 2)
    seen = []
    handles = [
        net.register_forward_pre_hook(lambda m, args: seen.append("pre")),
        net.register_forward_hook(lambda m, args, out: out * 2),
        net.register_full_backward_hook(lambda m, gi, go: seen.append((gi[0].shape, go[0].shape))),
    ]
    x = lucid.ones(3, 2, requires_grad=True)
    plain = net.forward(x)
    out = net(x)
    np.testing.assert_allclose(out.detach().numpy(), 2 * plain.detach().numpy(), rtol=1e-6)
    out.sum().backward()
    assert seen == ["pre", ((3, 2), (3, 2))]
    for handle in handles:
        handle.remove()
    assert not net._hooked


@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW"])
def test_optimizers_learn_and_restore(name: str) -> None:
    lucid.manual_seed(0)
    target = lucid.tensor([1.0, -2.0, 3.0])

    def make(parameter):
        options = {"momentum": 0.9, "lr": 0.02} if name == "SGD" else {"lr": 0.2}
        return getattr(lucid.optim, name)([parameter], **options)

    def step(parameter, optimizer):
        def closure():
            optimizer.zero_grad()
            loss = ((parameter - target) ** 2).sum()
            loss.backward()
            return loss

        return optimizer.step(closure)

    p = nn.Parameter(lucid.zeros(3))
    optimizer = make(p)
    first = step(p, optimizer).item()
    for _ in range(80):
        last = step(p, optimizer).item()
    assert last < 0.05 * first
    q = nn.Parameter(p.detach().clone())
    other = make(q)
    other.load_state_dict(optimizer.state_dict())
    step(p, optimizer)
    step(q, other)
    np.testing.assert_allclose(p.detach().numpy(), q.detach().numpy(), rtol=1e-6)


def test_data_loader() -> None:
    from lucid.utils.data import DataLoader, TensorDataset, random_split

    data = TensorDataset(lucid.arange(10), lucid.arange(10) * 2)
    batches = list(DataLoader(data, batch_size=4))
    assert [len(a) for a, _ in batches] == [4, 4, 2]
    assert len(DataLoader(data, batch_size=4, drop_last=True)) == 2
    shuffled = DataLoader(data, 5, shuffle=True, generator=lucid.Generator().manual_seed(1))
    order = [v for a, _ in shuffled for v in a.tolist()]
    assert sorted(order) == list(range(10))
    parts = random_split(data, [0.7, 0.3])
    assert [len(p) for p in parts] == [7, 3]


def test_safetensors(tmp_path: Path) -> None:
    state = {
        "a": lucid.tensor([1.5, -2.0]),
        "b": lucid.tensor([1.5, 3.0]).bfloat16(),
        "c": lucid.tensor([[True], [False]]),
    }
    lucid.save_safetensors(state, tmp_path / "x.safetensors")
    back = lucid.load_safetensors(tmp_path / "x.safetensors")
    assert {k: (v.dtype, v.tolist()) for k, v in back.items()} == {
        k: (v.dtype, v.tolist()) for k, v in state.items()
    }
    del state["b"]  # NumPy has no bfloat16
    lucid.save_safetensors(state, tmp_path / "y.safetensors")
    theirs = pytest.importorskip("safetensors.numpy").load_file(tmp_path / "y.safetensors")
    assert theirs["a"].tolist() == [1.5, -2.0]


def test_save_and_load(tmp_path: Path) -> None:
    net = Net()
    lucid.save(net.state_dict(), tmp_path / "net.lucid")
    other = Net()
    other.load_state_dict(lucid.load(tmp_path / "net.lucid"))
    assert other.first.weight.tolist() == net.first.weight.tolist()
    lucid.save(net, tmp_path / "module.lucid")
    with pytest.raises(Exception, match="weights_only=False"):
        lucid.load(tmp_path / "module.lucid")


def test_a_fixed_batch_keeps_draws_and_views() -> None:
    """What is recorded before the batch is fixed depends on it in later calls too."""

    def noisy(x):
        first = nn.functional.dropout(x, 0.5)
        return nn.functional.dropout(first @ x.T, 0.5), x.reshape(x.shape[0] * 3)

    compiled = lucid.compile(noisy, dynamic=True)
    x = lucid.arange(15.0).reshape(5, 3)
    for _ in range(3):
        lucid.manual_seed(7)
        expected = noisy(x)
        state = lucid.get_rng_state().tolist()
        lucid.manual_seed(7)
        got = compiled(x)
        assert lucid.get_rng_state().tolist() == state
        for a, b in zip(expected, got, strict=True):
            np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-5)


def test_ctc_loss() -> None:
    """One step, one label: the loss is minus the label's log-probability."""
    logs = lucid.tensor([[[0.1, 0.2, 0.7]]]).log()
    loss = nn.functional.ctc_loss(logs, lucid.tensor([[2]]), (1,), (1,), reduction="sum")
    assert loss.item() == pytest.approx(-np.log(0.7), rel=1e-5)
