"""The readers of the values of an ONNX graph, and which of them can become kernels.

A node "is mapped" if its operator has a row in `mapping/`; whether it becomes `snippets` ops may
still depend on its types and attributes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

import onnx

from snippets_mlir.dialects.onnx.random_operators import RANDOM_OPERATORS
from snippets_mlir.frontends.onnx.engine_operators import domain_of
from snippets_mlir.frontends.onnx.mapping import is_product, layout, parts, row_of

MOVING = {*layout.ROWS, *parts.ROWS}
"""Operators that only move elements."""

OPAQUE, MAPPED, CALLER = 1, 2, 4
"""Bits for the readers of a value through nodes that only move elements."""


def graphs_of(node: onnx.NodeProto) -> list[onnx.GraphProto]:
    """The graphs among a node's attributes."""
    return [g for a in node.attribute for g in ([a.g] if a.HasField("g") else a.graphs)]


def draws_random(nodes: Iterable[onnx.NodeProto]) -> bool:
    """Whether a node, or one in its graphs, has another value each time."""
    return any(
        (not domain_of(n) and n.op_type in RANDOM_OPERATORS)
        or draws_random(inner for g in graphs_of(n) for inner in g.node)
        for n in nodes
    )


def captured_names(graph: onnx.GraphProto) -> list[str]:
    """The names that a graph attribute reads from its outer graphs, in order of first use."""
    inside = {v.name for v in (*graph.input, *graph.initializer)}
    inside |= {t.values.name for t in graph.sparse_initializer}
    inside.update(name for node in graph.node for name in node.output)
    used: dict[str, None] = {}
    for node in graph.node:
        used.update(dict.fromkeys(n for n in node.input if n))
        for inner in graphs_of(node):
            used.update(dict.fromkeys(captured_names(inner)))
    used.update(dict.fromkeys(o.name for o in graph.output))
    return [name for name in used if name not in inside]


def domains_of(node: onnx.NodeProto) -> list[str]:
    """The domains that the graphs of a node use besides its own, in order."""
    found: dict[str, None] = {}
    for inner in (inner for g in graphs_of(node) for inner in g.node):
        found.update(dict.fromkeys((domain_of(inner), *domains_of(inner))))
    return [domain for domain in found if domain != domain_of(node)]


def operator_key(node: onnx.NodeProto) -> str:
    """The operator's name in the cost model: with its domain if that is not ONNX's."""
    domain = domain_of(node)
    return f"{domain}.{node.op_type}" if domain else node.op_type


def is_mapped(node: onnx.NodeProto, *, with_products: bool | None = None) -> bool:
    """Whether the operator of `node` has a row in the mapping."""
    return row_of(domain_of(node), node.op_type, with_products=with_products) is not None


class Readers:
    """The readers of each value of one graph."""

    def __init__(
        self,
        graph: onnx.GraphProto,
        kept: Collection[int] = (),
        *,
        with_products: bool | None = None,
    ) -> None:
        """`kept` are nodes, by position, that stay `onnx.node` although they could be mapped."""
        self._with_products = with_products
        self._rows: dict[tuple[str, str], bool] = {}
        self._kept = {name for i in kept for name in graph.node[i].output if name}
        self._constants = {tensor.name for tensor in graph.initializer}
        for node in graph.node:
            if node.op_type == "Constant":
                self._constants.update(node.output)
        readers: dict[str, list[onnx.NodeProto]] = {}
        self._reads: list[tuple[onnx.NodeProto, Sequence[str]]] = []
        for node in graph.node:
            names = (*node.input, *(n for g in graphs_of(node) for n in captured_names(g)))
            self._reads.append((node, names))
            for name in names:
                readers.setdefault(name, []).append(node)
        self._readers: Mapping[str, Sequence[onnx.NodeProto]] = readers
        self._outputs = frozenset(o.name for o in graph.output)

    def only_opaque(self, name: str) -> bool:
        """Whether every reader of `name` is a node without a row, so that no kernel reads it."""
        readers = self._readers.get(name, ())
        return name not in self._outputs and not any(map(self._is_mapped, readers))

    def _is_mapped(self, node: onnx.NodeProto) -> bool:
        if node.op_type == "Range":  # its operands are sizes, which no kernel reads
            return False
        key = node.domain, node.op_type
        if (mapped := self._rows.get(key)) is None:
            mapped = self._rows[key] = is_mapped(node, with_products=self._with_products)
        if mapped and node.op_type == "Gather":  # of places at run time: an embedding
            mapped = len(node.input) > 1 and node.input[1] in self._constants
        return mapped and self._kept.isdisjoint(node.output)

    def wanted_by_kernels(self, name: str) -> bool:
        """Whether a reader is mapped that does more than move elements."""
        return bool(self._ends.get(name, 0) & MAPPED)

    def wanted_by_kernels_alone(self, name: str) -> bool:
        """Whether the value has readers, and all may be in kernels."""
        return self._ends.get(name, 0) == MAPPED

    def wanted_by_nodes_alone(self, name: str) -> bool:
        """Whether the value has readers, and all are nodes outside of kernels.

        Nodes that only move elements are looked through.
        """
        return self._ends.get(name, 0) == OPAQUE

    @cached_property
    def _ends(self) -> Mapping[str, int]:
        """For each value what reads it, in one sweep from the end: a reader is after its maker."""
        found = dict.fromkeys(self._outputs, CALLER)
        for node, names in reversed(self._reads):
            is_mapped = self._is_mapped(node)
            kinds = MAPPED if is_mapped else OPAQUE
            if is_mapped and self._moves(node):
                kinds = 0
                for name in node.output:
                    kinds |= found.get(name, 0)
            for name in names:
                found[name] = found.get(name, 0) | kinds
        return found

    def _moves(self, node: onnx.NodeProto) -> bool:
        return node.op_type in MOVING and not domain_of(node)

    def are_products(self, name: str) -> bool:
        """Whether the value has readers, and all are matrix products, some of what it moves to."""
        readers = list(self._through_layouts(name))
        return bool(readers) and all(
            r is not None and is_product(domain_of(r), r.op_type) for r in readers
        )

    def _through_layouts(self, name: str) -> Iterator[onnx.NodeProto | None]:
        """The readers that do not only move elements; None is the caller."""
        seen, names = {name}, [name]
        while names:
            name = names.pop()
            if name in self._outputs:
                yield None
            for reader in self._readers.get(name, ()):
                if not (self._moves(reader) and self._is_mapped(reader)):
                    yield reader
                else:
                    names += _new(reader.output, seen)


def _new(names: Iterable[str], seen: set[str]) -> list[str]:
    """The names that are not among `seen`, and are from now on."""
    found = [name for name in names if name not in seen]
    seen.update(found)
    return found
