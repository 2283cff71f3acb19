"""A function of `onnx.node` ops and constants as an ONNX model, for the engine that runs it.

    func.func @region0(%x: tensor<1x3xf32>) -> tensor<1x2xf32> {
      %w = snippets.constant dense<...> : tensor<3x2xf32>      initializer
      %y = onnx.node "MatMul"(%x, %w) {...} : (...) -> ...     node
      func.return %y : tensor<1x2xf32>
    }

Inputs and outputs of the graph are those of the function, in order. Each node keeps its name (or
gets its operator's name and a number), so that the engine's complaints name it. The text must hold
one opset version for each domain.

What a node with a graph attribute (If, Loop, Scan) depends on is declared without a shape. The
model may know less of it than the function, whose types are those of a call, and the engine infers
the types of all branches: one that is not taken may be wrong for sizes that the model leaves open.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import onnx
from onnx import helper
from xdsl.dialects.builtin import NoneType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue

from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.onnx.ops import NodeOp
from snippets_mlir.dialects.onnx.types import ELEMENT_CODES
from snippets_mlir.dialects.snippets.constants import ConstantOp, ScalarOp
from snippets_mlir.dialects.snippets.engine_forms import (
    FIRST_OPSET,
    inputs_in_order,
    lists_of,
    numbers_of,
    operator_of,
    runs_in_engine,
)
from snippets_mlir.emit.onnx_attributes import attribute_proto, type_proto
from snippets_mlir.emit.onnx_graphs import names_in_graphs, rename_captures, seen_by_graphs
from snippets_mlir.emit.onnx_initializers import initializer
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError

LIMIT = 2**31 - 1

# For regions without nodes of the standard domain; every engine knows it.
DEFAULT_OPSET = 13

# Before this opset, Clip has its bounds as attributes.
CLIP_WITH_INPUTS = 11


@dataclass(frozen=True)
class Region:
    """A model without its large constants.

    Attributes:
        model: the serialised model.
        weights: the initializers whose data is not in it, each with the key of its tensor.
    """

    model: bytes
    weights: Mapping[str, str]


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


class _Emitter:
    """The graph while it grows; values get names that no graph attribute uses."""

    def __init__(
        self,
        function: FuncOp,
        weights: Mapping[str, onnx.TensorProto],
        apart: dict[str, str] | None = None,
    ) -> None:
        self.function = function
        self.weights = weights
        self.apart = apart
        self.opset = DEFAULT_OPSET
        self.ops = [op for op in function.body.block.ops if not isinstance(op, ReturnOp)]
        self.nodes = [op for op in self.ops if isinstance(op, NodeOp)]
        self.names: dict[SSAValue, str] = {}
        self.graph = onnx.GraphProto(name=function.sym_name.data)
        protos = {op: self._attributes(op) for op in self.nodes}
        self.protos = protos
        self.taken = names_in_graphs([p.g for ps in protos.values() for p in ps if p.HasField("g")])
        self.taken |= names_in_graphs([g for ps in protos.values() for p in ps for g in p.graphs])

    @staticmethod
    def _attributes(op: NodeOp) -> list[onnx.AttributeProto]:
        data: Mapping[str, Attribute] = op.node_attributes.data if op.node_attributes else {}
        return [attribute_proto(name, value) for name, value in data.items()]

    def define(self, value: SSAValue) -> str:
        base = value.name_hint or "v"
        name, count = base, 0
        while name in self.taken:
            count += 1
            name = f"{base}_{count}"
        self.taken.add(name)
        self.names[value] = name
        return name

    def emit(self) -> onnx.GraphProto:
        block = self.function.body.block
        vague = seen_by_graphs(self.ops)
        for argument in block.args:
            proto = type_proto(argument.type, with_shape=argument not in vague)
            name = self.define(argument)
            if proto is None:
                raise CompileError(
                    f"the value '{name}' of type {argument.type} cannot be handed to ONNX nodes"
                )
            self.graph.input.append(onnx.ValueInfoProto(name=name, type=proto))
        for op in self.ops:
            self._op(op)
        terminator = block.last_op
        assert isinstance(terminator, ReturnOp)
        for value in terminator.arguments:
            info = onnx.ValueInfoProto(name=self._output_name(value))
            if (proto := type_proto(value.type, with_shape=False)) is not None:
                info.type.CopyFrom(proto)
            self.graph.output.append(info)
        return self.graph

    def _output_name(self, value: SSAValue) -> str:
        """The value's own name, or that of a copy where it is an input or is returned twice."""
        name = self.names[value]
        used = {o.name for o in (*self.graph.output, *self.graph.input, *self.graph.initializer)}
        if name not in used:
            return name
        copy = self._free(f"{name}_copy")
        self.graph.node.append(onnx.NodeProto(op_type="Identity", input=[name], output=[copy]))
        return copy

    def _constant(self, op: ConstantOp | ScalarOp) -> None:
        """An initializer; one that is stored in another type is converted by a node."""
        name = self.define(op.result)
        stored = initializer(op, name, self.weights, self.apart)
        code = ELEMENT_CODES[tensor_of(op.result).element_type]
        if stored.data_type != code:
            stored.name = self._free(f"{name}_stored")
            if self.apart is not None and name in self.apart:
                self.apart[stored.name] = self.apart.pop(name)
            cast = helper.make_node("Cast", [stored.name], [name], to=code)
            self.graph.node.append(cast)
        self.graph.initializer.append(stored)

    def _free(self, name: str) -> str:
        """`name`, or with `_` after it what no value is called; taken from then on."""
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        return name

    def _op(self, op: Operation) -> None:
        if isinstance(op, ConstantOp | ScalarOp):
            self._constant(op)
            return
        if not isinstance(op, NodeOp):
            self._snippets_op(op)
            return
        node = onnx.NodeProto(op_type=op.op_type.data, domain=op.domain.data)
        index = len(self.graph.node)
        node.name = op.node_name.data if op.node_name else f"{op.op_type.data}_{index}"
        node.input.extend("" if v is None else self.names[v] for v in op.inputs)
        for result in op.results:
            node.output.append("" if isinstance(result.type, NoneType) else self.define(result))
        captured = {name: self.names[value] for name, value in op.captured.items()}
        for proto in self.protos[op]:
            for graph in [proto.g] if proto.HasField("g") else proto.graphs:
                rename_captures(graph, captured)
            node.attribute.append(proto)
        self.graph.node.append(node)

    def _snippets_op(self, op: Operation) -> None:
        """A marked op of the snippets dialect, by its record."""
        if not runs_in_engine(op) or self.opset < FIRST_OPSET:
            raise CompileError(
                f"'{op.name}' cannot run among ONNX nodes of opset {self.opset}", **position_of(op)
            )
        operator, numbers = operator_of(op.name), numbers_of(op)
        inputs = [self.names[op.operands[i]] for i in inputs_in_order(op)]
        result = self.define(op.results[0])
        if operator == "Clip" and self.opset >= CLIP_WITH_INPUTS:
            bounds = [numbers.pop(name) for name in ("min", "max")]
            inputs += [self._scalar(f"{result}_bound", bound) for bound in bounds]
        node = onnx.NodeProto(op_type=operator, input=inputs, output=[result])
        node.name = f"{operator}_{len(self.graph.node)}"
        attributes = {**numbers, **lists_of(op)}
        node.attribute.extend(helper.make_attribute(n, value) for n, value in attributes.items())
        self.graph.node.append(node)

    def _scalar(self, base: str, value: float) -> str:
        name, count = base, 0
        while name in self.taken:
            count += 1
            name = f"{base}_{count}"
        self.taken.add(name)
        scalar = helper.make_tensor(name, onnx.TensorProto.FLOAT, [], [value])
        self.graph.initializer.append(scalar)
        return name


