"""A function of `onnx.node` ops and constants as an ONNX model, for the engine that runs it.

    func.func @region0(%x: tensor<1x3xf32>) -> tensor<1x2xf32> {
      %w = snippets.constant dense<...> : tensor<3x2xf32>      initializer
      %y = onnx.node "MatMul"(%x, %w) {...} : (...) -> ...     node
      func.return %y : tensor<1x2xf32>
    }

Inputs and outputs of the graph are the inputs and outputs of the function, in order; tables that
nodes gather from come after them (`onnx_tables.py`). Symbolic sizes become names of dims, and
results whose shapes an engine cannot infer state their shapes (`onnx_shapes.py`). Each node keeps
its name (or gets its operator's name and a number), so that the engine's messages name it. The text
must have one opset version for each domain.

Inputs of a node with a graph attribute (If, Loop, Scan) are declared without a shape. The model may
know less about them than the function, whose types come from a call. The engine infers the types of
all branches, and a branch that is not taken may be wrong for sizes that the model leaves open.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import onnx
from onnx import helper
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, Operation

from snippets_mlir.dialects.onnx.ops import NodeOp
from snippets_mlir.emit.onnx_attributes import type_proto
from snippets_mlir.emit.onnx_nodes import DEFAULT_OPSET, GraphEmitter
from snippets_mlir.emit.onnx_tables import make_inputs, tables_of
from snippets_mlir.support.errors import CompileError

LIMIT = 2**31 - 1

LEAST_IR = 4
"""The first IR version of ONNX with initializers that are no inputs: others, which only the graph
of a node reads, an engine does not find.
"""


@dataclass(frozen=True)
class Region:
    """A model without its large constants.

    Attributes:
        model: the serialised model.
        weights: the constants whose data is not in it, each with the key of its tensor.
        tables: those of them that are inputs of the model, after all others.
    """

    model: bytes
    weights: Mapping[str, str]
    tables: tuple[str, ...] = ()


def _opsets(nodes: Sequence[NodeOp]) -> dict[str, int]:
    versions: dict[str, int] = {}
    for node in nodes:
        for domain, version in node.versions.items():
            if versions.setdefault(domain, version) != version:
                raise CompileError(
                    f"onnx.node {node.op_type} has version {version} of domain '{domain}', "
                    f"expected {versions[domain]} as the other nodes that run with it"
                )
    return versions


def emit_region(function: FuncOp, weights: Mapping[str, onnx.TensorProto]) -> Region:
    """The model of `function` without large constants; CompileError if ONNX has no form for it.

    `weights` has tensors in memory by name; other tensors that constants refer to are read from
    files.
    """
    apart: dict[str, str] = {}
    model = _model(GraphEmitter(function, weights, apart))
    tables = tables_of(model.graph, apart)
    make_inputs(model.graph, tables)
    return Region(_serialised(model), apart, tables)


def node_sources(
    function: FuncOp, weights: Mapping[str, onnx.TensorProto]
) -> Mapping[str, Operation]:
    """The ops that the nodes of the model of `emit_region` come from, by the names of the nodes."""
    emitter = GraphEmitter(function, weights, {})
    emitter.emit()
    return emitter.sources


def emit_onnx(function: FuncOp) -> bytes:
    """As `emit_region`, with all constants in the serialised model."""
    return _serialised(_model(GraphEmitter(function, {})))


def emit_onnx_with_types(function: FuncOp) -> bytes:
    """As `emit_onnx`, with the types of all results of nodes, for readers of the model.

    An engine infers all of them except those of `onnx_shapes.py`.
    """
    emitter = GraphEmitter(function, {})
    model = _model(emitter)
    known = {info.name: info for info in (*model.graph.output, *model.graph.value_info)}
    for value, name in emitter.names.items():
        if (proto := type_proto(value.type)) is None or isinstance(value, BlockArgument):
            continue
        described = known[name] if name in known else model.graph.value_info.add(name=name)
        described.type.CopyFrom(proto)
    return model.SerializeToString(deterministic=True)


def _serialised(model: onnx.ModelProto) -> bytes:
    if model.ByteSize() > LIMIT:
        raise CompileError("the constants that a group of ONNX nodes reads exceed 2 GiB")
    return model.SerializeToString(deterministic=True)


def _model(emitter: GraphEmitter) -> onnx.ModelProto:
    opsets = _opsets(emitter.nodes)
    emitter.opset = opsets.setdefault("", DEFAULT_OPSET)
    imports = [helper.make_operatorsetid(domain, version) for domain, version in opsets.items()]
    return helper.make_model(
        emitter.emit(),
        opset_imports=imports,
        producer_name="snippets_mlir",
        ir_version=max(LEAST_IR, helper.find_min_ir_version_for(imports, ignore_unknown=True)),
    )
