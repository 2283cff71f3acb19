"""Plan which groups of operator fusion become subgraphs, without a change to the IR.

A group becomes a subgraph if it has a computing op. Constants and tuples alone stay, and so does a
`snippets.tuple_get` of a tuple in another group. A group with one computing op (it may also hold
constants) becomes a subgraph only if `wrap_single` is set and the op may move. Source: TVM's
FuseOps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import Block, Operation, SSAValue

from snippets_mlir.analysis.fusion.graph import Node, Role
from snippets_mlir.analysis.fusion.graph_of import fusion_graph_of
from snippets_mlir.analysis.fusion.kinds import is_on_tensors, may_move
from snippets_mlir.analysis.fusion.rules import Fusion, FusionOptions
from snippets_mlir.dialects.snippets.fusion import StopFusionOp, TupleGetOp, TupleOp
from snippets_mlir.dialects.snippets.pattern_kinds import Flavor
from snippets_mlir.passes.building.graph import op_text
from snippets_mlir.support.walking import used_outside


@dataclass(frozen=True)
class FusedGroup:
    """The ops of one future subgraph.

    Attributes:
        members: in index order; the last one computes the results.
        calls: the computing members: no constants, no tuples.
    """

    members: tuple[Operation, ...]
    calls: tuple[Operation, ...]


@dataclass(frozen=True)
class FusedBlock:
    """The plan for a block: its groups, and the `stop_fusion` ops that disappear."""

    groups: tuple[FusedGroup, ...]
    stops: tuple[StopFusionOp, ...]


@dataclass(frozen=True)
class FusedGraph:
    """The plan for a module; its blocks share names."""

    blocks: tuple[FusedBlock, ...]

    def __str__(self) -> str:
        groups = (group for block in self.blocks for group in block.groups)
        lines = ["subgraph of " + ", ".join(map(op_text, group.members)) for group in groups]
        return "\n".join(lines) or "no ops are fused"


def plan_groups(
    block: Block, flavor: Flavor, options: FusionOptions, *, wrap_single: bool
) -> tuple[FusedGroup, ...]:
    """The groups of `block`, in the order of their last ops in the graph."""
    graph = fusion_graph_of(block, flavor)
    fusion = Fusion(graph, options)
    found: list[FusedGroup] = []
    for root, indices in fusion.groups.members().items():
        nodes = [graph.nodes[i] for i in indices]
        last = graph.nodes[fusion.groups.records[root].root_node]
        members = [n.ref for n in nodes if isinstance(n.ref, Operation)]
        calls = [n.ref for n in nodes if n.role is Role.CALL and isinstance(n.ref, Operation)]
        if _is_wanted(nodes, calls, wrap_single=wrap_single):
            assert members[-1] is last.ref, "the root of a group is its last node"
            found.append(FusedGroup(tuple(members), tuple(calls)))
    return tuple(found)


def _is_wanted(nodes: Sequence[Node], calls: Sequence[Operation], *, wrap_single: bool) -> bool:
    if len(calls) > 1:
        return True
    if not calls:
        return len(nodes) > 1 and nodes[-1].role is Role.GET
    alone = len(nodes) == 1 or all(n.role in (Role.CALL, Role.CONSTANT) for n in nodes)
    if not alone:
        return True
    (op,) = calls
    is_op = not isinstance(op, StopFusionOp) and bool(op.results)
    return wrap_single and is_op and may_move(op) and is_on_tensors(op)


def parameters_of(group: FusedGroup) -> list[SSAValue]:
    """The outside operands of the members, each once: members in order, operands left to right."""
    inside = set(group.members)
    read = (value for op in group.members for value in op.operands)
    return list(dict.fromkeys(value for value in read if value.owner not in inside))


def results_of(group: FusedGroup) -> list[SSAValue]:
    """The values that are used outside; all results of the last op if there are none."""
    used = used_outside(group.members, set(group.members))
    return used or list(group.members[-1].results)


def computing_names(group: FusedGroup) -> Sequence[Operation]:
    """The ops that a group is named after: its computing ops, else its tuples."""
    tuples = [op for op in group.members if isinstance(op, TupleOp | TupleGetOp)]
    return group.calls or tuples
