"""The values of an ONNX graph by name: types, and constants at their first use.

Initializers of up to 64 KiB are written in place; larger ones in a file are referenced
(`#snippets.resource`). The elements of small constants are available, so that ops on them fold and
nodes that need a constant (a shape, a bound) can read it.
"""

from __future__ import annotations

from math import prod

import numpy as np
import onnx
from onnx import defs, helper
from xdsl.dialects.builtin import IntegerAttr, StringAttr, TensorType, i64
from xdsl.ir import Attribute, Block, Operation, SSAValue

from snippets_mlir.analysis.graph.diagonals import LOW, diagonal_of
from snippets_mlir.dialects.builtin.dims import product
from snippets_mlir.dialects.builtin.dtypes import Array, numpy_dtype
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of, tensor_type
from snippets_mlir.dialects.builtin.size_estimates import assumed
from snippets_mlir.dialects.builtin.sizes import SizeAttr
from snippets_mlir.dialects.onnx.ops import NodeOp
from snippets_mlir.dialects.onnx.tensors import elements_of, located
from snippets_mlir.dialects.onnx.types import DENSE_CODES, ELEMENT_TYPES
from snippets_mlir.dialects.snippets.attributes import ResourceAttr
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.constants import ConstantOp, ScalarOp
from snippets_mlir.dialects.snippets.product import DIAGONAL
from snippets_mlir.dialects.snippets.resources import digest
from snippets_mlir.dialects.snippets.shapes import is_static
from snippets_mlir.dialects.snippets.values.evaluate import evaluate
from snippets_mlir.frontends.onnx.attributes import Sizes, dense_of, import_attribute, import_type
from snippets_mlir.frontends.onnx.engine_operators import MICROSOFT, opsets_of
from snippets_mlir.frontends.onnx.node import LARGE, sparse_array
from snippets_mlir.frontends.onnx.prepare import PreparedModel
from snippets_mlir.frontends.onnx.shapes import InferredShapes
from snippets_mlir.support.attribute_names import REASON
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.value_names import ssa_name

# The element types of values that the import computes itself.
_FOLDED = (onnx.TensorProto.INT64, onnx.TensorProto.INT32, onnx.TensorProto.BOOL)


def is_large(tensor: onnx.TensorProto) -> bool:
    """Whether an initializer of a type that `DENSE_CODES` has is named by reference."""
    return prod(tensor.dims) * helper.tensor_dtype_to_np_dtype(tensor.data_type).itemsize > LARGE


def _diagonal(tensor: onnx.TensorProto, folder: str) -> int | None:
    """The diagonal of an initializer that looks like a mask: its first row hides its last key."""
    if tensor.data_type not in _MASKS or len(tensor.dims) < 2 or 0 in tensor.dims:
        return None
    if not tensor.HasField("raw_data") and tensor.data_location != tensor.EXTERNAL:
        return None  # a list of numbers, which takes long to read
    mask = elements_of(located(tensor, folder))
    corner = mask.reshape(-1)[tensor.dims[-1] - 1]
    hidden = not corner if mask.dtype == np.bool_ else corner <= LOW
    return diagonal_of(mask) if hidden else None


_MASKS = (onnx.TensorProto.BOOL, onnx.TensorProto.FLOAT, onnx.TensorProto.DOUBLE)

# What reads weights: no input of these is a mask, and reading a large one copies it.
_READERS_OF_WEIGHTS = frozenset(
    (
        *(
            (domain, name)
            for domain in ("", "ai.onnx")
            for name in ("Conv", "Gather", "Gemm", "MatMul")
        ),
        (MICROSOFT, "Attention"),
    )
)


