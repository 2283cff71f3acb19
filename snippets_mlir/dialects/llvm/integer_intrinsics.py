"""Intrinsics of LLVM on integers: extrema, saturating sums and differences, and counts of bits."""

from __future__ import annotations

from abc import ABC

from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    VarConstraint,
    irdl_op_definition,
    operand_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure

from snippets_mlir.dialects.builtin.op_class import Op
from snippets_mlir.dialects.llvm.casts import INTEGERS

_INTEGER = VarConstraint("T", INTEGERS)


class Intrinsic(Op, ABC):
    """A function without effects whose operands and result have the same type."""

    traits = traits_def(Pure())
    assembly_format = "`(` operands `)` attr-dict `:` functional-type(operands, results)"


class IntegerBinaryIntrinsic(Intrinsic, ABC):
    """An intrinsic of two integers of one type, or of vectors element by element."""

    lhs = operand_def(_INTEGER)
    rhs = operand_def(_INTEGER)
    res = result_def(_INTEGER)

    def __init__(self, lhs: SSAValue | Operation, rhs: SSAValue | Operation) -> None:
        lhs = SSAValue.get(lhs)
        super().__init__(operands=[lhs, rhs], result_types=[lhs.type])


@irdl_op_definition
class SMaxOp(IntegerBinaryIntrinsic):
    """The larger of two signed integers."""

    name = "llvm.intr.smax"


@irdl_op_definition
class SMinOp(IntegerBinaryIntrinsic):
    """The smaller of two signed integers."""

    name = "llvm.intr.smin"


@irdl_op_definition
class UMaxOp(IntegerBinaryIntrinsic):
    """The larger of two unsigned integers."""

    name = "llvm.intr.umax"


@irdl_op_definition
class UMinOp(IntegerBinaryIntrinsic):
    """The smaller of two unsigned integers."""

    name = "llvm.intr.umin"


@irdl_op_definition
class SAddSatOp(IntegerBinaryIntrinsic):
    """Sum of signed integers, clamped to the range of the type."""

    name = "llvm.intr.sadd.sat"


@irdl_op_definition
class UAddSatOp(IntegerBinaryIntrinsic):
    """Sum of unsigned integers, clamped to the range of the type."""

    name = "llvm.intr.uadd.sat"


@irdl_op_definition
class SSubSatOp(IntegerBinaryIntrinsic):
    """Difference of signed integers, clamped to the range of the type."""

    name = "llvm.intr.ssub.sat"


@irdl_op_definition
class USubSatOp(IntegerBinaryIntrinsic):
    """Difference of unsigned integers, at least 0."""

    name = "llvm.intr.usub.sat"


@irdl_op_definition
class CtPopOp(Intrinsic):
    """The number of bits that are set."""

    name = "llvm.intr.ctpop"

    arg = operand_def(_INTEGER)
    res = result_def(_INTEGER)


OPS: tuple[type[Operation], ...] = (
    CtPopOp,
    SAddSatOp,
    SMaxOp,
    SMinOp,
    SSubSatOp,
    UAddSatOp,
    UMaxOp,
    UMinOp,
    USubSatOp,
)
