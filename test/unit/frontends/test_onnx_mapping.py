"""Every row of the ONNX mapping, executed by the interpreter and compared with onnxruntime."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
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


@pytest.mark.parametrize(
    ("low", "high"), [(-1.0, 2.0), (None, 2.0), (-1.0, None), (None, None), (3.0, -3.0)]
)
@pytest.mark.parametrize("constants", [(), (1, 2)], ids=["values", "constants"])
def test_clip(low: float | None, high: float | None, constants: Sequence[int]):
    for dtype in NUMBERS:
        bounds = [None if b is None else np.array(b, dtype) for b in (low, high)]
        x = samples(dtype)
        made = single("Clip", [x, *bounds], opset=13, constants=constants)
        given = [a for i, a in enumerate([x, *bounds]) if a is not None and i not in constants]
        (found,) = execute(made, given)
        limits: Any = np.finfo if np.dtype(dtype).kind == "f" else np.iinfo
        ends = limits(dtype)
        least, most = (
            end if bound is None else bound
            for bound, end in zip(bounds, (ends.min, ends.max), strict=True)
        )
        np.testing.assert_array_equal(found, np.minimum(np.maximum(x, least), most))


@pytest.mark.parametrize("dtype", [F32, F64])
@pytest.mark.parametrize("bounds", [(), (None, 2.0), (-1.0, None)], ids=["none", "max", "min"])
@pytest.mark.parametrize("constants", [(), (1, 2)], ids=["values", "constants"])
def test_clip_without_a_bound_ends_at_the_largest_finite_numbers(
    dtype: type[np.floating[Any]], bounds: Sequence[float | None], constants: Sequence[int]
):
    x = np.array([-np.inf, -5, -0.0, 5, np.inf, np.nan], dtype)
    arrays = [x, *(None if b is None else np.array(b, dtype) for b in bounds)]
    check("Clip", arrays, opset=13, constants=constants)


def test_clip_with_attributes_clips_infinities_to_the_default_bounds():
    x = np.array([-np.inf, -5, 0.5, 5, np.inf, np.nan], np.float32)
    (found,) = execute(single("Clip", [x], opset=6, min=-1.0), [x])
    np.testing.assert_array_equal(found, np.array([-1, -1, 0.5, 5, 3.4028235e38, np.nan], F32))


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


@pytest.mark.parametrize("source", [F32, F64, I32, I64, BOOL])
@pytest.mark.parametrize("target", [F32, F64, I32, I64, BOOL])
def test_cast(source: Any, target: Any):
    code = onnx.helper.np_dtype_to_tensor_dtype(np.dtype(target))
    check("Cast", [samples(source)], to=code)
    x, like = samples(source), np.zeros(1, target)
    made = single("CastLike", [x, like], opset=19)
    np.testing.assert_array_equal(execute(made, [x, like])[0], x.astype(target))


def test_bit_cast():
    x = np.array([1.0, -0.0, np.nan], F32)
    made = single("BitCast", [x], opset=26, to=onnx.TensorProto.INT32)
    np.testing.assert_array_equal(execute(made, [x])[0], x.view(np.int32))


def test_where_takes_the_shape_of_all_three():
    condition, x, y = samples(BOOL, 4).reshape(4, 1), samples(F32, 6), np.full((2, 1, 1), 7.0, F32)
    check("Where", [condition, x, y])


@pytest.mark.parametrize("direction", ["LEFT", "RIGHT"])
def test_bit_shift_stays_opaque_while_unsigned_types_do(direction: str):
    x = np.array([1, 2], np.uint32)
    module = import_model(single("BitShift", [x, x], direction=direction))
    (node,) = [op for op in module.walk() if op.name == "onnx.node"]
    assert "ui32" in str(node.attributes["snippets.reason"])


def test_expand():
    x = samples(F32, 4).reshape(4, 1)
    for shape in ([4, 3], [2, 1, 1], [1], []):
        wanted = np.array(shape, np.int64)
        made = single("Expand", [x, wanted], constants=[1])
        expected = np.broadcast_to(x, np.broadcast_shapes(tuple(shape), x.shape))
        np.testing.assert_array_equal(execute(made, [x])[0], expected)


def test_constant_of_shape_small_and_large():
    for shape in ([2, 3], [0, 3], [], [200, 200]):
        attribute = onnx.numpy_helper.from_array(np.array([7], np.int32))
        made = single("ConstantOfShape", [np.array(shape, I64)], constants=[0], value=attribute)
        np.testing.assert_array_equal(execute(made, [])[0], np.full(shape, 7, np.int32))


def test_constant_in_every_form():
    sparse = onnx.helper.make_sparse_tensor(
        onnx.numpy_helper.from_array(np.array([3.0, 4.0], F32), "v"),
        onnx.numpy_helper.from_array(np.array([[0, 1], [1, 0]], I64), "i"),
        [2, 2],
    )
    dense = onnx.numpy_helper.from_array(np.array([1, 2], I64))
    forms: list[tuple[dict[str, Any], Array]] = [
        ({"value": dense}, np.array([1, 2], I64)),
        ({"value_float": 1.5}, np.array(1.5, F32)),
        ({"value_floats": [1.5, 2.5]}, np.array([1.5, 2.5], F32)),
        ({"value_int": -3}, np.array(-3, I64)),
        ({"value_ints": [1, 2]}, np.array([1, 2], I64)),
        ({"sparse_value": sparse}, np.array([[0, 3], [4, 0]], F32)),
    ]
    for attributes, expected in forms:
        (found,) = execute(single("Constant", [], **attributes), [])
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("opset", [7, 9, 14, 15])
@pytest.mark.parametrize("shape", [(2, 3), (2, 3, 4), (2, 3, 4, 5), (0, 3, 2)])
@pytest.mark.parametrize("constants", [(), (1, 2, 3, 4)], ids=["values", "constants"])
def test_batch_normalization(opset: int, shape: tuple[int, ...], constants: Sequence[int]):
    x = np.random.default_rng(1).normal(size=shape).astype(F32)
    scale, bias, mean = (samples(F32, 3, seed) for seed in (2, 3, 4))
    variance = np.array([0.5, 2.0, 0.0], F32)
    arrays = [x, scale, bias, mean, variance]
    made = single("BatchNormalization", arrays, opset=opset, constants=constants, epsilon=1e-3)
    given = [a for i, a in enumerate(arrays) if i not in constants]
    module = import_model(made)
    names = [op.name for op in module.walk() if op.name.startswith("snippets.")]
    if constants:
        assert sorted(names) == ["snippets.add", *["snippets.constant"] * 2, "snippets.multiply"]
    (found,) = execute(made, given)
    tail = (3, *(1,) * (len(shape) - 2))
    wide = [a.astype(F64).reshape(tail) for a in arrays[1:]]
    expected = (x - wide[2]) / np.sqrt(wide[3] + 1e-3) * wide[0] + wide[1]
    np.testing.assert_allclose(found, expected, 1e-4, 1e-4)


def test_batch_normalization_in_training_mode_stays_opaque():
    arrays = [samples(F32, 6).reshape(2, 3), *(np.ones(3, F32) for _ in range(4))]
    made = single("BatchNormalization", arrays, opset=15, outputs=3, training_mode=1)
    (node,) = [op for op in import_model(made).walk() if op.name == "onnx.node"]
    assert "training mode" in str(node.attributes["snippets.reason"])


@pytest.mark.parametrize("opset", [12, 13, 22])
def test_dropout_in_inference_form(opset: int):
    x = samples(F32)
    y, mask = execute(single("Dropout", [x], opset=opset, outputs=2), [x])
    np.testing.assert_array_equal(y, x)
    assert mask.dtype == BOOL
    assert mask.all()


def test_dropout_in_training_mode_stays_opaque():
    x, ratio, training = samples(F32), np.array(0.5, F32), np.array(True)
    made = single("Dropout", [x, ratio, training], opset=13, constants=[1, 2])
    (node,) = [op for op in import_model(made).walk() if op.name == "onnx.node"]
    assert "training mode" in str(node.attributes["snippets.reason"])


@pytest.mark.parametrize("op", ["Relu", "Add"])
def test_types_that_are_not_compiled_stay_opaque(op: str):
    x = np.ones(3, np.float16)
    module = import_model(single(op, [x, x][: 1 + (op == "Add")]))
    (node,) = [n for n in module.walk() if n.name == "onnx.node"]
    assert "f16" in str(node.attributes["snippets.reason"])