class GraphValues:
    """The values of one graph, and the block that the ops which make them are put into."""

    def __init__(
        self,
        prepared: PreparedModel,
        sizes: Sizes | None,
        hashed: bool,
        types: InferredShapes | None = None,
    ) -> None:
        """`hashed` says whether constants named by reference carry the hash of their data.

        `types` are what is known about values, unless it is what `prepared` knows for `sizes`.
        """
        model = prepared.model
        self._hashed = hashed
        self.graph, self.file = model.graph, prepared.file
        self._folder = prepared.folder
        self.opsets = opsets_of(model.opset_import)
        self.block = Block()
        self.values: dict[str, SSAValue] = {}
        self.arrays: dict[SSAValue, Array] = {}
        if types is None:
            types = prepared.certain if sizes is None else prepared.inferred
        self._inferred = types
        self._sizes, self._digests = sizes, prepared.digests
        self._initializers = {t.name: t for t in model.graph.initializer}
        self._sparse = {t.values.name: t for t in model.graph.sparse_initializer}
        self._types: dict[str, Attribute] = {}
        readers = (n for n in self.graph.node if (n.domain, n.op_type) in _READERS_OF_WEIGHTS)
        self._weights = {name for node in readers for name in node.input}

    @property
    def given(self) -> set[str]:
        """The names of all initializers, sparse ones included."""
        return {*self._initializers, *self._sparse}

    def type_of(self, name: str) -> Attribute:
        """The type of a value as shape inference knows it."""
        found = self._types.get(name)
        if found is None:
            found = import_type(self._inferred.types.get(name), self._sizes)
            self._types[name] = found
        return found

    def inferred_array(self, name: str) -> Array | None:
        """The elements of a computed value that are the same in every call, else None."""
        elements, type_ = self._inferred.elements.get(name), self._inferred.types.get(name)
        if elements is None or type_ is None or type_.element not in _FOLDED:
            return None
        if not all(isinstance(size, int) for size in elements.reshape(-1).tolist()):
            return None
        return elements.astype(helper.tensor_dtype_to_np_dtype(type_.element))

    def array_of(self, value: SSAValue) -> Array | None:
        """The elements of a small constant, else None."""
        return self.arrays.get(value)

    def value(self, name: str) -> SSAValue:
        """The value called `name`; an initializer becomes a constant at its first use."""
        if name not in self.values:
            self.values[name] = self._initializer(name)
            self.values[name].name_hint = ssa_name(name)
        return self.values[name]

    def insert(self, op: Operation) -> SSAValue:
        """Append `op`, or the constant that it computes from small constants; its result."""
        (result,) = op.results
        if isinstance(op, ScalarOp) and not isinstance(op.value, SizeAttr):
            self.block.add_op(op)
            number = op.value.value.data
            self.arrays[result] = np.array(number).astype(numpy_dtype(op.value.type))
            return result
        if isinstance(op, ComputeOp) and (array := self._folded(op)) is not None:
            element = tensor_of(result).element_type
            op.erase()
            return self.constant(array, element)
        self.block.add_op(op)
        return result

    def constant(self, array: Array, element: Attribute) -> SSAValue:
        """Insert a constant op with the elements of `array`; its result."""
        op = ConstantOp(dense_of(array, element))  # pyright: ignore[reportArgumentType]
        self.block.add_op(op)
        if array.nbytes <= LARGE:
            self.arrays[op.result] = array
        return op.result

    def _folded(self, op: ComputeOp) -> Array | None:
        type_ = tensor_of(op.results[0])
        if not all(v in self.arrays for v in op.operands) or not is_static(shape_of(type_)):
            return None
        elements = assumed(product(shape_of(type_)))
        if elements * numpy_dtype(type_.element_type).itemsize > LARGE:
            return None
        return evaluate(op, [self.arrays[v] for v in op.operands])

    def _initializer(self, name: str) -> SSAValue:
        if name in self._sparse:
            array = sparse_array(self._sparse[name])
            if array is None:
                raise CompileError(
                    f"the sparse initializer '{name}' is not supported", file=self.file
                )
            return self.constant(array, ELEMENT_TYPES[self._sparse[name].values.data_type])
        tensor = self._initializers.get(name)
        if tensor is None:
            raise CompileError(f"the value '{name}' is not defined", file=self.file)
        if tensor.data_type not in DENSE_CODES:
            return self._constant_node(tensor)
        element = ELEMENT_TYPES[tensor.data_type]
        try:
            tensor = located(tensor, self._folder)
            if name in self._digests or (not self._hashed and is_large(tensor)):
                return self._resource(name, tensor_type(element, list(tensor.dims)))
            array = elements_of(tensor)
        except CompileError as error:
            raise CompileError(error.message, file=self.file) from None
        if array.nbytes <= LARGE or self.file is None:
            return self.constant(array, element)
        self._digests[name] = digest(array)
        return self._resource(name, tensor_type(element, array.shape))

    def _resource(self, name: str, type_: TensorType[Attribute]) -> SSAValue:
        named = ResourceAttr.of(self.file or "<onnx model>", name, self._digests.get(name, ""))
        op = ConstantOp(named, type_)
        mask = None if name in self._weights else self._initializers[name]
        if mask is not None and (diagonal := _diagonal(mask, self._folder)) is not None:
            op.attributes[DIAGONAL] = IntegerAttr(diagonal, i64)
        self.block.add_op(op)
        return op.result

    def _constant_node(self, tensor: onnx.TensorProto) -> SSAValue:
        """An initializer whose elements `dense<...>` cannot hold, as a `Constant` node."""
        attribute = helper.make_attribute("value", tensor)
        op = NodeOp(
            "Constant",
            [],
            [tensor_type(ELEMENT_TYPES[tensor.data_type], list(tensor.dims))],
            version=self.opsets.get("", defs.onnx_opset_version()),
            attributes={"value": import_attribute(attribute)},
        )
        op.attributes[REASON] = StringAttr("a constant of a type that is not compiled yet")
        self.block.add_op(op)
        return op.results[0]
