"""Turn the host function into a `program.graph`.

    func.func @main(%x: tensor<2x4xf32> {snippets.name = "x"}) -> tensor<8xf32> {
      %w = snippets.constant dense<1.0> : tensor<4xf32>
      %0 = snippets.add %x, %w : tensor<2x4xf32>
      %1 = snippets.reshape %0 : (tensor<2x4xf32>) -> tensor<8xf32>
      func.return %1 : tensor<8xf32>
    }

becomes

    program.graph @main "topology" (%x "x": tensor<2x4xf32>) {
      %w = program.data "w" dense<1.0> : tensor<4xf32>
      %0 = program.node "add" (%a = %x, %b = %w) : (...) -> tensor<2x4xf32> {
        %2 = snippets.add %a, %b : tensor<2x4xf32>
        program.yield %2 : tensor<2x4xf32>
      }
      %1 = program.view "reshape" (%0) : tensor<2x4xf32> -> tensor<8xf32>
      program.output %1 as "out0" : tensor<8xf32>
    }

Constants become `program.data`; reshapes, squeezes and unsqueezes views; a `snippets.subgraph` a
node with its ops; any other op a node of its own. The stage is `topology` if every node is one op,
`fused` if there are subgraphs, and `selected` if there are calls of kernels: a `lir.call` has the
implementation `snippets`, ops for an engine `onnxruntime`, and the rest `reference`. The id of an
`onnx.node` is its name in the model, that of a constant by reference its key, that of any other op
the name of its first value in the text, else of the op; a number makes it unique.
The other attributes of the function stay on the graph.

The function is `entry`, else `main`, else the only public one. A module whose program is a graph
already stays as it is. Refuses a module with neither, control flow, and a function with both
subgraphs and calls of kernels.
"""

# No annotations from __future__: xDSL reads the options of passes from these.

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import Rewriter

from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.lir.call import CallOp
from snippets_mlir.dialects.onnx.ops import NodeOp as OnnxNodeOp
from snippets_mlir.dialects.program.attributes import Impl
from snippets_mlir.dialects.program.data import DataOp, ViewOp
from snippets_mlir.dialects.program.graph import GraphOp, OutputOp, find_graph
from snippets_mlir.dialects.program.host import body_of, find_host_function, interface_names
from snippets_mlir.dialects.program.node import NodeOp, YieldOp
from snippets_mlir.dialects.snippets.attributes import ResourceAttr
from snippets_mlir.dialects.snippets.constants import ConstantOp, Dense, ScalarOp
from snippets_mlir.dialects.snippets.engine_forms import runs_in_engine
from snippets_mlir.dialects.snippets.folding import dense_of_scalar
from snippets_mlir.dialects.snippets.layout import LayoutOp, is_view, view_dims
from snippets_mlir.dialects.snippets.subgraph import SubgraphOp
from snippets_mlir.dialects.snippets.subgraph import YieldOp as SubgraphYieldOp
from snippets_mlir.passes.base import Form, Pass, Stages
from snippets_mlir.passes.building.programs import Ids
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.walking import operands_within


def base_name(op: Operation) -> str:
    """What an op is called before its name is made unique."""
    hint = op.results[0].name_hint if op.results else None
    match op:
        case OnnxNodeOp() if op.node_name is not None and op.node_name.data:
            return op.node_name.data
        case ConstantOp() if isinstance(op.value, ResourceAttr):
            return op.value.key.data
        case OnnxNodeOp():
            return hint or op.op_type.data
        case CallOp():
            return hint or op.callee.string_value()
        case _:
            return hint or op.name.split(".")[-1]


def node_of(id: str, op: Operation, values: Mapping[SSAValue, SSAValue]) -> NodeOp:
    """A node that computes what `op` does, which moves into it, on `values` of its operands."""
    if isinstance(op, SubgraphOp):
        reads, body = list(op.operands), op.detach_region(op.body)
        last = body.block.last_op
        assert isinstance(last, SubgraphYieldOp)
        Rewriter.replace_op(last, YieldOp(last.values), [])
    else:
        reads = operands_within(op)
        block = Block(arg_types=[v.type for v in reads])
        arguments = dict(zip(reads, block.args, strict=True))
        for value, argument in arguments.items():
            argument.name_hint = value.name_hint
        op.detach()
        for inner in op.walk():
            for index, operand in enumerate(inner.operands):
                inner.operands[index] = arguments.get(operand, operand)
        block.add_ops([op, YieldOp(op.results)])
        body = Region(block)
    return NodeOp(id, [values[v] for v in reads], [r.type for r in op.results], body)


def _converted(op: Operation, id: str, values: Mapping[SSAValue, SSAValue]) -> Operation:
    """What stands for `op` in the graph; only a node takes `op` over."""
    match op:
        case ConstantOp():
            return DataOp(id, cast("Dense | ResourceAttr", op.value), op.result.type)
        case ScalarOp():
            type_ = tensor_of(op.result)
            return DataOp(id, dense_of_scalar(op.value, type_), type_)
        case LayoutOp() if is_view(op):
            dims = view_dims(op)
            known = None if dims is None else [-1 if d is None else d for d in dims]
            return ViewOp(id, values[op.operand], op.result.type, known)
        case _:
            return node_of(id, op, values)


def implementation_of(op: Operation) -> Impl:
    """What runs a step of a function whose kernels are made."""
    if isinstance(op, CallOp):
        return Impl("snippets", op.callee.string_value())
    return Impl("onnxruntime" if isinstance(op, OnnxNodeOp) or runs_in_engine(op) else "reference")


def graph_of(function: FuncOp) -> GraphOp:
    """The program of a host function, whose ops move into it."""
    inputs, outputs = interface_names(function)
    source = body_of(function)
    ops = list(source.ops)
    is_lowered = any(isinstance(op, CallOp) for op in ops)
    is_fused = any(isinstance(op, SubgraphOp) for op in ops)
    if is_lowered and is_fused:
        raise CompileError(
            f"@{function.sym_name.data}: expected subgraphs or calls of kernels, found both",
            **position_of(function),
        )
    block = Block(arg_types=source.arg_types)
    values: dict[SSAValue, SSAValue] = dict(zip(source.args, block.args, strict=True))
    ids = Ids(inputs)
    for op in ops:
        if isinstance(op, ReturnOp):
            block.add_op(OutputOp([values[v] for v in op.operands], outputs))
            break
        made = _converted(op, ids.fresh(base_name(op)), values)
        made.location = op.location
        if is_lowered and isinstance(made, NodeOp):
            made.set_impl(implementation_of(op))
        values.update(zip(op.results, made.results, strict=True))
        block.add_op(made)
    for old, new in values.items():
        new.name_hint = old.name_hint
    stage = "selected" if is_lowered else "fused" if is_fused else "topology"
    graph = GraphOp(function.sym_name.data, stage, inputs, Region(block))
    graph.attributes.update(function.attributes)
    graph.location = function.location
    return graph


@dataclass(frozen=True)
class ConvertHostToProgramPass(Pass):
    """Turn the host function into a `program.graph`."""

    name = "convert-host-to-program"
    FORM: ClassVar[Form] = "conversion"
    STAGES: ClassVar[Stages] = Stages(("graph", "subgraphs", "llvm"), "topology")

    entry: str = ""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Replace the function by the graph."""
        if find_graph(op, self.entry or None) is not None:
            return
        function = find_host_function(op, self.entry or None)
        graph = graph_of(function)
        op.body.block.insert_op_before(graph, function)
        function.detach()
        function.erase(safe_erase=False)  # what is left of it reads what has moved
