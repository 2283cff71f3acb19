"""Models that leave sizes, ranks and types of values open."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import helper
from onnx_models import model, run_reference, samples, value

import snippets_mlir
from snippets_mlir.driver import compile_with_options

Array = NDArray[Any]


def test_sizes_of_minus_one_are_dynamic():
    """In inputs, outputs, values between, and in the graphs of an If."""
    graphs = [
        helper.make_graph([helper.make_node(op, ["r"], [op])], op, [], [value(op, [-1, 5, -1, -1])])
        for op in ("Neg", "Abs")
    ]
    made = model(
        [
            helper.make_node("Conv", ["x", "w"], ["c"], pads=[1, 1, 1, 1]),
            helper.make_node("Relu", ["c"], ["r"]),
            helper.make_node("If", ["choice"], ["i"], then_branch=graphs[0], else_branch=graphs[1]),
            helper.make_node("Exp", ["i"], ["y"]),
        ],
        [value("x", [-1, 3, -1, -1]), value("choice", [], np.bool_)],
        [value("y", [-1, -1, -1, -1]), value("r", [-1, 5, -1, -1])],
        {"w": samples(np.float32, 3 * 5 * 9).reshape(5, 3, 3, 3)},
    )
    made.graph.value_info.append(value("c", [-1, -1, -1, -1]))
    m = snippets_mlir.compile(made)
    assert m.inputs[0].shape == (None, 3, None, None)
    for shape in ((2, 3, 4, 5), (1, 3, 6, 2)):
        feeds = [samples(np.float32, int(np.prod(shape))).reshape(shape), np.array(shape[0] == 1)]
        for found, expected in zip(m(*feeds), run_reference(made, feeds), strict=True):
            np.testing.assert_allclose(found, expected, 1e-5, 1e-5)


def padded_model() -> onnx.ModelProto:
    """Ops on a matrix that is padded by amounts which only a call knows."""
    nodes = [
        helper.make_node("Pad", ["x", "pads"], ["p"]),
        helper.make_node("Exp", ["p"], ["e"]),
        helper.make_node("Reshape", ["e", "column"], ["c"]),
        helper.make_node("ReduceMean", ["c"], ["mean"], axes=[1], keepdims=0),
        helper.make_node("Unsqueeze", ["mean", "axis"], ["u"]),
        helper.make_node("ReduceMax", ["u"], ["largest"], axes=[1], keepdims=1),
        helper.make_node("Mul", ["e", "largest"], ["scaled"]),
        helper.make_node("Softmax", ["scaled"], ["s"], axis=1),
        helper.make_node("Div", ["s", "two"], ["d"]),
        helper.make_node("Pow", ["d", "two"], ["y"]),
        helper.make_node("Transpose", ["y"], ["t"], perm=[1, 0]),
    ]
    inputs = [value("x", [2, 6]), value("pads", [4], np.int64)]
    known = {"column": np.array([-1, 1]), "axis": np.array([0]), "two": np.array(2, np.float32)}
    return model(nodes, inputs, [value("y", ["n", "m"]), value("t", ["m", "n"])], known, opset=17)


@pytest.mark.parametrize("partitioner", ["tokenize", "fuse-ops"])
def test_inner_sizes_that_no_call_tells(partitioner: str):
    """All inputs are static, so nothing is left to compile for: the ops stay beside kernels."""
    made = padded_model()
    m = compile_with_options(made, None, {"partitioner": partitioner})
    assert not m.kernels
    assert all(op.reason for op in m.opaque)
    assert sum(op.reason.endswith("its shape follows from data") for op in m.opaque) >= 7
    for pads in ([0, 1, 0, 2], [1, 0, 3, 0], [0, 0, 0, 0]):
        feeds = [samples(np.float32, 12).reshape(2, 6) / 8, np.array(pads)]
        for found, expected in zip(m(*feeds), run_reference(made, feeds), strict=True):
            np.testing.assert_allclose(found, expected, 1e-5)
