"""Comparisons and predicates of the `snippets` dialect; the result is i1."""

from __future__ import annotations

from typing import ClassVar

from xdsl.irdl import irdl_op_definition, traits_def
from xdsl.traits import Commutative

from snippets_mlir.dialects.snippets.base import BOOL, FLOAT, INTEGER, BinaryOp, FloatOp
from snippets_mlir.dialects.snippets.counterparts import Aten, Onnx
from snippets_mlir.dialects.snippets.record import Code, Expansion, OpRecord
from snippets_mlir.dialects.snippets.values.forms import plain, ufunc


@irdl_op_definition
class EqualOp(BinaryOp):
    """lhs == rhs; false if either is NaN."""

    name = "snippets.equal"
    ELEMENT_KINDS: ClassVar = (FLOAT, INTEGER, BOOL)
    PREDICATE: ClassVar = True
    traits = traits_def(Commutative())


_EQUAL = OpRecord(
    EqualOp,
    value=plain(ufunc("equal")),
    aten=(Aten("eq"),),
    code=Code("oeq", "eq", compares=True),
    onnx=Onnx("Equal", (7, 11, 13, 19), bound="single"),
    formulas={FLOAT: ufunc("equal")},
    names={"numpy": "equal", "stablehlo": "stablehlo.compare EQ"},
)


@irdl_op_definition
class NotEqualOp(BinaryOp):
    """lhs != rhs; true if either is NaN."""

    name = "snippets.not_equal"
    ELEMENT_KINDS: ClassVar = (FLOAT, INTEGER, BOOL)
    PREDICATE: ClassVar = True
    traits = traits_def(Commutative())


_NOT_EQUAL = OpRecord(
    NotEqualOp,
    value=plain(ufunc("not_equal")),
    aten=(Aten("ne"),),
    code=Code("une", "ne", compares=True),
    formulas={FLOAT: ufunc("not_equal")},
    names={"numpy": "not_equal", "stablehlo": "stablehlo.compare NE"},
)


@irdl_op_definition
class GreaterOp(BinaryOp):
    """lhs > rhs; false if either is NaN."""

    name = "snippets.greater"
    ELEMENT_KINDS: ClassVar = (FLOAT, INTEGER)
    PREDICATE: ClassVar = True


_GREATER = OpRecord(
    GreaterOp,
    value=plain(ufunc("greater")),
    aten=(Aten("gt"),),
    code=Code("ogt", "sgt", compares=True),
    onnx=Onnx("Greater", (7, 9, 13)),
    formulas={FLOAT: ufunc("greater")},
    names={"numpy": "greater", "stablehlo": "stablehlo.compare GT"},
)


@irdl_op_definition
class GreaterEqualOp(BinaryOp):
    """lhs >= rhs; false if either is NaN."""

    name = "snippets.greater_equal"
    ELEMENT_KINDS: ClassVar = (FLOAT, INTEGER)
    PREDICATE: ClassVar = True


_GREATER_EQUAL = OpRecord(
    GreaterEqualOp,
    value=plain(ufunc("greater_equal")),
    aten=(Aten("ge"),),
    code=Code("oge", "sge", compares=True),
    onnx=Onnx("GreaterOrEqual", (12, 16)),
    formulas={FLOAT: ufunc("greater_equal")},
    names={"numpy": "greater_equal", "stablehlo": "stablehlo.compare GE"},
)


@irdl_op_definition
class LessOp(BinaryOp):
    """lhs < rhs; false if either is NaN."""

    name = "snippets.less"
    ELEMENT_KINDS: ClassVar = (FLOAT, INTEGER)
    PREDICATE: ClassVar = True


_LESS = OpRecord(
    LessOp,
    value=plain(ufunc("less")),
    aten=(Aten("lt"),),
    code=Code("olt", "slt", compares=True),
    onnx=Onnx("Less", (7, 9, 13)),
    formulas={FLOAT: ufunc("less")},
    names={"numpy": "less", "stablehlo": "stablehlo.compare LT"},
)


@irdl_op_definition
class LessEqualOp(BinaryOp):
    """lhs <= rhs; false if either is NaN."""

    name = "snippets.less_equal"
    ELEMENT_KINDS: ClassVar = (FLOAT, INTEGER)
    PREDICATE: ClassVar = True


_LESS_EQUAL = OpRecord(
    LessEqualOp,
    value=plain(ufunc("less_equal")),
    aten=(Aten("le"),),
    code=Code("ole", "sle", compares=True),
    onnx=Onnx("LessOrEqual", (12, 16)),
    formulas={FLOAT: ufunc("less_equal")},
    names={"numpy": "less_equal", "stablehlo": "stablehlo.compare LE"},
)


@irdl_op_definition
class IsNanOp(FloatOp):
    """Whether x is NaN."""

    name = "snippets.is_nan"
    PREDICATE: ClassVar = True


_IS_NAN = OpRecord(
    IsNanOp,
    value=plain(ufunc("isnan")),
    aten=(Aten("isnan"),),
    floats=Expansion("piecewise:is_nan", note="comparison"),
    onnx=Onnx("IsNaN", (9, 13, 20), bound="once"),
    formulas={FLOAT: ufunc("isnan")},
    names={"numpy": "isnan"},
)


@irdl_op_definition
class IsInfOp(FloatOp):
    """Whether x is +inf or -inf."""

    name = "snippets.is_inf"
    PREDICATE: ClassVar = True


_IS_INF = OpRecord(
    IsInfOp,
    value=plain(ufunc("isinf")),
    aten=(Aten("isinf"),),
    floats=Expansion("piecewise:is_inf", note="comparison"),
    onnx=Onnx("IsInf", (), own_importer=True),
    formulas={FLOAT: ufunc("isinf")},
    names={"numpy": "isinf", "stablehlo": "chlo.is_inf"},
)


@irdl_op_definition
class IsFiniteOp(FloatOp):
    """Whether x is neither infinite nor NaN."""

    name = "snippets.is_finite"
    PREDICATE: ClassVar = True


_IS_FINITE = OpRecord(
    IsFiniteOp,
    value=plain(ufunc("isfinite")),
    floats=Expansion("piecewise:is_finite", note="comparison"),
    formulas={FLOAT: ufunc("isfinite")},
    names={"numpy": "isfinite", "stablehlo": "stablehlo.is_finite"},
)


RECORDS = (
    _EQUAL,
    _NOT_EQUAL,
    _GREATER,
    _GREATER_EQUAL,
    _LESS,
    _LESS_EQUAL,
    _IS_NAN,
    _IS_INF,
    _IS_FINITE,
)
