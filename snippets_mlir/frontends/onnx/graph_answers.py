"""What the builder functions of the mapping may ask of the graph that is imported."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from xdsl.ir import Attribute, SSAValue

from snippets_mlir.analysis.products import why_no_kernel
from snippets_mlir.dialects.builtin.dtypes import numpy_dtype, widens
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of, tensor_type
from snippets_mlir.dialects.onnx.ops import NodeOp
from snippets_mlir.dialects.snippets.attributes import PanelsAttr, ResourceAttr
from snippets_mlir.dialects.snippets.constant_arrays import array_of
from snippets_mlir.dialects.snippets.constants import ConstantOp
from snippets_mlir.dialects.snippets.product import MatMulOp
from snippets_mlir.frontends.onnx.attributes import Sizes
from snippets_mlir.frontends.onnx.graph_view import Node
from snippets_mlir.frontends.onnx.prepare import PreparedModel
from snippets_mlir.frontends.onnx.readers import Readers
from snippets_mlir.frontends.onnx.shapes import InferredShapes
from snippets_mlir.frontends.onnx.values import GraphValues


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

    def only_opaque_readers(self, name: str) -> bool:
        """Whether every reader of `name` is a node without a row, so that no kernel reads it."""
        return self._readers.only_opaque(name)

    def widened(self, name: str, value: SSAValue, element: Attribute) -> SSAValue | None:
        """A constant in a wider float type: a small one, or one that products alone read as `name`.

        The engine converts other large ones, the table of an embedding for example, at its load.
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
        """A constant with some columns of the constant `value`; None where it is none."""
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
        """Why a product stays a node: no kernel holds it, and the import does not ask for all."""
        return None if self._products else why_no_kernel(op)

    def is_between_opaque_nodes(self, node: Node) -> bool:
        """Whether no kernel is beside a node that moves elements, but an opaque node is."""
        moved = node.inputs if node.op_type == "Concat" else node.inputs[:1]
        if all(isinstance(self.value(name).owner, NodeOp) for name in moved):
            return not self._readers.wanted_by_kernels(node.outputs[0])
        return self._readers.wanted_by_nodes_alone(node.outputs[0])
