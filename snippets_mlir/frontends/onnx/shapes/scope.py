"""The values of one graph, and the walk over its nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import onnx

from snippets_mlir.frontends.onnx.shapes.assumptions import Assumptions
from snippets_mlir.frontends.onnx.shapes.dims import LARGEST, Dim, Size
from snippets_mlir.frontends.onnx.shapes.rules import RULES
from snippets_mlir.frontends.onnx.shapes.schemas import element_of, onnx_inference
from snippets_mlir.frontends.onnx.shapes.types import (
    MOST_ELEMENTS,
    RANGES,
    Elements,
    Shape,
    UnknownShape,
    Value,
    ValueType,
    constant,
    elements_of,
    type_from,
)
from snippets_mlir.frontends.onnx.shapes.view import NodeView, Out

_FAILURES = (UnknownShape, ArithmeticError, LookupError, RuntimeError, TypeError, ValueError)
"""The errors that rules raise: nothing is known about an input, or the model is wrong."""

NESTING = 16
"""The largest depth of nested graphs; deeper ones are unknown."""

REPETITIONS = 64
"""The largest average number of visits to nodes of nested graphs."""


@dataclass
class Visits:
    """How many nodes of graphs inside of others may still be walked over."""

    left: int


def _count(graph: onnx.GraphProto) -> int:
    """The number of nodes of a graph and those inside of it."""
    total = len(graph.node)
    for node in graph.node:
        total += sum(_count(a.g) for a in node.attribute if a.HasField("g"))
    return total


class Scope:
    """One graph; implements `GraphScope` of `view.py`."""

    def __init__(
        self,
        graph: onnx.GraphProto,
        opsets: Mapping[str, int],
        assumptions: Assumptions,
        outer: Scope | None = None,
        *,
        declarations: bool = True,
    ) -> None:
        self.values: dict[str, Value] = {}
        self.refused: list[NodeView] = []
        self.nodes: Sequence[NodeView] = ()
        self._node_of_bodies: NodeView | None = None
        self._graph, self._outer, self._opsets, self._assumptions = (
            graph,
            outer,
            opsets,
            assumptions,
        )
        self._producers: dict[str, NodeView] = {}
        self._depth: int = 0 if outer is None else outer._depth + 1
        self._visits: Visits = (
            Visits(REPETITIONS * _count(graph)) if outer is None else outer._visits
        )
        self._declared: dict[str, ValueType] = {}
        if declarations:
            for info in (*graph.value_info, *graph.output):
                self._declared[info.name] = type_from(info.type)
        for tensor in graph.initializer:
            self.values[tensor.name] = constant(tensor)
        for sparse in graph.sparse_initializer:
            type_ = ValueType(sparse.values.data_type, tuple(sparse.dims))
            self.values[sparse.values.name] = Value(type_)

    @property
    def assumptions(self) -> Assumptions:
        """The assumptions of the graph, which every call must satisfy."""
        return self._assumptions

    @property
    def opsets(self) -> Mapping[str, int]:
        """The version of each domain's operators."""
        return self._opsets

    def value(self, name: str) -> Value | None:
        """The value called `name`, of this graph or one around it."""
        if name in self.values or self._outer is None:
            return self.values.get(name)
        return self._outer.value(name)

    def producer(self, name: str) -> NodeView | None:
        """The node that makes the value called `name`."""
        if name in self._producers or self._outer is None:
            return self._producers.get(name)
        return self._outer.producer(name)

    def inner(
        self, graph: onnx.GraphProto, inputs: Sequence[Value], *, assumes: bool
    ) -> list[Value]:
        """The outputs of a graph inside this one, for values of its inputs."""
        self._visits.left -= len(graph.node)
        if self._depth >= NESTING or self._visits.left < 0:
            raise UnknownShape
        assumptions = self._assumptions if assumes else Assumptions(self._assumptions)
        scope = Scope(graph, self._opsets, assumptions, self)
        for info, value in zip(graph.input, inputs, strict=False):
            type_ = refined(value.type, type_from(info.type))
            scope.values[info.name] = Value(type_, value.elements)
        if self._node_of_bodies is not None:
            self._node_of_bodies.bodies.append(scope)
        scope.run()
        missing = Value(ValueType(0, None))
        return [scope.value(o.name) or missing for o in graph.output]

    def computed_elements(self) -> dict[str, Elements]:
        """The known elements of computed values, by name."""
        found = ((name, self.values[name].elements) for name in self._producers)
        return {name: e for name, e in found if e is not None}

    def run(self) -> None:
        """Find the values of all nodes, in the order of the graph."""
        self.nodes = [NodeView(proto, self) for proto in self._graph.node]
        for node in self.nodes:
            self._node(node)

    def _node(self, node: NodeView) -> None:
        rule = RULES.get((node.domain, node.op_type))
        has_rule = rule is not None
        self._node_of_bodies = node
        outs: Sequence[Out] = ()
        if rule is not None:
            try:
                outs = rule(node)
            except _FAILURES:
                rule = None
        if rule is None:
            outs = onnx_inference(node, self.refused.append)
        for index, name in enumerate(node.outputs):
            if name:
                out = outs[index] if index < len(outs) else Out(None)
                self.values[name] = self._value(node, index, out, has_rule)
                self._producers[name] = node

    def _value(self, node: NodeView, index: int, out: Out, has_rule: bool) -> Value:
        element = out.element
        if not element and out.other is None:
            element = element_of(node, index, has_rule=has_rule)
            if not element and node.domain and out.shape is not None:
                element = node.type(0).element
        shape = None if out.shape is None else self._resolved(out.shape)
        type_ = ValueType(element, shape, out.other)
        declared = self._declared.get(node.outputs[index])
        if declared is not None:
            type_ = self._refined(node, index, type_, declared)
        return Value(type_, self._elements(out.elements, type_.element, type_.shape), out.tensor)

    def _refined(
        self, node: NodeView, index: int, found: ValueType, declared: ValueType
    ) -> ValueType:
        """`found`, completed by the type that the model declares.

        A declared shape that contradicts it is kept if ONNX's inference finds the contradiction
        too: then the import of the node, or onnxruntime, refuses the model. Otherwise the declared
        shape is ignored.
        """
        if not contradicts(found, declared):
            return refined(found, declared)
        return declared if contradicts(onnx_inference(node)[index], declared) else found

    def _resolved(self, shape: Shape) -> Shape | None:
        resolve = self._assumptions.resolve
        found = tuple(resolve(s) if isinstance(s, Dim) else s for s in shape)
        if any(isinstance(s, int) and not 0 <= s <= LARGEST for s in found):
            return None
        return found

    def _elements(
        self, elements: Elements | None, element: int, shape: Shape | None
    ) -> Elements | None:
        if elements is None or shape is None or elements.size > MOST_ELEMENTS:
            return None
        if elements.shape != shape:
            return None
        flat: list[Size | None] = elements.reshape(-1).tolist()
        low, high = RANGES.get(element, (-LARGEST, LARGEST))
        if all(isinstance(s, int) and low <= s <= high for s in flat):
            return elements
        resolve = self._assumptions.resolve
        found = [resolve(s) if isinstance(s, Dim) else s for s in flat]
        # A number that the type cannot hold wraps around.
        kept = [s if not isinstance(s, int) or low <= s <= high else None for s in found]
        return elements_of(kept).reshape(elements.shape)


def contradicts(found: ValueType | Out, declared: ValueType) -> bool:
    """Whether two shapes have other ranks, or other numbers in the same place."""
    if found.shape is None or declared.shape is None:
        return False
    return len(found.shape) != len(declared.shape) or any(
        isinstance(f, int) and d is not None and f != d
        for f, d in zip(found.shape, declared.shape, strict=True)
    )


def refined(found: ValueType, declared: ValueType) -> ValueType:
    """`found` with the numbers that the model declares where nothing was found.

    Names of sizes are not declared types: that two values have a name in common is no proof.
    """
    if found.other is not None or declared.other is not None:
        return found if found.other is not None else declared
    element = found.element or declared.element
    if found.shape is None or declared.shape is None:
        return ValueType(element, found.shape if declared.shape is None else declared.shape)
    if contradicts(found, declared):
        return found
    pairs = zip(found.shape, declared.shape, strict=True)
    return ValueType(element, tuple(d if f is None else f for f, d in pairs))
