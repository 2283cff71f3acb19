"""`llvm.intr.*` on scalars and 1-D vectors.

%r = llvm.intr.roundeven(%x) : (vector<8xf32>) -> vector<8xf32>
"""

from __future__ import annotations

from abc import ABC

from xdsl.dialects.llvm import FastMathAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure

from snippets_mlir.dialects.llvm.casts import FLOATS, INTEGERS
from snippets_mlir.dialects.llvm.values import NO_FAST_MATH

_FLOAT = VarConstraint("T", FLOATS)
_INTEGER = VarConstraint("T", INTEGERS)


class _Intrinsic(IRDLOperation, ABC):
    """A function without effects of values of one type, which is that of the result."""

    traits = traits_def(Pure())
    assembly_format = "`(` operands `)` attr-dict `:` functional-type(operands, results)"


class _FloatIntrinsic(_Intrinsic, ABC):
    res = result_def(_FLOAT)
    fastmathFlags = prop_def(FastMathAttr, default_value=NO_FAST_MATH)
    irdl_options = (ParsePropInAttrDict(),)


class FloatUnaryIntrinsic(_FloatIntrinsic, ABC):
    """An intrinsic of one float, or of a vector element by element."""

    arg = operand_def(_FLOAT)

    def __init__(self, arg: SSAValue | Operation, fast_math: FastMathAttr = NO_FAST_MATH) -> None:
        arg = SSAValue.get(arg)
        super().__init__(
            operands=[arg], result_types=[arg.type], properties={"fastmathFlags": fast_math}
        )


class FloatBinaryIntrinsic(_FloatIntrinsic, ABC):
    """An intrinsic of two floats of one type, or of vectors element by element."""

    lhs = operand_def(_FLOAT)
    rhs = operand_def(_FLOAT)

    def __init__(
        self,
        lhs: SSAValue | Operation,
        rhs: SSAValue | Operation,
        fast_math: FastMathAttr = NO_FAST_MATH,
    ) -> None:
        lhs = SSAValue.get(lhs)
        super().__init__(
            operands=[lhs, rhs], result_types=[lhs.type], properties={"fastmathFlags": fast_math}
        )


class IntegerBinaryIntrinsic(_Intrinsic, ABC):
    """An intrinsic of two integers of one type, or of vectors element by element."""

    lhs = operand_def(_INTEGER)
    rhs = operand_def(_INTEGER)
    res = result_def(_INTEGER)

    def __init__(self, lhs: SSAValue | Operation, rhs: SSAValue | Operation) -> None:
        lhs = SSAValue.get(lhs)
        super().__init__(operands=[lhs, rhs], result_types=[lhs.type])


@irdl_op_definition
class FAbsOp(FloatUnaryIntrinsic):
    """Absolute value: clears the sign bit, also of NaN."""

    name = "llvm.intr.fabs"


@irdl_op_definition
class FTruncOp(FloatUnaryIntrinsic):
    """Rounding to an integral value towards zero."""

    name = "llvm.intr.trunc"


@irdl_op_definition
class RintOp(FloatUnaryIntrinsic):
    """Round in the current mode, may raise inexact."""

    name = "llvm.intr.rint"


@irdl_op_definition
class NearbyintOp(FloatUnaryIntrinsic):
    """Rounding to an integral value in the current rounding mode."""

    name = "llvm.intr.nearbyint"


@irdl_op_definition
class RoundOp(FloatUnaryIntrinsic):
    """Round to nearest, halves away from zero."""

    name = "llvm.intr.round"


@irdl_op_definition
class RoundEvenOp(FloatUnaryIntrinsic):
    """Round to nearest, halves to even."""

    name = "llvm.intr.roundeven"


@irdl_op_definition
class MaximumOp(FloatBinaryIntrinsic):
    """Maximum; NaN when an operand is NaN, -0.0 below 0.0."""

    name = "llvm.intr.maximum"


@irdl_op_definition
class MinimumOp(FloatBinaryIntrinsic):
    """Minimum; NaN when an operand is NaN, -0.0 below 0.0."""

    name = "llvm.intr.minimum"


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
class CtPopOp(_Intrinsic):
    """The number of bits that are set."""

    name = "llvm.intr.ctpop"

    arg = operand_def(_INTEGER)
    res = result_def(_INTEGER)


@irdl_op_definition
class FMulAddOp(_FloatIntrinsic):
    """`a * b + c`, fused where that is fast."""

    name = "llvm.intr.fmuladd"

    a = operand_def(_FLOAT)
    b = operand_def(_FLOAT)
    c = operand_def(_FLOAT)


@irdl_op_definition
class StepVectorOp(IRDLOperation):
    """The vector 0, 1, 2, ..."""

    name = "llvm.intr.stepvector"

    res = result_def(INTEGERS)
    traits = traits_def(Pure())
    assembly_format = "attr-dict `:` type($res)"

    def __init__(self, result_type: Attribute) -> None:
        super().__init__(result_types=[result_type])


OPS: tuple[type[Operation], ...] = (
    CtPopOp,
    FAbsOp,
    FMulAddOp,
    FTruncOp,
    MaximumOp,
    MinimumOp,
    NearbyintOp,
    RintOp,
    RoundEvenOp,
    RoundOp,
    SAddSatOp,
    SMaxOp,
    SMinOp,
    SSubSatOp,
    StepVectorOp,
    UAddSatOp,
    UMaxOp,
    UMinOp,
    USubSatOp,
)
