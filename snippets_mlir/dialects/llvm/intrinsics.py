"""`llvm.intr.*` on scalars and 1-D vectors.

%r = llvm.intr.roundeven(%x) : (vector<8xf32>) -> vector<8xf32>
"""

from __future__ import annotations

from abc import ABC
from typing import ClassVar

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

_FORMAT = "`(` operands `)` attr-dict `:` functional-type(operands, results)"


class FloatUnaryIntrinsic(IRDLOperation, ABC):
    """A function of one float."""

    T: ClassVar = VarConstraint("T", FLOATS)

    arg = operand_def(T)
    res = result_def(T)
    fastmathFlags = prop_def(FastMathAttr, default_value=NO_FAST_MATH)
    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = _FORMAT

    def __init__(self, arg: SSAValue | Operation, fast_math: FastMathAttr = NO_FAST_MATH) -> None:
        arg = SSAValue.get(arg)
        super().__init__(
            operands=[arg], result_types=[arg.type], properties={"fastmathFlags": fast_math}
        )


class FloatBinaryIntrinsic(IRDLOperation, ABC):
    """A function of two floats."""

    T: ClassVar = VarConstraint("T", FLOATS)

    lhs = operand_def(T)
    rhs = operand_def(T)
    res = result_def(T)
    fastmathFlags = prop_def(FastMathAttr, default_value=NO_FAST_MATH)
    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = _FORMAT

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


class IntegerBinaryIntrinsic(IRDLOperation, ABC):
    """A function of two integers."""

    T: ClassVar = VarConstraint("T", INTEGERS)

    lhs = operand_def(T)
    rhs = operand_def(T)
    res = result_def(T)
    traits = traits_def(Pure())
    assembly_format = _FORMAT

    def __init__(self, lhs: SSAValue | Operation, rhs: SSAValue | Operation) -> None:
        lhs = SSAValue.get(lhs)
        super().__init__(operands=[lhs, rhs], result_types=[lhs.type])


@irdl_op_definition
class FAbsOp(FloatUnaryIntrinsic):
    """Clear the sign bit."""

    name = "llvm.intr.fabs"


@irdl_op_definition
class FTruncOp(FloatUnaryIntrinsic):
    """Round towards zero."""

    name = "llvm.intr.trunc"


@irdl_op_definition
class RintOp(FloatUnaryIntrinsic):
    """Round in the current mode, may raise inexact."""

    name = "llvm.intr.rint"


@irdl_op_definition
class NearbyintOp(FloatUnaryIntrinsic):
    """Round in the current mode."""

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
    """Signed maximum."""

    name = "llvm.intr.smax"


@irdl_op_definition
class SMinOp(IntegerBinaryIntrinsic):
    """Signed minimum."""

    name = "llvm.intr.smin"


@irdl_op_definition
class UMaxOp(IntegerBinaryIntrinsic):
    """Unsigned maximum."""

    name = "llvm.intr.umax"


@irdl_op_definition
class UMinOp(IntegerBinaryIntrinsic):
    """Unsigned minimum."""

    name = "llvm.intr.umin"


@irdl_op_definition
class SAddSatOp(IntegerBinaryIntrinsic):
    """Signed saturating sum."""

    name = "llvm.intr.sadd.sat"


@irdl_op_definition
class UAddSatOp(IntegerBinaryIntrinsic):
    """Unsigned saturating sum."""

    name = "llvm.intr.uadd.sat"


@irdl_op_definition
class SSubSatOp(IntegerBinaryIntrinsic):
    """Signed saturating difference."""

    name = "llvm.intr.ssub.sat"


@irdl_op_definition
class USubSatOp(IntegerBinaryIntrinsic):
    """Unsigned saturating difference."""

    name = "llvm.intr.usub.sat"


@irdl_op_definition
class CtPopOp(IRDLOperation):
    """Number of one bits."""

    name = "llvm.intr.ctpop"
    T: ClassVar = VarConstraint("T", INTEGERS)

    arg = operand_def(T)
    res = result_def(T)
    traits = traits_def(Pure())
    assembly_format = _FORMAT


@irdl_op_definition
class FMulAddOp(IRDLOperation):
    """`a * b + c`, fused where that is fast."""

    name = "llvm.intr.fmuladd"
    T: ClassVar = VarConstraint("T", FLOATS)

    a = operand_def(T)
    b = operand_def(T)
    c = operand_def(T)
    res = result_def(T)
    fastmathFlags = prop_def(FastMathAttr, default_value=NO_FAST_MATH)
    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = _FORMAT


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
