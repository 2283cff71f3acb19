"""Trigonometric and hyperbolic ops; accuracy and NaN as in `elementary.py`."""

from __future__ import annotations

from xdsl.irdl import irdl_op_definition

from snippets_mlir.dialects.snippets.base import FLOAT, FloatOp
from snippets_mlir.dialects.snippets.record import Aten, Engine, Expansion, Onnx, OpRecord
from snippets_mlir.dialects.snippets.values.forms import ufunc, wide


@irdl_op_definition
class SinOp(FloatOp):
    """Sine of x radians, over the whole range; sin(+-inf) = NaN."""

    name = "snippets.sin"


_SIN = OpRecord(
    SinOp,
    value=wide(ufunc("sin")),
    aten=(Aten("sin"),),
    floats=Expansion("trig:sin", 1, 1, "Payne-Hanek by table, polynomials; f32 in f64"),
    math="sin",
    onnx=Onnx("Sin", (7, 22), rate=1.85, bound="single"),
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
    floats=Expansion("trig:cos", 1, 1, "Payne-Hanek by table, polynomials; f32 in f64"),
    math="cos",
    onnx=Onnx("Cos", (7, 22), rate=1.89, bound="single"),
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
class SinhOp(FloatOp):
    """Hyperbolic sine, (e^x - e^-x) / 2; sinh(-0.0) = -0.0, sinh(+-inf) = +-inf."""

    name = "snippets.sinh"


_SINH = OpRecord(
    SinhOp,
    value=wide(ufunc("sinh")),
    aten=(Aten("sinh"),),
    floats=Expansion("hyperbolic:sinh", 2, 2, "polynomial, and h - 1 / (4 h), h = e^|x| / 2"),
    math="sinh",
    onnx=Onnx("Sinh", (9, 22), rate=11.3),
    formulas={FLOAT: ufunc("sinh")},
    names={"numpy": "sinh", "stablehlo": "chlo.sinh"},
)


@irdl_op_definition
class CoshOp(FloatOp):
    """Hyperbolic cosine, (e^x + e^-x) / 2; cosh(+-inf) = inf."""

    name = "snippets.cosh"


_COSH = OpRecord(
    CoshOp,
    value=wide(ufunc("cosh")),
    aten=(Aten("cosh"),),
    floats=Expansion("hyperbolic:cosh", 2, 1.5, "h + 1 / (4 h), h = e^|x| / 2"),
    math="cosh",
    onnx=Onnx("Cosh", (9, 22), rate=5.17),
    formulas={FLOAT: ufunc("cosh")},
    names={"numpy": "cosh", "stablehlo": "chlo.cosh"},
)


@irdl_op_definition
class TanhOp(FloatOp):
    """Hyperbolic tangent; tanh(+-inf) = +-1, tanh(-0.0) = -0.0."""

    name = "snippets.tanh"


_TANH = OpRecord(
    TanhOp,
    value=wide(ufunc("tanh")),
    aten=(Aten("tanh"),),
    floats=Expansion("hyperbolic:tanh", 2, 3, "polynomial, 1 - 2 / (e^2a + 1); f64: e / (e + 2)"),
    math="tanh",
    onnx=Onnx("Tanh", (6, 13), rate=0.23, bound="single"),
    engine=Engine(joins=("conv", "sum", "gemm"), passes=5),
    formulas={FLOAT: ufunc("tanh")},
    names={"numpy": "tanh", "stablehlo": "stablehlo.tanh"},
)


@irdl_op_definition
class AsinhOp(FloatOp):
    """Inverse hyperbolic sine; asinh(-0.0) = -0.0, asinh(+-inf) = +-inf."""

    name = "snippets.asinh"


_ASINH = OpRecord(
    AsinhOp,
    value=wide(ufunc("arcsinh")),
    aten=(Aten("asinh"),),
    floats=Expansion("hyperbolic:asinh", 1, 1.5, "polynomial, log of a double word; f32 in f64"),
    math="asinh",
    onnx=Onnx("Asinh", (9, 22), rate=14.9),
    formulas={FLOAT: ufunc("arcsinh")},
    names={"numpy": "arcsinh", "stablehlo": "chlo.asinh"},
)


@irdl_op_definition
class AcoshOp(FloatOp):
    """Inverse hyperbolic cosine; NaN below 1."""

    name = "snippets.acosh"


_ACOSH = OpRecord(
    AcoshOp,
    value=wide(ufunc("arccosh")),
    aten=(Aten("acosh"),),
    floats=Expansion("hyperbolic:acosh", 1, 1.5, "log1p of a double word; f32 in f64"),
    math="acosh",
    onnx=Onnx("Acosh", (9, 22)),
    samples=(1.0, 16.0),
    formulas={FLOAT: ufunc("arccosh")},
    names={"numpy": "arccosh", "stablehlo": "chlo.acosh"},
)


@irdl_op_definition
class AtanhOp(FloatOp):
    """Inverse hyperbolic tangent; +-inf at +-1, NaN outside [-1, 1]."""

    name = "snippets.atanh"


_ATANH = OpRecord(
    AtanhOp,
    value=wide(ufunc("arctanh")),
    aten=(Aten("atanh"),),
    floats=Expansion("hyperbolic:atanh", 1, 1.5, "log1p of a double word; f32 in f64"),
    math="atanh",
    onnx=Onnx("Atanh", (9, 22), rate=16.0),
    samples=(-1.0, 1.0),
    formulas={FLOAT: ufunc("arctanh")},
    names={"numpy": "arctanh", "stablehlo": "chlo.atanh"},
)


RECORDS = (_SIN, _COS, _TAN, _ASIN, _ACOS, _ATAN, _SINH, _COSH, _TANH, _ASINH, _ACOSH, _ATANH)
