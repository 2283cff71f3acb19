"""Which results have their shapes in the model of a region, and how it says sizes of a call."""

from __future__ import annotations

import numpy as np
import onnx
from onnx import helper
from onnx_models import model, value
from xdsl.dialects.func import FuncOp

from snippets_mlir.emit.onnx_model import emit_onnx, emit_onnx_with_types
from snippets_mlir.frontends.onnx import import_model
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.support.parsing import parse_module

RESHAPED = """
func.func @r(%x: tensor<?x16x8xf32, #lir.sizes<?0>>, %to: tensor<4xi64>)
    -> tensor<?x16x2x4xf32, #lir.sizes<?0>> {
  %0 = onnx.node "Reshape"(%x, %to) {domain = "", version = 20 : i64}
    : (tensor<?x16x8xf32, #lir.sizes<?0>>, tensor<4xi64>)
    -> tensor<?x16x2x4xf32, #lir.sizes<?0>>
  %1 = onnx.node "Softmax"(%0) {domain = "", version = 20 : i64}
    : (tensor<?x16x2x4xf32, #lir.sizes<?0>>) -> tensor<?x16x2x4xf32, #lir.sizes<?0>>
  func.return %1 : tensor<?x16x2x4xf32, #lir.sizes<?0>>
}"""


def function_of(text: str) -> FuncOp:
    (function,) = parse_module(text, make_context()).ops
    assert isinstance(function, FuncOp)
    return function


def sizes_of(info: onnx.ValueInfoProto) -> list[int | str]:
    return [d.dim_param or d.dim_value for d in info.type.tensor_type.shape.dim]


def model_of(text: str) -> onnx.ModelProto:
    return onnx.ModelProto.FromString(emit_onnx(function_of(text)))


def told(text: str) -> list[list[int | str]]:
    return [sizes_of(info) for info in model_of(text).graph.value_info]


def test_a_shape_that_follows_from_integers_of_a_run_is_said() -> None:
    graph = model_of(RESHAPED).graph
    assert sizes_of(graph.input[0]) == ["?0", 16, 8]
    (info,) = graph.value_info
    assert info.name == graph.node[0].output[0]
    assert sizes_of(info) == ["?0", 16, 2, 4]
    model = onnx.shape_inference.infer_shapes(model_of(RESHAPED))
    assert sizes_of(model.graph.output[0]) == ["?0", 16, 2, 4]  # of the softmax: inferred


def test_sizes_that_are_not_known_have_no_name() -> None:
    text = RESHAPED.replace("tensor<?x16x2x4xf32, #lir.sizes<?0>>", "tensor<?x16x2x4xf32>")
    assert told(text) == [[0, 16, 2, 4]]


def test_constants_and_other_integers_say_nothing() -> None:
    constant = "  %k = snippets.constant dense<[0, 16, 2, 4]> : tensor<4xi64>\n  %0 ="
    text = RESHAPED.replace("  %0 =", constant, 1).replace("(%x, %to)", "(%x, %k)")
    assert told(text) == []
    gathered = """
    func.func @r(%w: tensor<9x8xf32>, %ids: tensor<3x5xi64>) -> tensor<3x5x8xf32> {
      %0 = onnx.node "Gather"(%w, %ids) {domain = "", version = 20 : i64}
        : (tensor<9x8xf32>, tensor<3x5xi64>) -> tensor<3x5x8xf32>
      %1 = onnx.node "Relu"(%0) {domain = "", version = 20 : i64}
        : (tensor<3x5x8xf32>) -> tensor<3x5x8xf32>
      func.return %1 : tensor<3x5x8xf32>
    }"""
    assert told(gathered) == []


def test_results_of_the_region_have_no_shape() -> None:
    text = RESHAPED.replace("func.return %1", "func.return %0")
    graph = model_of(text).graph
    assert not graph.value_info
    assert not graph.output[0].type.tensor_type.HasField("shape")


def test_each_value_is_described_once() -> None:
    model = onnx.ModelProto.FromString(emit_onnx_with_types(function_of(RESHAPED)))
    names = [info.name for info in (*model.graph.value_info, *model.graph.output)]
    assert len(names) == len(set(names)) == 2


def test_what_graph_attributes_depend_on_and_make_has_no_shape() -> None:
    branch = helper.make_graph([helper.make_node("Neg", ["r"], ["n"])], "b", [], [value("n", None)])
    nodes = [
        helper.make_node("Reshape", ["x", "to"], ["r"]),
        helper.make_node("If", ["c"], ["i"], then_branch=branch, else_branch=branch),
        helper.make_node("Reshape", ["i", "to"], ["z"]),
        helper.make_node("Hardmax", ["z"], ["y"]),
    ]
    inputs = [value("x", [6]), value("to", [2], np.int64), value("c", [], np.bool_)]
    module = import_model(model(nodes, inputs, [value("y", [None, None])], opset=17))
    (function,) = module.ops
    assert isinstance(function, FuncOp)
    emitted = onnx.ModelProto.FromString(emit_onnx(function)).graph
    assert [node.op_type for node in emitted.node] == ["Reshape", "If", "Reshape", "Hardmax"]
    assert [info.name for info in emitted.value_info] == ["z"]
