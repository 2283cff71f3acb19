"""Random graphs of the `snippets` dialect, from a seed and a number of ops."""

from __future__ import annotations

from snippets_mlir.testing.graph_builder import Graph
from snippets_mlir.testing.graph_ops import add_op

TRIES = 20
"""The number of tries for each op of a graph; many ops do not fit the existing values."""


def generate(seed: int, size: int) -> Graph:
    """The graph of `seed` with `size` ops, or fewer when too many did not fit."""
    graph = Graph(seed)
    for _ in range(TRIES * size):
        if len(graph.ops) >= size:
            break
        add_op(graph)
    return graph
