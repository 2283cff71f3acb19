"""The bytes of an edited model have what the model has, in two parts."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from snippets_mlir.driver.onnx.inside.serialised import serialised


def made(*sizes: int) -> onnx.ModelProto:
    """A model with weights of these sizes, of several types, and a graph inside of a node."""
    kinds = (np.float32, np.int64, np.float16, np.bool_)
    tensors = [
        numpy_helper.from_array(np.arange(size).astype(kinds[i % 4]), f"w{i}")
        for i, size in enumerate(sizes)
    ]
    inner = helper.make_graph([], "inner", [], [], tensors[:1])
    nodes = [helper.make_node("If", ["c"], ["y"], then_branch=inner, else_branch=inner)]
    graph = helper.make_graph(nodes, "g", [], [], tensors, doc_string="text")
    model = helper.make_model(graph, producer_name="x" * 300, model_version=-1)
    model.metadata_props.add(key="k", value="v")
    return model


@pytest.mark.parametrize("sizes", [(), (0,), (1, 127, 128), (3, 70_000, 5, 40_000)])
def test_an_edited_model_is_read_as_it_is_written(sizes: tuple[int, ...]) -> None:
    raw = made(*sizes).SerializeToString()
    model = onnx.ModelProto()
    model.ParseFromString(raw)
    del model.graph.node[:]
    model.graph.node.extend([helper.make_node("Relu", ["a"], ["b"])])
    wanted = model.SerializeToString(deterministic=True)
    found = onnx.ModelProto()
    found.ParseFromString(serialised(model, raw))
    assert len(found.graph.initializer) == len(sizes)
    assert found.SerializeToString(deterministic=True) == wanted


def test_weights_of_two_graphs_that_are_merged_are_all_there() -> None:
    raw = made(4).SerializeToString() + made(5, 6).SerializeToString()
    model = onnx.ModelProto()
    model.ParseFromString(raw)
    wanted = model.SerializeToString(deterministic=True)
    found = onnx.ModelProto()
    found.ParseFromString(serialised(model, raw))
    assert len(found.graph.initializer) == 3
    assert found.SerializeToString(deterministic=True) == wanted


def test_what_is_no_message_of_today_is_an_error() -> None:
    with pytest.raises(ValueError, match="written as 3"):
        serialised(onnx.ModelProto(), bytes([1 << 3 | 3]))
