"""The groups of operator fusion: union-find with the facts that the rules need.

Every node has its own record; the record of a group's root is also the record of the group. The
rules sometimes use the own record and sometimes the root's, like TVM's rules. Source: TVM's
FuseOps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from snippets_mlir.analysis.fusion.graph import FusionGraph
from snippets_mlir.dialects.snippets.pattern_kinds import PatternKind


@dataclass(eq=False)
class Group:
    """A record.

    Attributes:
        parent: the next record on the way to the root; the record itself if it is the root.
        root_node: the node of the record: for a root, the group's last node.
        pattern: the kind.
        anchor: the complex op that the group is built around, or None.
        node_count: how many nodes are in the group.
        argument_count: how many arguments it has.
    """

    parent: int
    root_node: int
    pattern: PatternKind
    anchor: int | None
    node_count: int
    argument_count: int


class FusionGroups:
    """One record for each node, merged by `commit`; `visits` counts steps."""

    def __init__(self, graph: FusionGraph) -> None:
        self.graph = graph
        self.visits = 0
        complex_kind = PatternKind.OUT_ELEMWISE_FUSABLE
        self.records = [
            Group(
                parent=node.index,
                root_node=node.index,
                pattern=node.pattern,
                anchor=node.index if node.pattern is complex_kind else None,
                node_count=1,
                argument_count=node.argument_count,
            )
            for node in graph.nodes
        ]

    def find(self, index: int) -> int:
        """The index of the root record of the group of a node."""
        root = index
        while self.records[root].parent != root:
            self.visits += 1
            root = self.records[root].parent
        while self.records[index].parent != root:
            record = self.records[index]
            index, record.parent = record.parent, root
        return root

    def root(self, index: int) -> Group:
        """The root record of the group of a node."""
        return self.records[self.find(index)]

    def merge(self, child: int, target: int) -> None:
        """Put the group of `child` into that of `target`."""
        child, target = self.find(child), self.find(target)
        if child == target:
            return
        small, large = self.records[child], self.records[target]
        large.node_count += small.node_count
        large.argument_count += small.argument_count
        small.parent = target
        if small.anchor is not None:
            assert large.anchor is None, "a group has one complex op at most"
            large.anchor = small.anchor
            large.pattern = combine(small.pattern, large.pattern)

    def check_path(
        self, source: int, sink: int, holds: Callable[[PatternKind, bool], bool]
    ) -> bool:
        """Whether `holds(kind of the node's group, is the sink)` on all paths after `source`.

        The source itself is not checked, the sink is.
        """
        seen: set[int] = set()
        stack = [edge.consumer for edge in self.graph.nodes[source].outputs]
        while stack:
            index = stack.pop()
            if index in seen:
                continue
            seen.add(index)
            self.visits += 1
            if not holds(self.root(index).pattern, index == sink):
                return False
            if index != sink:
                stack += [edge.consumer for edge in self.graph.nodes[index].outputs]
        return True

    def commit(self, source: int, sink: int) -> None:
        """Merge the groups of `source` and of all nodes between it and `sink` into the sink's."""
        for index in self._up_to(source, sink):
            self.merge(index, sink)

    def keeps_one_anchor(self, source: int, sink: int) -> bool:
        """Whether the group would have at most one complex op after a commit."""
        target = self.find(sink)
        roots = {self.find(index) for index in self._up_to(source, sink)} - {target}
        anchored = [root for root in roots if self.records[root].anchor is not None]
        group = self.records[target]
        free = group.anchor is None and group.pattern <= PatternKind.BROADCAST
        return not anchored or (len(anchored) == 1 and free)

    def _up_to(self, source: int, sink: int) -> list[int]:
        """`source` and all nodes after it up to `sink`, which is not included."""
        seen: dict[int, None] = {}
        stack = [source]
        while stack:
            index = stack.pop()
            if index == sink or index in seen:
                continue
            seen[index] = None
            self.visits += 1
            stack += [edge.consumer for edge in self.graph.nodes[index].outputs]
        return list(seen)

    def exceeds(self, source: int, sink: int, limit: int) -> bool:
        """Whether fusing `source` into `sink` would make a group of more than `limit` nodes."""
        count = self.root(sink).node_count
        seen = {sink}
        stack = [source]
        while stack and count <= limit:
            index = stack.pop()
            if index in seen:
                continue
            seen.add(index)
            self.visits += 1
            count += self.records[index].node_count
            stack += [edge.consumer for edge in self.graph.nodes[index].outputs]
        return count > limit

    def members(self) -> dict[int, list[int]]:
        """The nodes of each group in index order, by the group's root record."""
        groups: dict[int, list[int]] = {}
        for index in range(len(self.records)):
            groups.setdefault(self.find(index), []).append(index)
        return groups


def combine(a: PatternKind, b: PatternKind) -> PatternKind:
    """The kind of a group that absorbs a group around a complex op."""
    broadcast = PatternKind.BROADCAST
    assert a <= broadcast or b <= broadcast, "two complex groups are never merged"
    return max(a, b)


def describe_groups(groups: FusionGroups) -> list[str]:
    """One line for each group: root, kind, anchor, members."""
    lines: list[str] = []
    for root, members in sorted(groups.members().items()):
        record = groups.records[root]
        anchor = "" if record.anchor is None else f" around {record.anchor}"
        nodes = ", ".join(map(str, members))
        lines.append(f"group {root}: {record.pattern.text}{anchor} = {nodes}")
    return lines
