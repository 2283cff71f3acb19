"""Bitwise operations on integers, and shifts, in the `snippets` dialect."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from xdsl.irdl import irdl_op_definition, traits_def
from xdsl.traits import Commutative

from snippets_mlir.dialects.snippets.base import INTEGER, BinaryOp, UnaryOp
from snippets_mlir.dialects.snippets.counterparts import Aten, Onnx
from snippets_mlir.dialects.snippets.record import Code, Expansion, OpRecord, value_in
from snippets_mlir.dialects.snippets.values.forms import plain, ufunc
from snippets_mlir.support.lazy import LazyModule

if TYPE_CHECKING:
    import numpy as np

    from snippets_mlir.dialects.builtin.dtypes import Array

else:
    np = LazyModule("numpy")


def _left_shift(x: Array, y: Array) -> Array:
    return np.where((y < 0) | (y > 31), 0, x << (y & 31))


def _right_shift(x: Array, y: Array) -> Array:
    return x >> np.where((y < 0) | (y > 31), 31, y)


@irdl_op_definition
class BitwiseAndOp(BinaryOp):
    """Bits set in both."""

    name = "snippets.bitwise_and"
    ELEMENT_KINDS: ClassVar = (INTEGER,)
    traits = traits_def(Commutative())


_BITWISE_AND = OpRecord(
    BitwiseAndOp,
    value=plain(ufunc("bitwise_and")),
    aten=(Aten("bitwise_and"),),
    code=Code(integers="arith.andi"),
    onnx=Onnx("BitwiseAnd", (18,)),
    formulas={INTEGER: ufunc("bitwise_and")},
    names={"numpy": "bitwise_and", "stablehlo": "stablehlo.and"},
)


@irdl_op_definition
class BitwiseOrOp(BinaryOp):
    """Bits set in either."""

    name = "snippets.bitwise_or"
    ELEMENT_KINDS: ClassVar = (INTEGER,)
    traits = traits_def(Commutative())


_BITWISE_OR = OpRecord(
    BitwiseOrOp,
    value=plain(ufunc("bitwise_or")),
    aten=(Aten("bitwise_or"),),
    code=Code(integers="arith.ori"),
    onnx=Onnx("BitwiseOr", (18,)),
    formulas={INTEGER: ufunc("bitwise_or")},
    names={"numpy": "bitwise_or", "stablehlo": "stablehlo.or"},
)


@irdl_op_definition
class BitwiseXorOp(BinaryOp):
    """Bits set in one of both."""

    name = "snippets.bitwise_xor"
    ELEMENT_KINDS: ClassVar = (INTEGER,)
    traits = traits_def(Commutative())


_BITWISE_XOR = OpRecord(
    BitwiseXorOp,
    value=plain(ufunc("bitwise_xor")),
    aten=(Aten("bitwise_xor"),),
    code=Code(integers="arith.xori"),
    onnx=Onnx("BitwiseXor", (18,)),
    formulas={INTEGER: ufunc("bitwise_xor")},
    names={"numpy": "bitwise_xor", "stablehlo": "stablehlo.xor"},
)


@irdl_op_definition
class BitwiseNotOp(UnaryOp):
    """~x."""

    name = "snippets.bitwise_not"
    ELEMENT_KINDS: ClassVar = (INTEGER,)


_BITWISE_NOT = OpRecord(
    BitwiseNotOp,
    value=plain(ufunc("invert")),
    aten=(Aten("bitwise_not"),),
    code=Code(source="arithmetic:inverted", vectors=1),
    integers=Expansion("integer:bitwise_not", note="xor with all ones"),
    onnx=Onnx("BitwiseNot", (18,)),
    formulas={INTEGER: ufunc("invert")},
    names={"numpy": "invert", "stablehlo": "stablehlo.not"},
)


@irdl_op_definition
class BitwiseLeftShiftOp(BinaryOp):
    """lhs << rhs. rhs is read as unsigned; an amount of the width or more gives 0."""

    name = "snippets.bitwise_left_shift"
    ELEMENT_KINDS: ClassVar = (INTEGER,)


_BITWISE_LEFT_SHIFT = OpRecord(
    BitwiseLeftShiftOp,
    value=plain(value_in("integer:left_shift")),
    code=Code(source="arithmetic:left_shift", vectors=2),
    formulas={INTEGER: _left_shift},
    names={"numpy": "left_shift", "stablehlo": "stablehlo.shift_left"},
)


@irdl_op_definition
class BitwiseRightShiftOp(BinaryOp):
    """lhs >> rhs, arithmetic for signed and signless integers, logical for unsigned ones.
    rhs is read as unsigned; an amount of the width or more gives the sign (0 or -1; 0 for
    unsigned).
    """

    name = "snippets.bitwise_right_shift"
    ELEMENT_KINDS: ClassVar = (INTEGER,)


_BITWISE_RIGHT_SHIFT = OpRecord(
    BitwiseRightShiftOp,
    value=plain(value_in("integer:right_shift")),
    code=Code(source="arithmetic:right_shift", vectors=1, masks=1),
    formulas={INTEGER: _right_shift},
    names={"numpy": "right_shift", "stablehlo": "stablehlo.shift_right_arithmetic"},
)


RECORDS = (
    _BITWISE_AND,
    _BITWISE_OR,
    _BITWISE_XOR,
    _BITWISE_NOT,
    _BITWISE_LEFT_SHIFT,
    _BITWISE_RIGHT_SHIFT,
)
