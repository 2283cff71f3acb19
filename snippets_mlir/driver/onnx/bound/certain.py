"""Facts that the plan of the cuts certainly finds in a model, before the import (`cut_bound.py`).

    Conv  Mul  Conv  Mul  Add         float32 of known sizes: Mul, Mul and Add are in candidates
          |               |
          +---------------+           of which those that are connected are weighed together

Adjacent kernels that include a product are weighed together, so all nodes of a group in `groups`
are in kernels, or none is. `changes` counts the changes between kernels and sessions if they are,
like `analysis/engine/session_changes.py`, which knows all ops.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress
from functools import cached_property

import onnx

from snippets_mlir.analysis.engine.costs import EngineCosts
from snippets_mlir.analysis.graph.eligibility import MAX_RANK
from snippets_mlir.dialects.snippets.registry import derived
from snippets_mlir.driver.onnx.bound.graph import NodeGraph, components
from snippets_mlir.driver.onnx.bound.operators import is_in_steps, is_single, of_bound
from snippets_mlir.driver.onnx.bound.products import is_product_node
from snippets_mlir.driver.onnx.bound.values import COUNTING, VIEWS, UnknownSize
from snippets_mlir.frontends.onnx.engine_operators import domain_of
from snippets_mlir.targets.implementations import has_rows_of_plugins
from snippets_mlir.targets.implementations.onnxruntime_rules import RULES, STARTS

SOFTMAX_OF_ONE_DIM = 13
"""The first opset in which Softmax runs along one dim, and is one op."""

FLOAT = (onnx.TensorProto.FLOAT,)
CONVERTED = (*FLOAT, onnx.TensorProto.BOOL, onnx.TensorProto.INT32, onnx.TensorProto.INT64)

OTHERS: Mapping[str, Mapping[int, tuple[int, ...]]] = {
    "Cast": {-1: CONVERTED, 0: CONVERTED},
    "Where": {0: (onnx.TensorProto.BOOL,)},
}
"""Operators with operands (by position) or results (-1) of element types other than float32."""


@derived
def _joining() -> frozenset[str]:
    """The ops that the engine may fuse into a node before them."""
    names = frozenset[str]().union(*(rule.names for rule in RULES))
    return frozenset(name.partition(".")[2] for name in names)


class Certain:
    """The nodes of a graph that are in candidates for kernels, independent of the import."""

    def __init__(self, graph: NodeGraph) -> None:
        self.graph, self.nodes = graph, graph.nodes

    @cached_property
    def kernels(self) -> set[int]:
        """The nodes, by position; none if a plug-in may claim some."""
        if has_rows_of_plugins():
            return set()
        graph = self.graph
        alive = (graph.mapped & graph.live) - graph.for_sizes - graph.unsized
        found: set[int] = set()
        chains: set[int | None] = set()  # the engine may fuse the readers of their values into them
        for place, node in enumerate(self.nodes):
            follows = any(graph.makers.get(name) in chains for name in graph.reads[place])
            joins = follows and self._may_join(node)
            if place in alive and not joins and self._is_computed(place):
                found.add(place)
            elif joins or node.op_type in STARTS:
                chains.add(place)
        return found

    def _may_join(self, node: onnx.NodeProto) -> bool:
        """Whether the engine may fuse a node into a convolution or a product before it.

        The other factor after a convolution is a constant.
        """
        if node.op_type == "Mul" and self._varying.issuperset(node.input):
            return False
        return not is_single(node.op_type) or of_bound("single")[node.op_type] in _joining()

    @cached_property
    def _varying(self) -> set[str]:
        """The values that depend on the caller's elements, not only on their sizes."""
        found = {i.name for i in self.graph.proto.input} - self.graph.constants
        for place, node in enumerate(self.nodes):
            if node.op_type not in COUNTING and not found.isdisjoint(self.graph.reads[place]):
                found.update(node.output)
        return found

    @cached_property
    def groups(self) -> list[set[int]]:
        """The nodes of `kernels` that are connected, directly or by views."""
        around: dict[int, set[int]] = {i: set() for i in self.kernels}
        viewed: dict[int, int] = {}  # the node whose result becomes a view
        for place, node in enumerate(self.nodes):
            for maker in self.graph.real_makers(place):
                maker = viewed.get(maker, maker)
                if maker not in around:
                    continue
                if place in around:
                    around[place].add(maker)
                    around[maker].add(place)
                elif self._is_view(node) and self.nodes[maker].output[0]:
                    viewed[place] = maker
        return components(around, around)

    def changes(self, kernels: Collection[int]) -> int:
        """Lower bound on the changes between kernels and sessions if these nodes are in kernels."""
        return min(self._last_turn(kernels, first) for first in (0, 1))

    def _last_turn(self, kernels: Collection[int], first: int) -> int:
        turns: list[int] = []
        after: set[int] = set()
        last = 0
        for place, node in enumerate(self.nodes):
            if node.op_type in COUNTING:
                turns.append(0)
                continue
            makers = self.graph.real_makers(place)
            turn = max((turns[maker] for maker in makers), default=0)
            is_kernel = place in kernels
            is_known = is_kernel or (place in self.graph.engine and place in self.graph.live)
            if is_known:
                turn += (turn - first - (not is_kernel)) % 2
            turns.append(turn)
            if is_kernel or not after.isdisjoint(makers):
                after.add(place)
                last = max(last, turn if is_known else 0)
        return last

    def change(self, threads: int, costs: EngineCosts) -> float:
        """Lower bound on the cost of a change between sessions with this many threads."""
        engine = self.graph.engine_bytes
        return costs.change(threads, engine if engine > costs.cache else self.touched)

    @cached_property
    def touched(self) -> int:
        """Bytes of tensors that the plan certainly counts: of results, and of their constants."""
        graph = self.graph
        alone = (i for i in self.kernels if self._is_one_op(i))
        read = {n for i in (*(graph.engine & graph.live), *alone) for n in self.nodes[i].input}
        names = [n for n in read if n in graph.weights]
        names += (self.nodes[i].output[0] for i in self.kernels)
        return graph.engine_bytes + sum(map(self._bytes, names))

    def _bytes(self, name: str) -> int:
        """Bytes of a tensor of numbers of known sizes; 0 for others, and for a single number."""
        graph = self.graph
        with suppress(UnknownSize):
            if name in graph.types and graph.is_number(name) and graph.elements_of(name) > 1:
                return graph.bytes_of(name)
        return 0

    def _is_one_op(self, place: int) -> bool:
        return is_single(self.nodes[place].op_type) or is_product_node(self.nodes[place])

    def _is_view(self, node: onnx.NodeProto) -> bool:
        """Whether a node becomes a view, or nothing."""
        if node.op_type not in VIEWS or domain_of(node):
            return False
        type_ = self.graph.types.get(node.output[0])
        return type_ is not None and type_.shape is not None and len(type_.shape) <= MAX_RANK

    def _is_computed(self, place: int) -> bool:
        """Whether an op of kernels computes a node."""
        node, graph = self.nodes[place], self.graph
        if domain_of(node) or len([*filter(None, node.output)]) != 1:
            return False
        if graph.renames(node) or not graph.is_known_version(node):
            return False
        if self._varying.isdisjoint(node.input) or not self._has_kernel_types(node):
            return False
        if node.op_type == "Transpose":
            readers = (self.nodes[i] for i in graph.readers.get(node.output[0], ()))
            return any(self._is_op(reader) and self._reads_plain(reader) for reader in readers)
        return self._is_op(node)

    def _is_op(self, node: onnx.NodeProto) -> bool:
        kind = node.op_type
        if kind == "Softmax":
            return self.graph.opset >= SOFTMAX_OF_ONE_DIM
        if kind == "MatMul":
            return is_product_node(node) and all(
                len(self.graph.types[n].shape or ()) > 1 for n in node.input
            )
        return is_single(kind) or is_in_steps(kind) or kind in OTHERS

    def _reads_plain(self, node: onnx.NodeProto) -> bool:
        known = self.graph.is_known_version(node) and not self.graph.renames(node)
        return known and self._has_kernel_types(node)

    def _has_kernel_types(self, node: onnx.NodeProto) -> bool:
        """Whether kernels compute the node's elements: they are float32, with exceptions for some
        nodes.
        """
        others = OTHERS.get(node.op_type, {})
        names = {-1: node.output[0], **dict(enumerate(node.input))}
        return all(self._is_plain(n, others.get(i, FLOAT)) for i, n in names.items() if n)

    def _is_plain(self, name: str, elements: tuple[int, ...]) -> bool:
        """Whether a value is a tensor of known sizes that has one of some types of elements."""
        type_ = self.graph.types.get(name)
        if type_ is None or type_.shape is None or type_.element not in elements:
            return False
        try:
            return self.graph.elements_of(name) > 0 and len(type_.shape) <= MAX_RANK
        except UnknownSize:
            return False
