"""Upper bound on the joint savings of connected kernels that include a matrix product.

    MatMul  Add  MatMul  Softmax      all are kernels: no cut, any gain pays
    LSTM  Reshape  Gemm               the product is called after a session: it wakes the threads
    LSTM  Neg  Reshape  Gemm          maybe the negation is, and the product follows a kernel

Their gain is at most the sum over all nodes with a gain. It has to exceed the cost of a change of
sessions if the engine's nodes are before and after them, and half of that cost if they are on one
side. A kernel called after a session takes longer than a kernel after a kernel. If the engine's
nodes come before them, this applies to at least one of them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import onnx

from snippets_mlir.analysis.engine.costs import DOUBT, EngineCosts
from snippets_mlir.driver.onnx.bound.certain import Certain
from snippets_mlir.driver.onnx.bound.graph import NodeGraph, components
from snippets_mlir.driver.onnx.bound.values import VIEWS
from snippets_mlir.frontends.onnx.engine_operators import domain_of


@dataclass(frozen=True)
class Weights:
    """Bounds for mapped nodes, by position, in nanoseconds.

    Attributes:
        engine: upper bound on the engine's time, minus the images that a kernel reads and writes.
        kernel: lower bound on a kernel's computation, on one thread.
        views: upper bound on the savings of a kernel that has only views of the node's ops.
    """

    engine: Mapping[int, float]
    kernel: Mapping[int, float]
    views: Mapping[int, float]

    def gain(
        self,
        nodes: Collection[int],
        threads: int,
        costs: EngineCosts,
        team: float | None = None,
    ) -> float:
        """Upper bound on the gain of kernels with some of `nodes`, without their calls.

        A kernel runs on one thread or on all threads. In the latter case it has work for
        `parallel_from`, and starting the others takes `team`, or the least time for it.
        """
        team = min(costs.kernel, costs.team) if team is None else team
        alone = self._sum(nodes, 1)
        if threads == 1:
            return alone
        longest = sum(max(0.0, self.engine[i]) for i in nodes) - costs.parallel_from / threads
        shared = self._sum(nodes, threads)
        return max(alone, min(shared, longest) - team)

    def _sum(self, nodes: Collection[int], threads: int) -> float:
        saved = ((self.engine[i] - self.kernel[i] / threads, self.views[i]) for i in nodes)
        return sum(max(0.0, *pair) for pair in saved)


def most_saved(
    certain: Certain,
    nodes: Collection[int],
    weights: Weights,
    beside: Mapping[int, set[int]],
    threads: int,
    costs: EngineCosts,
    enough: float = 0.0,
) -> tuple[float, float]:
    """Upper bound on the savings of connected kernels, if they pay off: without and with a cut.

    Each part with a gain has a kernel, which is called. If the engine's nodes come before them, at
    least one of the kernels is called after a session. Either all nodes of a certain group are in
    kernels, with all changes of sessions that they need, or none is. This is checked as long as it
    may show that they save no more than `enough`.
    """
    graph, rest = certain.graph, set(nodes)
    change = certain.change(threads, costs)
    free, gain, saved = _saved(graph, rest, weights, beside, threads, costs, change)
    if free or saved <= enough:
        return free, saved
    groups = sorted((g for g in certain.groups if len(g) > 1 and g <= rest), key=len)
    most = 0.0
    while groups and most <= enough < saved:
        group = groups.pop()
        least = change * certain.changes(group) / 2
        with_group = gain - least if (1 - DOUBT) * gain > least else 0.0
        most = max(most, min(saved, with_group))
        rest -= group
        _, gain, saved = _saved(graph, rest, weights, beside, threads, costs, change)
    return free, max(most, saved)


def _saved(
    graph: NodeGraph,
    whole: set[int],
    weights: Weights,
    beside: Mapping[int, set[int]],
    threads: int,
    costs: EngineCosts,
    change: float,
) -> tuple[float, float, float]:
    """Upper bounds on some nodes' kernels: savings without a cut, gain, and savings with a cut."""
    ends = (
        (whole - graph.nodes_that_cut, 0.0, False),
        (whole - graph.after_engine, change / 2, False),
        (whole - graph.before_engine, change / 2, True),
        (whole, change, True),
    )
    inside = {i: beside[i] & whole for i in whole}
    parts = [part for part in components(whole, inside) if _computes(graph, part)]
    saved: list[float] = []
    gain = 0.0
    for some, least, is_after in ends:
        gains = [weights.gain(part & some, threads, costs) - costs.node for part in parts]
        gain = sum(gain for gain in gains if gain > 0)
        if is_after:
            starts = (_start(graph, part & some, weights, threads, costs) for part in parts)
            least += min(starts, default=0.0)
        saved.append(gain - least if (1 - DOUBT) * gain > least else 0.0)
    return saved[0], gain, max(saved[1:])


def _computes(graph: NodeGraph, nodes: Collection[int]) -> bool:
    """Whether some of `nodes` may be a kernel: a kernel never has only views."""
    return any(graph.nodes[i].op_type not in VIEWS for i in nodes)


def _start(
    graph: NodeGraph, nodes: Collection[int], weights: Weights, threads: int, costs: EngineCosts
) -> float:
    """Lower bound on the lost savings of a part's kernels if the first is called after a session.

    If the first kernel may be any op of the part, it counts as using one thread. A single product
    whose operands no kernel of its part computes has to wake the other threads if it shares its
    work.
    """
    start = costs.kernel - costs.node
    computing = [i for i in nodes if graph.nodes[i].op_type not in VIEWS]
    if len(computing) != 1 or not _reads_first(graph, *computing):
        return start
    next_, first = (
        max(0.0, weights.gain(nodes, threads, costs, team) - costs.node)
        for team in (costs.kernel, costs.team)
    )
    return start + next_ - first


def _reads_first(graph: NodeGraph, place: int) -> bool:
    """Whether the kernel with a product reads its left operand directly from outside."""
    node = graph.nodes[place]
    if domain_of(node) or node.op_type not in ("Gemm", "MatMul"):
        return False
    is_float = graph.types[node.input[0]].element == onnx.TensorProto.FLOAT
    turned = any(a.name == "transA" and a.i for a in node.attribute)
    others = all(name in graph.constants for name in node.input[1:] if name)
    return is_float and others and not turned
