"""Lower the `index` dialect to the `llvm` dialect; an index is an i64.

    %q = index.floordivs %a, %b              %0 = llvm.sdiv %a, %b : i64
                                             %1 = llvm.mul %0, %b : i64
                                             %2 = llvm.icmp "ne" %1, %a : i64
                                             %3 = llvm.xor %a, %b : i64
                                             %4 = llvm.icmp "slt" %3, 0 : i64
                                             %5 = llvm.and %2, %4 : i1
                                             %6 = llvm.sext %5 : i1 to i64
                                             %q = llvm.add %0, %6 : i64

Quotients that are rounded up or down are corrected by one if the division leaves a remainder, so no
step overflows if the quotient exists. (Upstream's pass computes `ceildivs` of a negative dividend
as `-(-a / b)`, which has the wrong sign for the smallest index.) Leaves ops of host functions.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerAttr, i1, i64
from xdsl.ir import Attribute, Operation, SSAValue

from snippets_mlir.dialects.index import arithmetic, bits, comparison, division, ops
from snippets_mlir.dialects.llvm import integer_intrinsics
from snippets_mlir.passes.building.conversion import ConversionPass, Row, converts
from snippets_mlir.passes.building.lowering import Lowering
from snippets_mlir.passes.vector_to_llvm.convert_arith_to_llvm import NO_WRAP, resize, same


def _constant(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    """`llvm.mlir.constant` of type i64."""
    assert isinstance(op, ops.ConstantOp)
    return (low.integer(op.value.value.data),)


def _bool_constant(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    """`llvm.mlir.constant` of type i1."""
    return (low.constant(op.properties["value"], i1),)


def _size(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    """The constant 64: an index has that many bits."""
    return (low.integer(arithmetic.WIDTH),)


def _compare(low: Lowering, predicate: str, x: SSAValue, y: SSAValue) -> SSAValue:
    number = comparison.CmpPredicate(predicate).number
    return low.make(llvm.ICmpOp, (x, y), i1, {"predicate": IntegerAttr(number, i64)})


def _cmp(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    """`llvm.icmp` of two i64 values with the same predicate."""
    assert isinstance(op, comparison.CmpOp)
    x, y = low.operands(op)
    return (_compare(low, op.pred.data.value, x, y),)


def _rounded(divide: type[Operation], signs: str | None, extend: type[Operation]) -> Row:
    """The quotient, corrected if there is a remainder and the signs differ ("slt") or not ("sge").

    `extend` makes the correction of the i1: 1 by `llvm.zext`, -1 by `llvm.sext`.
    """

    def row(op: Operation, low: Lowering) -> Sequence[SSAValue]:
        """The quotient, corrected by one if it was rounded the other way."""
        x, y = low.operands(op)
        quotient = low.make(divide, (x, y), i64)
        product = low.make(llvm.MulOp, (quotient, y), i64, NO_WRAP)
        wrong = _compare(low, "ne", product, x)
        if signs is not None:
            mixed = low.make(llvm.XOrOp, (x, y), i64)
            match = _compare(low, signs, mixed, low.integer(0))
            wrong = low.make(llvm.AndOp, (wrong, match), i1)
        correction = low.make(extend, (wrong,), i64)
        return (low.make(llvm.AddOp, (quotient, correction), i64, NO_WRAP),)

    return row


def _no_wrap(op: Operation) -> Mapping[str, Attribute]:
    return NO_WRAP


@dataclass(frozen=True)
class ConvertIndexToLLVMPass(ConversionPass):
    """Lower the index dialect to the llvm dialect."""

    name: ClassVar[str] = "convert-index-to-llvm"
    PATTERNS = (
        converts(arithmetic.AddOp, same(llvm.AddOp, _no_wrap)),
        converts(bits.AndOp, same(llvm.AndOp)),
        converts(division.CeilDivSOp, _rounded(llvm.SDivOp, "sge", llvm.ZExtOp)),
        converts(division.CeilDivUOp, _rounded(llvm.UDivOp, None, llvm.ZExtOp)),
        converts(division.DivSOp, same(llvm.SDivOp)),
        converts(division.DivUOp, same(llvm.UDivOp)),
        converts(division.FloorDivSOp, _rounded(llvm.SDivOp, "slt", llvm.SExtOp)),
        converts(arithmetic.MaxSOp, same(integer_intrinsics.SMaxOp)),
        converts(arithmetic.MaxUOp, same(integer_intrinsics.UMaxOp)),
        converts(arithmetic.MinSOp, same(integer_intrinsics.SMinOp)),
        converts(arithmetic.MinUOp, same(integer_intrinsics.UMinOp)),
        converts(arithmetic.MulOp, same(llvm.MulOp, _no_wrap)),
        converts(bits.OrOp, same(llvm.OrOp)),
        converts(division.RemSOp, same(llvm.SRemOp)),
        converts(division.RemUOp, same(llvm.URemOp)),
        converts(bits.ShlOp, same(llvm.ShlOp, _no_wrap)),
        converts(bits.ShrSOp, same(llvm.AShrOp)),
        converts(bits.ShrUOp, same(llvm.LShrOp)),
        converts(arithmetic.SubOp, same(llvm.SubOp, _no_wrap)),
        converts(bits.XOrOp, same(llvm.XOrOp)),
        converts(ops.BoolConstantOp, _bool_constant),
        converts(ops.CastSOp, resize(llvm.SExtOp)),
        converts(ops.CastUOp, resize(llvm.ZExtOp)),
        converts(comparison.CmpOp, _cmp),
        converts(ops.ConstantOp, _constant),
        converts(ops.SizeOfOp, _size),
    )
