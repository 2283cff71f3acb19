"""A dependence graph whose nodes are merged while it stays acyclic.

Nodes are numbers in a topological order of the uncontracted graph. Merging two nodes is legal when
there is no path between them that leaves them: otherwise something outside would have to run both
after and before the merged node.

The test is exact (a search for such a path), unlike the interval of order numbers that OpenVINO's
Snippets compares (reference 2.2), which also refuses merges that make no cycle. The search goes
forward from the one node and backward from the other at a time, one step each, so that it costs
about the smaller of the two neighbourhoods.
"""

from __future__ import annotations

from collections.abc import Iterable


class ContractedGraph:
    """Directed acyclic graph with merging; all methods take any member of a node."""

    def __init__(self, count: int, edges: Iterable[tuple[int, int]]) -> None:
        """A graph of `count` nodes; an edge (a, b) says that b needs a."""
        self._parent = list(range(count))
        self._before: list[set[int]] = [set() for _ in range(count)]
        self._after: list[set[int]] = [set() for _ in range(count)]
        for a, b in edges:
            self._before[b].add(a)
            self._after[a].add(b)

    def find(self, node: int) -> int:
        """The number that stands for the merged node that holds `node`."""
        parent = self._parent
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    def before(self, node: int) -> set[int]:
        """The nodes that `node` needs directly."""
        return self._neighbours(self._before, self.find(node))

    def after(self, node: int) -> set[int]:
        """The nodes that need `node` directly."""
        return self._neighbours(self._after, self.find(node))

    def _neighbours(self, sides: list[set[int]], root: int) -> set[int]:
        found = {self.find(n) for n in sides[root]}
        found.discard(root)
        sides[root] = found
        return found

    def can_merge(self, a: int, b: int) -> bool:
        """Whether merging keeps the graph acyclic."""
        a, b = self.find(a), self.find(b)
        return a == b or not (self._detour(a, b) or self._detour(b, a))

    def _detour(self, source: int, target: int) -> bool:
        """Whether a path of two edges or more leads from `source` to `target`."""
        ahead = [n for n in self.after(source) if n != target]
        behind = [n for n in self.before(target) if n != source]
        seen_ahead, seen_behind = set(ahead), set(behind)
        if seen_ahead & seen_behind:
            return True
        while ahead and behind:
            for found in self.after(ahead.pop()):
                if found in seen_behind:
                    return True
                if found not in seen_ahead and found != target:
                    seen_ahead.add(found)
                    ahead.append(found)
            for found in self.before(behind.pop()):
                if found in seen_ahead:
                    return True
                if found not in seen_behind and found != source:
                    seen_behind.add(found)
                    behind.append(found)
        return False

    def merge(self, a: int, b: int) -> int:
        """Make `a` and `b` one node; the caller has asked `can_merge`."""
        a, b = self.find(a), self.find(b)
        if a == b:
            return a
        if len(self._before[a]) + len(self._after[a]) < len(self._before[b]) + len(self._after[b]):
            a, b = b, a
        self._parent[b] = a
        for sides in (self._before, self._after):
            sides[a] |= sides[b]
            sides[b] = set()
        return a
