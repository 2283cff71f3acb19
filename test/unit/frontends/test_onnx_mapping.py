"""Every row of the ONNX mapping, executed by the interpreter and compared with onnxruntime."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from onnx import defs
from onnx_checks import check, execute
from onnx_models import SPECIAL, run_reference, samples, single

from snippets_mlir.frontends.onnx import import_model
from snippets_mlir.frontends.onnx.engine_operators import OF_ENGINE
from snippets_mlir.frontends.onnx.mapping import (
    FIRST_OPSET,
    LAST_OPSET,
    ROWS,
    has_known_version,
)

Array = NDArray[Any]
F32, F64, I32, I64, BOOL = np.float32, np.float64, np.int32, np.int64, np.bool_
FLOATS, INTS = (F32, F64), (I32, I64)
NUMBERS = FLOATS + INTS


@dataclass(frozen=True)
class Case:
    """One operator: `inputs` tensors of each of `dtypes`, with some forms of its attributes."""

    op: str
    dtypes: Sequence[Any] = FLOATS
    inputs: int = 1
    forms: Sequence[dict[str, Any]] = ({},)
    special: bool = False
    positive: bool = False
    unit: bool = False
    opsets: Sequence[int] = field(default=())


FORMULAS = [
    *(Case(op) for op in ("Cos", "Cosh", "Erf", "Exp", "Mish", "Sigmoid", "Sin", "Sinh", "Atan")),
    *(Case(op) for op in ("Softplus", "Softsign", "Tan", "Tanh", "HardSwish", "Asinh")),
    *(Case(op, unit=True) for op in ("Acos", "Asin", "Atanh")),
    *(Case(op, positive=True) for op in ("Acosh", "Log", "Reciprocal")),
    Case("Celu", (F32,), forms=({}, {"alpha": 2.5}, {"alpha": -0.75})),
    Case("Elu", forms=({}, {"alpha": 0.3})),
    Case("Gelu", forms=({}, {"approximate": "tanh"})),
    Case("HardSigmoid", forms=({}, {"alpha": 0.5, "beta": 0.1}, {"alpha": 1 / 6, "beta": 0.5})),
    Case("LeakyRelu", forms=({}, {"alpha": 0.3})),
    Case("Mean", inputs=3),
    Case("PRelu", NUMBERS, 2),
    Case("Selu", forms=({}, {"alpha": 0.3, "gamma": 2.0})),
    Case("Shrink", forms=({}, {"lambd": 1.5, "bias": 0.25})),
    Case("Sum", inputs=3),
    Case("SwiGLU", inputs=2, forms=({}, {"alpha": 0.5})),
    Case("Swish", forms=({}, {"alpha": 0.5})),
    Case("ThresholdedRelu", forms=({}, {"alpha": 0.3})),
]

EXACT = [
    *(Case(op, special=True) for op in ("Ceil", "Floor", "IsNaN", "Round", "Sqrt")),
    *(Case(op, NUMBERS, special=True) for op in ("Abs", "Neg", "Sign")),
    *(
        Case(op, NUMBERS, 2, special=True)
        for op in ("Add", "Equal", "Greater", "Less", "Mul", "Sub")
    ),
    *(Case(op, NUMBERS, 2, special=True) for op in ("GreaterOrEqual", "LessOrEqual")),
    *(Case(op, NUMBERS, inputs=3, special=True) for op in ("Max", "Min")),
    *(Case(op, (BOOL,), 2) for op in ("And", "Or", "Xor", "Equal")),
    *(Case(op, INTS, 2) for op in ("BitwiseAnd", "BitwiseOr", "BitwiseXor")),
    Case("BitwiseNot", INTS),
    Case("Div", FLOATS, 2, special=True),
    Case("Identity", (*NUMBERS, BOOL)),
    Case("IsInf", forms=({}, {"detect_negative": 0}, {"detect_positive": 0}), special=True),
    Case("IsInf", forms=({"detect_negative": 0, "detect_positive": 0},), special=True),
    Case("Mod", FLOATS, 2, forms=({"fmod": 1},), special=True),
    Case("Not", (BOOL,)),
    Case("Relu", (F32, F64, I32), special=True),
]


def arrays_for(case: Case, dtype: Any) -> list[Array]:
    """Inputs of a case: the first of two dims, the others to be broadcast."""
    arrays = [samples(dtype, 24, seed) for seed in range(case.inputs)]
    if case.unit:
        arrays = [np.clip(a / 10, -0.99, 0.99).astype(dtype) for a in arrays]
    if case.positive:
        arrays = [(abs(a) + 1.125).astype(dtype) for a in arrays]
    if case.op == "SwiGLU":
        return arrays
    return [arrays[0].reshape(4, 6), *(a[:6] for a in arrays[1:])]


def newest(op: str) -> int:
    """The newest opset that both onnxruntime and ONNX's schemas of `op` know well."""
    return max(22, defs.get_schema(op).since_version)


