"""Which constants of a region are inputs of its model."""

from __future__ import annotations

from collections.abc import Callable

import onnx
import pytest
from onnx import TensorProto, helper

from snippets_mlir.emit.onnx_tables import LEAST, make_inputs, tables_of

ROWS = LEAST // 64


def apart(name: str, rows: int = ROWS) -> onnx.TensorProto:
    """A constant of 16 columns without its data."""
    tensor = onnx.TensorProto(name=name, data_type=TensorProto.FLOAT, dims=[rows, 16])
    tensor.data_location = onnx.TensorProto.EXTERNAL
    entry = onnx.StringStringEntryProto(key="length", value=str(rows * 64))
    tensor.external_data.append(entry)
    return tensor


def graph_of(
    nodes: list[onnx.NodeProto], weights: list[onnx.TensorProto], output: str = "y"
) -> onnx.GraphProto:
    ids = helper.make_tensor_value_info("ids", TensorProto.INT64, [None])
    y = helper.make_tensor_value_info(output, TensorProto.FLOAT, None)
    return helper.make_graph(nodes, "g", [ids], [y], weights)


def gather(data: str = "w", ids: str = "ids", domain: str = "") -> onnx.NodeProto:
    return helper.make_node("Gather", [data, ids], ["y"], domain=domain)


def captured() -> onnx.NodeProto:
    """An If with a branch that reads `w` itself."""
    node = helper.make_node("If", ["c"], ["z"])
    for name in ("then_branch", "else_branch"):
        reads = helper.make_node("Identity", ["w"], [f"{name}_y"])
        node.attribute.append(helper.make_attribute(name, helper.make_graph([reads], name, [], [])))
    return node


def test_a_gathered_constant_is_an_input_after_the_others() -> None:
    graph = graph_of([gather(), helper.make_node("Gather", ["w", "z"], ["v"])], [apart("w")])
    graph.initializer.append(helper.make_tensor("one", TensorProto.FLOAT, [], [1.0]))
    tables = tables_of(graph, {"w": "w"})
    assert tables == ("w",)
    make_inputs(graph, tables)
    assert [t.name for t in graph.initializer] == ["one"]
    assert [i.name for i in graph.input] == ["ids", "w"]
    shape = graph.input[1].type.tensor_type.shape
    assert [dim.dim_value for dim in shape.dim] == [ROWS, 16]


OTHERS: dict[str, Callable[[], onnx.GraphProto]] = {
    "small": lambda: graph_of([gather()], [apart("w", ROWS - 1)]),
    "constant indices": lambda: graph_of(
        [gather(ids="k")], [apart("w"), helper.make_tensor("k", TensorProto.INT64, [1], [0])]
    ),
    "another node": lambda: graph_of(
        [gather(), helper.make_node("MatMul", ["x", "w"], ["z"])], [apart("w")]
    ),
    "its indices": lambda: graph_of([gather("x", "w")], [apart("w")]),
    "another domain": lambda: graph_of([gather(domain="com.microsoft")], [apart("w")]),
    "an inner graph": lambda: graph_of([gather(), captured()], [apart("w")]),
    "an output": lambda: graph_of([gather()], [apart("w")], "w"),
}


@pytest.mark.parametrize("case", OTHERS)
def test_other_constants_stay_initializers(case: str) -> None:
    graph = OTHERS[case]()
    assert tables_of(graph, {t.name: t.name for t in graph.initializer}) == ()


def test_a_constant_with_data_stays_an_initializer() -> None:
    assert tables_of(graph_of([gather()], [apart("w")]), {}) == ()
