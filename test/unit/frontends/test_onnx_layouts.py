"""Layout operators of ONNX against onnxruntime, and shapes known only at run time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper
from onnx_checks import check, execute, ops_of, reasons_of
from onnx_models import model, samples, value

pytestmark = pytest.mark.usefixtures("foreign_products")

F32, F64, I32, I64 = np.float32, np.float64, np.int32, np.int64


@pytest.mark.parametrize("dtype", [F32, I64, np.bool_])
def test_transpose(dtype: Any):
    x = samples(dtype, 24).reshape(2, 3, 4)
    check("Transpose", [x])
    for perm in ([0, 1, 2], [2, 0, 1], [1, 0, 2]):
        check("Transpose", [x], perm=perm)
    check("Transpose", [samples(dtype, 1).reshape(())])


def test_squeeze_and_unsqueeze():
    x = samples(F32, 6).reshape(1, 2, 1, 3)
    for axes in (None, [0], [-2], [0, 2]):
        if axes is not None:
            check("Squeeze", [x], opset=11, axes=axes)
        inputs = [x] if axes is None else [x, np.array(axes)]
        check("Squeeze", inputs, opset=13, constants=[1])
    for axes in ([0], [1, -1], [4, 0]):
        check("Unsqueeze", [x], opset=11, axes=axes)
        check("Unsqueeze", [x, np.array(axes)], opset=13, constants=[1])


def test_reshape_and_flatten():
    x = samples(F32, 24).reshape(2, 3, 4)
    for shape in ([4, 6], [-1], [0, -1], [2, 0, 2, 2], [1, 24, 1]):
        check("Reshape", [x, np.array(shape)], constants=[1])
    empty = np.zeros((0, 3), F32)
    check("Reshape", [empty, np.array([3, 0])], constants=[1], allowzero=1)
    for axis in (0, 1, 2, 3, -1):
        check("Flatten", [x], axis=axis)


def test_shapes_at_run_time_are_taken_from_the_model():
    x = samples(F32, 6).reshape(1, 6)
    for op, operand, shape in (
        ("Reshape", np.array([2, 3]), (2, 3)),
        ("Squeeze", np.array([0]), (6,)),
        ("Unsqueeze", np.array([1]), (1, 1, 6)),
    ):
        node = helper.make_node(op, ["x", "s"], ["y"])
        inputs = [value("x", x.shape), value("s", operand.shape, I64)]
        made = model([node], inputs, [value("y", shape)])
        assert ops_of(made) == ["snippets.reshape"]
        assert execute(made, [x, operand])[0].shape == shape
        made = model([node], inputs, [value("y", [None] * len(shape))])
        assert reasons_of(made)


def test_dynamic_shapes():
    """One unknown size is known at run time; of two it is not."""
    x = samples(F32, 24).reshape(2, 3, 4)
    inputs = [value("x", ["n", 3, 4])]
    for node, expected in (
        (helper.make_node("Transpose", ["x"], ["y"], perm=[2, 0, 1]), x.transpose(2, 0, 1)),
        (helper.make_node("Flatten", ["x"], ["y"], axis=2), x.reshape(6, 4)),
        (helper.make_node("Unsqueeze", ["x"], ["y"], axes=[0]), x[None]),
    ):
        made = model([node], inputs, ["y"], opset=11)
        np.testing.assert_array_equal(execute(made, [x])[0], expected)
    shape = {"s": np.array([0, -1])}
    made = model([helper.make_node("Reshape", ["x", "s"], ["y"])], inputs, ["y"], shape)
    np.testing.assert_array_equal(execute(made, [x])[0], x.reshape(2, 12))
    inputs = [value("x", ["n", "m", 4])]
    shape = {"s": np.array([0, 0, 2, 2])}
    made = model([helper.make_node("Reshape", ["x", "s"], ["y"])], inputs, ["y"], shape)
    assert "Reshape to ?x?x2x2 is not known before run time" in reasons_of(made)[0]
    made = model([helper.make_node("Squeeze", ["x"], ["y"])], inputs, [value("y", ["n", "m"])])
    assert "Squeeze of all dims of size 1" in reasons_of(made)[0]


def chain(*operators: str, last: str = "y") -> onnx.ModelProto:
    """A model of operators of one input each, on 4x4 matrices."""
    names = ["x", *(f"t{i}" for i in range(len(operators) - 1)), last]
    nodes = [
        helper.make_node(op, [a, a] if op == "MatMul" else [a], [b])
        for op, a, b in zip(operators, names[:-1], names[1:], strict=True)
    ]
    return model(nodes, [value("x", [4, 4])], [last])


@pytest.mark.parametrize(
    ("operators", "mapped"),
    [
        (("Transpose",), 1),
        (("MatMul", "Transpose", "MatMul"), 0),
        (("MatMul", "Transpose", "Transpose", "MatMul"), 0),
        (("MatMul", "Transpose", "Transpose", "Relu"), 2),
        (("MatMul", "Transpose"), 0),
        (("Transpose", "MatMul"), 0),
        (("Relu", "Transpose", "MatMul"), 0),
        (("Relu", "Transpose"), 1),
    ],
)
def test_what_moves_elements_between_opaque_nodes_stays_with_them(
    operators: Sequence[str], mapped: int
):
    made = chain(*operators)
    assert ops_of(made).count("snippets.transpose") == mapped
