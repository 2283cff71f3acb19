"""Reductions, which combine all elements along some dims into one.

    %1 = snippets.reduce_sum %0 {axes = array<i64: 1>} : (tensor<4x8xf32>) -> tensor<4xf32>
    %2 = snippets.reduce_max %0 {axes = array<i64: 0, 1>, keep_dims} :
         (tensor<4x8xf32>) -> tensor<1x1xf32>

The order in which elements are combined is not part of the meaning. It is never visible for
integers, in max and min, and in the sign of a zero. 16-bit floats are combined in f32 and rounded
once.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import DenseArrayBase, TensorType, UnitAttr, i64
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, result_def

from snippets_mlir.dialects.builtin.dims import Dim, Shape
from snippets_mlir.dialects.builtin.integers import integers_of
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of, tensor_type
from snippets_mlir.dialects.snippets.pattern_kinds import PatternKind
from snippets_mlir.dialects.snippets.record import OpRecord, value_in
from snippets_mlir.dialects.snippets.whole_tensor import (
    AxesOp,
    normalized_axes,
    verify_axes,
)


def reduced_shape(shape: Sequence[Dim], axes: Sequence[int], keep_dims: bool) -> Shape:
    """`shape` without the dims `axes`, or with 1 in their places."""
    if keep_dims:
        return tuple(1 if dim in axes else size for dim, size in enumerate(shape))
    return tuple(size for dim, size in enumerate(shape) if dim not in axes)


class ReduceOp(AxesOp, ABC):
    """Combines the elements along `axes`; `keep_dims` leaves dims of size 1 in their places.

    Without axes nothing is combined: every element is its own result.

    `ACCUMULATOR` is the kind of `lir.accumulate` of a reduction that kernels have, which is also
    the reduction of the reductions of its parts. Other reductions are decomposed, or have no
    kernel.
    """

    ACCUMULATOR: ClassVar[str] = ""

    operand = operand_def(TensorType)
    keep_dims = opt_prop_def(UnitAttr)
    result = result_def(TensorType)

    def __init__(
        self, operand: SSAValue | Operation, axes: Sequence[int], keep_dims: bool = False
    ) -> None:
        """Negative axes count from the last dim; the result's type follows."""
        source = tensor_of(operand)
        axes = normalized_axes(self.name, axes, source.get_num_dims())
        shape = reduced_shape(shape_of(source), axes, keep_dims)
        super().__init__(
            operands=[operand],
            result_types=[tensor_type(source.element_type, shape)],
            properties={
                "axes": DenseArrayBase.from_list(i64, axes),
                "keep_dims": UnitAttr() if keep_dims else None,
            },
        )

    @property
    def keeps_dims(self) -> bool:
        """Whether reduced dims stay with size 1."""
        return self.keep_dims is not None

    def infer_shape(self, shapes: Sequence[Shape]) -> Shape:
        """The operand's shape without the reduced dims, or with 1 for them."""
        return reduced_shape(shapes[0], self.axes, self.keeps_dims)

    def verify_attributes(self) -> None:
        """The axes are dims of the operand (C7)."""
        verify_axes(self.name, self.axes, len(shape_of(self.operand)))


@irdl_op_definition
class ReduceSumOp(ReduceOp):
    """0 + the sum, never -0.0. Integers wrap; inf - inf and NaN give NaN; no elements give 0."""

    name = "snippets.reduce_sum"
    ACCUMULATOR: ClassVar = "sum"


@irdl_op_definition
class ReduceMeanOp(ReduceOp):
    """The sum divided by the number of elements.

    Integers are added in 64 bits, where the sum wraps, and the quotient is truncated towards zero.
    The mean of no elements is NaN, or 0 for integers and with `or_zero`.
    """

    name = "snippets.reduce_mean"
    DECOMPOSED_BY: ClassVar = "snippets-decompose-reductions"

    or_zero = opt_prop_def(UnitAttr)

    def __init__(
        self,
        operand: SSAValue | Operation,
        axes: Sequence[int],
        keep_dims: bool = False,
        *,
        or_zero: bool = False,
    ) -> None:
        """As for any reduction; `or_zero`: the mean of no floats is 0, not NaN."""
        super().__init__(operand, axes, keep_dims)
        if or_zero:
            self.or_zero = UnitAttr()

    @property
    def gives_zero(self) -> bool:
        """Whether the mean of no elements is 0."""
        element = tensor_of(self.operand).element_type
        return self.or_zero is not None or integers_of(element) is not None


@irdl_op_definition
class ReduceMaxOp(ReduceOp):
    """The largest, 0.0 above -0.0; a NaN gives NaN; no elements give -inf or the lowest integer."""

    name = "snippets.reduce_max"
    ACCUMULATOR: ClassVar = "max"


@irdl_op_definition
class ReduceMinOp(ReduceOp):
    """The smallest, -0.0 below 0.0; a NaN gives NaN; no elements give inf or the highest
    integer.
    """

    name = "snippets.reduce_min"
    ACCUMULATOR: ClassVar = "min"


@irdl_op_definition
class ReduceProdOp(ReduceOp):
    """The product. Integers wrap; 0 * inf and NaN give NaN; no elements give 1.

    Kernels multiply floats in another order than left to right. If parts of the product overflow or
    underflow, the result may be infinite, 0 or NaN although another order's is not.
    """

    name = "snippets.reduce_prod"
    ACCUMULATOR: ClassVar = "prod"


def combines_elements(op: ReduceOp) -> bool:
    """Whether `op` combines the elements themselves: its value for one element is that element."""
    return bool(op.ACCUMULATOR) or isinstance(op, ReduceMeanOp)


_PATTERNS = ("reductions:ReduceOfOnes", "reductions:DropAxesOfOnes")

RECORDS = (
    OpRecord(
        ReduceMaxOp,
        value=value_in("reduction:reduce_max"),
        relay=PatternKind.COMM_REDUCE,
        patterns=_PATTERNS,
        relax=PatternKind.COMM_REDUCE,
        names={"numpy": "maximum.reduce", "stablehlo": "stablehlo.reduce stablehlo.maximum"},
    ),
    OpRecord(
        ReduceMeanOp,
        value=value_in("reduction:reduce_mean"),
        relay=PatternKind.COMM_REDUCE,
        patterns=_PATTERNS,
    ),
    OpRecord(
        ReduceMinOp,
        value=value_in("reduction:reduce_min"),
        relay=PatternKind.COMM_REDUCE,
        patterns=_PATTERNS,
        relax=PatternKind.COMM_REDUCE,
        names={"numpy": "minimum.reduce", "stablehlo": "stablehlo.reduce stablehlo.minimum"},
    ),
    OpRecord(
        ReduceProdOp,
        value=value_in("reduction:reduce_prod"),
        relay=PatternKind.COMM_REDUCE,
        patterns=_PATTERNS,
        relax=PatternKind.COMM_REDUCE,
        names={"numpy": "multiply.reduce", "stablehlo": "stablehlo.reduce stablehlo.multiply"},
    ),
    OpRecord(
        ReduceSumOp,
        value=value_in("reduction:reduce_sum"),
        relay=PatternKind.COMM_REDUCE,
        patterns=_PATTERNS,
        relax=PatternKind.COMM_REDUCE,
        names={"numpy": "add.reduce", "stablehlo": "stablehlo.reduce stablehlo.add"},
    ),
)
