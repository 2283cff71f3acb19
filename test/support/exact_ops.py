"""Random graphs of whole numbers (`exact_graphs`): a seed gives one."""

from __future__ import annotations

import exact_elementwise
import exact_moves
import exact_places
import exact_sums
from exact_graphs import ExactGraph

KINDS = (*exact_elementwise.KINDS, *exact_moves.KINDS, *exact_places.KINDS, *exact_sums.KINDS)
"""Each kind of op, and how often it is tried."""


def generate(seed: int) -> ExactGraph:
    """The graph of a seed, of up to 28 ops; every other one is dynamic, every third is special."""
    graph = ExactGraph(seed, dynamic=seed % 2 == 1, special=seed % 3 == 2)
    kinds, weights = zip(*KINDS, strict=True)
    for _ in range(graph.rng.randint(4, 28)):
        graph.rng.choices(kinds, weights)[0](graph)
    graph.finish()
    return graph
