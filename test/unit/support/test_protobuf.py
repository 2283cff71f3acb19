"""The fields of a serialised message are those that protobuf reads."""

from __future__ import annotations

from itertools import pairwise

import onnx
import pytest
from onnx import TensorProto, helper

from snippets_mlir.support.protobuf import fields, head


def model() -> onnx.ModelProto:
    nodes = [helper.make_node("Relu", ["x"], ["y"], name="n" * 300)]
    weights = [helper.make_tensor("w", TensorProto.FLOAT, [3], [1.0, 2.0, 3.0])]
    return helper.make_model(helper.make_graph(nodes, "g", [], [], weights), ir_version=10)


def test_fields() -> None:
    """Those with numbers of 32 and 64 bits are passed over."""
    data = model().SerializeToString() + b"\x0d\1\2\3\4\x09\1\2\3\4\5\6\7\x08\x0a\2gh"
    found = {number: data[first:end] for number, _, first, end in fields(data)}
    assert onnx.GraphProto.FromString(found[onnx.ModelProto.GRAPH_FIELD_NUMBER]) == model().graph
    assert found[1] == b"gh"
    whole = [(begin, end) for _, begin, _, end in fields(data)]
    assert data[whole[-1][0] :] == b"\x0a\2gh"
    assert all(end <= begin for (_, end), (begin, _) in pairwise(whole))


def test_head() -> None:
    graph = model().graph.SerializeToString()
    copy = onnx.ModelProto.FromString(head(7, len(graph)) + graph)
    assert copy.graph == model().graph


def test_what_is_no_message() -> None:
    with pytest.raises(ValueError, match="written as 3"):
        list(fields(b"\x0b"))
