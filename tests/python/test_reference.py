"""Every operation against its definition in float64: values, gradients, compiled, by batch."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lucid
from lucid import _ops

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from reference import ROWS
from reference.differences import gradient, hessian_product, projected, projections
from reference.model import (
    BATCH,
    EPSILON,
    FLOATS,
    INTS,
    Made,
    Row,
    Sample,
    is_float,
    rounded,
    tolerance,
)

Tensors = list[lucid.Tensor | None]


def cases(wanted: Callable[[Row, Sample], bool] = lambda row, sample: True) -> list[Any]:
    return [
        pytest.param(row, sample, id=f"{row.op}-{number}")
        for row in ROWS
        for number, sample in enumerate(row.samples)
        if wanted(row, sample)
    ]


def with_gradient(row: Row, sample: Sample) -> bool:
    return row.gradient and sample.gradient


def to_tensor(made: Made, requires_grad: bool = False) -> lucid.Tensor:
    dtype = getattr(lucid, "bool_" if made.dtype == "bool" else made.dtype)
    if is_float(made.dtype):
        tensor = lucid.tensor(made.values.astype(np.float32)).to(dtype)
    else:
        tensor = lucid.tensor(made.values, dtype=dtype)
    if requires_grad and made.differentiable:
        tensor.requires_grad_(True)
    return tensor


def strided(made: Made) -> lucid.Tensor:
    """The operand as a view that is not contiguous."""
    values = made.values
    if values.ndim >= 2:
        turned = to_tensor(Made(np.ascontiguousarray(values.T), made.dtype))
        return turned.permute(*reversed(range(values.ndim)))
    doubled = np.repeat(values.reshape(-1), 2)
    view = to_tensor(Made(doubled, made.dtype))[::2]
    return view if values.ndim else view[0]


def to_array(tensor: lucid.Tensor) -> np.ndarray[Any, Any]:
    if tensor.dtype.is_floating_point:
        return tensor.detach().to(lucid.float32).numpy().astype(np.float64)
    return tensor.numpy()


def name_of(dtype: lucid.dtype) -> str:
    return str(dtype).removeprefix("lucid.").removesuffix("_")


def call(row: Row, tensors: Sequence[Any], settings: dict[str, Any]) -> list[lucid.Tensor]:
    """The operation by its generated function."""
    settings = {
        key: getattr(lucid, "bool_" if value == "bool" else value)
        if key == "dtype" and value
        else value
        for key, value in settings.items()
    }
    out = getattr(_ops, row.op)(*tensors, **settings)
    return list(out) if isinstance(out, (tuple, list)) else [out]


def check(row: Row, actual: Sequence[lucid.Tensor], expected: Sequence[Made]) -> None:
    assert len(actual) == len(expected)
    for got, want in zip(actual, expected, strict=True):
        assert name_of(got.dtype) == want.dtype
        assert tuple(got.shape) == want.values.shape
        if is_float(want.dtype):
            relative, absolute = tolerance(row, want.dtype)
            np.testing.assert_allclose(
                to_array(got), rounded(want.values, want.dtype), rtol=relative, atol=absolute
            )
        else:
            np.testing.assert_array_equal(to_array(got), want.values)


def check_same(row: Row, actual: Sequence[Any], expected: Sequence[Any]) -> None:
    """Compiled code against eager code."""
    assert len(actual) == len(expected)
    for got, want in zip(actual, expected, strict=True):
        assert got.dtype is want.dtype
        assert tuple(got.shape) == tuple(want.shape)
        if row.exact or not want.dtype.is_floating_point:
            np.testing.assert_array_equal(to_array(got), to_array(want))
        else:
            relative, absolute = tolerance(row, name_of(want.dtype))
            np.testing.assert_allclose(
                to_array(got), to_array(want), rtol=2 * relative, atol=2 * absolute
            )


def gradients(
    outputs: Sequence[lucid.Tensor], tensors: Tensors, cotangents: Sequence[Any], **options: Any
) -> list[lucid.Tensor]:
    """The gradients of the outputs with respect to the operands that have one."""
    taken = [(o, c) for o, c in zip(outputs, cotangents, strict=True) if c is not None]
    wanted = [t for t in tensors if t is not None and t.requires_grad]
    found = lucid.autograd.grad(
        [o for o, _ in taken],
        wanted,
        [lucid.tensor(c.astype(np.float32)).to(o.dtype) for o, c in taken],
        allow_unused=True,  # the sign in copysign, an operand of cat without elements
        **options,
    )
    return [lucid.zeros_like(t) if g is None else g for t, g in zip(wanted, found, strict=True)]


def leaves(made: Sequence[Made | None], requires_grad: bool = False) -> Tensors:
    return [None if m is None else to_tensor(m, requires_grad) for m in made]


# ---- Values -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("row", "sample"), cases())
def test_value(row: Row, sample: Sample) -> None:
    made = sample.make(row.op)
    expected = row.evaluate(made, sample.settings())
    check(row, call(row, leaves(made), sample.settings()), expected)


@pytest.mark.parametrize(("row", "sample"), cases(lambda row, sample: sample is row.samples[0]))
def test_strided_operands(row: Row, sample: Sample) -> None:
    made = sample.make(row.op)
    expected = row.evaluate(made, sample.settings())
    tensors = [None if m is None else strided(m) for m in made]
    check(row, call(row, tensors, sample.settings()), expected)


@pytest.mark.parametrize(
    ("row", "dtype"),
    [pytest.param(row, dtype, id=f"{row.op}-{dtype}") for row in ROWS for dtype in row.types
     if any(o is not None and is_float(o.dtype) for o in row.samples[0].operands)],
)  # fmt: skip
def test_element_type(row: Row, dtype: str) -> None:
    sample = row.samples[0]
    made = sample.make(row.op, dtype=dtype)
    settings = sample.settings()
    check(row, call(row, leaves(made), settings), row.evaluate(made, settings))


DTYPES = (*FLOATS, *INTS, "bool")


@pytest.mark.parametrize("row", [pytest.param(row, id=row.op) for row in ROWS])
def test_any_element_type_works_or_raises(row: Row) -> None:
    """MPSGraph ends the process where it is misused: the operation has to refuse before."""
    sample = row.samples[0]
    made = sample.make(row.op)
    for position in (None, *range(len(made))):
        for dtype in DTYPES:
            tensors = [
                None if m is None else retyped(m, dtype if position in (None, i) else m.dtype)
                for i, m in enumerate(made)
            ]
            try:
                outputs = call(row, tensors, sample.settings())
                linked = [output for output in outputs if output.requires_grad]
                if linked:
                    lucid.autograd.backward(linked, [lucid.ones_like(o) for o in linked])
            except (ValueError, TypeError, RuntimeError, IndexError, NotImplementedError):
                continue
            for output in outputs:
                to_array(output)


def retyped(made: Made, dtype: str) -> lucid.Tensor:
    values = np.nan_to_num(made.values * 1.0, posinf=9, neginf=-9)
    return to_tensor(Made(rounded(values, dtype), dtype), requires_grad=True)


# ---- Gradients ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("row", "sample"), cases(with_gradient))
def test_gradient(row: Row, sample: Sample) -> None:
    made = sample.make(row.op)
    settings = sample.settings()
    cotangents = projections(row, row.evaluate(made, settings))
    tensors = leaves(made, requires_grad=True)
    found = gradients(call(row, tensors, settings), tensors, cotangents)
    function = projected(row, made, settings, cotangents)
    values = [None if m is None else m.values for m in made]
    positions = [i for i, m in enumerate(made) if m is not None and m.differentiable]
    results = {r.dtype for r in row.evaluate(made, settings) if r.differentiable}
    unit = max(GRADIENT * row.ulps, *(4 * EPSILON[dtype] for dtype in results))
    assert len(found) == len(positions)
    for got, position in zip(found, positions, strict=True):
        want = gradient(function, values, position)
        size = max(1.0, float(np.max(np.abs(want), initial=0)))
        np.testing.assert_allclose(
            to_array(got), want, rtol=unit, atol=unit * size, err_msg=f"operand {position}"
        )


#: Gradients chain several float32 operations, each rounding (6e-8) relative to its terms.
GRADIENT = 2e-6
#: Second derivatives: the truncation of the differences is 1e-6 times the fourth derivative.
SECOND = 2e-4


@pytest.mark.parametrize(
    ("row", "sample"),
    cases(
        lambda row, sample: with_gradient(row, sample) and row.second and sample is row.samples[0]
    ),
)
def test_second_gradient(row: Row, sample: Sample) -> None:
    made = sample.make(row.op)
    settings = sample.settings()
    cotangents = projections(row, row.evaluate(made, settings))
    tensors = leaves(made, requires_grad=True)
    first = gradients(call(row, tensors, settings), tensors, cotangents, create_graph=True)
    rng = np.random.default_rng(11)
    directions = [rng.uniform(0.5, 1.5, tuple(g.shape)) for g in first]
    values = [None if m is None else m.values for m in made]
    positions = [i for i, m in enumerate(made) if m is not None and m.differentiable]
    function = projected(row, made, settings, cotangents)
    wanted = hessian_product(function, values, positions, directions)
    if not any(g.requires_grad for g in first):
        for want in wanted:  # linear operations
            np.testing.assert_allclose(want, 0, atol=SECOND)
        return
    linked = [(g, d) for g, d in zip(first, directions, strict=True) if g.requires_grad]
    found = lucid.autograd.grad(
        [g for g, _ in linked],
        [t for t in tensors if t is not None and t.requires_grad],
        [lucid.tensor(d.astype(np.float32)) for _, d in linked],
        allow_unused=True,
    )
    for got, want in zip(found, wanted, strict=True):
        size = max(1.0, float(np.max(np.abs(want), initial=0)))
        zeros = np.zeros(want.shape)
        np.testing.assert_allclose(
            zeros if got is None else to_array(got), want, rtol=SECOND, atol=SECOND * size
        )


# ---- Compiled -----------------------------------------------------------------------------------


def compiled(row: Row, sample: Sample, **options: Any) -> Callable[..., Any]:
    """The call as a compiled function of the operands that are given."""
    present = [operand is not None for operand in sample.operands]

    def function(*tensors: lucid.Tensor) -> tuple[lucid.Tensor, ...]:
        rest = iter(tensors)
        batch = tensors[0].shape[0] if tensors and sample.dynamic else BATCH
        operands = [next(rest) if p else None for p in present]
        return tuple(call(row, operands, sample.settings(batch)))

    return lucid.compile(function, fullgraph=True, **options)


@pytest.mark.parametrize(("row", "sample"), cases(lambda row, sample: not row.reads_values))
def test_compiled(row: Row, sample: Sample) -> None:
    made = sample.make(row.op)
    needs = with_gradient(row, sample)
    tensors = leaves(made, requires_grad=needs)
    given = [t for t in tensors if t is not None]
    eager = call(row, tensors, sample.settings())
    cotangents = projections(row, row.evaluate(made, sample.settings()))
    wanted = gradients(eager, tensors, cotangents) if needs else []
    function = compiled(row, sample)
    for _ in range(3):
        outputs = function(*given)
        check_same(row, outputs, eager)
        if needs:
            for got, want in zip(gradients(outputs, tensors, cotangents), wanted, strict=True):
                size = max(1.0, float(np.max(np.abs(to_array(want)), initial=0)))
                np.testing.assert_allclose(
                    to_array(got), to_array(want), rtol=GRADIENT, atol=GRADIENT * size
                )
    assert function.cache_info()["entries"] == 1
    assert function.cache_info()["fallbacks"] == 0


@pytest.mark.parametrize(("row", "sample"), cases(lambda row, sample: row.reads_values))
def test_reading_values_is_said(row: Row, sample: Sample) -> None:
    made = sample.make(row.op)
    tensors = leaves(made)
    function = lucid.compile(lambda *given: tuple(call(row, given, sample.settings())))
    with pytest.warns(lucid.CompileWarning):
        outputs = function(*tensors)
    for _ in range(2):
        check(row, outputs, row.evaluate(made, sample.settings()))
        outputs = function(*tensors)


@pytest.mark.parametrize(("row", "sample"), cases(lambda row, sample: sample.dynamic))
def test_any_batch(row: Row, sample: Sample) -> None:
    function = compiled(row, sample, dynamic=True)
    needs = with_gradient(row, sample)
    kinds = set()
    for batch in (7, 11, 1, 0):
        made = sample.make(row.op, batch)
        settings = sample.settings(batch)
        tensors = leaves(made, requires_grad=needs)
        given = [t for t in tensors if t is not None]
        try:
            eager = call(row, tensors, settings)
        except lucid.LucidError as error:
            assert batch == 0  # the largest of no elements
            with pytest.raises(type(error)):
                function(*given)
            continue
        # Operands that happen to be as long as the batch are taken for batches.
        kinds.add((row.empty_apart and not batch, *(t.shape[0] == batch for t in given if t.ndim)))
        with warnings.catch_warnings():
            if row.per_shape:
                warnings.simplefilter("ignore", lucid.CompileWarning)
            outputs = function(*given)
        check_same(row, outputs, eager)
        if batch:
            check(row, outputs, row.evaluate(made, settings))
        if needs and batch:
            cotangents = projections(row, row.evaluate(made, settings))
            wanted = gradients(eager, tensors, cotangents)
            for got, want in zip(gradients(outputs, tensors, cotangents), wanted, strict=True):
                size = max(1.0, float(np.max(np.abs(to_array(want)), initial=0)))
                np.testing.assert_allclose(
                    to_array(got), to_array(want), rtol=GRADIENT, atol=GRADIENT * size
                )
    if not row.per_shape:
        # The form without elements may be within the entry or beside it.
        apart = int(row.empty_apart)
        assert len(kinds) - apart <= function.cache_info()["entries"] <= len(kinds)


@pytest.mark.parametrize(
    ("row", "sample"),
    cases(lambda row, sample: sample.dynamic and sum(o is not None for o in sample.operands) > 1),
)
def test_batch_that_another_extent_equals(row: Row, sample: Sample) -> None:
    """A parameter as long as the batch is taken for one more batch; the answer must not suffer."""
    function = compiled(row, sample, dynamic=True)
    for batch in (BATCH, 5, BATCH):
        made = sample.make(row.op, batch)
        tensors = leaves(made)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", lucid.CompileWarning)
            outputs = function(*(t for t in tensors if t is not None))
        check_same(row, outputs, call(row, tensors, sample.settings(batch)))


# ---- Completeness -------------------------------------------------------------------------------


def test_every_operation_has_one_row() -> None:
    names = [row.op for row in ROWS]
    assert len(names) == len(set(names))
    catalog = {
        name
        for name, value in vars(_ops).items()
        if callable(value) and getattr(value, "__module__", "") == _ops.__name__
        and not name.startswith("_")
    }  # fmt: skip
    assert len(catalog) == _ops.COUNT
    assert set(names) <= catalog
    from reference import ELSEWHERE

    assert not set(names) & set(ELSEWHERE)
    assert catalog - set(names) - set(ELSEWHERE) == set()


def test_golden_file_is_current() -> None:
    from reference.golden import is_current

    assert is_current(), "run tests/reference/golden.py"
