"""A dependence graph that merges nodes as long as it stays acyclic.

Nodes are numbers in a topological order of the uncontracted graph. Merging two nodes is legal if no
path between them goes through other nodes (a detour): otherwise another node would have to run both
after and before the merged node.

The test is exact, unlike the interval of order numbers that OpenVINO's Snippets compares (reference
2.2), which also refuses merges that make no cycle. The class maintains a topological order of the
contracted graph. The search for a detour goes alternately forward from the first node and backward
from the second node, and never leaves the part of the order between the two. A merge reorders only
that part: first the nodes that the second node needs, then the merged node, then the nodes that
need the first node (the algorithm of Pearce and Kelly for inserted edges). A merge of neighbours in
the order, as in a chain, reorders nothing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator


class ContractedGraph:
    """Directed acyclic graph with merging; all methods take any member of a node.

    Attributes:
        visited: the number of nodes that searches and merges have visited.
    """

    def __init__(self, count: int, edges: Iterable[tuple[int, int]]) -> None:
        """A graph of `count` nodes; an edge (a, b) with a < b says that b needs a."""
        self.visited = 0
        self._parent = list(range(count))
        self._place = list(range(count))
        self._before: list[set[int]] = [set() for _ in range(count)]
        self._after: list[set[int]] = [set() for _ in range(count)]
        for a, b in edges:
            self._before[b].add(a)
            self._after[a].add(b)

    def find(self, node: int) -> int:
        """The number of the merged node that contains `node`."""
        parent = self._parent
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    def before(self, node: int) -> set[int]:
        """The nodes that `node` needs directly; not to be changed."""
        return self._before[self.find(node)]

    def after(self, node: int) -> set[int]:
        """The nodes that need `node` directly; not to be changed."""
        return self._after[self.find(node)]

    def can_merge(self, a: int, b: int) -> bool:
        """Whether merging keeps the graph acyclic: no detour leads from one to the other."""
        a, b = self._in_order(a, b)
        if a == b:
            return True
        ahead, earlier = self._between(a, b, self._after), self._between(b, a, self._before)
        seen_ahead, seen_earlier = set[int](), set[int]()
        for node, other in zip(ahead, earlier, strict=False):
            if node is not None:
                if node in seen_earlier or b in self._after[node]:
                    return False
                seen_ahead.add(node)
            if other is not None:
                if other in seen_ahead or a in self._before[other]:
                    return False
                seen_earlier.add(other)
        return True

    def _in_order(self, a: int, b: int) -> tuple[int, int]:
        a, b = self.find(a), self.find(b)
        return (a, b) if self._place[a] <= self._place[b] else (b, a)

    def _between(self, start: int, end: int, sides: list[set[int]]) -> Iterator[int | None]:
        """The nodes reached from `start` with a place between it and `end`, nearest first.

        It yields None for each visited node that does not count.
        """
        low, high = sorted((self._place[start], self._place[end]))
        queue, seen = deque((start,)), {start, end}
        while queue:
            for node in sides[queue.popleft()]:
                self.visited += 1
                if node in seen or not low < self._place[node] < high:
                    yield None
                else:
                    seen.add(node)
                    queue.append(node)
                    yield node

    def merge(self, a: int, b: int) -> int:
        """Merge `a` and `b` into one node and return its number; the caller has checked
        `can_merge`.
        """
        a, b = self._in_order(a, b)
        if a == b:
            return a
        place = self._reorder(a, b)
        if len(self._before[a]) + len(self._after[a]) < len(self._before[b]) + len(self._after[b]):
            a, b = b, a
        self._parent[b] = a
        self._place[a] = place
        for sides, opposite in ((self._before, self._after), (self._after, self._before)):
            for node in sides[b]:
                self.visited += 1
                opposite[node].discard(b)
                if node != a:
                    opposite[node].add(a)
            sides[a] |= sides[b]
            sides[a] -= {a, b}
            sides[b] = set()
        return a

    def _reorder(self, a: int, b: int) -> int:
        """The place of the merged node, after the nodes that must come before it."""
        place = self._place
        needed = [n for n in self._between(b, a, self._before) if n is not None]
        if not needed:
            return place[a]
        needing = [n for n in self._between(a, b, self._after) if n is not None]
        if not needing:
            return place[b]
        needed.sort(key=place.__getitem__)
        needing.sort(key=place.__getitem__)
        free = sorted(place[n] for n in (a, *needed, *needing, b))
        for node, at in zip(needed, free, strict=False):
            place[node] = at
        for node, at in zip(reversed(needing), reversed(free), strict=False):
            place[node] = at
        return free[len(needed)]
