"""Lower nodes to their implementations: bodies of kernels, regions of onnxruntime.

    %0 = program.node "c0" (...) impl<"onnxruntime"> { onnx.node "Conv" }
    %1 = program.node "c1" (...) impl<"onnxruntime"> { onnx.node "Conv" }
    %2 = program.node "r0" (%a = %1) impl<"snippets"> : (...) -> ... {
      %3 = snippets.relu %a
      program.yield %3
    }

becomes

    %0, %1 = program.node "c0" (...) impl<"onnxruntime"> origin ["c0", "c1"] {...}
    %2 = program.node "r0" (%a = %1) impl<"snippets"> : (...) -> ... {
      %3 = snippets.subgraph (%b = %a) ... {sym_name = "r0"} {
        %4 = snippets.relu %b
        snippets.yield %4
      }
      program.yield %3
    }

The ops of a `snippets` node become a `snippets.subgraph` in the node, and the passes of
`snippets-to-lir` lower it afterwards; `convert-snippets-to-lir` leaves a `lir.call` in its place,
and the name of the kernel in `impl`. Nodes of onnxruntime become one node if one session can
compute them together (`dialects/program/levels.py`). It has the name of the first one, and `origin`
names all. A session has one version of each operator domain, and our ops only from opset 7 of ONNX
on: it is split where nodes differ. Our ops in sessions are marked `snippets.skipped`. A node on
constants alone joins the session that reads it.

Options: `merge` (true): whether nodes of onnxruntime are merged.

A graph with planned memory keeps its nodes and their order: its kernels get their subgraphs, and no
sessions are merged. Refuses a graph before the stage `selected`.
"""

# No annotations from __future__: xDSL reads the options of passes from these.

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Block, Operation, Region, SSAValue

from snippets_mlir.dialects.lir.call import CallOp
from snippets_mlir.dialects.onnx.ops import NodeOp as OnnxNodeOp
from snippets_mlir.dialects.program.graph import GraphOp, graphs_of
from snippets_mlir.dialects.program.node import NodeOp
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.subgraph import SubgraphOp
from snippets_mlir.dialects.snippets.subgraph import YieldOp as SubgraphYieldOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.building.programs import merge_nodes, sort_graph
from snippets_mlir.passes.building.sessions import sessions_of
from snippets_mlir.passes.plans import PlanPass
from snippets_mlir.support.attribute_names import SKIPPED
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError


@dataclass(frozen=True)
class Lowering:
    """The plan for the nodes of a graph.

    Attributes:
        regions: the nodes of each session, in processing order.
        kernels: the nodes that become subgraphs.
    """

    regions: tuple[tuple[NodeOp, ...], ...]
    kernels: tuple[NodeOp, ...]

    def __str__(self) -> str:
        sessions = [f"session of {_ids(region)}" for region in self.regions]
        return "\n".join([*sessions, *(f"kernel of {_ids([node])}" for node in self.kernels)])


def _ids(nodes: Iterable[NodeOp]) -> str:
    return ", ".join(f'"{node.id.data}"' for node in nodes)


def is_engine_node(op: Operation) -> bool:
    """Whether onnxruntime runs the node."""
    return isinstance(op, NodeOp) and op.kind == "onnxruntime"


def regions_of(graph: GraphOp) -> list[tuple[NodeOp, ...]]:
    """The maximal convex sets of nodes that onnxruntime runs, each in processing order."""
    return [
        tuple(op for op in session if isinstance(op, NodeOp))
        for session in sessions_of(graph.block.ops, is_engine_node)
    ]


def wrap_body(node: NodeOp) -> None:
    """Turn the ops of a node's body into a subgraph; its kernel has the name of the node."""
    results = node.results_inside
    inner = Block(arg_types=[v.type for v in node.inputs])
    for old, new in zip(node.block.args, inner.args, strict=True):
        new.name_hint = old.name_hint
        old.replace_all_uses_with(new)
    yielded = [_inside(v, node, inner) for v in results]
    last = node.block.last_op
    assert last is not None
    for op in list(node.block.ops)[:-1]:
        op.detach()
        inner.add_op(op)
    inner.add_op(SubgraphYieldOp(yielded))
    subgraph = SubgraphOp(node.block.args, [v.type for v in yielded], Region(inner))
    subgraph.location = node.location
    subgraph.attributes["sym_name"] = StringAttr(symbol_of(node.id.data))
    node.block.insert_op_before(subgraph, last)
    for index, value in enumerate(subgraph.outputs):
        last.operands[index] = value


def _inside(value: SSAValue, node: NodeOp, inner: Block) -> SSAValue:
    """The value in the subgraph for a result of a body."""
    return inner.args[value.index] if value in node.block.args else value  # pyright: ignore


def symbol_of(id: str) -> str:
    """An id as a symbol that LLVM and assemblers accept."""
    name = re.sub(r"\W", "_", id, flags=re.ASCII)
    return f"k_{name}" if not name or name[0].isdigit() else name


@dataclass(frozen=True)
class ProgramLowerImplementationsPass(PlanPass[GraphOp, Lowering]):
    """Lower nodes to their implementations."""

    name = "program-lower-implementations"
    STAGES: ClassVar[Stages] = Stages(("selected",))

    merge: bool = True

    def units(self, module: ModuleOp) -> Iterable[GraphOp]:
        """The graphs, all at the stage `selected` or later."""
        for graph in graphs_of(module):
            if not graph.reached("selected"):
                raise CompileError(
                    f'@{graph.sym_name.data}: expected stage "selected" or later, found '
                    f'"{graph.stage.data}"; run program-select-implementations before',
                    **position_of(graph),
                )
            yield graph

    def plan(self, unit: GraphOp) -> Lowering:
        """The sessions, and the nodes that become subgraphs."""
        kernels = [
            node
            for node in unit.nodes
            if node.kind == "snippets"
            and not any(isinstance(op, CallOp | SubgraphOp) for op in node.block.ops)
        ]
        merges = self.merge and not unit.reached("planned")
        regions = regions_of(unit) if merges else [(n,) for n in unit.nodes if is_engine_node(n)]
        return Lowering(tuple(regions), tuple(kernels))

    def carry_out(self, unit: GraphOp, plan: Lowering) -> None:
        """Merge the nodes of each session, and make the subgraphs."""
        for node in plan.kernels:
            wrap_body(node)
        for region in plan.regions:
            for op in (op for node in region for op in node.block.ops):
                if isinstance(op, ComputeOp) and not isinstance(op, OnnxNodeOp):
                    op.attributes.setdefault(SKIPPED, StringAttr("onnxruntime runs it"))
            if len(region) > 1:
                merge_nodes(region, region[0].id.data)
        if not unit.reached("planned"):  # its memory plan is valid only for this order
            sort_graph(unit)
