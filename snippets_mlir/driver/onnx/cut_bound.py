"""Whether a cut of an ONNX model could pay, told from its nodes alone, before anything is imported.

    Conv  HardSigmoid  Mul  Conv      each kernel here reads or writes an image of a Conv: no
    MatMul  Add  Relu  MatMul         64 elements: 2 us in the engine, a cut costs 25 us: no
    MatMul  Softplus  Mul  MatMul     2^20 elements: maybe, `engine_cuts.py` decides

A kernel holds nodes of the mapping that are connected. An upper bound of what the engine takes for
a node, less what the engine's blocked layout costs for each image that the node reads from or
writes for a node of images, is its weight. Nodes of weights above 0 that are connected are one
part. A node of a weight below 0 joins the parts beside it as long as they weigh more than it
costs. In the end each such node costs more than all parts beside it, so no kernel weighs more than
the heaviest part. When that is not more than a kernel and the cut of a session take, nothing pays.

The estimate errs on one side: `may_pay` is True wherever `plan_cuts` makes a kernel.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from math import prod

import onnx
from onnx import numpy_helper

from snippets_mlir.analysis.cost import IMAGE_NODES, EngineCosts
from snippets_mlir.driver.dynamic.templates import Shapes
from snippets_mlir.driver.onnx.cut_graph import (
    NodeGraph,
    UnknownSize,
    components,
    item_bytes,
    names_read,
)
from snippets_mlir.frontends.onnx.folding import MOVING
from snippets_mlir.frontends.onnx.prepare import PreparedModel
from snippets_mlir.frontends.onnx.readers import is_mapped

SINGLE = frozenset(
    "Abs Add Cos Div Equal Erf Exp Floor Log Mul Neg Relu Sigmoid Sin Sqrt Sub Tanh".split()
)
"""Operators that are one op each, which reads the inputs and makes the result."""

IN_STEPS = frozenset("BatchNormalization Clip HardSigmoid LeakyRelu".split())
"""Operators that are several ops, each on the one before: they are in one kernel."""

MOVES_OR_SUMS = frozenset("ReduceMean ReduceProd ReduceSum Transpose".split())
"""Operators that are one op each, of which the result has another shape."""

VIEWS = frozenset(("Flatten", "Reshape", "Squeeze", "Unsqueeze"))

JOINING = ("LayerNormalization", "Pow", "Sigmoid", "SwiGLU", "Swish")
"""Operators without which the engine runs each node by itself; see `engine_fusions.py`."""

CHAIN = "LayerNormalization"
"""What the engine makes of chains of ops; each has a power."""


@dataclass
class _Part:
    """Connected nodes, by position, with the sum of their weights."""

    weight: float
    nodes: set[int] = field(default_factory=set[int])


def may_pay(prepared: PreparedModel, shapes: Shapes, threads: int, costs: EngineCosts) -> bool:
    """Whether a kernel may make the model faster in a call with inputs of `shapes`.

    `shapes` are those of all inputs that the caller gives, in order; () without dynamic dims.
    """
    try:
        return _Bound(NodeGraph(prepared, shapes), threads, costs).may_pay()
    except (UnknownSize, ArithmeticError, LookupError, ValueError):  # a model that is odd
        return True


class _Bound:
    def __init__(self, graph: NodeGraph, threads: int, costs: EngineCosts) -> None:
        self.graph, self.threads, self.costs = graph, threads, costs
        self.nodes, self.types = graph.nodes, graph.types
        self._joins = any(node.op_type in JOINING for node in self.nodes)
        self.makers, self.readers, self.engine = graph.makers, graph.readers, graph.engine

    def may_pay(self) -> bool:
        mapped = {i for i, node in enumerate(self.nodes) if is_mapped(node)}
        beside = self._beside(mapped)
        change = self.costs.change(self.threads)
        weights = {i: self._engine(self.nodes[i]) - self._images(i) for i in mapped}
        for group in components(mapped, beside):
            for part in _parts(group, weights, beside):
                if part.weight > self.costs.kernel + change * self._ends(part) / 2:
                    return True
        free = mapped - self.graph.nodes_that_cut()
        beside = {i: beside[i] & free for i in free}
        return any(
            part.weight > self.costs.kernel
            for group in components(free, beside)
            for part in _parts(group, weights, beside)
        )

    def _ends(self, part: _Part) -> int:
        """How many ends of sessions are beside a kernel in `part`, if any is."""
        before = all(any(True for _ in self.graph.real_makers(i)) for i in part.nodes)
        after = part.nodes <= self.graph.nodes_with_reader
        return max(1, before + after)

    def _beside(self, mapped: set[int]) -> dict[int, set[int]]:
        """The mapped nodes that can be in one kernel with each, because one reads the other.

        They cannot if the engine runs a node between them, too, as between a residual addition and
        the next one.
        """
        before: list[int] = []
        through: list[int] = []
        found: dict[int, set[int]] = {i: set() for i in mapped}
        for place, node in enumerate(self.nodes):
            makers = {self.makers[n] for n in names_read(node) if n in self.makers}
            real = {*self.graph.real_makers(place)}
            all_before, all_through = 0, 0
            for maker in real:
                all_before |= before[maker] | 1 << maker
                all_through |= before[maker] if maker in self.engine else through[maker]
            before.append(all_before)
            through.append(all_through)
            for maker in makers & mapped if place in mapped else ():
                if not (node.op_type in SINGLE and all_through >> maker & 1):
                    found[place].add(maker)
                    found[maker].add(place)
        return found

    def _engine(self, node: onnx.NodeProto) -> float:
        """At most what the engine takes for a node, and its share of a chain."""
        if node.op_type in VIEWS:
            return self.costs.node
        names = [n for n in (*node.input, *node.output) if n]
        largest = max(map(self.graph.elements_of, names), default=0)
        item = max((item_bytes(self.types[n].element) for n in names), default=0)
        names = [n for n in names if n not in self.graph.constants]
        if node.op_type in SINGLE | IN_STEPS | MOVES_OR_SUMS:
            touched = sum(map(self.graph.bytes_of, names))
        else:
            touched = (len(names) + 2) * largest * max(item, 4)
        rates, compute = self.costs.rates, self.costs.arithmetic
        if not (node.op_type == "Pow" and self._is_small_power(node.input[1])):
            compute = rates.get(node.op_type, compute)
        alone = not self._joins and node.op_type in SINGLE | IN_STEPS
        found = self.costs.node + self._time(largest * compute, touched, alone=alone)
        if node.op_type == "Pow":
            chain = rates.get(CHAIN, self.costs.arithmetic)
            found += self.costs.node + self._time(largest * chain, touched)
        return found

    def _time(self, compute: float, touched: int, *, alone: bool = False) -> float:
        """At most what work takes; of a node that stays `alone`, just that.

        More work may take less time, on more threads: what is done together counts for its parts.
        """
        costs = self.costs
        rate = costs.cached_byte if touched <= costs.cache else costs.stream_byte
        work = max(compute, touched * max(rate, costs.cached_byte))
        if alone:
            return work / (self.threads if work >= costs.parallel_from else 1)
        return max(min(work, costs.parallel_from), work / self.threads)

    def _is_small_power(self, name: str) -> bool:
        tensor = self.graph.weights.get(name)
        if tensor is None or prod(tensor.dims) != 1 or tensor.external_data:
            return False
        return float(numpy_helper.to_array(tensor).reshape(-1)[0]) in (2.0, 3.0)

    def _images(self, place: int) -> float:
        """At least what the images cost that each kernel with this node reads and writes."""
        node = self.nodes[place]
        if node.op_type not in SINGLE and node.op_type not in IN_STEPS:
            return 0.0
        found = 0.0
        for name in dict.fromkeys(n for n in node.input if n in self.makers):
            if self._is_image(name) and _has_images(self.nodes[self.makers[name]]):
                found += self.graph.bytes_of(name) / len(self.readers[name])
        for name in node.output:
            readers = [self.nodes[i] for i in self.readers.get(name, ())]
            if self._is_image(name) and any(map(_has_images, readers)):
                found += self.graph.bytes_of(name)
        return self.costs.image_byte * found

    def _is_image(self, name: str) -> bool:
        type_ = self.types.get(name)
        return type_ is not None and type_.shape is not None and len(type_.shape) == 4


def _has_images(node: onnx.NodeProto) -> bool:
    return node.op_type in IMAGE_NODES and node.op_type not in MOVING


def _parts(
    group: set[int], weights: Mapping[int, float], beside: Mapping[int, set[int]]
) -> Collection[_Part]:
    """What connected nodes of `group` of a weight above 0 are in; see the module docstring."""
    above = {i for i in group if weights[i] > 0}
    inside = {i: beside[i] & above for i in above}
    part_of: dict[int, _Part] = {}
    for nodes in components(above, inside):
        part = _Part(sum(weights[i] for i in nodes), nodes)
        part_of.update(dict.fromkeys(nodes, part))
    below = group - above
    changed = True
    while changed:
        changed = False
        for node in sorted(below):
            parts = {id(p): p for o in beside[node] if (p := part_of.get(o)) is not None}
            if sum(p.weight for p in parts.values()) <= -weights[node]:
                continue
            joined = _Part(sum(p.weight for p in parts.values()), {node})
            for part in parts.values():
                joined.nodes |= part.nodes
            part_of.update(dict.fromkeys(joined.nodes, joined))
            below.discard(node)
            changed = True
    return {id(p): p for p in part_of.values()}.values()
