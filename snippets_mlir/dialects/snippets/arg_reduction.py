"""The position of the largest or smallest element of a row.

    %1 = snippets.arg_max %0 {axis = 1 : i64} : (tensor<4x8xf32>) -> tensor<4xi64>
    %2 = snippets.arg_min %0 {axis = 0 : i64, keep_dims} : (tensor<4x8xf32>) -> tensor<1x8xi32>

The result has integers of any width; a position that the type cannot represent wraps. Source:
`numpy.argmax` and `numpy.argmin`; ONNX ArgMax and ArgMin.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from typing_extensions import override
from xdsl.dialects.builtin import IntegerAttr, IntegerType, TensorType, UnitAttr, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, result_def
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.dims import Shape
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of, tensor_type
from snippets_mlir.dialects.snippets.base import BOOL, FLOAT, INTEGER, kind_of
from snippets_mlir.dialects.snippets.pattern_kinds import PatternKind
from snippets_mlir.dialects.snippets.record import OpRecord, value_in
from snippets_mlir.dialects.snippets.reduction import reduced_shape
from snippets_mlir.dialects.snippets.shapes import format_shape
from snippets_mlir.dialects.snippets.whole_tensor import (
    AxisOp,
    normalized_axes,
    verify_axes,
)


class ArgReduceOp(AxisOp, ABC):
    """The index of one element along `axis`; `keep_dims` leaves a dim of size 1 there."""

    ELEMENT_KINDS: ClassVar = (FLOAT, INTEGER, BOOL)
    WITHOUT_KERNEL: ClassVar = "snippets-decompose-arg-reductions has not decomposed it"
    operand = operand_def(TensorType)
    keep_dims = opt_prop_def(UnitAttr)
    result = result_def(TensorType)

    def __init__(
        self,
        operand: SSAValue | Operation,
        axis: int,
        keep_dims: bool = False,
        element_type: IntegerType = i64,
    ) -> None:
        """A negative axis counts from the last dim; the result's shape follows."""
        source = tensor_of(operand)
        (axis,) = normalized_axes(self.name, [axis], source.get_num_dims())
        shape = reduced_shape(shape_of(source), [axis], keep_dims)
        super().__init__(
            operands=[operand],
            result_types=[tensor_type(element_type, shape)],
            properties={
                "axis": IntegerAttr(axis, i64),
                "keep_dims": UnitAttr() if keep_dims else None,
            },
        )

    @property
    def keeps_dims(self) -> bool:
        """Whether the dim stays with size 1."""
        return self.keep_dims is not None

    @override
    def result_element_type(self) -> Attribute:
        return tensor_of(self.result).element_type

    def infer_shape(self, shapes: Sequence[Shape]) -> Shape:
        """The operand's shape without the dim, or with 1 for it."""
        return reduced_shape(shapes[0], [self.axis], self.keeps_dims)

    def verify_attributes(self) -> None:
        """The axis is a dim of the operand that has elements (C7); the result is integers (C6)."""
        shape = shape_of(self.operand)
        verify_axes(self.name, [self.axis], len(shape))
        if shape[self.axis] == 0:
            raise VerifyException(
                f"C7: {self.name} expects an axis with elements, "
                f"found axis {self.axis} of {format_shape(shape)}"
            )
        if kind_of(self.result_element_type()) != INTEGER:
            raise VerifyException(
                f"C6: {self.name} expects a result of integers, found {self.result_element_type()}"
            )


@irdl_op_definition
class ArgMaxOp(ArgReduceOp):
    """The first place of the largest element, of NaN if there is one; zeros are equal."""

    name = "snippets.arg_max"


@irdl_op_definition
class ArgMinOp(ArgReduceOp):
    """The first place of the smallest element, of NaN if there is one; zeros are equal."""

    name = "snippets.arg_min"


RECORDS = (
    OpRecord(
        ArgMaxOp,
        value=value_in("reduction:arg_max"),
        relay=PatternKind.COMM_REDUCE,
        relax=PatternKind.COMM_REDUCE,
    ),
    OpRecord(
        ArgMinOp,
        value=value_in("reduction:arg_min"),
        relay=PatternKind.COMM_REDUCE,
        relax=PatternKind.COMM_REDUCE,
    ),
)