@pytest.mark.parametrize("case", FORMULAS, ids=lambda c: c.op)
def test_formula(case: Case):
    for dtype in case.dtypes:
        for form in case.forms:
            check(case.op, arrays_for(case, dtype), rtol=2e-5, opset=newest(case.op), **form)


@pytest.mark.parametrize("case", EXACT, ids=lambda c: c.op)
def test_exact(case: Case):
    for dtype in case.dtypes:
        for form in case.forms:
            arrays = arrays_for(case, dtype)
            check(case.op, arrays, opset=newest(case.op), **form)
            if case.special and np.dtype(dtype).kind == "f":
                with np.errstate(over="ignore"):
                    grid = SPECIAL.astype(dtype)
                    row = grid.reshape(-1, 1)
                check(case.op, [row, grid, grid][: case.inputs], opset=newest(case.op), **form)


@pytest.mark.parametrize("op", sorted(ROWS))
def test_row_handles_every_version_of_its_operator(op: str):
    """From opset 7 to the newest of the installed onnx."""
    schemas = [s for s in defs.get_all_schemas_with_history() if s.name == op and s.domain == ""]
    since = {s.since_version for s in schemas if not s.deprecated}
    in_opset_7 = max((v for v in since if v <= 7), default=None)
    wanted = {v for v in since if v > 7 or v == in_opset_7}
    optional = {s.since_version for s in schemas if s.deprecated}
    if op in OF_ENGINE:  # onnxruntime's own, in ONNX's domain
        wanted.add(1)
    assert wanted <= set(ROWS[op].since) <= wanted | optional


@pytest.mark.parametrize("op", sorted(ROWS))
def test_versions_are_known_without_the_table_of_operators(op: str):
    for opset in range(FIRST_OPSET, LAST_OPSET + 1):
        try:
            handled = defs.get_schema(op, opset, "").since_version in ROWS[op].since
        except defs.SchemaError:
            handled = op in OF_ENGINE
        assert has_known_version(op, opset) == handled, opset
    assert has_known_version(op, FIRST_OPSET - 1) is has_known_version(op, LAST_OPSET + 1) is None


@pytest.mark.parametrize("fmod", [0, 1])
def test_mod_of_integers(fmod: int):
    for dtype in INTS:
        y = np.where(samples(dtype, seed=1) == 0, 3, samples(dtype, seed=1)).astype(dtype)
        check("Mod", [samples(dtype), y], fmod=fmod)


def test_division_of_integers_truncates():
    for dtype in INTS:
        x, y = np.array([7, -7, 7, -7, 0], dtype), np.array([2, 2, -2, -2, 5], dtype)
        check("Div", [x, y])


@pytest.mark.parametrize("base", [F32, F64, I32, I64])
@pytest.mark.parametrize("exponent", [F32, F64, I32, I64])
def test_pow_of_two_types(base: Any, exponent: Any):
    x, y = np.array([1, 2, 3, 5, 9], base), np.array([0, 1, 3, 2, 4], exponent)
    check("Pow", [x, y], rtol=1e-6)
    made = single("Pow", [x, y], constants=[1])
    (found,) = execute(made, [x])
    np.testing.assert_allclose(found, run_reference(made, [x])[0], 1e-6)


def test_pow_with_an_exponent_that_its_base_cannot_hold():
    x, y = np.array([1.0000001], F32), np.array([16777217], I64)
    (found,) = execute(single("Pow", [x, y], constants=[1]), [x])
    expected = np.float64(x[0]) ** 16777217
    np.testing.assert_allclose(found, expected, 1e-6)


def test_where_takes_the_shape_of_all_three():
    condition, x, y = samples(BOOL, 4).reshape(4, 1), samples(F32, 6), np.full((2, 1, 1), 7.0, F32)
    check("Where", [condition, x, y])


@pytest.mark.parametrize("direction", ["LEFT", "RIGHT"])
def test_bit_shift_of_64_bits_stays_opaque(direction: str):
    x = np.array([1, 2], np.uint64)
    module = import_model(single("BitShift", [x, x], direction=direction))
    (node,) = [op for op in module.walk() if op.name == "onnx.node"]
    assert "ui64" in str(node.attributes["snippets.reason"])


@pytest.mark.parametrize("op", ["Relu", "Add"])
def test_types_that_are_not_compiled_stay_opaque(op: str):
    x = np.ones(3, np.uint64)
    module = import_model(single(op, [x, x][: 1 + (op == "Add")]))
    (node,) = [n for n in module.walk() if n.name == "onnx.node"]
    assert "ui64" in str(node.attributes["snippets.reason"])
