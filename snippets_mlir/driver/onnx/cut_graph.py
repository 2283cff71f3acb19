"""An ONNX graph as `cut_bound.py` sees it: which values nodes read for certain, and their sizes.

Shape  Concat  Constant         become constants: they are left out
Identity of an input            may pass it on as it is: it makes nothing
Reshape(x, s)                   reads x; s may be a constant after the import
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from math import prod

import onnx
from onnx import defs, helper

from snippets_mlir.analysis.engine_costs import EngineCosts
from snippets_mlir.driver.dynamic.templates import Shapes
from snippets_mlir.driver.onnx.cut_operators import is_single, variadic
from snippets_mlir.frontends.onnx.folding import MOVING
from snippets_mlir.frontends.onnx.mapping import (
    ROWS_WITH_PRODUCTS,
    has_known_version,
    parts,
    row_of,
)
from snippets_mlir.frontends.onnx.node import LARGE
from snippets_mlir.frontends.onnx.prepare import PreparedModel
from snippets_mlir.frontends.onnx.readers import captured_names, graphs_of, is_mapped
from snippets_mlir.frontends.onnx.shapes.dims import Size, evaluate
from snippets_mlir.frontends.onnx.value_inputs import SHAPING

RENAMING = frozenset(
    "BitCast CastLike Clip Dropout Expand Flatten Identity Reshape Squeeze Unsqueeze".split()
)
"""Operators that may pass on their first input as it is, as `variadic` ones may with one input."""

SIZED_BY_INPUT = ("Cast", "Identity", "ReduceMean", "Unsqueeze")
"""Mapped operators, beside those of one op, of unknown size where an input has none."""

NUMBERS = frozenset(
    onnx.TensorProto.DataType.Value(name)
    for name in ("BOOL", "FLOAT", "FLOAT16", "DOUBLE", "INT8", "INT32", "INT64", "UINT8")
)
"""Element types that NumPy has."""


TYPES_ONLY: Mapping[str, tuple[int, ...]] = {**SHAPING, "CastLike": (1,), "Dropout": (1, 2)}
"""Inputs, by position, that the result may be made without."""

COUNTING = ("Shape", "Size")
"""Operators that read no elements."""


class UnknownSize(Exception):
    """A size that the bound needs is not known."""


class NodeGraph:
    """The nodes that do not become constants, for one call.

    Attributes:
        proto: the graph.
        opset: the version of ONNX's operators.
        nodes: the nodes, in order; all other fields use their indices.
        types: the types of values by name, whose sizes `elements_of` evaluates.
        weights: constants that are written in the model.
        constants: the names of values that are constants after the import.
        makers: the node that makes a value.
        reads: for each node, the values that it and its graphs read.
        readers: the nodes that read a value.
        mapped: the nodes whose operator has a row in the mapping.
        engine: nodes that no kernel can hold.
    """

    def __init__(self, prepared: PreparedModel, shapes: Shapes) -> None:
        self.proto = graph = prepared.model.graph
        versions = {o.domain: o.version for o in prepared.model.opset_import}
        self.opset = versions.get("", versions.get("ai.onnx", 1))
        self.types, self.elements = prepared.inferred.types, prepared.inferred.elements
        self.weights = {t.name: t for t in graph.initializer}
        self.weights.update((t.values.name, t.values) for t in graph.sparse_initializer)
        given = [i.name for i in graph.input if i.name not in self.weights]
        symbols = prepared.inferred.symbols.items()
        places = {name: place for place, name in enumerate(given)}
        self.sizes = {s: shapes[places[name]][dim] for s, (name, dim) in symbols} if shapes else {}
        for a, b in prepared.inferred.equalities:
            if evaluate(a, self.sizes) != evaluate(b, self.sizes):
                raise UnknownSize
        self._elements: dict[str, int] = {}
        self._makers_of: dict[int, Sequence[int]] = {}
        self.constants = set(self.weights)
        self.plain = set(given)
        self.nodes: list[onnx.NodeProto] = []
        self.outputs = {o.name for o in graph.output}
        for node in graph.node:
            self._add(node)
        self.makers = {n: i for i, node in enumerate(self.nodes) for n in node.output if n}
        self.mapped = {i for i, node in enumerate(self.nodes) if is_mapped(node)}
        moving = (*MOVING, *COUNTING)
        others = (i for i in range(len(self.nodes)) if i not in self.mapped)
        self.engine = {i for i in others if self.nodes[i].op_type not in moving}
        self.reads = [tuple(dict.fromkeys(names_read(node))) for node in self.nodes]
        self.readers: dict[str, list[int]] = {}
        for i, names in enumerate(self.reads):
            for name in names:
                self.readers.setdefault(name, []).append(i)

    def _add(self, node: onnx.NodeProto) -> None:
        """Note a node, unless it becomes a constant."""
        results = [name for name in node.output if name]
        if self._is_folded(node, results):
            self.constants.update(results)
            return
        if is_mapped(node) and node.input and node.input[0] in self.plain and self._renames(node):
            self.plain.update(results)
        self.nodes.append(node)

    def _renames(self, node: onnx.NodeProto) -> bool:
        """Whether a mapped node may pass on its first input as it is."""
        if node.op_type == "Cast":
            types = [self.types.get(name) for name in (node.input[0], node.output[0])]
            elements = {0 if type_ is None else type_.element for type_ in types}
            return len(elements) == 1 or 0 in elements
        if node.op_type in variadic():
            return len(node.input) == 1
        return node.op_type in RENAMING

    def _is_folded(self, node: onnx.NodeProto, results: Sequence[str]) -> bool:
        if node.domain not in ("", "ai.onnx"):
            return False
        if node.op_type == "Constant":
            self.weights.update((results[0], a.t) for a in node.attribute if a.name == "value")
            return True
        if results and all(self._is_known(name) for name in results):
            return True
        if node.op_type not in MOVING and row_of("", node.op_type) is None:
            return False
        if not all(name in self.constants for name in node.input):
            return False
        return all(self.elements_of(name) * 8 <= LARGE for name in results)

    def _is_known(self, name: str) -> bool:
        found = self.elements.get(name)
        return found is not None and all(isinstance(n, int) for n in found.reshape(-1).tolist())

    def elements_of(self, name: str) -> int:
        """How many elements a value has; UnknownSize."""
        found = self._elements.get(name)
        if found is None:
            found = self._elements[name] = self._counted(name)
        return found

    def _counted(self, name: str) -> int:
        return prod(self.shape_of(name))

    def shape_of(self, name: str) -> list[int]:
        """The sizes of a value; UnknownSize."""
        type_ = self.types.get(name)
        if type_ is None or type_.shape is None:
            raise UnknownSize
        return [self.size(size) for size in type_.shape]

    def size(self, size: Size | None) -> int:
        """A size of a shape; UnknownSize for one that is not known, or is 0."""
        found = 0 if size is None else evaluate(size, self.sizes)
        if found <= 0:
            raise UnknownSize
        return found

    def bytes_of(self, name: str) -> int:
        """The size of a value in bytes."""
        return self.elements_of(name) * item_bytes(self.types[name].element)

    @cached_property
    def nodes_with_reader(self) -> set[int]:
        """The nodes whose first result is read, for certain, by a node that is still there."""
        found: set[int] = set()
        for place in reversed(range(len(self.nodes))):
            node = self.nodes[place]
            if place not in self._live or (self._renames(node) and place not in found):
                continue
            found.update(self.real_makers(place))
        return found

    @cached_property
    def _live(self) -> set[int]:
        """The nodes that are there after the import for certain, or pass on what one makes."""
        real = [i for i in range(len(self.nodes)) if not self._is_plain(i)]
        live = {i for i in real if i in self.engine or self._is_result(i)}
        work = [*live]
        while work:
            for maker in self.real_makers(work.pop()):
                if maker not in live:
                    live.add(maker)
                    work.append(maker)
        return live

    def _is_plain(self, place: int) -> bool:
        return any(name in self.plain for name in self.nodes[place].output)

    def _is_result(self, place: int) -> bool:
        return self.nodes[place].output[0] in self.outputs

    def real_makers(self, place: int) -> Sequence[int]:
        """The nodes whose first result this node reads for certain."""
        found = self._makers_of.get(place)
        if found is None:
            found = self._makers_of[place] = tuple(self._real_makers(place))
        return found

    def _real_makers(self, place: int) -> Iterator[int]:
        node = self.nodes[place]
        skipped = TYPES_ONLY.get(node.op_type, ()) if place in self.mapped else ()
        for index, name in enumerate(node.input):
            maker = self.makers.get(name)
            if maker is None or index in skipped or self._is_plain(maker):
                continue
            if self.nodes[maker].output[0] == name:
                yield maker

    @cached_property
    def engine_bytes(self) -> int:
        """Bytes of what the engine's nodes make: numbers of known sizes."""
        found = 0
        for place in self.engine:
            for name in filter(None, self.nodes[place].output):
                if name in self.types and self.types[name].element in NUMBERS:
                    with suppress(UnknownSize):
                        found += self.bytes_of(name)
        return found

    def shares(self, costs: EngineCosts) -> bool:
        """Whether the engine certainly shares the work of a node among its threads."""
        return any(self._is_shared(i, costs) for i in self.engine & self._live)

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
        """The mapped nodes that are in no kernel, because they read what follows from data."""
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
    def after_engine(self) -> set[int]:
        """The mapped nodes that, for certain, read what a node of the engine makes.

        Nodes between them that move elements are not folded, because they read what it makes.
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

    def is_known_version(self, node: onnx.NodeProto) -> bool:
        """Whether the mapping has a row for this version of a mapped operator."""
        version = self.opset
        if version > defs.onnx_opset_version():
            return False
        if (found := has_known_version(node.op_type, version)) is not None:
            return found
        try:
            since = defs.get_schema(node.op_type, version, "").since_version
        except (defs.SchemaError, TypeError):  # the latter for a version beyond 32 bits
            return False
        return since in ROWS_WITH_PRODUCTS[node.op_type].since

    @cached_property
    def nodes_that_cut(self) -> set[int]:
        """The nodes that no kernel can hold without a cut: they are connected to the engine's.

        Edges that the import may remove are left out, and so are values that are unused then.
        """
        engine = self.engine
        live = self._live
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
        """The nodes that tell nothing but the sizes of others.

        They become constants, or the engine reads what becomes of them: a kernel reads no sizes.
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
        """Whether a node reads a value for sizes alone."""
        node = self.nodes[place]
        if place in for_sizes or node.op_type in COUNTING:
            return True
        skipped = TYPES_ONLY.get(node.op_type, ()) if place in self.mapped else ()
        places = {i for i, read in enumerate(node.input) if read == name}
        return bool(places) and places.issubset(skipped)  # graphs inside read it without a place


def names_read(node: onnx.NodeProto) -> Iterator[str]:
    """What a node reads, and what its graphs do."""
    yield from (name for name in node.input if name)
    for graph in graphs_of(node):
        yield from captured_names(graph)


def item_bytes(element: int) -> int:
    """Bytes of an element of ONNX's type `element`."""
    return helper.tensor_dtype_to_np_dtype(element).itemsize if element else 8


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
