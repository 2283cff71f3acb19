"""Interfaces and functions that onnxruntime takes, though ONNX's checker does not."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import helper, numpy_helper
from onnx_models import run_reference, samples, value
from sampled import sampled

import snippets_mlir
from snippets_mlir.frontends.onnx import prepare_model
from snippets_mlir.frontends.onnx.attributes import import_type
from snippets_mlir.support.errors import CompileError

Array = NDArray[Any]

ROWS = samples(np.float32, 12).reshape(3, 4) / 4
WEIGHTS = {"w": samples(np.float32, 20).reshape(4, 5), "b": samples(np.float32, 5)}
OPEN = helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, None)
UNTYPED = onnx.ValueInfoProto(name="y")
MICROSOFT = "com.microsoft"


def model(
    nodes: Sequence[onnx.NodeProto],
    inputs: Sequence[onnx.ValueInfoProto],
    outputs: Sequence[onnx.ValueInfoProto],
    functions: Sequence[onnx.FunctionProto] = (),
) -> onnx.ModelProto:
    """A model as it is written: nothing is inferred."""
    initializers = [numpy_helper.from_array(a, n) for n, a in WEIGHTS.items()]
    graph = helper.make_graph(nodes, "g", inputs, outputs, initializers)
    domains = [("", 18), (MICROSOFT, 1), ("local", 1)]
    opsets = [helper.make_opsetid(*domain) for domain in domains]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8, functions=list(functions))


def check(made: onnx.ModelProto, *calls: Array) -> None:
    """With the kernels that pay, and with all that can be, the outputs are onnxruntime's."""
    for marks in ("auto", "none"):
        m = snippets_mlir.compile(made, mark_skipped=marks)
        for x in calls:
            found: Any = m(x)
            arrays: Sequence[Array] = found if len(m.outputs) > 1 else (found,)
            for array, expected in zip(arrays, run_reference(made, [x]), strict=True):
                np.testing.assert_allclose(array, expected, 1e-5, 1e-6)
                assert array.dtype == expected.dtype


MATMUL = [helper.make_node("MatMul", ["x", "w"], ["a"]), helper.make_node("Relu", ["a"], ["y"])]
GEMM = [helper.make_node("FusedGemm", ["x", "w", "b"], ["y"], domain=MICROSOFT, activation="Relu")]


@pytest.mark.parametrize(
    ("output", "nodes", "size"),
    sampled(product([OPEN, UNTYPED], [MATMUL, GEMM], ["n", 3]), 2),
)
def test_output_without_a_shape_or_type(
    output: onnx.ValueInfoProto, nodes: Sequence[onnx.NodeProto], size: str | int
):
    calls = [ROWS] if size == 3 else [ROWS, ROWS[:2]]
    check(model(nodes, [value("x", [size, 4])], [output]), *calls)


def test_input_without_a_shape():
    made = model(MATMUL, [value("x", None)], [OPEN])
    assert snippets_mlir.compile(made).inputs[0].shape is None
    check(made, ROWS, ROWS[None], ROWS[:2], ROWS)


def test_one_value_several_times_among_the_outputs():
    nodes = [helper.make_node("Relu", ["x"], ["y"]), helper.make_node("Exp", ["y"], ["z"])]
    named = [value(name, ["n", 4]) for name in ("y", "z", "y", "x", "x", "z")]
    made = model(nodes, [value("x", ["n", 4])], named)
    check(made, ROWS, ROWS[:2])
    m = snippets_mlir.compile(made, mark_skipped="none")
    assert [spec.name for spec in m.outputs] == ["y", "z", "y", "x", "x", "z"]
    found = m.run({"x": ROWS})
    np.testing.assert_array_equal(found["y"], np.maximum(ROWS, 0))
    np.testing.assert_array_equal(found["x"], ROWS)
    out = [np.empty_like(ROWS) for _ in named]
    m(ROWS, out=out)
    for array, other in zip(out, m(ROWS), strict=True):
        np.testing.assert_array_equal(array, other)
    out[0][:] = 7
    assert not (out[2] == 7).any()


def test_two_values_of_one_name_among_the_outputs():
    text = """func.func @main(%x: tensor<2xf32>)
        -> (tensor<2xf32> {snippets.name = "y"}, tensor<2xf32> {snippets.name = "y"}) {
      %0 = snippets.exp %x : tensor<2xf32>
      func.return %x, %0 : tensor<2xf32>, tensor<2xf32>
    }"""
    with pytest.raises(CompileError, match="two outputs are called 'y'"):
        snippets_mlir.compile(text)


def function(
    name: str, opset: int, nodes: Sequence[onnx.NodeProto], *domains: str
) -> onnx.FunctionProto:
    imports = [helper.make_opsetid("", opset), *(helper.make_opsetid(d, 1) for d in domains)]
    return helper.make_function("local", name, ["i"], ["o"], nodes, imports)


def test_functions_of_other_opsets_than_their_model():
    centre = [
        helper.make_node("ReduceSum", ["i"], ["s"], keepdims=1),
        helper.make_node("Add", ["i", "s"], ["o"]),
    ]
    gelu = [helper.make_node("Gelu", ["i"], ["o"], domain=MICROSOFT)]
    calls = [
        helper.make_node("Centre", ["i"], ["c"], domain="local"),
        helper.make_node("Gelu", ["c"], ["g"], domain="local"),
        helper.make_node("Relu", ["g"], ["o"]),
    ]
    functions = [
        function("All", 15, calls, "local"),
        function("Centre", 13, centre),
        function("Gelu", 16, gelu, MICROSOFT),
    ]
    nodes = [
        helper.make_node("All", ["x"], ["a"], domain="local"),
        helper.make_node("Exp", ["a"], ["y"]),
    ]
    made = model(nodes, [value("x", ["n", 4])], [value("y", ["n", 4])], functions)
    before = made.SerializeToString()
    check(made, ROWS / 4, ROWS[:2] / 4)
    assert made.SerializeToString() == before


def test_types_of_the_interface_hold_for_all_calls() -> None:
    """They need no second inference where each number is one that the model says."""
    text = """
        <ir_version: 10, opset_import: ["" : 17]>
        g (float[n, 4] x, float[m, 4] y) => (float[SIZE, 4] z, float[m, 4] t)
        { z = Add(x, y) t = Exp(y) }
    """
    for size in ("n", "8"):
        prepared = prepare_model(onnx.parser.parse_model(text.replace("SIZE", size)))
        assert prepared.inferred.equalities
        names = [v.name for v in (*prepared.model.graph.input, *prepared.model.graph.output)]
        for name in names:
            known = [prepared.interface.types[name], prepared.certain.types[name]]
            assert import_type(known[0]) == import_type(known[1])
        assert (prepared.interface is prepared.inferred) == (size == "n")
