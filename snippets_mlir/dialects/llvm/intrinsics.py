"""`llvm.intr.*` on scalars and 1-D vectors.

%r = llvm.intr.roundeven(%x) : (vector<8xf32>) -> vector<8xf32>
"""

from __future__ import annotations

from abc import ABC

from xdsl.dialects.llvm import FastMathAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    ParsePropInAttrDict,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure

from snippets_mlir.dialects.builtin.op_class import Op
from snippets_mlir.dialects.llvm.casts import FLOATS, INTEGERS
from snippets_mlir.dialects.llvm.integer_intrinsics import Intrinsic
from snippets_mlir.dialects.llvm.values import NO_FAST_MATH

_FLOAT = VarConstraint("T", FLOATS)


class _FloatIntrinsic(Intrinsic, ABC):
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
class FMulAddOp(_FloatIntrinsic):
    """`a * b + c`, fused if that is fast."""

    name = "llvm.intr.fmuladd"

    a = operand_def(_FLOAT)
    b = operand_def(_FLOAT)
    c = operand_def(_FLOAT)


@irdl_op_definition
class StepVectorOp(Op):
    """The vector 0, 1, 2, ..."""

    name = "llvm.intr.stepvector"

    res = result_def(INTEGERS)
    traits = traits_def(Pure())
    assembly_format = "attr-dict `:` type($res)"

    def __init__(self, result_type: Attribute) -> None:
        super().__init__(result_types=[result_type])


OPS: tuple[type[Operation], ...] = (
    FAbsOp,
    FMulAddOp,
    FTruncOp,
    MaximumOp,
    MinimumOp,
    NearbyintOp,
    RintOp,
    RoundEvenOp,
    RoundOp,
    StepVectorOp,
)
