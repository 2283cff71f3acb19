"""Fuse elementwise nodes that read one another into one node.

    %0 = program.node "sum" (%a = %x, %b = %y) {...}       snippets.add
    %1 = program.node "relu" (%a = %0) {...}               snippets.relu
    program.output %1 as "z"

becomes

    %0 = program.node "relu" (%a = %x, %b = %y) origin ["sum", "relu"] {...}
    program.output %0 as "z"

A node joins a group only if no other nodes read it. So every value that others read stays a result
with its name, and nothing is computed twice. A group ends in one node, and every path out of the
group goes through it, so a group never waits for itself. Afterwards the graph is at the stage
`fused`.

A node is fused if its ops are elementwise and kernels support all of them, if no other row of the
registry comes first, and if it has one result, no implementation yet, and the shape of the node
that ends the group. `max-ops` (default 16; 0: nothing is fused) is the most ops of a group. The
pass does not fuse reductions, transposes and products: `snippets-tokenize` does, before
`convert-host-to-program`.

Options: `force`, as in `program-select-implementations`; a node stays if another kind than
`snippets` is forced for it.

`off`: kinds of ops that are not fused, with commas between: `bias` (an add of a constant), `sum`
(any other add), or names of ops, such as `relu`. A node that has such an op stays alone. Refuses a
kind that does not exist.

A graph at the stage `selected` or later does not change.
"""

# No annotations from __future__: xDSL reads the options of passes from these.

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from xdsl.ir import Operation

from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.program.graph import GraphOp
from snippets_mlir.dialects.program.node import NodeOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.building.forcing import forced_kinds
from snippets_mlir.passes.building.programs import merge_nodes, sort_graph
from snippets_mlir.passes.program.elementwise_nodes import why_not_fused
from snippets_mlir.passes.program.fusing_kinds import check_kinds, kinds_of
from snippets_mlir.passes.program.graph_passes import UnselectedPlanPass
from snippets_mlir.support.errors import CompileError
from snippets_mlir.targets.implementations.registry import computing_ops


@dataclass(frozen=True)
class Groups:
    """The groups of fused nodes.

    Attributes:
        members: the nodes of each group of two or more, in the order of the text; the last one
            gives the name.
        alone: the other nodes, each with the reason why it is not fused into its reader.
    """

    members: tuple[tuple[NodeOp, ...], ...]
    alone: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        names = (", ".join(f'"{node.id.data}"' for node in group) for group in self.members)
        lines = [f"fused: {group}" for group in names]
        return "\n".join([*lines, *(f'"{id}" stays: {why}' for id, why in self.alone)])


@dataclass(frozen=True)
class ProgramFusePrimitivesPass(UnselectedPlanPass[Groups]):
    """Fuse elementwise nodes that read one another into one node."""

    name = "program-fuse-primitives"
    STAGES: ClassVar[Stages] = Stages(("topology", "fused"), "fused")

    max_ops: int = 16
    force: str = ""
    off: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a limit below 0, and kinds that do not exist."""
        check_kinds(self.off)
        if self.max_ops < 0:
            raise CompileError(f"max-ops: expected 0 or more, found {self.max_ops}")

    def plan(self, unit: GraphOp) -> Groups:
        """The groups: each node joins the one group that reads it, from the end of the text on."""
        groups: dict[Operation, list[NodeOp]] = {}  # a node -> those of its group, the last first
        alone: dict[NodeOp, str] = {}
        forced = forced_kinds(unit.nodes, self.force)
        barred = {
            node: self._why_off(node) or why_not_fused(node, forced.get(node.id.data))
            for node in unit.nodes
        }
        for node in reversed(unit.nodes):
            why, group = self.group_for(node, groups, barred)
            if why is not None:
                alone[node] = why
            group.append(node)
            groups[node] = group
        found = {id(group): group for group in groups.values() if len(group) > 1}
        return Groups(
            tuple(tuple(reversed(group)) for group in reversed(found.values())),
            tuple((node.id.data, why) for node, why in reversed(alone.items())),
        )

    def _why_off(self, node: NodeOp) -> str | None:
        """The kind of its ops that is left out of fusing, as a reason."""
        found = kinds_of(node) if self.off else set[str]()
        return next((f"{kind} is off" for kind in self.off if kind in found), None)

    def group_for(
        self,
        node: NodeOp,
        groups: Mapping[Operation, list[NodeOp]],
        barred: Mapping[NodeOp, str | None],
    ) -> tuple[str | None, list[NodeOp]]:
        """The group that a node joins; why it joins none, and a new group."""
        if (why := barred[node]) is not None:
            return why, []
        (result,) = node.outputs
        readers = {use.operation for use in result.uses}
        for reader in readers:
            if not isinstance(reader, NodeOp):
                return f"{reader.name} reads it", []
        of_readers = {id(groups[reader]): groups[reader] for reader in readers}
        if len(of_readers) != 1:
            return f"{len(of_readers)} nodes read it", []
        (group,) = of_readers.values()
        last = group[0]
        if (why := barred[last]) is not None:
            return f'"{last.id.data}" reads it: {why}', []
        if shape_of(result) != shape_of(last.outputs[0]):
            return f'"{last.id.data}" has another shape', []
        if sum(len(list(computing_ops(member))) for member in (node, *group)) > self.max_ops:
            return f"more than {self.max_ops} ops", []
        return None, group

    def carry_out(self, unit: GraphOp, plan: Groups) -> None:
        """Merge the nodes of each group."""
        for group in plan.members:
            merge_nodes(group, group[-1].id.data)
        sort_graph(unit)
        unit.set_stage("fused")
