"""The rules of TVM's FuseOps once more: naively, on plain data, with nothing of the package.

A graph is a list of `Spec` in index order. Everything is searched anew whenever it is asked for:
post-dominators as sets, the kinds on the way as all edges between, groups by walking up.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

EW, BC, INJ, RED, OEF, TUP, OPQ = 0, 1, 2, 3, 4, 7, 8


@dataclass
class Spec:
    """A node: its kind, whether it is extern, its uses of earlier nodes as (node, edge kind).

    `role` is `var`, `constant`, `call`, `tuple` or `get`; `arguments` the count at first, `dynamic`
    the dynamic dims of the result.
    """

    kind: int
    extern: bool = False
    role: str = "call"
    uses: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    arguments: int = 0
    dynamic: int = 0


@dataclass
class Options:
    """Level, most nodes, most arguments (0 is unlimited)."""

    level: int = 2
    depth: int = 256
    arguments: int = 0


class NaiveFuseOps:
    """`groups()` gives the outcome."""

    def __init__(self, graph: list[Spec], options: Options) -> None:
        self.graph, self.options = graph, options
        size = range(len(graph))
        self.consumers = [
            [(c, kind) for c in size for used, kind in graph[c].uses if used == n] for n in size
        ]
        self.dominators: dict[int, set[int]] = {}
        for n in reversed(size):
            empty: set[int] = set()
            sets: list[set[int]] = [self.dominators[c] for c, _ in self.consumers[n]]
            after = sets[0].intersection(*sets) if sets and not graph[n].extern else empty
            self.dominators[n] = {n} | after
        self.up: list[int | None] = [None for _ in size]
        self.kind = [spec.kind for spec in graph]
        self.nodes = [1 for _ in size]
        self.args = [spec.arguments for spec in graph]
        self.has_anchor = [spec.kind == OEF for spec in graph]
        self.waiting: list[tuple[int, int]] = []
        self.late: int | None = None
        if options.level > 0:
            for phase in (0, 1, 2):
                for n in size:
                    self.visit(n, phase)

    def root(self, n: int) -> int:
        above = self.up[n]
        return n if above is None else self.root(above)

    def groups(self) -> set[frozenset[int]]:
        """The sets of nodes that are together."""
        size = range(len(self.graph))
        return {frozenset(m for m in size if self.root(m) == self.root(n)) for n in size}

    def dominator(self, n: int) -> int | None:
        """The nearest: all the others come after it, so it has the smallest index."""
        return min(self.dominators[n] - {n}, default=None)

    def between(self, n: int, sink: int) -> set[int]:
        """What is reachable from `n`, itself not included, up to and with `sink`."""
        found: set[int] = set()
        for c, _ in self.consumers[n]:
            found |= {c} if c == sink else {c} | self.between(c, sink)
        return found

    def way(self, n: int, sink: int) -> int:
        """The greatest kind of an edge on any path from `n` to `sink`."""
        before = {n} | self.between(n, sink) - {sink}
        return max(kind for m in before for _, kind in self.consumers[m])

    def merge(self, n: int, sink: int) -> None:
        """All from `n` to `sink` into the group of `sink`."""
        if self.late is not None:
            self.waiting.append((self.late, n))
            return
        for m in {n} | self.between(n, sink) - {sink}:
            child, target = self.root(m), self.root(sink)
            if child == target:
                continue
            self.up[child] = target
            self.nodes[target] += self.nodes[child]
            self.args[target] += self.args[child]
            if self.has_anchor[child]:
                assert not self.has_anchor[target]
                self.has_anchor[target] = True
                self.kind[target] = max(self.kind[child], self.kind[target])

    def is_sound(self, n: int, sink: int) -> bool:
        """Whether a late fusion makes no group of two complex ops: TVM has an error there."""
        target = self.root(sink)
        rest = {self.root(m) for m in {n} | self.between(n, sink) - {sink}} - {target}
        complex_groups = sum(self.has_anchor[r] for r in rest)
        if complex_groups == 0:
            return True
        return complex_groups == 1 and not self.has_anchor[target] and self.kind[target] <= BC

    def count(self, n: int, *, final: bool) -> int:
        """The arguments of `n` with those of the groups that it reads."""
        total, seen = self.args[n], {self.root(n)}
        if self.graph[n].role not in ("call", "tuple"):
            return total
        for used, _ in self.graph[n].uses:
            if self.graph[used].role == "var" or self.root(used) in seen:
                continue
            seen.add(self.root(used))
            if self.args[self.root(used)] > 0:
                total += self.args[self.root(used)]
            elif final:
                total += self.count(used, final=True)
            else:
                self.late = n
        return total

    def spare(self, n: int) -> int:
        taken = 0
        for c, _ in self.consumers[n]:
            taken += 1 + (self.graph[c].dynamic if self.graph[c].role == "call" else 0)
        return max(0, self.options.arguments - taken)

    def all_between(self, n: int, sink: int, holds: Callable[[int, bool], bool]) -> bool:
        return all(holds(self.kind[self.root(m)], m == sink) for m in self.between(n, sink))

    def visit(self, n: int, phase: int) -> None:
        """One step of the main loop."""
        self.late = None
        for target, source in [w for w in self.waiting if w[0] == n]:
            if self.count(target, final=True) <= self.spare(target):
                sink = self.dominator(source)
                assert sink is not None
                if not self.has_anchor[sink] and self.is_sound(source, sink):
                    self.merge(source, sink)
        self.waiting = [w for w in self.waiting if w[0] != n]
        sink, kind = self.dominator(n), self.kind[n]
        if kind == OPQ or sink is None:
            return
        inner = {n} | self.between(n, sink) - {sink}
        if self.nodes[self.root(sink)] + sum(self.nodes[m] for m in inner) > self.options.depth:
            return
        if self.options.arguments > 0 and self.spare(n) > 0:
            if max(self.count(c, final=False) for c, _ in self.consumers[n]) > self.spare(n):
                return
        if self.wants(n, sink, kind, phase):
            self.merge(n, sink)

    def wants(self, n: int, sink: int, kind: int, phase: int) -> bool:
        sink_kind, sink_root = self.kind[sink], self.kind[self.root(sink)]
        if phase == 2:
            if kind > INJ or sink_root == TUP or sink_kind != TUP or sink_root > INJ:
                return False
            return self.all_between(n, sink, lambda k, last: k <= INJ)
        if self.root(n) == self.root(sink) or sink_kind == TUP:
            return False
        if kind == OEF:
            if phase == 1 or self.way(n, sink) != EW:
                return False
            return self.all_between(n, sink, lambda k, last: k <= BC)
        if kind in (EW, BC):
            if self.way(n, sink) not in (EW, BC, INJ, RED):
                return False
            good = (EW, BC, INJ, RED, OEF)
            return self.all_between(n, sink, lambda k, last: k in good if last else k <= INJ)
        if kind in (INJ, TUP):
            return phase == 1 and self.all_between(n, sink, lambda k, last: k <= INJ)
        return False
