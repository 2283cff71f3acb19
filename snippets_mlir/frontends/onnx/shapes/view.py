"""One node as the rules see it: types and elements of its inputs, attributes, and assumptions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import onnx
from numpy.typing import NDArray

from snippets_mlir.frontends.onnx.shapes.assumptions import Assumptions
from snippets_mlir.frontends.onnx.shapes.dims import Size
from snippets_mlir.frontends.onnx.shapes.interface import GraphScope, Out
from snippets_mlir.frontends.onnx.shapes.types import (
    UNKNOWN,
    Elements,
    Shape,
    UnknownShape,
    Value,
    ValueType,
)


class NodeView:
    """One node, as a shape rule reads it: inputs, attributes, assumptions.

    Attributes:
        proto: the node.
        scope: its graph.
        op_type: the name of the operator, without its domain.
        domain: the operator's domain; empty for ONNX's own.
        inputs: the names of the inputs; empty for one left out.
        outputs: the names of the outputs; empty for one left out.
        bodies: the graphs in the node's attributes as far as its rule walked over them, each walk.
    """

    def __init__(self, proto: onnx.NodeProto, scope: GraphScope) -> None:
        self.proto, self.scope = proto, scope
        self.op_type, domain = proto.op_type, proto.domain
        self.domain = "" if domain == "ai.onnx" else domain
        self.inputs, self.outputs = tuple(proto.input), tuple(proto.output)
        self.bodies: list[GraphScope] = []

    @property
    def version(self) -> int:
        """The opset version of the operator's domain."""
        return self.scope.opsets.get(self.domain, 1)

    @cached_property
    def attributes(self) -> dict[str, onnx.AttributeProto]:
        """The attributes as `AttributeProto`s by name."""
        return {a.name: a for a in self.proto.attribute}

    @property
    def label(self) -> str:
        """The operator and the node's name, for messages."""
        return f"{self.op_type} '{self.proto.name}'" if self.proto.name else self.op_type

    @cached_property
    def _values(self) -> list[Value | None]:
        return [self.scope.value(n) if n else None for n in self.inputs]

    @property
    def assumptions(self) -> Assumptions:
        """The assumptions of the graph, which every call must satisfy."""
        return self.scope.assumptions

    def has(self, index: int) -> bool:
        """Whether the node has an input `index` that is not omitted."""
        return index < len(self.inputs) and bool(self.inputs[index])

    def value(self, index: int) -> Value:
        """Input `index`; UnknownShape when nothing is known about it."""
        value = self.known(index)
        if value is None:
            raise UnknownShape
        return value

    def known(self, index: int) -> Value | None:
        """Input `index`; None when nothing is known about it."""
        return self._values[index] if index < len(self.inputs) else None

    def type(self, index: int) -> ValueType:
        """The inferred type of input `index`, `UNKNOWN` for one left out."""
        value = self.known(index)
        return UNKNOWN if value is None else value.type

    def shape(self, index: int) -> Shape:
        """The shape of input `index`; UnknownShape when its rank is unknown."""
        shape = self.type(index).shape
        if shape is None:
            raise UnknownShape
        return shape

    def rank(self, index: int) -> int:
        """The number of dims of input `index`."""
        return len(self.shape(index))

    def elements(self, index: int) -> Elements | None:
        """The elements of input `index`, each a size or None; None if they are not tracked."""
        value = self.known(index)
        return None if value is None else value.elements

    def sizes(self, index: int) -> list[Size | None] | None:
        """The elements of input `index` as a list."""
        found = self.elements(index)
        return None if found is None else found.reshape(-1).tolist()

    def numbers(self, index: int) -> NDArray[Any] | None:
        """The elements of input `index` if it is a constant, including floats."""
        value = self.known(index)
        return None if value is None else value.numbers

    def integers_of(self, index: int) -> list[int] | None:
        """The elements of input `index` if all of them are numbers."""
        found = self.sizes(index)
        if found is None:
            return None
        numbers = [s for s in found if isinstance(s, int)]
        return numbers if len(numbers) == len(found) else None

    def producer(self, index: int) -> NodeView | None:
        """The node that makes input `index`, of this graph."""
        return self.scope.producer(self.inputs[index]) if self.has(index) else None

    def integer(self, name: str, default: int = 0) -> int:
        """The integer attribute `name`, or the default."""
        attribute = self.attributes.get(name)
        return default if attribute is None else attribute.i

    def integers(self, name: str) -> list[int] | None:
        """A list of integers, or None if the attribute is not given."""
        attribute = self.attributes.get(name)
        return None if attribute is None else list(attribute.ints)

    def reals(self, name: str) -> list[float] | None:
        """A list of floats, or None if the attribute is not given."""
        attribute = self.attributes.get(name)
        return None if attribute is None else list(attribute.floats)

    def text(self, name: str, default: str) -> str:
        """The string attribute `name`, or the default."""
        attribute = self.attributes.get(name)
        return default if attribute is None else attribute.s.decode(errors="replace")

    def given_axes(self, index: int) -> list[int] | None:
        """The axes of the attribute `axes` or of input `index`, None where neither is given.

        UnknownShape for an input with unknown elements.
        """
        if "axes" in self.attributes:
            return self.integers("axes")
        if not self.has(index):
            return None
        found = self.integers_of(index)
        if found is None and self.type(index).shape == (0,):
            return []
        if found is None:
            raise UnknownShape
        return found

    def given_sizes(self, name: str, index: int) -> list[Size | None] | None:
        """As `given_axes`, of the attribute `name`; elements may be expressions or unknown."""
        if name in self.attributes:
            found = self.integers(name)
            return None if found is None else list(found)
        if not self.has(index):
            return None
        found = self.sizes(index)
        if found is not None:
            return found
        shape = self.shape(index)
        if len(shape) != 1 or not isinstance(shape[0], int) or shape[0] > 64:
            raise UnknownShape
        unknown: list[Size | None] = [None]
        return unknown * shape[0]

    def axis(self, name: str, default: int, rank: int) -> int:
        """An axis from 0 on; UnknownShape if it does not exist."""
        return normalized(self.integer(name, default), rank)

    def same(self, *sizes: Size | None) -> Size | None:
        """The common size of all `sizes`; None if all are unknown."""
        result: Size | None = None
        for size in sizes:
            if result is None or size is None:
                result = size if result is None else result
            else:
                result = self.assumptions.must_equal(result, size)
        return result

    def broadcast(self, *shapes: Shape) -> Shape:
        """The shape of tensors that are broadcast to each other."""
        rank = max((len(s) for s in shapes), default=0)
        result: list[Size | None] = []
        for dim in range(-rank, 0):
            size: Size | None = 1
            for shape in shapes:
                if -dim <= len(shape):
                    size = self._broadcast_size(size, shape[dim])
            result.append(size)
        return tuple(result)

    def _broadcast_size(self, a: Size | None, b: Size | None) -> Size | None:
        if a == b or b == 1:
            return a
        if a == 1:
            return b
        if a == 0 or b == 0:
            return 0
        if a is not None and b is not None:
            return self.assumptions.equal(a, b)
        known = b if a is None else a
        if known is None:
            return None
        try:
            self.assumptions.at_least_two(known)
        except UnknownShape:
            return None
        return known


def normalized(axis: int, rank: int) -> int:
    """`axis` counted from the front; UnknownShape if it does not exist."""
    if not -rank <= axis < rank:
        raise UnknownShape
    return axis % rank


Rule = Callable[[NodeView], Sequence[Out]]
