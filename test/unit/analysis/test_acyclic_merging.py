"""The contracted graph against brute force, and what it costs on graphs of many shapes."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable

import pytest

from snippets_mlir.analysis.fusion.acyclic_merging import ContractedGraph

Edges = list[tuple[int, int]]


class NaiveGraph:
    """The same by sets: a merge is legal when the contracted graph has no cycle."""

    def __init__(self, count: int, edges: Iterable[tuple[int, int]]) -> None:
        self.part = list(range(count))
        self.edges = list(edges)

    def contracted(self, part: list[int]) -> set[tuple[int, int]]:
        return {(part[a], part[b]) for a, b in self.edges if part[a] != part[b]}

    def merged(self, a: int, b: int) -> list[int]:
        return [self.part[a] if p == self.part[b] else p for p in self.part]

    def can_merge(self, a: int, b: int) -> bool:
        return is_acyclic(self.contracted(self.merged(a, b)))

    def merge(self, a: int, b: int) -> None:
        self.part = self.merged(a, b)


def is_acyclic(edges: set[tuple[int, int]]) -> bool:
    """Take nodes that need nothing away until none is left, or none can be taken."""
    left = {n for edge in edges for n in edge}
    while left:
        free = {n for n in left if not any(b == n for a, b in edges if a in left)}
        if not free:
            return False
        left -= free
    return True


def random_dag(rng: random.Random, count: int) -> Edges:
    chance = rng.choice((0.1, 0.25, 0.5))
    return [(a, b) for b in range(count) for a in range(b) if rng.random() < chance]


@pytest.mark.parametrize("seed", range(6))
def test_answers_are_those_of_brute_force(seed: int):
    rng = random.Random(seed)
    refused = merged = 0
    for _ in range(10):
        count = rng.randint(2, 14)
        edges = random_dag(rng, count)
        graph, naive = ContractedGraph(count, edges), NaiveGraph(count, edges)
        for _ in range(40):
            a, b = rng.randrange(count), rng.randrange(count)
            expected = naive.can_merge(a, b)
            assert graph.can_merge(a, b) == expected, (a, b)
            refused += not expected
            if expected and graph.find(a) != graph.find(b) and rng.random() < 0.5:
                merged += 1
                naive.merge(a, b)
                assert graph.merge(a, b) == graph.find(a) == graph.find(b)
            check_neighbours(graph, edges, count)
    assert merged > 20
    assert refused > 10


def check_neighbours(graph: ContractedGraph, edges: Edges, count: int) -> None:
    """The neighbours are those of the contracted edges, by their numbers."""
    roots = [graph.find(i) for i in range(count)]
    expected = {(roots[a], roots[b]) for a, b in edges if roots[a] != roots[b]}
    assert {(x, y) for x in roots for y in graph.after(x)} == expected
    assert {(y, x) for x in roots for y in graph.before(x)} == expected


def test_a_detour_refuses_and_its_absence_allows():
    graph = ContractedGraph(3, [(0, 1), (1, 2), (0, 2)])
    assert not graph.can_merge(0, 2), "1 would have to run before and after"
    assert not graph.can_merge(2, 0)
    assert graph.can_merge(0, 1)
    merged = graph.merge(0, 1)
    assert graph.can_merge(merged, 2), "what stood between is inside now"


def test_nodes_between_in_order_do_not_refuse():
    """An interval of order numbers would refuse: 1 and 2 are between 0 and 3, but on no path."""
    graph = ContractedGraph(6, [(0, 3), (1, 4), (2, 5)])
    assert graph.can_merge(0, 3)
    graph.merge(0, 3)
    assert graph.can_merge(1, 4)
    assert graph.can_merge(0, 1), "nodes that do not touch may be one"


def test_a_merge_reorders_what_is_between():
    """0 -> 3 merged: 1, which 3 needs, has to come first, and 2, which needs 0, last."""
    graph = ContractedGraph(5, [(0, 3), (1, 3), (0, 2), (2, 4)])
    graph.merge(0, 3)
    assert graph.can_merge(1, 3)
    assert graph.can_merge(2, 3)
    assert not graph.can_merge(1, 2), "the merged node is between"
    assert not graph.can_merge(1, 4)


def test_merging_a_node_with_itself_changes_nothing():
    graph = ContractedGraph(2, [(0, 1)])
    assert graph.can_merge(1, 1)
    assert graph.merge(1, 1) == 1
    assert graph.before(1) == {0}


# --- growth: the nodes looked at, for ten times as many


def chain(count: int) -> tuple[Edges, Edges]:
    """0 -> 1 -> 2 ..., all merged."""
    edges = [(i, i + 1) for i in range(count - 1)]
    return edges, edges


def residual(count: int) -> tuple[Edges, Edges]:
    """Blocks of a convolution and a sum, which also reads the sum before; only sums may merge."""
    edges = [(i, i + 1) for i in range(count - 1)]
    edges += [(i, i + 2) for i in range(0, count - 2, 2)]
    return edges, [(i, i + 2) for i in range(0, count - 2, 2)]


def dense(count: int) -> tuple[Edges, Edges]:
    """Blocks of 16 layers of two ops that read all the layers of the block before them."""
    edges, pairs = list[tuple[int, int]](), list[tuple[int, int]]()
    for layer in range(0, count - 1, 2):
        edges.append((layer, layer + 1))
        pairs.append((layer, layer + 1))
        first = layer // 32 * 32
        readers = [p + 1 for p in range(max(0, first - 2), layer, 2)]
        edges += [(p, layer) for p in readers]
        pairs += [(p, layer) for p in readers]
    return edges, pairs


def mask(count: int) -> tuple[Edges, Edges]:
    """One value that every sum after a convolution of a long chain reads, too."""
    edges = [(i, i + 1) for i in range(1, count - 1)]
    sums = [(0, i) for i in range(2, count, 2)]
    return edges + sums, sums


def fan_out(count: int) -> tuple[Edges, Edges]:
    """One value that all others read, merged with all of them."""
    edges = [(0, i) for i in range(1, count)]
    return edges, edges


def two_chains(count: int) -> tuple[Edges, Edges]:
    """Two chains in alternating order, each merged into one node."""
    edges = [(i, i + 2) for i in range(count - 2)]
    return edges, edges


def visited(build: Callable[[int], tuple[Edges, Edges]], count: int) -> tuple[int, int]:
    """Nodes looked at, and merges, when all pairs are tried in order."""
    edges, pairs = build(count)
    graph, merges = ContractedGraph(count, edges), 0
    for a, b in pairs:
        if graph.can_merge(a, b):
            graph.merge(a, b)
            merges += 1
    return graph.visited, merges


@pytest.mark.parametrize("build", [chain, residual, dense, mask, fan_out, two_chains])
def test_cost_grows_with_the_graph(build: Callable[[int], tuple[Edges, Edges]]):
    (small, _), (large, merges) = visited(build, 1000), visited(build, 10000)
    assert large <= 15 * small, f"{build.__name__}: {small} nodes looked at, then {large}"
    edges, _ = build(10000)
    assert large <= 12 * len(edges)
    expected = {"residual": 0, "mask": 1}
    if build in (residual, mask):
        assert merges == expected[build.__name__]
    else:
        assert merges > 1000
