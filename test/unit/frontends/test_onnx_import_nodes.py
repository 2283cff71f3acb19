"""Nodes of ONNX models that stay nodes: graph attributes, attributes, left out places, reasons."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from imported_models import check_text, main_of, nodes
from onnx import helper, numpy_helper
from onnx_models import model, samples, single, value
from xdsl.dialects.builtin import ModuleOp

from snippets_mlir.dialects.onnx.ops import NodeOp
from snippets_mlir.emit.onnx_attributes import attribute_proto
from snippets_mlir.frontends.onnx import import_model
from snippets_mlir.frontends.onnx.attributes import import_attribute
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.support.parsing import parse_module
from snippets_mlir.support.printing import print_module


def test_graph_attributes_keep_what_they_read():
    body = helper.make_graph(
        [helper.make_node("Add", ["x", "w"], ["t"])], "then", [], [value("t", [2])]
    )
    other = helper.make_graph(
        [helper.make_node("Neg", ["s"], ["e"])], "else", [], [value("e", [2])]
    )
    made = model(
        [
            helper.make_node("Relu", ["x"], ["s"]),
            helper.make_node(
                "If", ["c"], ["y"], then_branch=body, else_branch=other, name="choose"
            ),
        ],
        [value("c", [], np.bool_), value("x", [2])],
        [value("y", [2])],
        {"w": np.ones(2, np.float32)},
    )
    module = import_model(made)
    (node,) = nodes(module)
    assert list(node.captured) == ["s", "x", "w"]
    assert node.inputs == [main_of(module).args[0]]
    assert node.node_name is not None
    assert node.node_name.data == "choose"
    check_text(module)


def test_random_numbers_in_a_graph_attribute_are_marked():
    draw = helper.make_node("RandomNormal", [], ["t"], shape=[2])
    graphs = [helper.make_graph([draw], "g", [], [value("t", [2])]) for _ in range(2)]
    node = helper.make_node("If", ["c"], ["y"], then_branch=graphs[0], else_branch=graphs[1])
    (found,) = nodes(import_model(model([node], [value("c", [], np.bool_)], [value("y", [2])])))
    assert found.is_random


def _attributes() -> list[onnx.AttributeProto]:
    make: Any = helper.make_attribute  # its signature leaves out what it takes
    tensor = numpy_helper.from_array(np.array([1.5, -0.0], np.float32), "t")
    strings = numpy_helper.from_array(np.array(["a", "b"], object), "s")
    graph = helper.make_graph([], "g", [value("x", [1])], [value("x", [1])])
    sparse = helper.make_sparse_tensor(
        numpy_helper.from_array(np.ones(1, np.float32), "v"),
        numpy_helper.from_array(np.array([2], np.int64), "i"),
        [4],
    )
    type_ = helper.make_sequence_type_proto(helper.make_tensor_type_proto(1, ["n"]))
    kind = onnx.AttributeProto
    return [
        *(make("a", v) for v in (0.1, float("inf"), float("nan"), -3, "text")),
        *(make("a", v) for v in ([0.1, 1e-40], [1, -(2**63)], ["a", "b"])),
        *(make("a", v) for v in (b"\xff\x00", [b"\xff", b"a"], "", 'q"\n\\')),
        *(make("a", v) for v in (tensor, strings, graph, sparse, type_)),
        *(make("a", v) for v in ([tensor, tensor], [graph], [sparse], [type_])),
        *(
            make("a", [], attr_type=t)
            for t in (kind.FLOATS, kind.INTS, kind.STRINGS, kind.TENSORS, kind.GRAPHS)
        ),
    ]


@pytest.mark.parametrize("proto", _attributes(), ids=lambda p: f"{p.type}")
def test_attributes_of_every_kind_come_back(proto: onnx.AttributeProto):
    node = NodeOp("A", [], [], version=1, domain="d", attributes={"a": import_attribute(proto)})
    module = ModuleOp([node])
    module.verify()
    check_text(module)
    (parsed,) = nodes(parse_module(print_module(module), make_context()))
    assert parsed.node_attributes is not None
    back = attribute_proto("a", parsed.node_attributes.data["a"])
    for either in (proto, back):  # the same elements, written as raw data or one by one
        for tensor in (either.t, *either.tensors):
            if tensor.data_type == onnx.TensorProto.FLOAT:
                tensor.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(tensor), tensor.name))
    assert back.SerializeToString(deterministic=True) == proto.SerializeToString(deterministic=True)


def test_optional_inputs_and_outputs_keep_their_places():
    arrays = [samples(np.float32, 16).reshape(1, 1, 4, 4), None, np.ones(4, np.float32)]
    made = single("Resize", arrays, constants=[2], mode="nearest")
    (node,) = nodes(import_model(made))
    assert [v is None for v in node.inputs] == [False, True, False]
    pool = helper.make_node("MaxPool", ["x"], ["y", ""], kernel_shape=[2, 2])
    (node,) = nodes(import_model(model([pool], [value("x", [1, 1, 4, 4])], ["y"])))
    assert [str(r.type) for r in node.results] == ["tensor<1x1x3x3xf32>", "none"]


def test_values_of_types_that_are_no_tensors():
    made = model(
        [
            helper.make_node("SequenceConstruct", ["x", "x"], ["s"]),
            helper.make_node("SequenceAt", ["s", "i"], ["y"]),
        ],
        [value("x", [2])],
        ["y"],
        {"i": np.array(1, np.int64)},
    )
    module = import_model(made)
    assert '!onnx.type<"seq(tensor(float))">' in print_module(module)
    check_text(module)


@pytest.mark.parametrize(
    ("op", "domain", "opset", "reason"),
    [
        ("LpNormalization", "", 18, "the operator LpNormalization is not compiled"),
        ("Thing", "com.example", 18, "operators of the domain 'com.example' are not compiled"),
        ("Relu", "", onnx.defs.onnx_opset_version() + 1, "is newer than"),
        ("Sigmoid", "", 5, "version 1 of Sigmoid is unknown, the known ones are 6, 13"),
    ],
)
def test_reason_of_an_opaque_node(op: str, domain: str, opset: int, reason: str):
    node = helper.make_node(op, ["x"], ["y"], domain=domain)
    domains = [domain] if domain else []
    made = model([node], [value("x", [2])], [value("y", [2])], opset=opset, domains=domains)
    (found,) = nodes(import_model(made))
    assert reason in str(found.attributes["snippets.reason"])
    assert found.version.value.data == (1 if domain else opset)
