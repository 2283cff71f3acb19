"""Models that leave sizes, ranks and types of values open."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import helper, numpy_helper
from onnx_models import model, run_reference, samples, value

import snippets_mlir
from snippets_mlir.driver import compile_with_options

pytestmark = pytest.mark.usefixtures("foreign_products")

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
    """Ops on a matrix that is padded by amounts known only at run time."""
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


ROWS = samples(np.float32, 12).reshape(3, 4)
KNOWN = {
    "square": samples(np.float32, 16).reshape(4, 4),
    "b": samples(np.float32, 4),
    "axis": np.array([0]),
    "one": np.array([1]),
    "zero": np.array(0, np.float32),
    "flat": np.array([-1, 4]),
    "deep": np.array([1, -1, 4]),
}
MICROSOFT, ML = "com.microsoft", "ai.onnx.ml"


def crossing(
    makers: Sequence[onnx.NodeProto],
    readers: Sequence[onnx.NodeProto],
    more: Sequence[onnx.ValueInfoProto] = (),
) -> onnx.ModelProto:
    """A first region makes a value, a second one after a kernel, with `k`, reads it."""
    nodes = [
        *makers,
        helper.make_node("LpNormalization", ["x"], ["h"]),
        helper.make_node("Sub", ["x", "h"], ["d"]),
        helper.make_node("Exp", ["d"], ["e"]),
        helper.make_node("MatMul", ["e", "square"], ["k"]),
        *readers,
    ]
    outputs = [value("y", ["m", 4]), *more]
    initializers = [numpy_helper.from_array(a, n) for n, a in KNOWN.items()]
    graph = helper.make_graph(nodes, "g", [value("x", ["n", 4])], outputs, initializers)
    imports = [("", 17), (MICROSOFT, 1), (ML, 3)]
    opsets = [helper.make_opsetid(*i) for i in imports]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10)


def check(made: onnx.ModelProto, *calls: Array) -> snippets_mlir.Compiled:
    """The outputs of calls on each of the arrays are those of onnxruntime, also as one session."""
    m = snippets_mlir.compile(made, mark_skipped="none")  # kernels, whether they pay or not
    whole = snippets_mlir.compile(made)
    for x in calls:
        found = list(m.run({"x": x}).values())
        single = list(whole.run({"x": x}).values())
        for array, other, expected in zip(found, single, run_reference(made, [x]), strict=True):
            np.testing.assert_allclose(array, expected, 1e-5, 1e-5)
            np.testing.assert_array_equal(other, expected)
    return m


def node(op: str, *names: str, domain: str = "", **attributes: Any) -> onnx.NodeProto:
    """A node of one output, the last name."""
    return helper.make_node(op, names[:-1], names[-1:], domain=domain, **attributes)


def branch(op: str, name: str) -> onnx.GraphProto:
    reads = ["x", "axis"] if op == "Unsqueeze" else ["x"]
    return helper.make_graph([helper.make_node(op, reads, [name])], op, [], [value(name, None)])


SKIP = helper.make_node(
    "SkipLayerNormalization", ["x3", "x3", "b", "b"], ["n3", "", "", "n4"], domain=MICROSOFT
)
ADD = (node("Add", "k", "g", "y"),)
SUM_OF_ADD = (node("Add", "k", "g", "sum"), node("Reshape", "sum", "flat", "y"))
MAKERS: dict[str, tuple[Sequence[onnx.NodeProto], Sequence[onnx.NodeProto]]] = {
    "FusedGemm": (
        [node("FusedGemm", "x", "square", "b", "g", domain=MICROSOFT, activation="Relu")],
        ADD,
    ),
    "FusedMatMul": ([node("FusedMatMul", "x", "square", "g", domain=MICROSOFT)], ADD),
    "SkipLayerNormalization": (
        [node("Reshape", "x", "deep", "x3"), SKIP],
        [node("Mul", "n3", "n4", "g"), *SUM_OF_ADD],
    ),
    "Scaler": ([node("Scaler", "x", "g", domain=ML, offset=[1.0], scale=[2.0])], ADD),
    "Normalizer": ([node("Normalizer", "x", "g", domain=ML, norm="L2")], ADD),
    "LinearRegressor": (
        [node("LinearRegressor", "x", "g", domain=ML, coefficients=[0.5] * 16, targets=4)],
        ADD,
    ),
    "If": (
        [
            node("ReduceSum", "x", "total", keepdims=0),
            node("Greater", "total", "zero", "c"),
            node(
                "If",
                "c",
                "g",
                then_branch=branch("Unsqueeze", "t"),
                else_branch=branch("Neg", "f"),
            ),
        ],
        SUM_OF_ADD,
    ),
    "Reshape": (
        [
            node("NonZero", "x", "places"),
            node("Shape", "places", "sizes"),
            node("Slice", "sizes", "axis", "one", "two"),
            node("Mul", "two", "axis", "start"),
            node("Slice", "flat", "start", "start", "nothing"),
            node("Concat", "nothing", "flat", "shape", axis=0),
            node("Reshape", "x", "shape", "g"),
        ],
        ADD,
    ),
    "sequence": (
        [node("SplitToSequence", "x", "s", axis=0, keepdims=1)],
        [node("SequenceInsert", "s", "k", "more"), node("ConcatFromSequence", "more", "y", axis=0)],
    ),
}


@pytest.mark.parametrize("name", MAKERS)
def test_values_of_unknown_types_cross_from_region_to_region(name: str):
    m = check(crossing(*MAKERS[name]), ROWS, -ROWS, ROWS[:2])
    assert m.kernels


def test_outputs_that_are_no_tensors():
    classes: dict[str, Any] = {
        "classlabels_ints": [0, 1, 2],
        "coefficients": [0.5, -1.0, 2.0] * 4,
        "intercepts": [0.0] * 3,
    }
    made = crossing(
        [
            helper.make_node("LinearClassifier", ["x"], ["label", "p"], domain=ML, **classes),
            node("ZipMap", "p", "z", domain=ML, classlabels_int64s=[0, 1, 2]),
        ],
        [node("Identity", "k", "y")],
        [
            helper.make_value_info(
                "z",
                helper.make_sequence_type_proto(
                    helper.make_map_type_proto(7, helper.make_tensor_type_proto(1, []))
                ),
            )
        ],
    )
    m = snippets_mlir.compile(made)
    assert m.outputs[1].shape is None
    found, wanted = m.run({"x": ROWS}), run_reference(made, [ROWS])
    assert found["z"] == wanted[1]
    with pytest.raises(TypeError, match="output 'z': it is not a tensor"):
        m(ROWS, out=[np.empty((3, 4), np.float32), np.empty(3, object)])


def test_inputs_that_are_no_tensors():
    made = model(
        [node("SequenceInsert", "s", "x", "more"), node("ConcatFromSequence", "more", "y", axis=0)],
        [
            helper.make_tensor_sequence_value_info("s", 1, ["n", 4]),
            value("x", ["n", 4]),
        ],
        [value("y", ["m", 4])],
    )
    m = snippets_mlir.compile(made)
    for count in (0, 2):
        pieces = [ROWS[:1], ROWS[1:]][:count]
        np.testing.assert_array_equal(m([*pieces], ROWS), np.concatenate([*pieces, ROWS]))
