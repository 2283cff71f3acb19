"""The nodes of a model that do not become constants, with makers, readers and sizes of values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

import onnx
from onnx import defs

from snippets_mlir.driver.dynamic.templates import Shapes
from snippets_mlir.driver.onnx.bound.operators import variadic
from snippets_mlir.driver.onnx.bound.values import (
    COUNTING,
    RENAMING,
    SIZES_ONLY,
    TYPES_ONLY,
    UnknownSize,
    item_bytes,
    names_read,
)
from snippets_mlir.frontends.onnx.engine_operators import domain_of, opsets_of
from snippets_mlir.frontends.onnx.folding import MOVING
from snippets_mlir.frontends.onnx.mapping import ROWS_WITH_PRODUCTS, has_known_version, row_of
from snippets_mlir.frontends.onnx.node import LARGE
from snippets_mlir.frontends.onnx.operator_versions import since
from snippets_mlir.frontends.onnx.prepare import PreparedModel
from snippets_mlir.frontends.onnx.readers import is_mapped
from snippets_mlir.frontends.onnx.shapes.dims import Size, evaluate


class CutNodes:
    """The nodes that do not become constants, for one call.

    Attributes:
        proto: the graph.
        opset: the version of ONNX's operators.
        nodes: the nodes, in order; all other fields use their indices.
        types: the types of values by name; `elements_of` evaluates their sizes.
        weights: constants that are written in the model.
        constants: the names of values that are constants after the import.
        makers: the node that makes a value.
        reads: for each node, the values that it and its graphs read.
        readers: the nodes that read a value.
        mapped: the nodes whose operator has a row in the mapping.
        engine: nodes that no kernel supports and that an output needs.
    """

    def __init__(self, prepared: PreparedModel, shapes: Shapes) -> None:
        self.proto = graph = prepared.model.graph
        self.opset = opsets_of(prepared.model.opset_import).get("", 1)
        self.types, self.elements = prepared.inferred.types, prepared.inferred.elements
        self.weights = {t.name: t for t in graph.initializer}
        self.weights.update((t.values.name, t.values) for t in graph.sparse_initializer)
        given = [i.name for i in graph.input if i.name not in self.weights]
        symbols = prepared.inferred.symbols.items()
        places = {name: place for place, name in enumerate(given)}
        known = {s: shapes[places[name]][dim] for s, (name, dim) in symbols} if shapes else {}
        self.sizes = prepared.inferred.with_defined(known)
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
        self.reads = [tuple(dict.fromkeys(names_read(node))) for node in self.nodes]
        needed = self._needed()
        self.engine = {i for i in others if i in needed and self.nodes[i].op_type not in moving}
        self.readers: dict[str, list[int]] = {}
        for i, names in enumerate(self.reads):
            for name in names:
                self.readers.setdefault(name, []).append(i)

    def _needed(self) -> set[int]:
        """The nodes that an output depends on: the engine runs no others."""
        found, names = set[int](), set(self.outputs)
        for place in reversed(range(len(self.nodes))):
            if not names.isdisjoint(self.nodes[place].output):
                found.add(place)
                names.update(self.reads[place])
        return found

    def _add(self, node: onnx.NodeProto) -> None:
        """Note a node, unless it becomes a constant."""
        results = [name for name in node.output if name]
        if self._is_folded(node, results):
            self.constants.update(results)
            return
        if is_mapped(node) and node.input and node.input[0] in self.plain and self.renames(node):
            self.plain.update(results)
        self.nodes.append(node)

    def renames(self, node: onnx.NodeProto) -> bool:
        """Whether a mapped node may return its first input unchanged."""
        if node.op_type == "Cast":
            types = [self.types.get(name) for name in (node.input[0], node.output[0])]
            elements = {0 if type_ is None else type_.element for type_ in types}
            return len(elements) == 1 or 0 in elements
        if node.op_type in variadic():
            return len(node.input) == 1
        return node.op_type in RENAMING

    def _is_folded(self, node: onnx.NodeProto, results: Sequence[str]) -> bool:
        if domain_of(node):
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
        """The number of elements of a value; raises UnknownSize."""
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
        """A size of a shape; UnknownSize if it is unknown or 0."""
        found = 0 if size is None else evaluate(size, self.sizes)
        if found <= 0:
            raise UnknownSize
        return found

    def bytes_of(self, name: str) -> int:
        """The size of a value in bytes."""
        return self.elements_of(name) * item_bytes(self.types[name].element)

    def _is_plain(self, place: int) -> bool:
        return any(name in self.plain for name in self.nodes[place].output)

    def _is_result(self, place: int) -> bool:
        return self.nodes[place].output[0] in self.outputs

    def real_makers(self, place: int) -> Sequence[int]:
        """The nodes whose first result this node certainly reads."""
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

    def elements_read(self, place: int) -> Sequence[str]:
        """The values that a kernel with this node may read elements of."""
        node = self.nodes[place]
        skipped = SIZES_ONLY.get(node.op_type)
        if skipped is None or domain_of(node):
            return self.reads[place]
        return tuple(name for i, name in enumerate(node.input) if name and i != skipped)

    def is_known_version(self, node: onnx.NodeProto) -> bool:
        """Whether the mapping has a row for this version of a mapped operator."""
        version = self.opset
        if version > defs.onnx_opset_version():
            return False
        if (found := has_known_version(node.op_type, version)) is not None:
            return found
        return since(node.op_type, version) in ROWS_WITH_PRODUCTS[node.op_type].since
