"""`snippets.pad`: a tensor with copies of one element around it.

    %1 = snippets.pad %0, %v {low = array<i64: 1, 0>, high = array<i64: 1, 2>} :
         (tensor<4x8xf32>, tensor<f32>) -> tensor<6x10xf32>

`snippets-decompose-pads` turns it into concats. Source: `numpy.pad` with `mode="constant"`,
`stablehlo.pad` without interior padding.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import DenseArrayBase, TensorType, i64
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.dims import Dim, Shape
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of, tensor_type
from snippets_mlir.dialects.snippets.base import BOOL, FLOAT, INTEGER
from snippets_mlir.dialects.snippets.pattern_kinds import PatternKind
from snippets_mlir.dialects.snippets.record import OpRecord, value_in
from snippets_mlir.dialects.snippets.shapes import DYNAMIC, format_shape
from snippets_mlir.dialects.snippets.whole_tensor import WholeTensorOp

_DIMS = DenseArrayBase.constr(i64)


@irdl_op_definition
class PadOp(WholeTensorOp):
    """Adds `low[d]` elements before and `high[d]` elements after each dim d, all with `value`."""

    name = "snippets.pad"
    ELEMENT_KINDS: ClassVar = (FLOAT, INTEGER, BOOL)
    WITHOUT_KERNEL: ClassVar = "snippets-decompose-pads has not decomposed it"
    operand = operand_def(TensorType)
    value = operand_def(TensorType)
    low_attr = prop_def(_DIMS, prop_name="low")
    high_attr = prop_def(_DIMS, prop_name="high")
    result = result_def(TensorType)

    def __init__(
        self,
        operand: SSAValue | Operation,
        value: SSAValue | Operation,
        low: Sequence[int],
        high: Sequence[int],
    ) -> None:
        shape = padded_shape(shape_of(operand), low, high)
        super().__init__(
            operands=[operand, value],
            result_types=[tensor_type(tensor_of(operand).element_type, shape)],
            properties={
                "low": DenseArrayBase.from_list(i64, low),
                "high": DenseArrayBase.from_list(i64, high),
            },
        )

    @property
    def low(self) -> tuple[int, ...]:
        """The number of elements added before each dim."""
        return tuple(self.low_attr.get_values())

    @property
    def high(self) -> tuple[int, ...]:
        """The number of elements added after each dim."""
        return tuple(self.high_attr.get_values())

    def infer_shape(self, shapes: Sequence[Shape]) -> Shape:
        """The padded sizes; VerifyException (C7) if the numbers of amounts and dims differ."""
        return padded_shape(shapes[0], self.low, self.high)

    def verify_attributes(self) -> None:
        """Two amounts for each dim, 0 or larger (C7), and a value of rank 0 (C8)."""
        padded_shape(shape_of(self.operand), self.low, self.high)
        if shape_of(self.value) != ():
            raise VerifyException(
                f"C8: {self.name} expects a value of rank 0, "
                f"found {format_shape(shape_of(self.value))}"
            )


def padded_shape(shape: Shape, low: Sequence[int], high: Sequence[int]) -> Shape:
    """`shape` plus the amounts; VerifyException (C7) if they do not fit it."""
    if len(low) != len(shape) or len(high) != len(shape):
        raise VerifyException(
            f"C7: {PadOp.name} expects {len(shape)} amounts, one for each dim of its operand, "
            f"found {len(low)} and {len(high)}"
        )
    if any(amount < 0 for amount in (*low, *high)):
        raise VerifyException(
            f"C7: {PadOp.name} expects amounts of 0 or more, found {[*low]} and {[*high]}"
        )
    sizes: list[Dim] = [
        size if size == DYNAMIC else size + (before + after)
        for size, before, after in zip(shape, low, high, strict=True)
    ]
    return tuple(sizes)


RECORDS = (
    OpRecord(
        PadOp,
        value=value_in("conversion:pad"),
        moves=True,
        patterns=("concats:PadNothing",),
        relay=PatternKind.INJECTIVE,
        relax=PatternKind.INJECTIVE,
    ),
)