def emit_region(function: FuncOp, weights: Mapping[str, onnx.TensorProto] | None = None) -> Region:
    """The model of `function`, large constants apart; a CompileError when ONNX cannot say it.

    `weights` are tensors at hand, by name, that constants name by reference; others are read.
    """
    apart: dict[str, str] = {}
    return Region(_serialised(_Emitter(function, weights or {}, apart)), apart)


def emit_onnx(function: FuncOp, weights: Mapping[str, onnx.TensorProto] | None = None) -> bytes:
    """As `emit_region`, with all constants in the serialised model."""
    return _serialised(_Emitter(function, weights or {}))


def emit_onnx_with_types(function: FuncOp) -> bytes:
    """As `emit_onnx`, with the types of all results of nodes, for those who read the model.

    An engine infers them, and is better off without.
    """
    emitter = _Emitter(function, {})
    model = _model(emitter)
    outputs = {output.name: output for output in model.graph.output}
    for value, name in emitter.names.items():
        if (proto := type_proto(value.type)) is None or isinstance(value, BlockArgument):
            continue
        described = outputs[name] if name in outputs else model.graph.value_info.add(name=name)
        described.type.CopyFrom(proto)
    return model.SerializeToString(deterministic=True)


def _serialised(emitter: _Emitter) -> bytes:
    model = _model(emitter)
    if model.ByteSize() > LIMIT:
        raise CompileError("the constants that a group of ONNX nodes reads exceed 2 GiB")
    return model.SerializeToString(deterministic=True)


def _model(emitter: _Emitter) -> onnx.ModelProto:
    opsets = _opsets(emitter.nodes)
    emitter.opset = opsets.setdefault("", DEFAULT_OPSET)
    imports = [helper.make_operatorsetid(domain, version) for domain, version in opsets.items()]
    return helper.make_model(
        emitter.emit(),
        opset_imports=imports,
        producer_name="snippets_mlir",
        ir_version=helper.find_min_ir_version_for(imports, ignore_unknown=True),
    )
