"""Sums of all elements up to each place along a dim.

    %1 = snippets.cum_sum %0 {axis = 1 : i64} : tensor<4x8xf32>
    %2 = snippets.cum_sum %0 {axis = 1 : i64, exclusive, reverse} : tensor<4x8xf32>

No kernel holds them: each element follows from the one before it, and kernels have no loop that
passes elements on along the vectors. They run in NumPy. Source: `numpy.cumsum`; ONNX CumSum.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import I64, IntegerAttr, TensorType, UnitAttr, i64
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def

from snippets_mlir.dialects.builtin.dims import Shape
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.snippets.base import FLOAT, INTEGER
from snippets_mlir.dialects.snippets.pattern_kinds import PatternKind
from snippets_mlir.dialects.snippets.record import OpRecord, value_in
from snippets_mlir.dialects.snippets.whole_tensor import WholeTensorOp, normalized_axes, verify_axes


@irdl_op_definition
class CumSumOp(WholeTensorOp):
    """The sum of the elements up to and with each place along `axis`, added in their order.

    `exclusive` leaves the element itself out: the first sum is 0. `reverse` goes from the last
    element to the first. The first element is a sum as it is, -0.0 included. Integers wrap; 16-bit
    floats are added in f32, and each sum is rounded.
    """

    name = "snippets.cum_sum"
    ELEMENT_KINDS: ClassVar = (FLOAT, INTEGER)
    WITHOUT_KERNEL: ClassVar = "each element of a cumulative sum follows from the one before it"
    operand = operand_def(TensorType)
    axis_attr = prop_def(IntegerAttr[I64], prop_name="axis")
    exclusive = opt_prop_def(UnitAttr)
    reverse = opt_prop_def(UnitAttr)
    result = result_def(TensorType)

    def __init__(
        self,
        operand: SSAValue | Operation,
        axis: int,
        exclusive: bool = False,
        reverse: bool = False,
    ) -> None:
        """A negative axis counts from the last dim."""
        source = tensor_of(operand)
        (axis,) = normalized_axes(self.name, [axis], source.get_num_dims())
        super().__init__(
            operands=[operand],
            result_types=[source],
            properties={
                "axis": IntegerAttr(axis, i64),
                "exclusive": UnitAttr() if exclusive else None,
                "reverse": UnitAttr() if reverse else None,
            },
        )

    @property
    def axis(self) -> int:
        """The dim along which is added."""
        return self.axis_attr.value.data

    def infer_shape(self, shapes: Sequence[Shape]) -> Shape:
        """The operand's shape."""
        return shapes[0]

    def verify_attributes(self) -> None:
        """The axis is a dim of the operand (C7)."""
        verify_axes(self.name, [self.axis], len(shape_of(self.operand)))


RECORDS = (
    OpRecord(
        CumSumOp,
        value=value_in("sequences:cum_sum"),
        relay=PatternKind.OPAQUE,
        relax=PatternKind.OPAQUE,
    ),
)
