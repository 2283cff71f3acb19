"""`snippets.select`: elements of one of two tensors, by a condition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from xdsl.dialects.builtin import TensorType, UnitAttr, i1
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, result_def
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of, tensor_type
from snippets_mlir.dialects.snippets.base import BOOL, FLOAT, INTEGER, ComputeOp
from snippets_mlir.dialects.snippets.counterparts import Aten, Onnx
from snippets_mlir.dialects.snippets.record import Code, OpRecord
from snippets_mlir.dialects.snippets.shapes import broadcast_shapes, format_shape
from snippets_mlir.support.lazy import LazyModule

if TYPE_CHECKING:
    import numpy as np

    from snippets_mlir.dialects.builtin.dtypes import Array

else:
    np = LazyModule("numpy")


@irdl_op_definition
class SelectOp(ComputeOp):
    """`on_true` where `condition`, else `on_false`; all three broadcast together.

    The branch that is not taken has no influence, even if it is NaN. With the unit attribute `rare`
    (made only by math expansions) a kernel computes ops that only `on_true` needs only for vectors
    in which the condition is true in some lane.
    """

    name = "snippets.select"
    ELEMENT_KINDS: ClassVar = (FLOAT, INTEGER, BOOL)
    CONDITIONS: ClassVar = 1
    condition = operand_def(TensorType)
    on_true = operand_def(TensorType)
    on_false = operand_def(TensorType)
    rare = opt_prop_def(UnitAttr)
    result = result_def(TensorType)

    def __init__(
        self,
        condition: SSAValue | Operation,
        on_true: SSAValue | Operation,
        on_false: SSAValue | Operation,
    ) -> None:
        types = [tensor_of(v) for v in (condition, on_true, on_false)]
        shape = broadcast_shapes(*(shape_of(t) for t in types))
        if shape is None:
            found = ", ".join(format_shape(shape_of(t)) for t in types)
            raise VerifyException(f"C4: snippets.select operands do not broadcast: {found}")
        super().__init__(
            operands=[condition, on_true, on_false],
            result_types=[tensor_type(types[1].element_type, shape)],
        )

    @property
    def joined_operands(self) -> Sequence[SSAValue]:
        """The two branches; the condition is i1."""
        return (self.on_true, self.on_false)

    def verify_attributes(self) -> None:
        """The condition is i1 (C3)."""
        if tensor_of(self.condition).element_type != i1:
            raise VerifyException(
                "C3: snippets.select expects a condition of i1, "
                f"found {tensor_of(self.condition).element_type}"
            )


def _select(op: Operation, dtype: np.dtype[Any], which: Array, x: Array, y: Array) -> Array:
    return np.where(which, x, y)


RECORDS = (
    OpRecord(
        SelectOp,
        value=_select,
        aten=(Aten("where"),),
        code=Code(source="arithmetic:select"),
        onnx=Onnx("Where", (9, 16), bound="once"),
        names={"stablehlo": "stablehlo.select"},
    ),
)
