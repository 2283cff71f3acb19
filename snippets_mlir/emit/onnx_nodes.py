"""The nodes, initializers, inputs and outputs of a model, from the ops of a function."""

from __future__ import annotations

from collections.abc import Mapping

import onnx
from onnx import helper
from xdsl.dialects.builtin import NoneType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Operation, SSAValue

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
from snippets_mlir.emit.onnx_masks import add_rows, needs_rows
from snippets_mlir.emit.onnx_rotary import add_batches_of
from snippets_mlir.emit.onnx_shapes import told_results
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError

# For regions without nodes of the standard domain; every engine knows it.
DEFAULT_OPSET = 13

# Before this opset, Clip has its bounds as attributes.
CLIP_WITH_INPUTS = 11


class GraphEmitter:
    """Builds the graph; values get names that no graph attribute uses."""

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
        self.sources: dict[str, Operation] = {}
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
        """A new name for `value`: its hint, with a number if the hint is taken."""
        base = value.name_hint or "v"
        name, count = base, 0
        while name in self.taken:
            count += 1
            name = f"{base}_{count}"
        self.taken.add(name)
        self.names[value] = name
        return name

    def emit(self) -> onnx.GraphProto:
        """The graph of the function; CompileError if an op or a type has no form in ONNX."""
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
        for value in told_results(self.nodes, vague.union(terminator.arguments)):
            if (proto := type_proto(value.type)) is not None:
                self.graph.value_info.append(
                    onnx.ValueInfoProto(name=self.names[value], type=proto)
                )
        return self.graph

    def _output_name(self, value: SSAValue) -> str:
        """The value's own name, or the name of a copy if it is an input or is returned twice."""
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
        """`name`, with `_` appended until no value has it; taken from then on."""
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
        self.sources[node.name] = op
        node.input.extend("" if v is None else self.names[v] for v in op.inputs)
        for result in op.results:
            node.output.append("" if isinstance(result.type, NoneType) else self.define(result))
        captured = {name: self.names[value] for name, value in op.captured.items()}
        for proto in self.protos[op]:
            for graph in [proto.g] if proto.HasField("g") else proto.graphs:
                rename_captures(graph, captured)
            node.attribute.append(proto)
        if needs_rows(op):
            add_rows(node, self.graph, self._free)
        add_batches_of(op, node, self.graph, self._free)
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
