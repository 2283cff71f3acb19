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
The other attributes of the function stay on the graph. `origin` of a node that was a subgraph has
the names of its ops.

With `lowered=true` the kernels are made, and no other op becomes one: the stage is `selected` even
without a call, and what one session of onnxruntime can compute is one node, as
`program-lower-implementations` would make it of the nodes of its ops.

The function is `entry`, else `main`, else the only public one. A module whose program is a graph
already stays as it is. Refuses a module with neither, control flow, and a function with both
subgraphs and calls of kernels.
"""

# No annotations from __future__: xDSL reads the options of passes from these.

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue

from snippets_mlir.dialects.lir.call import CallOp
from snippets_mlir.dialects.onnx.ops import NodeOp as OnnxNodeOp
from snippets_mlir.dialects.program.attributes import Impl
from snippets_mlir.dialects.program.graph import GraphOp, OutputOp, find_graph
from snippets_mlir.dialects.program.host import body_of, find_host_function, interface_names
from snippets_mlir.dialects.program.node import NodeOp
from snippets_mlir.dialects.snippets.engine_forms import runs_in_engine
from snippets_mlir.dialects.snippets.subgraph import SubgraphOp
from snippets_mlir.passes.base import Form, Pass, Stages
from snippets_mlir.passes.building.names import base_name
from snippets_mlir.passes.building.programs import Ids
from snippets_mlir.passes.building.sessions import sessions_of
from snippets_mlir.passes.program.host_nodes import converted, session_node, values_of
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.walking import operands_within


def is_engine_op(op: Operation) -> bool:
    """Whether onnxruntime runs an op of a function whose kernels are made."""
    return isinstance(op, OnnxNodeOp) or runs_in_engine(op)


def implementation_of(op: Operation) -> Impl:
    """What runs a step of a function whose kernels are made."""
    if isinstance(op, CallOp):
        return Impl("snippets", op.callee.string_value())
    return Impl("onnxruntime" if is_engine_op(op) else "reference")


def steps_in_order(
    ops: Sequence[Operation], sessions: Iterable[Sequence[Operation]]
) -> list[Sequence[Operation]]:
    """The ops of a block as steps, each after what it reads, else in the order of the text.

    A session is one step, any other op is one by itself. No path leaves a session and comes back.
    """
    step_with: dict[Operation, Sequence[Operation]] = {op: (op,) for op in ops}
    step_with.update((op, session) for session in sessions for op in session)
    order: dict[Operation, Sequence[Operation]] = {}  # by the first op of each step
    for first in ops:
        stack = [step_with[first]]
        while stack:
            step = stack[-1]
            missing: list[Sequence[Operation]] = []
            for op in step if step[0] not in order else ():
                for value in operands_within(op):
                    needed = step_with.get(cast("Operation", value.owner), step)
                    if needed is not step and needed[0] not in order:
                        missing.append(needed)
            if missing:
                stack.extend(reversed(missing))
                continue
            order.setdefault(step[0], step)
            stack.pop()
    return list(order.values())


def graph_of(function: FuncOp, *, lowered: bool = False) -> GraphOp:
    """The program of a host function, whose ops move into it; see the module for `lowered`."""
    inputs, outputs = interface_names(function)
    source = body_of(function)
    ops = list(source.ops)
    has_calls = any(isinstance(op, CallOp) for op in ops)
    is_lowered = has_calls or lowered
    is_fused = any(isinstance(op, SubgraphOp) for op in ops)
    if is_lowered and is_fused:
        expected = "subgraphs or calls of kernels" if has_calls else "no subgraphs"
        raise CompileError(
            f"@{function.sym_name.data}: expected {expected}, "
            f"found {'both' if has_calls else 'some'}",
            **position_of(function),
        )
    block = Block(arg_types=source.arg_types)
    values: dict[SSAValue, SSAValue] = dict(zip(source.args, block.args, strict=True))
    ids = Ids(inputs)
    last = ops.pop()
    names = {op: ids.fresh(base_name(op)) for op in ops}
    for step in steps_in_order(ops, sessions_of(ops, is_engine_op)) if lowered else zip(ops):
        op, location = step[0], step[0].location
        if len(step) > 1:
            made = session_node([names[member] for member in step], step, values)
            if made is None:
                continue
        else:
            made = converted(op, names[op], values)
            values.update(zip(values_of(op), made.results, strict=True))
        made.location = location
        if is_lowered and isinstance(made, NodeOp):
            made.set_impl(implementation_of(op))
        block.add_op(made)
    assert isinstance(last, ReturnOp)
    block.add_op(OutputOp([values[v] for v in last.operands], outputs))
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
    MIXES_CLASSES: ClassVar[bool] = False

    entry: str = ""
    lowered: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Replace the function by the graph."""
        if find_graph(op, self.entry or None) is not None:
            return
        function = find_host_function(op, self.entry or None)
        graph = graph_of(function, lowered=self.lowered)
        op.body.block.insert_op_before(graph, function)
        function.detach()
        function.erase(safe_erase=False)  # what is left of it reads what has moved
