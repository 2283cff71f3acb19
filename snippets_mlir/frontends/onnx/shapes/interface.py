"""The results of rules, and the interface to the graph around a node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

import onnx

from snippets_mlir.frontends.onnx.shapes.assumptions import Assumptions
from snippets_mlir.frontends.onnx.shapes.types import Elements, Shape, Value

if TYPE_CHECKING:
    from snippets_mlir.frontends.onnx.shapes.view import NodeView


class Out(NamedTuple):
    """The facts about one output, from a rule.

    Attributes:
        shape: its sizes, or None.
        elements: its elements, where they are known.
        element: its element type; 0 for what the operator's schema says, else that of input 0.
        other: its type if it is no dense tensor.
        tensor: its value, if it is a constant.
    """

    shape: Shape | None
    elements: Elements | None = None
    element: int = 0
    other: onnx.TypeProto | None = None
    tensor: onnx.TensorProto | None = None


class GraphScope(Protocol):
    """The graph around a node: see `scope.py`."""

    nodes: Sequence[NodeView]
    """The nodes of the graph, in its order."""

    @property
    def assumptions(self) -> Assumptions:
        """The assumptions of the graph, which every call must satisfy."""
        ...

    @property
    def opsets(self) -> Mapping[str, int]:
        """The version of each domain's operators."""
        ...

    def value(self, name: str) -> Value | None:
        """The value called `name`, of this graph or one around it."""
        ...

    def producer(self, name: str) -> NodeView | None:
        """The node that makes the value called `name`."""
        ...

    def inner(
        self, graph: onnx.GraphProto, inputs: Sequence[Value], *, assumes: bool
    ) -> list[Value]:
        """The outputs of a graph inside this one, for values of its inputs."""
        ...
