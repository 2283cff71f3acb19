"""`llvm.intr.vector.reduce.*`: reductions of a 1-D vector to one element.

The integer reductions have only the generic form, as in MLIR.
"""

from __future__ import annotations

from abc import ABC
from typing import ClassVar

from xdsl.dialects.builtin import AnyFloatConstr, SignlessIntegerConstraint, VectorType
from xdsl.dialects.llvm import FastMathAttr
from xdsl.ir import Operation, SSAValue
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
from snippets_mlir.dialects.llvm.values import NO_FAST_MATH


class IntegerReduction(Op, ABC):
    """A reduction of a vector of integers to one element."""

    T: ClassVar = VarConstraint("T", SignlessIntegerConstraint)

    arg = operand_def(VectorType.constr(T))
    res = result_def(T)
    traits = traits_def(Pure())

    def __init__(self, arg: SSAValue | Operation) -> None:
        arg = SSAValue.get(arg)
        assert isinstance(arg.type, VectorType)
        super().__init__(operands=[arg], result_types=[arg.type.element_type])  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType]


class FloatReduction(Op, ABC):
    """A reduction of floats in any order."""

    T: ClassVar = VarConstraint("T", AnyFloatConstr)

    arg = operand_def(VectorType.constr(T))
    res = result_def(T)
    fastmathFlags = prop_def(FastMathAttr, default_value=NO_FAST_MATH)
    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "`(` operands `)` attr-dict `:` functional-type(operands, results)"

    def __init__(self, arg: SSAValue | Operation, fast_math: FastMathAttr = NO_FAST_MATH) -> None:
        arg = SSAValue.get(arg)
        assert isinstance(arg.type, VectorType)
        super().__init__(
            operands=[arg],
            result_types=[arg.type.element_type],  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType]
            properties={"fastmathFlags": fast_math},
        )


@irdl_op_definition
class ReduceAddOp(IntegerReduction):
    """The sum of all elements; it wraps."""

    name = "llvm.intr.vector.reduce.add"


@irdl_op_definition
class ReduceMulOp(IntegerReduction):
    """The product of all elements; it wraps."""

    name = "llvm.intr.vector.reduce.mul"


@irdl_op_definition
class ReduceAndOp(IntegerReduction):
    """The bitwise and of all elements."""

    name = "llvm.intr.vector.reduce.and"


@irdl_op_definition
class ReduceOrOp(IntegerReduction):
    """The bitwise or of all elements."""

    name = "llvm.intr.vector.reduce.or"


@irdl_op_definition
class ReduceXorOp(IntegerReduction):
    """The bitwise exclusive or of all elements."""

    name = "llvm.intr.vector.reduce.xor"


@irdl_op_definition
class ReduceSMaxOp(IntegerReduction):
    """The largest element, as signed integers."""

    name = "llvm.intr.vector.reduce.smax"


@irdl_op_definition
class ReduceSMinOp(IntegerReduction):
    """The smallest element, as signed integers."""

    name = "llvm.intr.vector.reduce.smin"


@irdl_op_definition
class ReduceUMaxOp(IntegerReduction):
    """The largest element, as unsigned integers."""

    name = "llvm.intr.vector.reduce.umax"


@irdl_op_definition
class ReduceUMinOp(IntegerReduction):
    """The smallest element, as unsigned integers."""

    name = "llvm.intr.vector.reduce.umin"


@irdl_op_definition
class ReduceFMaxOp(FloatReduction):
    """The largest element that is not NaN."""

    name = "llvm.intr.vector.reduce.fmax"


@irdl_op_definition
class ReduceFMinOp(FloatReduction):
    """The smallest element that is not NaN."""

    name = "llvm.intr.vector.reduce.fmin"


@irdl_op_definition
class ReduceFMaximumOp(FloatReduction):
    """Maximum; NaN when an element is NaN."""

    name = "llvm.intr.vector.reduce.fmaximum"


@irdl_op_definition
class ReduceFMinimumOp(FloatReduction):
    """Minimum; NaN when an element is NaN."""

    name = "llvm.intr.vector.reduce.fminimum"


OPS: tuple[type[Operation], ...] = (
    ReduceAddOp,
    ReduceAndOp,
    ReduceFMaxOp,
    ReduceFMaximumOp,
    ReduceFMinOp,
    ReduceFMinimumOp,
    ReduceMulOp,
    ReduceOrOp,
    ReduceSMaxOp,
    ReduceSMinOp,
    ReduceUMaxOp,
    ReduceUMinOp,
    ReduceXorOp,
)
