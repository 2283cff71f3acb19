"""Hyperbolic functions and their inverses; accuracy and NaN as in `elementary.py`."""

from __future__ import annotations

from xdsl.irdl import irdl_op_definition

from snippets_mlir.dialects.snippets.base import FLOAT, FloatOp
from snippets_mlir.dialects.snippets.counterparts import Aten, Engine, Onnx
from snippets_mlir.dialects.snippets.record import Expansion, OpRecord
from snippets_mlir.dialects.snippets.values.forms import ufunc, wide


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
    onnx=Onnx("Cosh", (9, 22), rate=4.1),
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
    engine=Engine(joins=("conv", "sum", "gemm"), passes=5, blocked=True),
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


RECORDS = (_SINH, _COSH, _TANH, _ASINH, _ACOSH, _ATANH)
