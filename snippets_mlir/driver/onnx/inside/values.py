"""Facts about values of a model that onnxruntime has optimized: shapes, layouts, numbers.

    %c = nchwc.Conv(...)             blocked
    %x = nchwc.ReorderOutput(%c)     the plain image of %c
    %y = Mul(%x, %s)                 of %x's shape; %s is a constant of one element

The optimizer keeps the names of values, so shapes come from the inference on the source model. For
a new name, the shape follows from the node: elementwise nodes keep the shape of an operand.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import onnx
from onnx import numpy_helper

from snippets_mlir.frontends.onnx.engine_operators import domain_of
from snippets_mlir.frontends.onnx.readers import captured_names, graphs_of
from snippets_mlir.frontends.onnx.shapes.types import Shape, ValueType

NCHWC = "com.microsoft.nchwc"
"""The domain of onnxruntime's operators on images in the blocked layout."""
TO_PLAIN, TO_BLOCKED = "ReorderOutput", "ReorderInput"


def number_attribute(node: onnx.NodeProto, name: str, default: int) -> int:
    """An integer attribute of a node."""
    return next((a.i for a in node.attribute if a.name == name), default)


def changes_layout(node: onnx.NodeProto, operator: str) -> bool:
    """Whether a node is the change of layout `operator` of an NCHW image."""
    is_change = node.op_type == operator and node.domain == NCHWC
    return is_change and not number_attribute(node, "channels_last", 0)


@dataclass(frozen=True)
class Values:
    """The values of one graph.

    Attributes:
        graph: the optimized graph.
        types: types of values of the source model, by name; symbols are right for every call.
    """

    graph: onnx.GraphProto
    types: Mapping[str, ValueType]

    @cached_property
    def makers(self) -> Mapping[str, int]:
        """The node that makes a value, by position."""
        return {name: i for i, node in enumerate(self.graph.node) for name in node.output if name}

    @cached_property
    def readers(self) -> Mapping[str, tuple[int, ...]]:
        """The nodes that read a value, by position."""
        found: dict[str, list[int]] = {}
        for place, node in enumerate(self.graph.node):
            inner = (name for graph in graphs_of(node) for name in captured_names(graph))
            for name in dict.fromkeys((*node.input, *inner)):
                found.setdefault(name, []).append(place)
        return {name: tuple(places) for name, places in found.items()}

    @cached_property
    def results(self) -> frozenset[str]:
        """The names of the outputs of the graph."""
        return frozenset(value.name for value in self.graph.output)

    @cached_property
    def constants(self) -> Mapping[str, onnx.TensorProto]:
        """The initializers of the graph, by name."""
        return {tensor.name: tensor for tensor in self.graph.initializer}

    def number(self, name: str) -> np.ndarray | None:
        """A constant of one element, else None."""
        tensor = self.constants.get(name)
        if tensor is None or any(size != 1 for size in tensor.dims):
            return None
        return numpy_helper.to_array(tensor)

    @cached_property
    def plain(self) -> Mapping[str, str]:
        """The blocked value of each plain image that a node makes from one."""
        nodes = (node for node in self.graph.node if changes_layout(node, TO_PLAIN))
        return {node.output[0]: node.input[0] for node in nodes}

    def channels(self, name: str) -> int:
        """The channels of a plain image made from a blocked one."""
        return number_attribute(self.graph.node[self.makers[name]], "channels", 0)

    def element(self, name: str) -> int:
        """ONNX's number of an element type, 0 if it is unknown."""
        if name in self.constants:
            return self.constants[name].data_type
        if name in self.plain:
            return onnx.TensorProto.FLOAT  # nothing else is blocked
        return self._known(name).element

    def shape(self, name: str) -> Shape | None:
        """The sizes of a value, None if a size or the rank is unknown."""
        if name in self.constants:
            return tuple(self.constants[name].dims)
        shape = self._known(name).shape
        return None if shape is None or None in shape else shape

    def rank(self, name: str) -> int | None:
        """The number of dims of a value, if known."""
        if name in self.plain:
            return 4
        shape = self._known(name).shape
        return None if shape is None else len(shape)

    def _known(self, name: str) -> ValueType:
        return self.types.get(name) or self._followed.get(name) or ValueType(0, None)

    @cached_property
    def _followed(self) -> dict[str, ValueType]:
        return {}

    def keep_type(self, result: str, operand: str) -> None:
        """A result of an elementwise node has the shape and the type of an operand."""
        if result not in self.types:
            shape = self._known(operand).shape
            self._followed[result] = ValueType(self.element(operand), shape)


def operator_of(node: onnx.NodeProto) -> tuple[str, str]:
    """Domain and operator of a node."""
    return domain_of(node), node.op_type


def without_repeats(names: Iterable[str]) -> tuple[str, ...]:
    """The names, each once, in the order of their first use."""
    return tuple(dict.fromkeys(names))
