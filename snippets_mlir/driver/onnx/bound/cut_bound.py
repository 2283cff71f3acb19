"""Whether a cut of an ONNX model could pay off, from its nodes alone, before any import.

    Conv  HardSigmoid  Mul  Conv      each kernel here reads or writes an image of a Conv: no
    MatMul  Add  Relu  MatMul         64 elements: 2 us in the engine, a cut costs 25 us: no
    MatMul  Elu  Mul  MatMul          2^20 elements: maybe, `cuts/engine_cuts.py` decides

A kernel has connected nodes of the mapping. The weight of a node is an upper bound on the
engine's time for it, minus a lower bound on a kernel's time for it, minus the cost of the engine's
blocked layout for each image that the node reads from or writes for an image node. Connected nodes
with weights above 0 form one part. A node with a weight below 0 joins the adjacent parts as long as
they weigh more than it costs. In the end each such node costs more than all parts adjacent to it,
so no kernel weighs more than the heaviest part. If that weight is at most the cost of a kernel's
call and the cut of a session, nothing pays off.

A kernel takes the smaller of two times: on one thread, or on all threads including the start of a
team. So all parts are weighed for both cases, and once more as if all threads were ready at once,
which no kernel exceeds. They are also weighed for kernels with a node of the engine before and
after them, and for kernels with one on one side only. A part counts with the largest of these
weights. All parts together have to save more than the cost of the engine's threads that rest beside
kernels.

The estimate errs on one side only: `may_pay` is True whenever `plan_cuts` makes a kernel.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from math import inf

from snippets_mlir.analysis.engine.costs import DOUBT, EngineCosts
from snippets_mlir.driver.dynamic.templates import Shapes
from snippets_mlir.driver.onnx.bound.certain import Certain
from snippets_mlir.driver.onnx.bound.claims import is_left
from snippets_mlir.driver.onnx.bound.gains import Weights, most_saved
from snippets_mlir.driver.onnx.bound.graph import NodeGraph, components
from snippets_mlir.driver.onnx.bound.joined import in_products
from snippets_mlir.driver.onnx.bound.neighbours import beside_products, neighbours
from snippets_mlir.driver.onnx.bound.parts import Part, Saved, parts_of, sum_of_parts
from snippets_mlir.driver.onnx.bound.values import UnknownSize
from snippets_mlir.driver.onnx.bound.weights import NodeWeights
from snippets_mlir.frontends.onnx.prepare import PreparedModel
from snippets_mlir.frontends.onnx.readers import MOVING, Readers


def may_pay(
    prepared: PreparedModel, shapes: Shapes, threads: int, costs: EngineCosts, lanes: int
) -> bool:
    """Whether a kernel may make the model faster in a call with inputs of `shapes`.

    `shapes` are the shapes of all inputs from the caller, in order; () without dynamic dims.
    `lanes` is the number of float32 in a vector of the target machine.
    """
    try:
        return Bound(NodeGraph(prepared, shapes), threads, costs, lanes).may_pay()
    except (UnknownSize, ArithmeticError, LookupError, ValueError):  # a model that is odd
        return True


class Bound:
    """The bound for one graph."""

    def __init__(self, graph: NodeGraph, threads: int, costs: EngineCosts, lanes: int) -> None:
        self.graph, self.threads, self.costs = graph, threads, costs
        self.certain = Certain(graph)
        self._weights = NodeWeights(graph, threads, costs, lanes)
        self.nodes, self.types = graph.nodes, graph.types
        self.makers = graph.makers

    def may_pay(self) -> bool:
        """Whether kernels may save more than the cost of the engine's resting threads."""
        saved = self.most_saved()
        return saved > (self._rest if saved else 0.0)

    def most_saved(self) -> float:
        """Upper bound on the joint savings of all kernels, in nanoseconds; 0 if none pays off."""
        mapped = {i for i in self.graph.mapped if self._is_candidate(i)}
        mapped -= self.graph.unsized
        beside, weights = neighbours(self.graph, mapped), self._weights
        engine = {i: weights.engine(self.nodes[i]) for i in mapped}
        kernel = {i: weights.kernel(self.nodes[i]) for i in mapped}
        images = {i: weights.images(i) for i in mapped}
        # A kernel may have only the view of the ops that a node becomes.
        least = {i: min(engine[i], self.costs.node) for i in mapped}
        found: list[Saved] = []
        ways = [(1, 0.0), (self.threads, self.costs.team), (self.threads, 0.0)]
        for share, start in ways if self.threads > 1 else ways[:1]:
            weighed = {i: max(least[i], engine[i] - kernel[i] / share) - images[i] for i in mapped}
            found.append(self._saved(weighed, beside, self.costs.kernel + start))
        # Each kernel takes one of the first two ways, and at least the time of the third.
        alone = min((found[:2], found[2:]), key=sum_of_parts) if found[2:] else found
        joined = in_products(self.graph, self.certain.groups, self.costs.rates)
        without = {i: min(t, joined.get(i, t)) - images[i] for i, t in engine.items()}
        views = {i: time - images[i] for i, time in least.items()}
        return self._in_all(alone, Weights(without, kernel, views), beside)

    def _in_all(
        self, ways: Sequence[Saved], weights: Weights, beside: Mapping[int, set[int]]
    ) -> float:
        """Upper bound on the joint savings of all kernels, each alone in one of `ways` or beside
        products.

        Connected nodes with a product are weighed together or one kernel after the other. A kernel
        that saves time and needs no cut always pays.
        """
        total = sum_of_parts(ways)
        if total == inf:
            return total
        for nodes in beside_products(self.graph, weights.engine):
            free, cut = most_saved(
                self.certain, nodes, weights, beside, self.threads, self.costs, self._rest
            )
            alone = sum(value for saved in ways for i, value in saved.items() if i in nodes)
            total += inf if free else max(0.0, cut - alone)
        return total

    @property
    def _rest(self) -> float:
        """Lower bound on the joint savings that all kernels need if one cuts the session."""
        return self.costs.rest_of(self.threads if self.graph.shares(self.costs) else 1)

    def _is_candidate(self, place: int) -> bool:
        """Whether a mapped node may be in a kernel: not if it moves elements for the engine."""
        node = self.nodes[place]
        if node.op_type not in MOVING:
            return True
        alone = self._all_readers.wanted_by_nodes_alone(node.output[0])
        return not alone and not is_left(self.graph, place)

    @cached_property
    def _all_readers(self) -> Readers:
        return Readers(self.graph.proto)

    def _saved(
        self, weights: Mapping[int, float], beside: Mapping[int, set[int]], least: float
    ) -> Saved:
        """Upper bound on the savings of kernels in each part, by its first node; `inf` without a
        cut.

        Nodes have to weigh more than `least` and the ends of sessions beside them. The kernels of a
        part with two ends may have one end each, if some of its nodes may: then the part counts
        with one end.
        """
        heavy = [
            group
            for group in components(weights, beside)
            if sum(weights[i] for i in group if weights[i] > 0) > least
        ]
        if not heavy:
            return {}
        change = self.certain.change(self.threads, self.costs) / 2
        mapped = set[int]().union(*heavy)
        weights = self._settled(heavy, weights, beside)
        found: dict[int, float] = {}
        part_of: dict[int, int] = {}
        for nodes, ends in (
            (mapped - self.graph.nodes_that_cut, 0),
            (mapped, 2),
            (mapped - self.graph.after_engine, 1),
            (mapped - self.graph.before_engine, 1),
        ):
            inside = {i: beside[i] & nodes for i in nodes}
            for group in components(nodes, inside):
                for part in parts_of(group, weights, inside):
                    first = min(part.nodes)
                    if ends == 2:
                        part_of.update(dict.fromkeys(part.nodes, first))
                    count = max(ends, self._ends(part)) if ends else 0
                    saved = part.weight - least - change * count
                    if saved <= DOUBT * part.weight:
                        continue
                    if not ends:
                        return {first: inf}
                    place = part_of.get(first, first)
                    found[place] = max(saved, found.get(place, 0.0))
        return found

    def _settled(
        self,
        groups: Iterable[set[int]],
        weights: Mapping[int, float],
        beside: Mapping[int, set[int]],
    ) -> Mapping[int, float]:
        """The weights of groups; a node with a cost includes the weights of nodes that come with
        it.

        In a chain Div -> Mul -> Add -> Conv of numbers and constants the tokenizer always takes the
        next node together with a node, and only the last node has the image that Conv reads.
        """
        found = dict(weights)
        for group in groups:
            if not any(found[i] < 0 for i in group) or not all(map(self._weights.is_plain, group)):
                continue
            for node in sorted(group, reverse=True):
                if found[node] >= 0:
                    continue
                place = node
                while (place := self._only_before(place, beside)) >= 0 and found[place] >= 0:
                    found[node] += found[place]
                    found[place] = 0.0
        return found

    def _only_before(self, place: int, beside: Mapping[int, set[int]]) -> int:
        """A node that is in no kernel without this node, its reader; -1 if there is none.

        When the tokenizer reaches this node, its kernel is only this node. Nothing is between it
        and the kernel of the preceding node, if that kernel has the other nodes that this node
        reads.
        """
        node = self.nodes[place]
        if not self.graph.is_known_version(node):
            return -1
        makers = {self.makers.get(n, -1) for n in self._weights.computed(node)}
        before = max(makers, default=-1)
        if before not in beside[place] or not makers <= self._chain_to(before, beside):
            return -1
        shapes = {self.types[self.nodes[i].output[0]].shape for i in (before, place)}
        return before if len(shapes) == 1 else -1

    def _chain_to(self, place: int, beside: Mapping[int, set[int]]) -> set[int]:
        """A node and the chain before it, in which each node is the only one that the next node
        reads.
        """
        found = {place}
        while True:
            shape = self.types[self.nodes[place].output[0]].shape
            makers = {self.makers.get(n, -1) for n in self._weights.computed(self.nodes[place])}
            if len(makers) != 1 or not makers <= beside[place]:
                return found
            (place,) = makers
            if self.types[self.nodes[place].output[0]].shape != shape:
                return found
            found.add(place)

    def _ends(self, part: Part) -> int:
        """The number of ends of sessions beside a kernel in `part`, if there is one."""
        before = all(self.graph.real_makers(i) for i in part.nodes)
        after = part.nodes <= self.graph.nodes_with_reader
        return max(1, before + after)
