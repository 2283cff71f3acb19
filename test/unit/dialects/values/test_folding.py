"""Folding: constants become what `evaluate` computes, and nothing else changes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from value_types import Array, Same, Special, ValueOf, f32, f64, i8, i32, ui8
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
    TensorType,
    i1,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.hints import isa
from xdsl.utils.test_value import create_ssa_value

from snippets_mlir.dialects.builtin.dtypes import element_type_of
from snippets_mlir.dialects.snippets.attributes import ResourceAttr
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.constants import ConstantOp, ScalarOp
from snippets_mlir.dialects.snippets.folding import MAX_ELEMENTS, dense_of_scalar, fold
from snippets_mlir.dialects.snippets.shapes import DYNAMIC
from snippets_mlir.dialects.snippets.values.evaluate import constant_array, dense_attr, evaluate

MakeOp = Callable[..., ComputeOp]
DTYPES = ("float16", "bfloat16", "float32", "float64", "int8", "uint8", "int32", "int64", "bool")


def constant(array: Array) -> SSAValue:
    type_ = TensorType(element_type_of(array.dtype), array.shape)
    return ConstantOp(dense_attr(array, type_)).result


def folded(op: Operation) -> DenseIntOrFPElementsAttr[Any]:
    result = fold(op)
    assert result is not None
    (attr,) = result
    assert isa(attr, DenseIntOrFPElementsAttr)
    return attr


def variable(element: Attribute, *shape: int) -> SSAValue:
    return create_ssa_value(TensorType(element, shape))


@pytest.mark.parametrize("name", DTYPES)
def test_constants_fold_to_their_value(
    name: str, make_op: MakeOp, value_of: ValueOf, same: Same, special: Special, bf16: np.dtype[Any]
) -> None:
    dtype = bf16 if name == "bfloat16" else np.dtype(name)
    x = special(dtype)
    ops = {"b": ["logical_and", "equal"], "i": ["add", "divide", "less"], "u": ["add", "divide"]}
    for op_name in ops.get(dtype.kind, ["add", "divide", "maximum", "less"]):
        op = make_op(op_name, [constant(x[:, None]), constant(x)])
        attr = folded(op)
        assert attr.type == op.results[0].type
        assert same(constant_array(attr), value_of(op_name, x[:, None], x))


def test_attributes_take_part_in_folding(make_op: MakeOp) -> None:
    x = constant(np.array([-3.0, 9.0], np.float32))
    bounds = {"min": FloatAttr(0.0, f32), "max": FloatAttr(6.0, f32)}
    attr = folded(make_op("clamp", [x], **bounds))
    assert constant_array(attr).tolist() == [0.0, 6.0]
    half = constant(np.array([2.5], np.float32))
    attr = folded(make_op("round", [half], mode=StringAttr("half_away")))
    assert constant_array(attr).tolist() == [3.0]


def test_scalars_fold(make_op: MakeOp) -> None:
    two = ScalarOp(FloatAttr(2.0, f32)).result
    attr = folded(make_op("multiply", [two, two]))
    assert attr == dense_of_scalar(FloatAttr(4.0, f32), TensorType(f32, []))
    true = ScalarOp(IntegerAttr(1, i1)).result
    attr = folded(make_op("logical_not", [true]))
    assert constant_array(attr).tolist() is False


def test_dense_of_scalar_has_the_text_of_a_splat() -> None:
    attr = dense_of_scalar(FloatAttr(0.5, f32), TensorType(f32, [2, 3]))
    assert str(attr) == "dense<5.000000e-01> : tensor<2x3xf32>"
    true = dense_of_scalar(IntegerAttr(1, i1), TensorType(i1, [2]))
    assert true == DenseIntOrFPElementsAttr.from_list(TensorType(i1, [2]), [1, 1])


def test_large_dynamic_and_named_constants_do_not_fold(make_op: MakeOp) -> None:
    splat = dense_of_scalar(FloatAttr(0.5, f32), TensorType(f32, [MAX_ELEMENTS + 1]))
    assert fold(make_op("exp", [ConstantOp(splat).result])) is None
    one = ScalarOp(FloatAttr(1.0, f32)).result
    assert fold(make_op("broadcast", [one], shape=[DYNAMIC])) is None
    assert folded(make_op("broadcast", [one], shape=[4])).get_shape() == (4,)
    named = ResourceAttr.of("w.npy", "", "0" * 64)
    weights = ConstantOp(named, TensorType(f32, [2])).result
    assert fold(make_op("exp", [weights])) is None
    assert fold(make_op("exp", [variable(f32, 2)])) is None


def test_types_without_values_do_not_fold(make_op: MakeOp) -> None:
    i4 = IntegerType(4)
    x = ConstantOp(DenseIntOrFPElementsAttr.from_list(TensorType(i4, [1]), [3])).result
    assert fold(make_op("add", [x, x])) is None


def test_empty_constants_fold(make_op: MakeOp) -> None:
    x = constant(np.zeros((2, 0), np.float32))
    attr = folded(make_op("exp", [x]))
    assert attr.type == x.type


def test_ops_of_the_linear_ir_do_not_fold(make_op: MakeOp) -> None:
    two = ScalarOp(FloatAttr(2.0, f32)).result
    op = make_op("multiply", [two, two])
    op.attributes["lir.ports"] = StringAttr("")
    assert fold(op) is None


def test_ops_that_keep_type_and_value_fold_to_their_operand(make_op: MakeOp) -> None:
    x = variable(f32, 4)
    for name in ("broadcast", "broadcast_move", "reshape"):
        assert fold(make_op(name, [x], shape=[4])) == (x,)
    for name in ("convert_truncation", "convert_saturation", "bitcast"):
        assert fold(make_op(name, [x], element=f32)) == (x,)
    infinite = {"min": FloatAttr(float("-inf"), f64), "max": FloatAttr(float("inf"), f64)}
    assert fold(make_op("clamp", [x], **infinite)) == (x,)
    n = variable(i8, 4)
    whole = {"min": IntegerAttr(-128, i8), "max": IntegerAttr(127, i8)}
    assert fold(make_op("clamp", [n], **whole)) == (n,)


def test_ops_that_change_type_or_value_stay(make_op: MakeOp) -> None:
    x, dynamic = variable(f32, 4), variable(f32, DYNAMIC)
    assert fold(make_op("broadcast", [x], shape=[1, 4])) is None
    assert fold(make_op("reshape", [x], shape=[2, 2])) is None
    assert fold(make_op("convert_truncation", [x], element=f64)) is None
    assert fold(make_op("bitcast", [x], element=i32)) is None
    # A dim of unknown size may be 1 before and 4 after.
    assert fold(make_op("broadcast", [dynamic], shape=[DYNAMIC])) is None
    finite = {"min": FloatAttr(-3e38, f64), "max": FloatAttr(float("inf"), f64)}
    assert fold(make_op("clamp", [x], **finite)) is None
    bounds = {"min": IntegerAttr(-128, i8), "max": IntegerAttr(126, i8)}
    assert fold(make_op("clamp", [variable(i8, 4)], **bounds)) is None


@pytest.mark.parametrize(
    ("name", "number", "folds"),
    [
        ("add", -0.0, True),
        ("add", 0.0, False),
        ("subtract", 0.0, True),
        ("subtract", -0.0, False),
        ("multiply", 1.0, True),
        ("multiply", 0.0, False),
        ("multiply", -1.0, False),
        ("divide", 1.0, True),
        ("power", 1.0, True),
        ("power", 0.5, False),
    ],
)
def test_neutral_numbers(
    name: str,
    number: float,
    folds: bool,
    make_op: MakeOp,
    value_of: ValueOf,
    same: Same,
    special: Special,
) -> None:
    x = variable(f32, 27)
    assert (fold(make_op(name, [x, ScalarOp(FloatAttr(number, f32)).result])) == (x,)) is folds
    if folds:
        values = special(np.dtype(np.float32))
        assert same(value_of(name, values, np.array(number, np.float32)), values)


def test_neutral_elements_fold_only_when_the_type_stays(make_op: MakeOp) -> None:
    x = variable(f32, 4)
    ones = dense_of_scalar(FloatAttr(1.0, f32), TensorType(f32, [3, 4]))
    assert fold(make_op("multiply", [x, ConstantOp(ones).result])) is None
    ones = dense_of_scalar(FloatAttr(1.0, f32), TensorType(f32, [1]))
    assert fold(make_op("multiply", [x, ConstantOp(ones).result])) == (x,)
    unknown = variable(f32, DYNAMIC)
    assert fold(make_op("multiply", [unknown, ConstantOp(ones).result])) == (unknown,)
    four = dense_of_scalar(FloatAttr(1.0, f32), TensorType(f32, [4]))
    assert fold(make_op("multiply", [unknown, ConstantOp(four).result], shape=[DYNAMIC])) is None
    condition = variable(i1, 3, 4)
    assert fold(make_op("select", [condition, x, x])) is None
    assert fold(make_op("select", [variable(i1, 1, 4), x, x])) is None
    assert fold(make_op("select", [variable(i1, 4), x, x])) == (x,)


def test_zero_absorbs_integers_only(make_op: MakeOp) -> None:
    zero = ScalarOp(IntegerAttr(0, i32)).result
    attr = folded(make_op("multiply", [variable(i32, 2, 2), zero]))
    assert attr == dense_of_scalar(IntegerAttr(0, i32), TensorType(i32, [2, 2]))
    assert fold(make_op("multiply", [variable(i32, DYNAMIC), zero])) is None
    ones = ScalarOp(IntegerAttr(255, ui8)).result
    x = variable(ui8, 3)
    assert fold(make_op("bitwise_and", [x, ones])) == (x,)
    assert fold(make_op("bitwise_and", [x, ScalarOp(IntegerAttr(127, ui8)).result])) is None


def test_folding_without_constants_does_not_import_numpy() -> None:
    code = (
        "import sys\n"
        "from xdsl.dialects.builtin import TensorType, f32\n"
        "from xdsl.utils.test_value import create_ssa_value\n"
        "from snippets_mlir.dialects.snippets.arithmetic import AddOp\n"
        "x = create_ssa_value(TensorType(f32, [4]))\n"
        "assert AddOp(x, x).fold() is None\n"
        "AddOp.get_canonicalization_patterns()\n"
        "assert 'numpy' not in sys.modules, 'numpy was imported'\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("name", DTYPES)
def test_identities_keep_every_bit(
    name: str, make_op: MakeOp, same: Same, special: Special, bf16: np.dtype[Any]
) -> None:
    dtype = bf16 if name == "bfloat16" else np.dtype(name)
    values = special(dtype)
    element = element_type_of(dtype)
    x = variable(element, *values.shape)
    ops = [make_op(n, [x], shape=values.shape) for n in ("broadcast", "broadcast_move", "reshape")]
    ops += [make_op(f"convert_{n}", [x], element=element) for n in ("truncation", "saturation")]
    if element != i1:
        ops.append(make_op("bitcast", [x], element=element))
        low, high = clamp_limits(dtype)
        ops.append(make_op("clamp", [x], min=low, max=high))
    for op in ops:
        assert fold(op) == (x,), op.name
        assert same(evaluate(op, [values]), values), op.name


def clamp_limits(dtype: np.dtype[Any]) -> tuple[Attribute, Attribute]:
    if dtype.kind not in "iu":
        return FloatAttr(-np.inf, f64), FloatAttr(np.inf, f64)
    limits = np.iinfo(dtype)
    low, high = IntegerAttr(int(limits.min), 128), IntegerAttr(int(limits.max), 128)
    return low, high


def test_scalars_that_compare_equal_are_not_confused():
    for number in (0.0, -0.0, 1.0, 0.0):
        attr = dense_of_scalar(FloatAttr(number, f32), TensorType(f32, []))
        assert constant_array(attr).tobytes() == np.float32(number).tobytes()
    for element in (i32, i8, i1):
        attr = dense_of_scalar(IntegerAttr(1, element), TensorType(element, []))
        assert attr.get_element_type() == element
