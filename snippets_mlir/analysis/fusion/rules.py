"""The groups of a fusion graph: TVM's three phases with every condition.

Each phase visits the nodes in index order. A node is fused with everything up to its immediate
post-dominator, if its kind, the kinds on all paths between them and the limits allow it:

* phase 0: elementwise ops after a complex op are fused into it; elementwise and broadcast ops go
  into their successors;
* phase 1: elementwise and broadcast ops again, then injective ops and tuples go into injective ops;
* phase 2: ops up to injective go into tuples that phase 1 has put into a group.

Source: TVM's FuseOps.
"""

from __future__ import annotations

from dataclasses import dataclass

from snippets_mlir.analysis.fusion.arguments import ArgumentLimit
from snippets_mlir.analysis.fusion.graph import FusionGraph
from snippets_mlir.analysis.fusion.groups import FusionGroups, Group
from snippets_mlir.analysis.fusion.post_dominators import PostDominators
from snippets_mlir.dialects.snippets.pattern_kinds import PatternKind

MAX_FUSED_NODES = 256
PHASES = (0, 1, 2)

_SINKS = (
    PatternKind.ELEMWISE,
    PatternKind.BROADCAST,
    PatternKind.INJECTIVE,
    PatternKind.COMM_REDUCE,
    PatternKind.OUT_ELEMWISE_FUSABLE,
)


@dataclass(frozen=True)
class FusionOptions:
    """How far fusion goes.

    Attributes:
        level: 0 fuses nothing, any higher level runs all phases.
        max_depth: most nodes of a group.
        max_arguments: most arguments of a fused function; 0 is unlimited.
    """

    level: int = 2
    max_depth: int = MAX_FUSED_NODES
    max_arguments: int = 0


class Fusion:
    """The outcome for a graph: `tree` and `groups`; `visits` counts the steps of all parts."""

    def __init__(self, graph: FusionGraph, options: FusionOptions) -> None:
        self.graph, self.options = graph, options
        self.tree = PostDominators(graph)
        self.groups = FusionGroups(graph)
        self.arguments = ArgumentLimit(graph, self.groups, options.max_arguments)
        for phase in PHASES if options.level > 0 else ():
            for node in graph.nodes:
                self._retry(node.index)
                self._visit(node.index, phase)

    @property
    def visits(self) -> int:
        """Steps of the tree, the groups and the arguments."""
        return self.tree.visits + self.groups.visits + self.arguments.visits

    def _retry(self, index: int) -> None:
        """Fuse the sources postponed to this node, if its arguments allow it.

        The rules are not checked again. If groups have grown so that two complex ops would meet,
        which stops TVM with an internal error, the fusion is abandoned.
        """
        for source in self.arguments.due(index):
            if self.arguments.count(index) <= self.arguments.spare(index):
                sink = self.tree.nodes[source].parent
                assert sink is not None
                free = self.groups.records[sink].anchor is None
                if free and self.groups.keeps_one_anchor(source, sink):
                    self.groups.commit(source, sink)

    def _visit(self, index: int, phase: int) -> None:
        group, sink = self.groups.records[index], self.tree.nodes[index].parent
        if group.pattern is PatternKind.OPAQUE or sink is None:
            return
        if self.groups.exceeds(index, sink, self.options.max_depth):
            return
        may_fuse, open_node = self.arguments.may_fuse(index)
        if not may_fuse:
            return
        rule = self._joins_tuple if phase == 2 else self._joins
        if rule(index, sink, group, phase):
            if open_node is not None:
                self.arguments.postpone(index, open_node)
            else:
                self.groups.commit(index, sink)

    def _joins_tuple(self, index: int, sink: int, group: Group, phase: int) -> bool:
        """Phase 2: into a tuple that is a part of an injective group."""
        is_tuple = self.groups.records[sink].pattern is PatternKind.TUPLE
        absorbed = self.groups.root(sink).pattern <= PatternKind.INJECTIVE
        if group.pattern > PatternKind.INJECTIVE or not (is_tuple and absorbed):
            return False
        return self.groups.check_path(index, sink, _is_injective)

    def _joins(self, index: int, sink: int, group: Group, phase: int) -> bool:
        """Phases 0 and 1, by the kind of the node."""
        same = self.groups.find(index) == self.groups.find(sink)
        if same or self.groups.records[sink].pattern is PatternKind.TUPLE:
            return False
        way = self.tree.nodes[index].pattern
        match group.pattern:
            case PatternKind.OUT_ELEMWISE_FUSABLE:
                if phase != 0 or way is not PatternKind.ELEMWISE:
                    return False
                return self.groups.check_path(index, sink, _is_broadcast)
            case PatternKind.ELEMWISE | PatternKind.BROADCAST:
                if way > PatternKind.INJECTIVE and way is not PatternKind.COMM_REDUCE:
                    return False
                return self.groups.check_path(index, sink, _is_injective_up_to_sink)
            case PatternKind.INJECTIVE | PatternKind.TUPLE:
                return phase == 1 and self.groups.check_path(index, sink, _is_injective)
            case _:
                return False


def _is_broadcast(kind: PatternKind, is_sink: bool) -> bool:
    return kind <= PatternKind.BROADCAST


def _is_injective(kind: PatternKind, is_sink: bool) -> bool:
    return kind <= PatternKind.INJECTIVE


def _is_injective_up_to_sink(kind: PatternKind, is_sink: bool) -> bool:
    return kind in _SINKS if is_sink else kind <= PatternKind.INJECTIVE
