"""One ONNX node as the mapping tables see it: its inputs as values, and ways to build ops.

A builder function (one row of the tables in `mapping/`) reads the node through a `NodeBuilder` and
returns the value of each output. It raises `Opaque(reason)` if the node has to stay an `onnx.node`;
ops that it emitted before are then unused and disappear.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import onnx
from onnx import numpy_helper
from xdsl.dialects.builtin import (
    FloatAttr,
    IntegerAttr,
    TensorType,
    bf16,
    f16,
    f32,
    f64,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute, SSAValue

from snippets_mlir.dialects.builtin.dims import Dim
from snippets_mlir.dialects.builtin.dtypes import Array, element_type_of
from snippets_mlir.dialects.builtin.shaped import bit_width, tensor_of
from snippets_mlir.dialects.onnx.types import DENSE_CODES
from snippets_mlir.dialects.snippets.base import FLOAT, ComputeOp, kind_of
from snippets_mlir.dialects.snippets.constants import ScalarOp
from snippets_mlir.dialects.snippets.product import MatMulOp
from snippets_mlir.dialects.snippets.whole_tensor import WholeTensorOp
from snippets_mlir.frontends.onnx.graph_view import Graph, Node
from snippets_mlir.frontends.onnx.narrow_integers import NARROW, converted, inserted

# Constants of more bytes are not read, and are named by reference where possible.
LARGE = 1 << 16

# The element types that kernels compute today; nodes on any other stay opaque.
COMPILED_TYPES: frozenset[Attribute] = frozenset({f16, bf16, f32, f64, i32, i64, i1})


class Opaque(Exception):
    """The node stays an `onnx.node`; the argument is the reason."""


def tensor_array(proto: onnx.TensorProto) -> Array | None:
    """The elements of a tensor in memory, or None for a type without a `dense<...>` form."""
    if proto.data_type not in DENSE_CODES or proto.data_location == onnx.TensorProto.EXTERNAL:
        return None
    return numpy_helper.to_array(proto)


def sparse_array(proto: onnx.SparseTensorProto) -> Array | None:
    """A sparse tensor written out; its indices are linear, or one row of coordinates an element."""
    values, indices = tensor_array(proto.values), tensor_array(proto.indices)
    if values is None or indices is None:
        return None
    array = np.zeros(tuple(proto.dims), values.dtype)
    if indices.ndim == 1:
        array.reshape(-1)[indices] = values
    else:
        array[tuple(indices.T)] = values
    return array


class NodeBuilder:
    """Reads one node and builds the ops that replace it."""

    def __init__(self, node: Node, graph: Graph, *, narrow: bool = False) -> None:
        """`narrow` is the row's."""
        self.node = node
        self._graph = graph
        self._narrow = narrow

    def __len__(self) -> int:
        return len(self.node.inputs)

    def has(self, index: int) -> bool:
        """Whether the node has an input `index` that is not omitted."""
        return index < len(self.node.inputs) and bool(self.node.inputs[index])

    def value(self, index: int) -> SSAValue:
        """Input `index`, a ranked tensor with an element type that kernels compute."""
        value = self._graph.value(self.node.inputs[index])
        if not isinstance(value.type, TensorType):
            raise Opaque(f"the shape of input {index} is not known")
        self.check_type(tensor_of(value).element_type)
        return value

    def check_type(self, element: Attribute | None) -> None:
        """Raise Opaque for an element type that the row does not take."""
        if element in COMPILED_TYPES or (self._narrow and element in NARROW):
            return
        if element in NARROW:
            raise Opaque(f"{self.node.op_type} of {element} is not compiled")
        raise Opaque(f"elements of type {element} are not compiled yet")

    def any_value(self, index: int) -> SSAValue:
        """The value of input `index`, tensor or not."""
        return self._graph.value(self.node.inputs[index])

    def values(self) -> list[SSAValue]:
        """All inputs, every one of which is given."""
        return [self.value(i) for i in range(len(self))]

    def array(self, index: int) -> Array | None:
        """The elements of input `index` if it is a constant of at most 64 KiB, else None."""
        return self._graph.array_of(self._graph.value(self.node.inputs[index]))

    def size(self, index: int) -> Dim | None:
        """The whole number that input `index` is, possibly a formula; None if it is not known."""
        return self._graph.size_of(self.node.inputs[index])

    def wants(self, index: int) -> bool:
        """Whether output `index` may have readers."""
        return index < len(self.node.outputs) and bool(self.node.outputs[index])

    def result_type(self, index: int = 0) -> Attribute:
        """The type of output `index` as shape inference knows it."""
        return self._graph.type_of(self.node.outputs[index])

    def result_is_for_opaque_nodes(self) -> bool:
        """Whether only nodes that stay opaque read the first output."""
        return self._graph.only_opaque_readers(self.node.outputs[0])

    def result_is_for_kernels(self) -> bool:
        """Whether kernels alone read the first output."""
        return self._graph.only_kernels_read(self.node.outputs[0])

    def widened(self, element: Attribute) -> SSAValue | None:
        """The first input in a wider float type, if it is a constant: a small one, or a weight."""
        value = self._graph.value(self.node.inputs[0])
        return self._graph.widened(self.node.outputs[0], value, element)

    def columns(self, index: int, start: int, stop: int) -> SSAValue | None:
        """Input `index` from column `start` to before `stop` as a constant, if it is one."""
        return self._graph.columns(self._graph.value(self.node.inputs[index]), start, stop)

    def is_between_opaque_nodes(self) -> bool:
        """Whether an opaque node, but no kernel, reads or computes the elements that this node
        moves.
        """
        return self._graph.is_between_opaque_nodes(self.node)

    def flag(self, name: str, default: int = 0) -> int:
        """The integer attribute `name`, or the default."""
        return int(self.node.attributes.get(name, default))

    def number(self, name: str, default: float = 0.0) -> float:
        """A float attribute; ONNX stores attributes and defaults as float32."""
        return float(np.float32(self.node.attributes.get(name, default)))

    def text(self, name: str, default: str) -> str:
        """The string attribute `name`, or the default."""
        value = self.node.attributes.get(name, default)
        return value.decode(errors="replace") if isinstance(value, bytes) else str(value)

    def tensor(self, proto: onnx.TensorProto) -> Array | None:
        """The elements of an attribute's tensor, or None for a type without a text in NumPy."""
        return tensor_array(proto)

    def constant_attribute(self) -> Array | None:
        """The value of a `Constant` node, from any of its attributes, or None for strings."""
        attributes = self.node.attributes
        if "value" in attributes:
            return tensor_array(attributes["value"])
        if "sparse_value" in attributes:
            return sparse_array(attributes["sparse_value"])
        for kind, dtype in (("float", np.float32), ("int", np.int64)):
            for name in (f"value_{kind}", f"value_{kind}s"):
                if name in attributes:
                    return np.array(attributes[name], dtype)
        return None

    def emit(self, op: ComputeOp) -> SSAValue:
        """Insert `op`, which must be defined for its operands' elements; returns its result.

        VerifyException if shapes violate a constraint of an op that reads whole tensors.
        """
        for operand in op.joined_operands:
            element = tensor_of(operand).element_type
            if kind_of(element) not in op.ELEMENT_KINDS:
                raise Opaque(f"{op.name} is not defined for elements of type {element}")
        if isinstance(op, WholeTensorOp):
            op.verify_()
        return inserted(self._graph.insert, op)

    def product(
        self, lhs: SSAValue, rhs: SSAValue, transpose_a: bool = False, transpose_b: bool = False
    ) -> SSAValue:
        """A matrix product; raises Opaque if no kernel supports it."""
        op = MatMulOp(lhs, rhs, transpose_a, transpose_b)
        if (reason := self._graph.why_no_product(op)) is not None:
            raise Opaque(reason)
        return self.emit(op)

    def scalar(self, number: float, element: Attribute) -> SSAValue:
        """A constant of one element, rounded to the element type."""
        if kind_of(element) != FLOAT:
            return self._graph.insert(ScalarOp(IntegerAttr(int(number), bit_width(element))))
        return self._graph.insert(ScalarOp(FloatAttr(number, cast("Any", element))))

    def like(self, number: float, value: SSAValue) -> SSAValue:
        """A constant of one element of the element type of `value`."""
        return self.scalar(number, tensor_of(value).element_type)

    def constant(self, array: Array) -> SSAValue:
        """A `snippets.constant` with the elements of an array."""
        return self._graph.constant(array, element_type_of(array.dtype))

    def convert(self, value: SSAValue, element: Attribute) -> SSAValue:
        """`value` with another element type; `value` itself if it has it."""
        if tensor_of(value).element_type == element:
            return value
        return converted(self._graph.insert, value, element)


Built = SSAValue | Sequence[SSAValue | None]
Build = Callable[[NodeBuilder], Built]


@dataclass(frozen=True)
class Row:
    """How one ONNX operator becomes `snippets` ops.

    `since` lists the schema versions that `build` handles, `build` gives the output's value (or one
    value for each output, None for one that is not wanted).

    `attributes` lists the attributes that `build` understands; a node with another one stays
    opaque. It is None for operators whose attributes ONNX's checker knows: there `build` has to
    understand all of them.

    `narrow` says whether `build` handles integers of 8 and 16 bits and ui32, too.
    """

    since: tuple[int, ...]
    build: Build
    attributes: tuple[str, ...] | None = None
    narrow: bool = False
