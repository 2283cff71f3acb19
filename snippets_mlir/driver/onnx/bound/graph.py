"""An ONNX graph for `cut_bound.py`: the values that nodes certainly read, and their sizes.

Shape  Concat  Constant         become constants: they are left out
Identity of an input            may pass it on as it is: it makes nothing
Reshape(x, s)                   reads x; s may be a constant after the import
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from math import prod

import onnx

from snippets_mlir.analysis.engine.costs import EngineCosts
from snippets_mlir.driver.onnx.bound.nodes import CutNodes
from snippets_mlir.driver.onnx.bound.operators import is_single
from snippets_mlir.driver.onnx.bound.values import COUNTING, TYPES_ONLY, UnknownSize
from snippets_mlir.frontends.onnx.engine_operators import domain_of
from snippets_mlir.frontends.onnx.mapping import is_product, parts

SIZED_BY_INPUT = ("Cast", "Identity", "ReduceMean", "Unsqueeze")
"""Mapped operators, besides operators that are one op, whose size is unknown if an input's is."""

NUMBERS = frozenset(
    onnx.TensorProto.DataType.Value(name)
    for name in ("BOOL", "FLOAT", "FLOAT16", "DOUBLE", "INT8", "INT32", "INT64", "UINT8")
)
"""Element types that NumPy has."""


