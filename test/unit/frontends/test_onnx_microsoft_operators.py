"""onnxruntime's own activations and norms against it, and what of them stays opaque."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import helper
from onnx_checks import execute, ops_of, reasons_of
from onnx_models import SPECIAL, model, run_reference, samples, save, value

import snippets_mlir
from snippets_mlir.driver.compiled import Compiled
from snippets_mlir.frontends.onnx.engine_operators import MICROSOFT

Array = NDArray[Any]
BATCH, ROWS, COLUMNS = 2, 3, 8
SHAPE = (BATCH, ROWS, COLUMNS)


def numbers(*shape: int, dtype: Any = np.float32) -> Array:
    return samples(dtype, int(np.prod(shape)), sum(shape)).reshape(shape)


class Case(NamedTuple):
    """A node: its inputs (None where left out), the names of its outputs, attributes."""

    operator: str
    inputs: Sequence[Array | None]
    outputs: Sequence[str] = ("y",)
    epsilon: float | None = None
    alpha: float | None = None


X, ROW = numbers(*SHAPE), numbers(COLUMNS)
SKIP, SIMPLE = "SkipLayerNormalization", "SkipSimplifiedLayerNormalization"
WITH_SUM = ("y", "", "", "sum")


def made(case: Case, dims: Sequence[str | int] | None = None) -> onnx.ModelProto:
    """The model; with `dims` the inputs of three dims have these."""
    names = ["" if a is None else f"x{i}" for i, a in enumerate(case.inputs)]
    numbers = (("epsilon", case.epsilon), ("alpha", case.alpha))
    given: dict[str, Any] = {name: number for name, number in numbers if number is not None}
    node = helper.make_node(case.operator, names, case.outputs, domain=MICROSOFT, **given)
    pairs = [(n, a) for n, a in zip(names, case.inputs, strict=True) if a is not None]
    inputs = [value(n, dims if dims and a.ndim == 3 else a.shape, a.dtype) for n, a in pairs]
    first = case.inputs[0]
    assert first is not None
    results = [value(n, dims or first.shape, first.dtype) for n in case.outputs if n]
    return model([node], inputs, results, domains=[MICROSOFT])


def arrays(case: Case) -> list[Array]:
    return [a for a in case.inputs if a is not None]


CASES = [
    Case("BiasGelu", [X, ROW]),
    Case("FastGelu", [X]),
    Case("FastGelu", [X, ROW]),
    Case("FastGelu", [numbers(*SHAPE, dtype=np.float64)]),
    Case("Gelu", [X]),
    Case("Gelu", [numbers(5)]),
    Case("QuickGelu", [X]),
    Case("QuickGelu", [X], alpha=1.0),
    Case("QuickGelu", [X], alpha=-0.5),
    Case(SKIP, [X, numbers(*SHAPE), ROW]),
    Case(SKIP, [X, numbers(*SHAPE), ROW, ROW + 1], epsilon=0.1),
    Case(SKIP, [X, numbers(*SHAPE), ROW, None, ROW - 1], WITH_SUM),
    Case(SKIP, [X, numbers(*SHAPE), ROW, ROW + 1, ROW - 1], WITH_SUM, epsilon=1e-5),
    Case(SKIP, [X, numbers(1, ROWS, COLUMNS), ROW], WITH_SUM),
    Case(SKIP, [X, numbers(ROWS, COLUMNS), ROW], WITH_SUM),
    Case(SKIP, [X[0], numbers(ROWS, COLUMNS), ROW]),
    Case(SIMPLE, [X, numbers(*SHAPE), ROW]),
    Case(SIMPLE, [X, numbers(*SHAPE), ROW, ROW - 1], WITH_SUM, epsilon=0.1),
    Case(SIMPLE, [X[0], numbers(ROWS, COLUMNS), ROW], WITH_SUM),
]


def outputs(compiled: Compiled, case: Case) -> list[Array]:
    names = [f"x{i}" for i, a in enumerate(case.inputs) if a is not None]
    return list(compiled.run(dict(zip(names, arrays(case), strict=True))).values())


def close(found: Sequence[Array], wanted: Sequence[Array]) -> None:
    for a, b in zip(found, wanted, strict=True):
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        np.testing.assert_allclose(a, b, 2e-5, 2e-6)


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c.operator}-{len(c.inputs)}")
def test_by_the_interpreter_and_compiled(case: Case, tmp_path: Path):
    given, wanted = arrays(case), run_reference(made(case), arrays(case))
    close(execute(made(case), given), wanted)
    save(made(case), path := tmp_path / "m.onnx")
    close(outputs(snippets_mlir.compile(str(path), fallback="error"), case), wanted)


@pytest.mark.parametrize("case", CASES[9:], ids=lambda c: f"{c.operator}-{len(c.inputs)}")
def test_with_dynamic_dims(case: Case, tmp_path: Path):
    """A batch that may be broadcast is only known with the sizes of a call."""
    save(made(case, ["b", "s", COLUMNS]), path := tmp_path / "m.onnx")
    compiled = snippets_mlir.compile(str(path), mark_skipped="none")
    for _ in range(2):
        close(outputs(compiled, case), run_reference(made(case), arrays(case)))


@pytest.mark.parametrize("operator", ["BiasGelu", "FastGelu", "Gelu", "QuickGelu"])
def test_special_values(operator: str):
    """As the op of this project: x * f(x) is NaN for -inf."""
    x = np.resize(SPECIAL.astype(np.float32), (3, SPECIAL.size))
    bias = [np.zeros(SPECIAL.size, np.float32)] if operator == "BiasGelu" else []
    (found,) = execute(made(Case(operator, [x, *bias])), [x, *bias])
    finite = np.isfinite(x)
    (wanted,) = run_reference(made(Case(operator, [x, *bias])), [x, *bias])
    np.testing.assert_allclose(found[finite], wanted[finite], 2e-5, 1e-6)
    np.testing.assert_array_equal(found[x == np.inf], np.inf)
    assert np.isnan(found[np.isnan(x) | (x == -np.inf)]).all()


def test_they_become_few_ops():
    assert ops_of(made(CASES[0])) == ["snippets.add", "snippets.gelu"]
    assert ops_of(made(CASES[6])) == ["snippets.swish"]
    assert ops_of(made(CASES[9])) == ["snippets.add", "snippets.layer_norm"]
    assert ops_of(made(CASES[17])) == ["snippets.add", "snippets.add", "snippets.rms_norm"]


REFUSED = [
    (Case("BiasGelu", [X, numbers(1)]), "has the shape 1 beside 2x3x8"),
    (Case("BiasGelu", [X, numbers(1, COLUMNS)]), "has the shape 1x8 beside 2x3x8"),
    (Case(SKIP, [X, numbers(3, ROWS, COLUMNS), ROW]), "of 2x3x8 and 3x3x8"),
    (Case(SKIP, [X, numbers(1, 1, COLUMNS), ROW]), "of 2x3x8 and 1x1x8"),
    (Case(SKIP, [X[0], numbers(1, ROWS, COLUMNS), ROW]), "of 3x8 and 1x3x8"),
    (Case(SKIP, [X[0], numbers(1, COLUMNS), ROW]), "of 3x8 and 1x8"),
    (Case(SKIP, [X, X, numbers(1)]), "has the shape 1 beside 2x3x8"),
    (Case(SKIP, [numbers(1, *SHAPE), numbers(1, *SHAPE), ROW]), "of 1x2x3x8 and"),
    (Case(SKIP, [X, X, ROW], ("y", "mean")), "the statistics of SkipLayerNormalization"),
    (Case(SIMPLE, [X, X, ROW], ("y", "", "d")), "the statistics of SkipSimplified"),
]


@pytest.mark.parametrize(("case", "reason"), REFUSED, ids=[r for _, r in REFUSED])
def test_what_stays_opaque(case: Case, reason: str):
    (found,) = reasons_of(made(case))
    assert reason in found


def test_a_residual_that_onnxruntime_does_not_broadcast(tmp_path: Path):
    """It takes the first batches of a residual that has more of them: so does the program."""
    case = Case(SKIP, [X, numbers(3, ROWS, COLUMNS), ROW])
    save(made(case), path := tmp_path / "m.onnx")
    found = outputs(snippets_mlir.compile(str(path)), case)
    close(found, run_reference(made(case), arrays(case)))
