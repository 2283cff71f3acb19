"""Ops that passes introduce: math expansions and the linear IR are written in them.

They are ordinary value ops with a verifier and a value, so they may occur in any text, but no front
end creates them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, TensorType, UnitAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of, tensor_type
from snippets_mlir.dialects.snippets.base import (
    FLOAT,
    INTEGER,
    BinaryOp,
    ComputeOp,
    FloatOp,
    kind_of,
)
from snippets_mlir.dialects.snippets.conversion import BroadcastLikeOp
from snippets_mlir.dialects.snippets.counterparts import Aten
from snippets_mlir.dialects.snippets.pattern_kinds import PatternKind
from snippets_mlir.dialects.snippets.record import Code, OpRecord, value_in
from snippets_mlir.dialects.snippets.reduction import ReduceOp
from snippets_mlir.dialects.snippets.shapes import broadcast_shapes, format_shape
from snippets_mlir.dialects.snippets.values.forms import integral, plain, ufunc
from snippets_mlir.support.lazy import LazyModule

if TYPE_CHECKING:
    import numpy as np

    from snippets_mlir.dialects.builtin.dtypes import Array


else:
    np = LazyModule("numpy")


@irdl_op_definition
class FmaOp(ComputeOp):
    """a * b + c, rounded once (the guide's FusedMulAdd)."""

    name = "snippets.fma"
    ELEMENT_KINDS: ClassVar = (FLOAT,)
    a = operand_def(TensorType)
    b = operand_def(TensorType)
    c = operand_def(TensorType)
    result = result_def(TensorType)

    def __init__(
        self, a: SSAValue | Operation, b: SSAValue | Operation, c: SSAValue | Operation
    ) -> None:
        types = [tensor_of(v) for v in (a, b, c)]
        shape = broadcast_shapes(*(shape_of(t) for t in types))
        if shape is None:
            found = ", ".join(format_shape(shape_of(t)) for t in types)
            raise VerifyException(f"C4: snippets.fma operands do not broadcast: {found}")
        super().__init__(
            operands=[a, b, c], result_types=[tensor_type(types[0].element_type, shape)]
        )


@irdl_op_definition
class ReduceMaxnumOp(ReduceOp):
    """The largest of the elements that are not NaN; -inf for no elements.

    If all elements are NaN, it is -inf or NaN; among zeros of both signs, either one. Passes use it
    only if no result depends on this.
    """

    name = "snippets.reduce_maxnum"
    ACCUMULATOR: ClassVar = "maxnum"
    ELEMENT_KINDS: ClassVar = (FLOAT,)


@irdl_op_definition
class RunningMaximumOp(BinaryOp):
    """rhs if it is larger than lhs, else lhs: so lhs if rhs is NaN, or if both are zeros.

    The step of an accumulator of `snippets.reduce_maxnum`, which starts from -inf and is never NaN.
    """

    name = "snippets.running_maximum"
    ELEMENT_KINDS: ClassVar = (FLOAT,)


@irdl_op_definition
class TruncOp(FloatOp):
    """x rounded toward zero to an integral value, the sign of zero kept."""

    name = "snippets.trunc"


@irdl_op_definition
class BitcastOp(ComputeOp):
    """The bits of each element read as another type of the same width."""

    name = "snippets.bitcast"
    operand = operand_def(TensorType)
    result = result_def(TensorType)

    def __init__(self, operand: SSAValue | Operation, element_type: Attribute) -> None:
        shape = shape_of(operand)
        super().__init__(operands=[operand], result_types=[tensor_type(element_type, shape)])

    def result_element_type(self) -> Attribute:
        """The element type written in the text."""
        return tensor_of(self.result).element_type

    def verify_attributes(self) -> None:
        """Both element types have one width (C6)."""
        source, target = tensor_of(self.operand).element_type, self.result_element_type()
        widths = [getattr(t, "bitwidth", None) for t in (source, target)]
        if kind_of(target) not in (FLOAT, INTEGER) or widths[0] != widths[1]:
            raise VerifyException(
                f"C6: snippets.bitcast expects a result as wide as {source}, found {target}"
            )


@irdl_op_definition
class LookupOp(ComputeOp):
    """`table[index]` for each element; `table` is a rank-1 constant, indices are integers.

    An index outside the table is clamped to its ends, so that no input reads other memory. With
    `wraps` it counts modulo the size, a power of two, instead: only its low bits count.
    """

    name = "snippets.lookup"
    ELEMENT_KINDS: ClassVar = (INTEGER,)
    table = prop_def(DenseIntOrFPElementsAttr)
    wraps = opt_prop_def(UnitAttr)
    index = operand_def(TensorType)
    result = result_def(TensorType)

    def __init__(self, index: SSAValue | Operation, table: DenseIntOrFPElementsAttr) -> None:
        shape = shape_of(index)
        super().__init__(
            operands=[index],
            result_types=[tensor_type(table.get_element_type(), shape)],
            properties={"table": table},
        )

    def result_element_type(self) -> Attribute:
        """The element type of the table."""
        return self.table.get_element_type()

    def verify_attributes(self) -> None:
        """The table has rank 1 and is not empty; its size is a power of two if it wraps (C7)."""
        shape = self.table.get_shape()
        if len(shape) != 1 or shape[0] < 1:
            raise VerifyException(
                f"C7: snippets.lookup expects a table of rank 1, found {format_shape(shape)}"
            )
        if self.wraps is not None and shape[0] & (shape[0] - 1):
            raise VerifyException(
                "C7: snippets.lookup expects the size of a table that wraps to be a power of two, "
                f"found {shape[0]}"
            )


@irdl_op_definition
class BroadcastMoveOp(BroadcastLikeOp):
    """A broadcast of the last dim: one element spread over a vector (the guide's BroadcastMove)."""

    name = "snippets.broadcast_move"


def _larger(x: Array, y: Array) -> Array:
    return np.where(y > x, y, x)


RECORDS = (
    OpRecord(
        BitcastOp,
        value=value_in("conversion:bitcast"),
        code=Code(source="convert:bitcast"),
        patterns=("chains:SkipInnerView",),
        gives_back=lambda op: True,
        moves=True,
    ),
    OpRecord(
        BroadcastMoveOp,
        value=value_in("conversion:broadcast"),
        relay=PatternKind.BROADCAST,
        moves=True,
    ),
    OpRecord(FmaOp, value=plain(value_in("fma:fma")), code=Code("math.fma")),
    OpRecord(
        LookupOp,
        value=value_in("conversion:lookup"),
        code=Code(source="convert:lookup", vectors=2, masks=1, general=1),
    ),
    OpRecord(
        ReduceMaxnumOp,
        value=value_in("reduction:reduce_maxnum"),
        relay=PatternKind.COMM_REDUCE,
        relax=PatternKind.COMM_REDUCE,
    ),
    OpRecord(
        RunningMaximumOp,
        value=plain(_larger),
        code=Code(source="arithmetic:running_maximum"),
    ),
    OpRecord(
        TruncOp,
        value=integral(ufunc("trunc")),
        aten=(Aten("trunc"),),
        code=Code("math.trunc"),
        names={"numpy": "trunc"},
    ),
)