class NodeGraph(CutNodes):
    """The nodes for the bound: which are certain, and which cut kernels."""

    @cached_property
    def nodes_with_reader(self) -> set[int]:
        """The nodes whose first result a remaining node certainly reads."""
        found: set[int] = set()
        for place in reversed(range(len(self.nodes))):
            node = self.nodes[place]
            if place not in self.live or (self.renames(node) and place not in found):
                continue
            found.update(self.real_makers(place))
        return found

    @cached_property
    def live(self) -> set[int]:
        """The nodes that certainly remain after the import, or return a result of such a node."""
        real = [i for i in range(len(self.nodes)) if not self._is_plain(i)]
        live = {i for i in real if i in self.engine or self._is_result(i)}
        work = [*live]
        while work:
            for maker in self.real_makers(work.pop()):
                if maker not in live:
                    live.add(maker)
                    work.append(maker)
        return live

    @cached_property
    def engine_bytes(self) -> int:
        """Bytes of the results of the engine's nodes: numbers of known sizes."""
        found = 0
        for place in self.engine:
            for name in filter(None, self.nodes[place].output):
                if name in self.types and self.is_number(name):
                    with suppress(UnknownSize):
                        found += self.bytes_of(name)
        return found

    def is_number(self, name: str) -> bool:
        """Whether the elements of a value of known type are numbers that NumPy has."""
        return self.types[name].element in NUMBERS

    def shares(self, costs: EngineCosts) -> bool:
        """Whether the engine certainly shares the work of a node among its threads."""
        return any(self._is_shared(i, costs) for i in self.engine & self.live)

    def _is_shared(self, place: int, costs: EngineCosts) -> bool:
        node = self.nodes[place]
        rate = costs.arithmetic
        if node.op_type == "Conv" and (weight := self.weights.get(node.input[1])) is not None:
            rate = max(rate, costs.product * prod(weight.dims[1:]))
        try:
            return rate * self.elements_of(node.output[0]) >= costs.parallel_from
        except UnknownSize:
            return False

    @cached_property
    def unsized(self) -> set[int]:
        """The mapped nodes that are in no kernel because they read sizes that depend on data."""
        found: set[int] = set()
        unknown: set[str] = set()
        for place, node in enumerate(self.nodes):
            mapped, unsized = place in self.mapped, place not in self.mapped
            skipped = TYPES_ONLY.get(node.op_type, ())
            if any(n in unknown for i, n in enumerate(node.input) if i not in skipped) and mapped:
                found.add(place)
                sized = is_single(node.op_type) or node.op_type in SIZED_BY_INPUT
                unsized = sized or (node.op_type in parts.ROWS and self._lacks_rank(node))
            if unsized:
                unknown.update(name for name in node.output if name and self._is_unknown(name))
        return found

    def _lacks_rank(self, node: onnx.NodeProto) -> bool:
        types = (self.types.get(name) for name in node.input if name)
        return any(type_ is None or type_.shape is None for type_ in types)

    def _is_unknown(self, name: str) -> bool:
        type_ = self.types.get(name)
        return type_ is None or type_.shape is None or None in type_.shape

    @cached_property
    def after_softmax(self) -> set[int]:
        """The mapped nodes that depend on a softmax, but not through a product after it."""
        found: set[int] = set()
        carry: set[int] = set()
        for i in sorted(self.mapped):
            node = self.nodes[i]
            if any(self.makers.get(name) in carry for name in self.reads[i]):
                found.add(i)
                if not is_product(domain_of(node), node.op_type):
                    carry.add(i)
            if node.op_type.endswith("Softmax"):
                carry.add(i)
        return found

    @cached_property
    def after_engine(self) -> set[int]:
        """The mapped nodes that certainly read a result of an engine node.

        Nodes between them that move elements are not folded, because they read this result.
        """
        found = set(self.engine)
        for place, node in enumerate(self.nodes):
            if node.op_type not in COUNTING and not found.isdisjoint(self.real_makers(place)):
                found.add(place)
        return found & self.mapped

    @cached_property
    def before_engine(self) -> set[int]:
        """The mapped nodes that, for certain, a node of the engine reads; see `after_engine`."""
        found = set(self.engine)
        for place in reversed(range(len(self.nodes))):
            if place in found:
                makers = self.real_makers(place)
                found.update(i for i in makers if self.nodes[i].op_type not in COUNTING)
        return (found | self.for_sizes) & self.mapped

    @cached_property
    def nodes_that_cut(self) -> set[int]:
        """The nodes that cannot be in a kernel without a cut: they are connected to engine nodes.

        Edges that the import may remove are ignored, and so are values that are then unused.
        """
        engine = self.engine
        live = self.live
        around: dict[int, set[int]] = {i: set() for i in live}
        for i in live:
            for maker in self.real_makers(i):
                around[i].add(maker)
                around[maker].add(i)
        found: set[int] = set()
        for group in components(live, around):
            if group & engine:
                found |= group
        return found | (self.for_sizes & self.mapped)

    @cached_property
    def for_sizes(self) -> set[int]:
        """The nodes that only compute sizes of other values.

        They become constants, or the engine reads their results: a kernel reads no sizes.
        """
        found: set[int] = set()
        for place in reversed(range(len(self.nodes))):
            node = self.nodes[place]
            if place in self.engine or not self.outputs.isdisjoint(node.output):
                continue
            if all(self._reads_sizes(r, n, found) for n in node.output for r in self._readers(n)):
                found.add(place)
        return found

    def _readers(self, name: str) -> Sequence[int]:
        return self.readers.get(name, ()) if name else ()

    def _reads_sizes(self, place: int, name: str, for_sizes: set[int]) -> bool:
        """Whether a node reads only the sizes of a value."""
        node = self.nodes[place]
        if place in for_sizes or node.op_type in COUNTING:
            return True
        skipped = TYPES_ONLY.get(node.op_type, ()) if place in self.mapped else ()
        places = {i for i, read in enumerate(node.input) if read == name}
        return bool(places) and places.issubset(skipped)  # graphs inside read it without a place


def components(nodes: Iterable[int], around: Mapping[int, Iterable[int]]) -> list[set[int]]:
    """The connected components of a graph."""
    found: list[set[int]] = []
    seen: set[int] = set()
    for start in nodes:
        if start in seen:
            continue
        group, work = {start}, [start]
        while work:
            for other in around[work.pop()]:
                if other not in group:
                    group.add(other)
                    work.append(other)
        seen |= group
        found.append(group)
    return found
