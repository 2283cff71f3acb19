"""Execution graphs: the steps, their memory and times, as MLIR and as a model that ONNX checks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from network_programs import feed, mixed_program
from onnx.checker import check_model  # pyright: ignore[reportUnknownVariableType]
from onnx_models import model, value
from xdsl.dialects.func import FuncOp

import snippets_mlir
from snippets_mlir.dialects.onnx.ops import NodeOp
from snippets_mlir.driver.networks.network import Network
from snippets_mlir.inspect.opt import import_onnx
from snippets_mlir.support.errors import CompileError

TWICE = """
func.func @main(%x: tensor<?x4xf32>) -> (tensor<?x4xf32> {snippets.name = "y"},
    tensor<?x4xf32> {snippets.name = "z"}, tensor<?x2x2xf32> {snippets.name = "w"}) {
  %0 = snippets.negative %x : tensor<?x4xf32>
  %1 = snippets.reshape %0 {shape = array<i64: -1, 2, 2>} : (tensor<?x4xf32>) -> tensor<?x2x2xf32>
  func.return %0, %0, %1 : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x2x2xf32>
}
"""
"""A kernel whose result is three outputs, two of which are copies, one of a view."""


def _executed(network: Network, **arrays: Any) -> Network:
    for name, array in arrays.items():
        network.set_input(name, array)
    network.execute()
    return network


def _checked(file: Path) -> onnx.ModelProto:
    """The model in a file, which has to be a valid one."""
    model = onnx.load_model_from_string(file.read_bytes())
    check_model(model, full_check=True)
    return model


def _attributes(node: onnx.NodeProto) -> dict[str, Any]:
    return {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}


def _shapes(model: onnx.ModelProto) -> dict[str, list[int]]:
    known = [*model.graph.value_info, *model.graph.output]
    return {v.name: [d.dim_value for d in v.type.tensor_type.shape.dim] for v in known}


def test_a_node_for_each_step(tmp_path: Path) -> None:
    """Each step of the profile is a node with its time; ONNX and the importer take the file."""
    with mixed_program() as program:
        network = _executed(program.network(), **feed(1))
        graph, rows = network.execution_graph(), network.profile()
    graph.write(str(tmp_path / "graph.onnx"))
    model = _checked(tmp_path / "graph.onnx")
    nodes = model.graph.node
    assert [n.op_type for n in nodes] == ["snippets", "onnxruntime"] * 2
    facts = [_attributes(node) for node in nodes]
    assert [f["time_ns"] for f in facts] == [row.nanoseconds for row in rows if row.kind != "rest"]
    assert facts[0]["computes"] == [b"snippets.negative"]
    assert facts[1]["computes"] == [b"Gather"]
    assert facts[0]["memory"][0].startswith(b"arena [")
    assert [f["memory"] for f in facts[2:]] == [[b"output y"], [b"output z"]]
    assert _shapes(model)["y"] == [3, 64]
    (function,) = import_onnx(str(tmp_path / "graph.onnx"), {}).ops
    (written,) = graph.module.ops
    assert isinstance(function, FuncOp)
    assert isinstance(written, FuncOp)
    ours, theirs = ([op for op in f.walk() if isinstance(op, NodeOp)] for f in (written, function))
    assert [op.properties for op in theirs] == [op.properties for op in ours]


def test_copies_views_and_dynamic_sizes(tmp_path: Path) -> None:
    """An output that is written twice has a copy; sizes and times are those of the last run."""
    with snippets_mlir.compile_program(TWICE, streams=1) as program:
        network = program.network()
        with pytest.raises(CompileError, match="has not been built for any yet"):
            network.execution_graph()
        for rows in (3, 5):
            graph = _executed(network, arg0=np.ones((rows, 4), np.float32)).execution_graph()
            graph.write(str(tmp_path / "graph.onnx"))
            model = _checked(tmp_path / "graph.onnx")
            kinds = [n.op_type for n in model.graph.node]
            assert sorted(kinds) == ["copy", "copy", "snippets", "view"]
            facts = {n.output[0]: _attributes(n) for n in model.graph.node}
            assert facts["z"]["memory"] == [b"output z"]
            assert facts["w"]["memory"] == [b"output w"]
            assert sum("time_ns" in f for f in facts.values()) == 3
            assert _shapes(model)["w"] == [rows, 2, 2]


def test_before_a_run_and_of_streams() -> None:
    """Without a run there are no times; a program has those of its stream."""
    with mixed_program(streams=1) as program:
        assert "time_ns" not in str(program.execution_graph())
        request = program.request()
        request.start(feed(2))
        assert request.wait(300)
        assert str(program.execution_graph()).count("time_ns") == 4


def test_of_a_graph_of_nodes() -> None:
    """A program in text keeps the ids of its nodes, and names those that it fused."""
    pools = Path(__file__).parents[3] / "docs/examples/programs/pools.mlir"
    with snippets_mlir.compile_program(pools, streams=1) as program:
        text = str(program.execution_graph())
    assert 'node_name = "pool0"' in text
    assert 'computes = ["pool0", "pool1", "concat", "copy"]' in text


def test_each_reader_of_a_constant() -> None:
    """Two kernels and an output read one constant: each has a node for it."""
    text = """func.func @main(%x: tensor<4x3xf32>)
        -> (tensor<4xf32>, tensor<4x3xf32>, tensor<3xf32>) {
      %w = snippets.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
      %0 = snippets.multiply %x, %w : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
      %1 = onnx.node "Identity"(%0) {domain = "", version = 13 : i64, node_name = "same"}
        : (tensor<4x3xf32>) -> tensor<4x3xf32>
      %2 = snippets.add %1, %w : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
      %3 = snippets.reduce_sum %2 {axes = array<i64: 1>} : (tensor<4x3xf32>) -> tensor<4xf32>
      func.return %3, %1, %w : tensor<4xf32>, tensor<4x3xf32>, tensor<3xf32>
    }"""
    with snippets_mlir.compile_program(text) as program:
        (function,) = program.execution_graph().module.ops
    nodes = [op for op in function.walk() if isinstance(op, NodeOp)]
    constants = [op for op in nodes if op.op_type.data == "constant"]
    assert len(constants) == 3
    assert all(len(list(op.results[0].uses)) == 1 for op in constants)
    assert len({op.node_name for op in nodes}) == len(nodes)
    assert 'computes = ["same"]' in str(function)


def test_files_that_cannot_be(tmp_path: Path) -> None:
    """Another suffix, and a folder that is not there."""
    with mixed_program() as program:
        graph = program.execution_graph()
        with pytest.raises(CompileError, match=r"expected a file \.mlir or \.onnx, found '\.txt'"):
            graph.write(str(tmp_path / "graph.txt"))
        with pytest.raises(CompileError, match="cannot write it: No such file"):
            graph.write(str(tmp_path / "none/graph.mlir"))
        network = program.network()
        network.close()
        with pytest.raises(RuntimeError, match="the network is closed"):
            network.execution_graph()


def test_names_that_no_text_has(tmp_path: Path) -> None:
    """Exporters call values `387` or `out_1`; the graph's text has names as near to these."""
    nodes = [
        onnx.helper.make_node("Relu", ["1"], ["387"]),
        onnx.helper.make_node("ReverseSequence", ["387", "lengths"], ["out_1"]),
    ]
    data = {"lengths": np.ones(4, np.int64)}
    made = model(nodes, [value("1", (4, 4))], ["387", "out_1"], data)
    with snippets_mlir.compile_program(made, streams=1) as program:
        network = _executed(program.network(), **{"1": np.ones((4, 4), np.float32)})
        graph = network.execution_graph()
    assert "%v387" in str(graph)
    assert "%out.1" in str(graph)
    graph.write(str(tmp_path / "graph.onnx"))
    _checked(tmp_path / "graph.onnx")


def test_nodes_without_inputs(tmp_path: Path) -> None:
    """Constants of kernels and sessions are nodes, as is an operator that reads nothing."""
    nodes = [
        onnx.helper.make_node("MatMul", ["x", "w"], ["h"]),
        onnx.helper.make_node("RandomUniform", [], ["r"], shape=[1, 3], low=0.0, high=1.0),
        onnx.helper.make_node("Add", ["h", "r"], ["s"]),
        onnx.helper.make_node("TopK", ["s", "two"], ["t", "places"]),
        onnx.helper.make_node("Exp", ["t"], ["y"]),
    ]
    weights = {"w": np.ones((4, 3), np.float32), "two": np.array([2])}
    made = model(nodes, [value("x", [2, 4])], [value("y", [2, 2])], weights)
    file = str(tmp_path / "graph.onnx")
    with snippets_mlir.compile_program(made, streams=1, mark_skipped="none") as program:
        network = _executed(program.network(), x=np.ones((2, 4), np.float32))
        network.execution_graph().write(file)
    kinds = [node.op_type for node in _checked(Path(file)).graph.node]
    assert kinds.count("snippets") == 2
    assert "constant" in kinds
    assert "onnxruntime" in kinds
