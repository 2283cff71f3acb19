"""Models of one node for onnxruntime, to ask whether it takes the types of the node's inputs.

    BiasGelu(x: float[n, 8], b: double[8])     ->     a model with the inputs x and b

ONNX has no schemas of onnxruntime's own operators, so its inference and its checker accept such
nodes with any types, sizes and attributes.
"""

from __future__ import annotations

from collections.abc import Iterator

import onnx
from onnx import helper

from snippets_mlir.frontends.onnx.engine_operators import MICROSOFT
from snippets_mlir.frontends.onnx.shapes.infer import InferredShapes
from snippets_mlir.frontends.onnx.shapes.misfits import signature
from snippets_mlir.frontends.onnx.shapes.schemas import proto_of
from snippets_mlir.frontends.onnx.shapes.view import NodeView


def models_of_engine_nodes(found: InferredShapes) -> Iterator[onnx.ModelProto]:
    """A model for each node of onnxruntime's operators with inputs of known types; equal ones once.

    Constants that are read are constants there too; others are inputs.
    """
    seen: set[tuple[object, ...]] = set()
    for node in found.nodes:
        types = [node.type(index) for index in range(len(node.inputs)) if node.has(index)]
        if node.domain != MICROSOFT or not all(t.element or t.other for t in types):
            continue
        if (key := signature(node)) not in seen:
            seen.add(key)
            yield _model(node)


def _model(node: NodeView) -> onnx.ModelProto:
    inputs: dict[str, onnx.ValueInfoProto] = {}
    constants: dict[str, onnx.TensorProto] = {}
    for index, name in enumerate(node.inputs):
        value = node.known(index)
        if value is None:
            continue
        if value.tensor is not None:
            constants[name] = onnx.TensorProto()
            constants[name].CopyFrom(value.tensor)
            constants[name].name = name
        else:
            type_ = proto_of(value.type, None)
            inputs[name] = helper.make_value_info(name, type_)
    outputs = [onnx.ValueInfoProto(name=name) for name in node.outputs if name]
    graph = helper.make_graph([node.proto], "node", [*inputs.values()], outputs)
    graph.initializer.extend(constants.values())
    opsets = [helper.make_opsetid(domain, v) for domain, v in node.scope.opsets.items()]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10)
