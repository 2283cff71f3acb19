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

Constants become `program.data`; reshapes, squeezes and unsqueezes become views; a
`snippets.subgraph` becomes a node with its ops, and any other op a node of its own. The stage is
`topology` if every node is one op, `fused` if there are subgraphs, and `selected` if there are
calls of kernels: a `lir.call` has the implementation `snippets`, ops for an engine have
`onnxruntime`, and the rest `reference`. The id of an `onnx.node` is its name in the model, and the
id of a constant by reference is its key. Any other op has the name of its first value in the text,
else of the op; a number makes it unique. The other attributes of the function stay on the graph. If
a node was a subgraph, its `origin` has the names of its ops.

With `lowered=true` the kernels already exist, and no other op becomes one: the stage is `selected`
even without a call. Ops that one session of onnxruntime can compute become one node, as
`program-lower-implementations` would make it from their nodes.

The function is `entry`, else `main`, else the only public one. A module that already has a graph
stays. Refuses a module with neither, control flow, and a function with both subgraphs and calls of
kernels.
"""

# No annotations from __future__: xDSL reads the options of passes from these.

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region, SSAValue

from snippets_mlir.dialects.program.graph import GraphOp, OutputOp, find_graph
from snippets_mlir.dialects.program.host import body_of, find_host_function, interface_names
from snippets_mlir.dialects.program.node import NodeOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.plans import PlanPass
from snippets_mlir.passes.program.host_nodes import converted, session_node, values_of
from snippets_mlir.passes.program.host_plan import HostPlan, plan_of


def build_graph(function: FuncOp, plan: HostPlan) -> GraphOp:
    """The program of a host function by a plan; the ops of the function move into it."""
    inputs, outputs = interface_names(function)
    source = body_of(function)
    last = source.last_op
    block = Block(arg_types=source.arg_types)
    values: dict[SSAValue, SSAValue] = dict(zip(source.args, block.args, strict=True))
    for step in plan.steps:
        op, location = step.ops[0], step.ops[0].location
        if len(step.ops) > 1:
            made = session_node(step.ids, step.ops, values)
            if made is None:
                continue
        else:
            made = converted(op, step.ids[0], values)
            values.update(zip(values_of(op), made.results, strict=True))
        made.location = location
        if step.impl is not None and isinstance(made, NodeOp):
            made.set_impl(step.impl)
        block.add_op(made)
    assert isinstance(last, ReturnOp)
    block.add_op(OutputOp([values[v] for v in last.operands], outputs))
    for old, new in values.items():
        new.name_hint = old.name_hint
    graph = GraphOp(function.sym_name.data, plan.stage, inputs, Region(block))
    graph.attributes.update(function.attributes)
    graph.location = function.location
    return graph


def graph_of(function: FuncOp, *, lowered: bool = False) -> GraphOp:
    """The program of a host function, with the function's ops; see the module for `lowered`."""
    return build_graph(function, plan_of(function, lowered=lowered))


@dataclass(frozen=True)
class ConvertHostToProgramPass(PlanPass[FuncOp, HostPlan]):
    """Turn the host function into a `program.graph`."""

    name = "convert-host-to-program"
    STAGES: ClassVar[Stages] = Stages(("graph", "subgraphs", "llvm"), "topology")
    MIXES_CLASSES: ClassVar[bool] = False

    entry: str = ""
    lowered: bool = False

    def units(self, module: ModuleOp) -> Iterable[FuncOp]:
        """The host function; nothing if the program is a graph."""
        entry = self.entry or None
        return [] if find_graph(module, entry) is not None else [find_host_function(module, entry)]

    def plan(self, unit: FuncOp) -> HostPlan:
        """The nodes of the graph, and its stage."""
        return plan_of(unit, lowered=self.lowered)

    def carry_out(self, unit: FuncOp, plan: HostPlan) -> None:
        """Replace the function by the graph."""
        graph = build_graph(unit, plan)
        block = unit.parent
        assert block is not None
        block.insert_op_before(graph, unit)
        unit.detach()
        unit.erase(safe_erase=False)  # its remaining ops read moved ones
