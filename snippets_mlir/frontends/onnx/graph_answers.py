"""Queries of the mapping's builder functions about the imported graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from xdsl.dialects.builtin import IntegerAttr, StringAttr, i64
from xdsl.ir import Attribute, Operation, SSAValue

from snippets_mlir.analysis.graph.products import why_no_kernel
from snippets_mlir.dialects.builtin.dims import Dim
from snippets_mlir.dialects.builtin.dtypes import numpy_dtype, widens
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of, tensor_type
from snippets_mlir.dialects.onnx.ops import NodeOp
from snippets_mlir.dialects.snippets.attributes import PanelsAttr, ResourceAttr
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.constant_arrays import array_of
from snippets_mlir.dialects.snippets.constants import ConstantOp
from snippets_mlir.dialects.snippets.product import MatMulOp
from snippets_mlir.frontends.onnx.attributes import Sizes
from snippets_mlir.frontends.onnx.graph_view import Node
from snippets_mlir.frontends.onnx.input_sizes import InputSizes, Part
from snippets_mlir.frontends.onnx.prepare import PreparedModel
from snippets_mlir.frontends.onnx.readers import Readers
from snippets_mlir.frontends.onnx.shapes import InferredShapes
from snippets_mlir.frontends.onnx.values import GraphValues
from snippets_mlir.support.attribute_names import REASON


class GraphAnswers(GraphValues):
    """Answers `Graph`, the protocol of the builder functions, from values and their readers."""

    def __init__(
        self,
        prepared: PreparedModel,
        sizes: Sizes | None,
        kept: Mapping[int, str] | None,
        *,
        hashed: bool,
        types: InferredShapes | None,
        products: bool | None,
    ) -> None:
        super().__init__(prepared, sizes, hashed, types)
        self._kept = kept or {}
        self._products = products
        self._readers = Readers(self.graph, self._kept, with_products=self._products)
        given = (i.name for i in self.graph.input if i.name not in self.given)
        self._input_sizes = InputSizes(self._inferred, given)
        self._late: set[SSAValue] = set()  # what waits for an op that may be in a kernel
        self._moved: set[SSAValue] = set()  # sizes that are read from elsewhere

    def size_of(self, name: str) -> Dim | None:
        """The one whole number of a value, a formula if a call decides it; None if not known."""
        if (array := self.arrays.get(self.value(name))) is not None:
            return int(array.item()) if array.size == 1 and array.dtype.kind == "i" else None
        elements = self._inferred.elements.get(name)
        size = None if elements is None or elements.size != 1 else elements.reshape(-1)[0]
        if size is None or isinstance(size, int):
            return size
        return None if self._sizes is None else self._sizes(size)

    def only_kernels_read(self, name: str) -> bool:
        """Whether all readers of `name` are mapped; nodes that move elements are looked through."""
        return self._readers.wanted_by_kernels_alone(name)

    def only_opaque_readers(self, name: str) -> bool:
        """Whether every reader of `name` is a node without a row, so that no kernel reads it."""
        return self._readers.only_opaque(name)

    def widened(self, name: str, value: SSAValue, element: Attribute) -> SSAValue | None:
        """A constant in a wider float type: a small one, or one that only products read as `name`.

        The engine converts other large constants, such as the table of an embedding, at load time.
        """
        op = value.owner
        if not isinstance(op, ConstantOp):
            return None
        type_ = tensor_of(value)
        if not widens(type_.element_type, element):
            return None
        if (array := self.arrays.get(value)) is not None:
            return self.constant(array.astype(numpy_dtype(element)), element)
        if not (isinstance(op.value, ResourceAttr) and self._readers.are_products(name)):
            return None
        return self.insert(ConstantOp(op.value.to(element), tensor_type(element, shape_of(type_))))

    def columns(self, value: SSAValue, start: int, stop: int) -> SSAValue | None:
        """A constant with some columns of the constant `value`; None if it is not a constant."""
        op = value.owner
        if not isinstance(op, ConstantOp) or isinstance(op.value, PanelsAttr):
            return None
        type_ = tensor_of(value)
        part = tensor_type(type_.element_type, (*shape_of(type_)[:-1], stop - start))
        if isinstance(op.value, ResourceAttr):
            return self.insert(ConstantOp(op.value.part(start, stop), part))
        array = self.arrays.get(value)
        array = array_of(op) if array is None else array
        return self.constant(np.ascontiguousarray(array[..., start:stop]), type_.element_type)

    def why_no_product(self, op: MatMulOp) -> str | None:
        """Why a product stays a node: no kernel supports it, and the import does not need all."""
        return None if self._products else why_no_kernel(op)

    def is_between_opaque_nodes(self, node: Node) -> bool:
        """Whether a node that moves elements is beside an opaque node, and beside no kernel."""
        moved = node.inputs if node.op_type == "Concat" else node.inputs[:1]
        if all(isinstance(self.value(name).owner, NodeOp) for name in moved):
            return not self._readers.wanted_by_kernels(node.outputs[0])
        return self._readers.wanted_by_nodes_alone(node.outputs[0])

    def note(self, op: Operation) -> None:
        """Note whether the results of an op of the graph wait for kernels."""
        if isinstance(op, ComputeOp) or not self._late.isdisjoint(op.operands):
            self._late.update(op.results)

    def offer(self, name: str, value: SSAValue) -> None:
        """Let sizes be read from a new value, if it belongs to a node and waits for no kernel."""
        op = value.owner
        if isinstance(op, NodeOp) and self._late.isdisjoint(op.operands):
            self._input_sizes.add(name)

    def sizes_from_inputs(self, node: Node, reason: str) -> SSAValue | None:
        """The sizes that a node reads, from values before kernels; None if it needs no other
        values.

        Nodes that read sizes of kernels' results need them, and nodes that read such sizes.
        """
        if not node.inputs or node.inputs[0] not in self.values:
            return None
        source = self.values[node.inputs[0]]
        again = source in self._moved
        if not again and (source not in self._late or node.op_type not in ("Shape", "Size")):
            return None
        parts = self._input_sizes.parts_of(node)
        if parts is None or (again and len(parts) > 1):
            return None
        found = [self._part(part, node.version, reason) for part in parts]
        result = found[0]
        if len(found) > 1:
            sizes = sum(part.elements.size for part in parts)
            type_ = tensor_type(i64, (sizes,))
            axis: dict[str, Attribute] = {"axis": IntegerAttr(0, i64)}
            result = self._node_of("Concat", found, type_, axis, node.version, reason)
        if node.op_type == "Size":
            keep: dict[str, Attribute] = {"keepdims": IntegerAttr(0, i64)}
            scalar = tensor_type(i64, ())
            result = self._node_of("ReduceProd", [result], scalar, keep, node.version, reason)
        self._moved.add(result)
        return result

    def _part(self, part: Part, version: int, reason: str) -> SSAValue:
        """Some sizes of a value, or numbers."""
        if part.source is None:
            return self.constant(part.elements, i64)
        operand = self.value(part.source)
        rank = len(shape_of(operand))
        found = self._node_of("Shape", [operand], tensor_type(i64, (rank,)), {}, version, reason)
        if part.elements.tolist() == [*range(rank)]:
            return found
        type_ = tensor_type(i64, part.elements.shape)
        places = self.constant(part.elements, i64)
        return self._node_of("Gather", [found, places], type_, {}, version, reason)

    def _node_of(
        self,
        op_type: str,
        operands: Sequence[SSAValue],
        type_: Attribute,
        attributes: dict[str, Attribute],
        version: int,
        reason: str,
    ) -> SSAValue:
        op = NodeOp(op_type, operands, [type_], version=version, attributes=attributes)
        op.attributes[REASON] = StringAttr(reason)
        self.block.add_op(op)
        return op.outputs[0]
