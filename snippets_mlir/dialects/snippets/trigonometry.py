"""Trigonometric functions and their inverses; accuracy and NaN as in `elementary.py`."""

from __future__ import annotations

from typing import ClassVar

from xdsl.irdl import irdl_op_definition

from snippets_mlir.dialects.snippets.base import FLOAT, BinaryOp, FloatOp
from snippets_mlir.dialects.snippets.counterparts import Aten, Onnx
from snippets_mlir.dialects.snippets.record import Expansion, OpRecord
from snippets_mlir.dialects.snippets.values.forms import ufunc, wide

_METHOD = "three words of pi/2, for large arguments Payne-Hanek by table; polynomials"


@irdl_op_definition
class SinOp(FloatOp):
    """Sine of x radians, over the whole range; sin(+-inf) = NaN."""

    name = "snippets.sin"


_SIN = OpRecord(
    SinOp,
    value=wide(ufunc("sin")),
    aten=(Aten("sin"),),
    floats=Expansion("trig:sin", 1.75, 1, _METHOD),
    math="sin",
    onnx=Onnx("Sin", (7, 22), rate=1.43, bound="single"),
    formulas={FLOAT: ufunc("sin")},
    names={"numpy": "sin", "stablehlo": "stablehlo.sine"},
)


@irdl_op_definition
class CosOp(FloatOp):
    """Cosine of x radians, over the whole range; cos(+-inf) = NaN."""

    name = "snippets.cos"


_COS = OpRecord(
    CosOp,
    value=wide(ufunc("cos")),
    aten=(Aten("cos"),),
    floats=Expansion("trig:cos", 1.75, 1, _METHOD),
    math="cos",
    onnx=Onnx("Cos", (7, 22), rate=1.45, bound="single"),
    formulas={FLOAT: ufunc("cos")},
    names={"numpy": "cos", "stablehlo": "stablehlo.cosine"},
)


@irdl_op_definition
class TanOp(FloatOp):
    """Tangent of x radians, over the whole range; tan(+-inf) = NaN."""

    name = "snippets.tan"


_TAN = OpRecord(
    TanOp,
    value=wide(ufunc("tan")),
    aten=(Aten("tan"),),
    floats=Expansion("trig:tan", 1, 2.5, "quotient of sine and cosine"),
    math="tan",
    onnx=Onnx("Tan", (7, 22), rate=8.91),
    formulas={FLOAT: ufunc("tan")},
    names={"numpy": "tan", "stablehlo": "stablehlo.tan"},
)


@irdl_op_definition
class AsinOp(FloatOp):
    """Arc sine in [-pi/2, pi/2]; NaN outside [-1, 1]."""

    name = "snippets.asin"


_ASIN = OpRecord(
    AsinOp,
    value=wide(ufunc("arcsin")),
    aten=(Aten("asin"),),
    floats=Expansion("inverse_trig:asin", 2, 2, "polynomial, half-angle formula beyond 1/2"),
    math="asin",
    onnx=Onnx("Asin", (7, 22), rate=1.06),
    samples=(-1.0, 1.0),
    formulas={FLOAT: ufunc("arcsin")},
    names={"numpy": "arcsin", "stablehlo": "chlo.asin"},
)


@irdl_op_definition
class AcosOp(FloatOp):
    """Arc cosine in [0, pi]; NaN outside [-1, 1]."""

    name = "snippets.acos"


_ACOS = OpRecord(
    AcosOp,
    value=wide(ufunc("arccos")),
    aten=(Aten("acos"),),
    floats=Expansion("inverse_trig:acos", 1.5, 1.5, "polynomial, half-angle formula beyond 1/2"),
    math="acos",
    onnx=Onnx("Acos", (7, 22), rate=0.57),
    samples=(-1.0, 1.0),
    formulas={FLOAT: ufunc("arccos")},
    names={"numpy": "arccos", "stablehlo": "chlo.acos"},
)


@irdl_op_definition
class AtanOp(FloatOp):
    """Arc tangent in [-pi/2, pi/2]."""

    name = "snippets.atan"


_ATAN = OpRecord(
    AtanOp,
    value=wide(ufunc("arctan")),
    aten=(Aten("atan"),),
    floats=Expansion("inverse_trig:atan", 2, 2, "polynomial of a or -1 / a; f64: three ranges"),
    math="atan",
    onnx=Onnx("Atan", (7, 22), rate=0.89),
    formulas={FLOAT: ufunc("arctan")},
    names={"numpy": "arctan", "stablehlo": "chlo.atan"},
)


@irdl_op_definition
class Atan2Op(BinaryOp):
    """The angle of the point (rhs, lhs) in [-pi, pi], as C's atan2(lhs, rhs): with the sign of lhs;
    0 or pi at the origin by the sign of rhs; multiples of pi/4 for two infinities.
    """

    name = "snippets.atan2"
    ELEMENT_KINDS: ClassVar = (FLOAT,)


_ATAN2 = OpRecord(
    Atan2Op,
    value=wide(ufunc("arctan2")),
    aten=(Aten("atan2"),),
    floats=Expansion("inverse_trig:atan2", 1, 2, "atan of the smaller over the larger"),
    math="atan2",
    formulas={FLOAT: ufunc("arctan2")},
    names={"numpy": "arctan2", "stablehlo": "stablehlo.atan2"},
)


RECORDS = (_SIN, _COS, _TAN, _ASIN, _ACOS, _ATAN, _ATAN2)
