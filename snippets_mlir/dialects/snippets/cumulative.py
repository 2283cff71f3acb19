"""Sums, products and extremes of all elements up to each place along a dim.

    %1 = snippets.cum_sum %0 {axis = 1 : i64} : tensor<4x8xf32>
    %2 = snippets.cum_max %0 {axis = 1 : i64, exclusive, reverse} : tensor<4x8xf32>

In a kernel they are `lir.scan`: a loop along the dim carries the current state.
`snippets-decompose-cumulative` turns `exclusive` and `reverse` into slices and joins. Source:
`numpy.cumsum`, `numpy.cumprod`, `numpy.maximum.accumulate`; ONNX CumSum and CumProd; the windows
that JAX prints for `jax.lax.cummax`.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from typing_extensions import override
from xdsl.dialects.builtin import IntegerAttr, TensorType, UnitAttr, i64
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, result_def

from snippets_mlir.dialects.builtin.dims import Shape
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.snippets.base import FLOAT, INTEGER
from snippets_mlir.dialects.snippets.pattern_kinds import PatternKind
from snippets_mlir.dialects.snippets.record import OpRecord, value_in
from snippets_mlir.dialects.snippets.whole_tensor import (
    AxisOp,
    normalized_axes,
    verify_axes,
)


class CumulativeOp(AxisOp, ABC):
    """For each place along `axis`, the combination of all elements up to and including it.

    `exclusive` leaves out the element itself: the first result is the neutral value. `reverse` goes
    from the last element to the first. `COMBINES` is `sum`, `prod`, `max` or `min`.
    """

    ELEMENT_KINDS: ClassVar = (FLOAT, INTEGER)
    COMBINES: ClassVar[str]
    operand = operand_def(TensorType)
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

    @override
    def infer_shape(self, shapes: Sequence[Shape]) -> Shape:
        return shapes[0]

    def verify_attributes(self) -> None:
        """The axis is a dim of the operand (C7)."""
        verify_axes(self.name, [self.axis], len(shape_of(self.operand)))


@irdl_op_definition
class CumSumOp(CumulativeOp):
    """The sum of the elements up to and including each place along `axis`, added in their order.

    Along the last dim kernels first add the lanes of a vector, then the sum of all earlier vectors.

    `exclusive` leaves the element itself out: the first sum is 0. `reverse` goes from the last
    element to the first. The first element is itself the first sum, including -0.0. Integers wrap;
    16-bit floats are added in f32, and each sum is rounded.
    """

    name = "snippets.cum_sum"
    COMBINES: ClassVar = "sum"


@irdl_op_definition
class CumProdOp(CumulativeOp):
    """The product of the elements up to and including each place along `axis`, in their order.

    Along the last dim kernels first multiply the lanes of a vector, then the product of all earlier
    vectors.

    `exclusive` leaves the element itself out: the first product is 1. `reverse` goes from the last
    element to the first. Integers wrap; 16-bit floats are multiplied in f32, and each product is
    rounded.
    """

    name = "snippets.cum_prod"
    COMBINES: ClassVar = "prod"


@irdl_op_definition
class CumMaxOp(CumulativeOp):
    """The largest element up to and including each place along `axis`; NaN from the first NaN on.

    `exclusive` leaves the element itself out: the first result is -inf, or the smallest integer.
    `reverse` goes from the last element to the first. 0.0 is larger than -0.0.
    """

    name = "snippets.cum_max"
    COMBINES: ClassVar = "max"


@irdl_op_definition
class CumMinOp(CumulativeOp):
    """The smallest element up to and including each place along `axis`; NaN from the first NaN on.

    `exclusive` leaves the element itself out: the first result is inf, or the largest integer.
    `reverse` goes from the last element to the first. -0.0 is smaller than 0.0.
    """

    name = "snippets.cum_min"
    COMBINES: ClassVar = "min"


def _record(op: type[CumulativeOp], numpy: str, stablehlo: str) -> OpRecord:
    return OpRecord(
        op,
        value=value_in(f"sequences:{op.name.removeprefix('snippets.')}"),
        relay=PatternKind.OPAQUE,
        relax=PatternKind.OPAQUE,
        patterns=("cumulatives:OneElement",),
        names={
            "numpy": f"{numpy}.accumulate",
            "stablehlo": f"stablehlo.reduce_window stablehlo.{stablehlo}",
        },
    )


RECORDS = (
    _record(CumSumOp, "add", "add"),
    _record(CumProdOp, "multiply", "multiply"),
    _record(CumMaxOp, "maximum", "maximum"),
    _record(CumMinOp, "minimum", "minimum"),
)
