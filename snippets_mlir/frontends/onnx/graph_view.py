"""A node of a model and its graph, as the mapping's builder functions see them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

from xdsl.ir import Attribute, Operation, SSAValue

from snippets_mlir.dialects.builtin.dims import Dim
from snippets_mlir.dialects.builtin.dtypes import Array
from snippets_mlir.dialects.snippets.product import MatMulOp


class Graph(Protocol):
    """The part of the import that a `NodeBuilder` needs; see `graph.py`."""

    def value(self, name: str) -> SSAValue:
        """The SSA value of the ONNX name `name`."""
        ...

    def array_of(self, value: SSAValue) -> Array | None:
        """The elements of a small constant, else None."""
        ...

    def insert(self, op: Operation) -> SSAValue:
        """Append `op`, or its folded form; its result."""
        ...

    def constant(self, array: Array, element: Attribute) -> SSAValue:
        """Insert a constant op with the elements of `array`; its result."""
        ...

    def type_of(self, name: str) -> Attribute:
        """The type of a value as shape inference knows it."""
        ...

    def size_of(self, name: str) -> Dim | None:
        """The one whole number of the value called `name`, None if nothing is known about it."""
        ...

    def only_kernels_read(self, name: str) -> bool:
        """Whether kernels alone read the value called `name`, possibly after it is moved."""
        ...

    def only_opaque_readers(self, name: str) -> bool:
        """Whether only nodes that stay opaque read the value called `name`."""
        ...

    def widened(self, name: str, value: SSAValue, element: Attribute) -> SSAValue | None:
        """The constant `value` in a wider type; None where another value or `name` needs a node."""
        ...

    def columns(self, value: SSAValue, start: int, stop: int) -> SSAValue | None:
        """A constant with some columns of the constant `value`; None where it is none."""
        ...

    def why_no_product(self, op: MatMulOp) -> str | None:
        """Why a node with the product `op` stays opaque, or None."""
        ...

    def is_between_opaque_nodes(self, node: Node) -> bool:
        """Whether no kernel is beside `node`, but a node that stays opaque is."""
        ...


@dataclass(frozen=True)
class Node:
    """An ONNX node.

    `version` is the opset of its domain, `since` that of its operator's schema, in ONNX's own
    domain.
    """

    op_type: str
    domain: str
    name: str
    version: int
    since: int | None
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: dict[str, Any] = field(hash=False)

    @property
    def label(self) -> str:
        """The node's name for messages: operator and name."""
        words = f"{self.domain}.{self.op_type}" if self.domain else self.op_type
        return f"{words} '{self.name}'" if self.name else words
