"""`llvm` conversions on scalars and 1-D vectors: `llvm.fptosi %x : vector<8xf32> to vector<8xi32>`.

* C1: operand and result have the same number of elements.
* C2: operand and result of `llvm.bitcast` have the same number of bits.
"""

from __future__ import annotations

from abc import ABC

from typing_extensions import override
from xdsl.dialects.builtin import (
    AnyFloatConstr,
    FixedBitwidthType,
    SignlessIntegerConstraint,
    UnitAttr,
    VectorType,
)
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.op_class import Op

FLOATS = AnyFloatConstr | VectorType.constr(AnyFloatConstr)
INTEGERS = SignlessIntegerConstraint | VectorType.constr(SignlessIntegerConstraint)


def lanes_of(type: Attribute) -> int | None:
    """Elements of a 1-D vector, None of a scalar."""
    return type.get_shape()[0] if isinstance(type, VectorType) else None


class CastOp(Op, ABC):
    """A conversion of scalars, or of vectors element by element."""

    arg = operand_def()
    res = result_def()
    traits = traits_def(Pure())

    assembly_format = "$arg attr-dict `:` type($arg) `to` type($res)"

    def __init__(self, arg: SSAValue | Operation, result_type: Attribute) -> None:
        super().__init__(operands=[arg], result_types=[result_type])

    @override
    def verify_(self) -> None:
        if lanes_of(self.arg.type) != lanes_of(self.res.type):
            raise VerifyException(
                f"C1: expected types with the same number of elements, found {self.arg.type} "
                f"and {self.res.type}"
            )


@irdl_op_definition
class FPToSIOp(CastOp):
    """Float to signed integer towards zero; poison when out of range."""

    name = "llvm.fptosi"
    arg = operand_def(FLOATS)
    res = result_def(INTEGERS)


@irdl_op_definition
class FPToUIOp(CastOp):
    """Float to unsigned integer towards zero; poison when out of range."""

    name = "llvm.fptoui"
    arg = operand_def(FLOATS)
    res = result_def(INTEGERS)


@irdl_op_definition
class SIToFPOp(CastOp):
    """Signed integer to float, to nearest even."""

    name = "llvm.sitofp"
    arg = operand_def(INTEGERS)
    res = result_def(FLOATS)


@irdl_op_definition
class UIToFPOp(CastOp):
    """Unsigned integer to float, to nearest even; `nneg` promises a sign bit of 0."""

    name = "llvm.uitofp"
    arg = operand_def(INTEGERS)
    res = result_def(FLOATS)
    non_neg = opt_prop_def(UnitAttr, prop_name="nonNeg")

    assembly_format = "(`nneg` $nonNeg^)? $arg attr-dict `:` type($arg) `to` type($res)"


@irdl_op_definition
class FPExtOp(CastOp):
    """`llvm.fpext`: to a wider float; exact, also for NaN."""

    name = "llvm.fpext"
    arg = operand_def(FLOATS)
    res = result_def(FLOATS)


@irdl_op_definition
class FPTruncOp(CastOp):
    """To a narrower float, to nearest even."""

    name = "llvm.fptrunc"
    arg = operand_def(FLOATS)
    res = result_def(FLOATS)


def bits_of(type: Attribute) -> int | None:
    """Bits of a scalar or a vector, None for types without a fixed size (pointers)."""
    if isinstance(type, VectorType):
        element = bits_of(type.element_type)  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
        return None if element is None else element * type.element_count()
    return type.bitwidth if isinstance(type, FixedBitwidthType) else None


@irdl_op_definition
class BitcastOp(CastOp):
    """The same bits under another type."""

    name = "llvm.bitcast"

    @override
    def verify_(self) -> None:
        if isinstance(self.arg.type, LLVMPointerType) and self.arg.type == self.res.type:
            return
        bits = bits_of(self.arg.type)
        if bits is None or bits != bits_of(self.res.type):
            raise VerifyException(
                f"C2: expected types of the same number of bits, found {self.arg.type} and "
                f"{self.res.type}"
            )


OPS: tuple[type[Operation], ...] = (
    BitcastOp,
    FPExtOp,
    FPToSIOp,
    FPToUIOp,
    FPTruncOp,
    SIToFPOp,
    UIToFPOp,
)
