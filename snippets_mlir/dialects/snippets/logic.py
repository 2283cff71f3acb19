"""Logic on truth values of the `snippets` dialect."""

from __future__ import annotations

from typing import ClassVar

from xdsl.irdl import irdl_op_definition, traits_def
from xdsl.traits import Commutative

from snippets_mlir.dialects.snippets.base import BOOL, BinaryOp, UnaryOp
from snippets_mlir.dialects.snippets.counterparts import Aten, Onnx
from snippets_mlir.dialects.snippets.record import Code, OpRecord
from snippets_mlir.dialects.snippets.values.forms import plain, ufunc


@irdl_op_definition
class LogicalAndOp(BinaryOp):
    """lhs and rhs."""

    name = "snippets.logical_and"
    ELEMENT_KINDS: ClassVar = (BOOL,)
    traits = traits_def(Commutative())


_LOGICAL_AND = OpRecord(
    LogicalAndOp,
    value=plain(ufunc("logical_and")),
    aten=(
        Aten("logical_and"),
        Aten("bitwise_and"),
        Aten("mul"),
    ),
    code=Code(integers="arith.andi"),
    onnx=Onnx("And", (7,)),
    formulas={BOOL: ufunc("logical_and")},
    names={
        "numpy": "logical_and",
        "numpy of bools": "multiply minimum bitwise_and",
        "stablehlo": "stablehlo.and",
    },
)


@irdl_op_definition
class LogicalOrOp(BinaryOp):
    """lhs or rhs."""

    name = "snippets.logical_or"
    ELEMENT_KINDS: ClassVar = (BOOL,)
    traits = traits_def(Commutative())


_LOGICAL_OR = OpRecord(
    LogicalOrOp,
    value=plain(ufunc("logical_or")),
    aten=(
        Aten("logical_or"),
        Aten("bitwise_or"),
    ),
    code=Code(integers="arith.ori"),
    onnx=Onnx("Or", (7,)),
    formulas={BOOL: ufunc("logical_or")},
    names={
        "numpy": "logical_or",
        "numpy of bools": "add maximum bitwise_or absolute",
        "stablehlo": "stablehlo.or",
    },
)


@irdl_op_definition
class LogicalXorOp(BinaryOp):
    """lhs xor rhs."""

    name = "snippets.logical_xor"
    ELEMENT_KINDS: ClassVar = (BOOL,)
    traits = traits_def(Commutative())


_LOGICAL_XOR = OpRecord(
    LogicalXorOp,
    value=plain(ufunc("logical_xor")),
    aten=(
        Aten("logical_xor"),
        Aten("bitwise_xor"),
    ),
    code=Code(integers="arith.xori"),
    onnx=Onnx("Xor", (7,)),
    formulas={BOOL: ufunc("logical_xor")},
    names={"numpy": "logical_xor", "numpy of bools": "bitwise_xor", "stablehlo": "stablehlo.xor"},
)


@irdl_op_definition
class LogicalNotOp(UnaryOp):
    """not x."""

    name = "snippets.logical_not"
    ELEMENT_KINDS: ClassVar = (BOOL,)


_LOGICAL_NOT = OpRecord(
    LogicalNotOp,
    value=plain(ufunc("logical_not")),
    aten=(
        Aten("logical_not"),
        Aten("bitwise_not"),
    ),
    code=Code(source="arithmetic:inverted", vectors=1),
    onnx=Onnx("Not", (1,)),
    formulas={BOOL: ufunc("logical_not")},
    names={"numpy": "logical_not", "numpy of bools": "invert", "stablehlo": "stablehlo.not"},
)


RECORDS = (_LOGICAL_AND, _LOGICAL_OR, _LOGICAL_XOR, _LOGICAL_NOT)
