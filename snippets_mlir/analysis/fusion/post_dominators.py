"""The post-dominator tree of a fusion graph, with the kinds along the paths.

The parent of a node is the first node on every path from it; its pattern is the greatest kind of
the edges on all paths to the parent. A node that is extern, has no uses, or whose paths never meet
has no parent. Source: TVM's FuseOps.

Consumers come later in the order, so one sweep from the last node to the first finds every parent
as the lowest common ancestor of the consumers. Climbing uses jumps (Myers, "An applicative
random-access stack", 1983), each with the greatest kind below it, so that the cost of a search is
logarithmic in the depth, not linear.
"""

from __future__ import annotations

from dataclasses import dataclass

from snippets_mlir.analysis.fusion.graph import FusionGraph, Node
from snippets_mlir.dialects.snippets.pattern_kinds import PatternKind


@dataclass(eq=False)
class TreeNode:
    """The place of a node in the tree.

    Attributes:
        parent: index of the immediate post-dominator, or None.
        pattern: the greatest kind on the paths to it; opaque for extern nodes.
        depth: 1 for roots.
    """

    parent: int | None
    pattern: PatternKind
    depth: int
    jump: int | None = None
    jump_pattern: PatternKind = PatternKind.ELEMWISE


class PostDominators:
    """The tree; `nodes[i]` belongs to node i of the graph, `visits` counts steps."""

    def __init__(self, graph: FusionGraph) -> None:
        root = TreeNode(None, PatternKind.OPAQUE, 1)
        self.visits = 0
        self.nodes: list[TreeNode] = [root] * len(graph.nodes)
        for node in reversed(graph.nodes):
            self.nodes[node.index] = self._place(node)

    def _place(self, node: Node) -> TreeNode:
        if node.is_extern:
            return TreeNode(None, PatternKind.OPAQUE, 1)
        parent: int | None = None
        pattern = PatternKind.ELEMWISE
        for number, edge in enumerate(node.outputs):
            if number == 0:
                parent = edge.consumer
            else:
                parent, on_the_way = self._meet(parent, edge.consumer)
                pattern = max(pattern, on_the_way)
            pattern = max(pattern, edge.pattern)
        if parent is None:
            return TreeNode(None, pattern, 1)
        return self._below(parent, pattern)

    def _below(self, parent: int, pattern: PatternKind) -> TreeNode:
        """A node under `parent`, with its jump: as long as the two jumps of the parent, or one."""
        above = self.nodes[parent]
        place = TreeNode(parent, pattern, above.depth + 1, parent, pattern)
        if above.jump is not None:
            far = self.nodes[above.jump]
            if above.depth - far.depth == far.depth - self._depth(far.jump):
                place.jump = far.jump
                place.jump_pattern = max(pattern, above.jump_pattern, far.jump_pattern)
        return place

    def _depth(self, index: int | None) -> int:
        return 0 if index is None else self.nodes[index].depth

    def _meet(self, a: int | None, b: int | None) -> tuple[int | None, PatternKind]:
        """The lowest common ancestor, and the greatest kind of the nodes on the path to it."""
        pattern = PatternKind.ELEMWISE
        if a is None or b is None:
            return None, pattern
        if self.nodes[a].depth < self.nodes[b].depth:
            a, b = b, a
        depth = self.nodes[b].depth
        while self.nodes[a].depth > depth:
            a, met = self._up(a, jump=self._depth(self.nodes[a].jump) >= depth)
            pattern = max(pattern, met)
        while a != b:
            jump = self.nodes[a].jump != self.nodes[b].jump
            if self.nodes[a].parent is None or self.nodes[b].parent is None:
                return None, pattern
            a, met_a = self._up(a, jump=jump)
            b, met_b = self._up(b, jump=jump)
            pattern = max(pattern, met_a, met_b)
        return a, pattern

    def _up(self, index: int, *, jump: bool) -> tuple[int, PatternKind]:
        self.visits += 1
        place = self.nodes[index]
        target = place.jump if jump else place.parent
        assert target is not None
        return target, place.jump_pattern if jump else place.pattern


def describe_tree(tree: PostDominators) -> list[str]:
    """One line for each node: its immediate post-dominator, the greatest kind on the paths to
    it.
    """
    lines: list[str] = []
    for index, place in enumerate(tree.nodes):
        parent = "none" if place.parent is None else f"{place.parent} by {place.pattern.text}"
        lines.append(f"post-dominator {index}: {parent}")
    return lines
