"""Exponentials and logarithms of other bases or near 1, and the cube root.

Accuracy and NaN as in `elementary.py`.
"""

from __future__ import annotations

from xdsl.irdl import irdl_op_definition

from snippets_mlir.dialects.snippets.base import FLOAT, FloatOp
from snippets_mlir.dialects.snippets.counterparts import Aten
from snippets_mlir.dialects.snippets.record import Expansion, OpRecord
from snippets_mlir.dialects.snippets.values.forms import ufunc, wide


@irdl_op_definition
class Exp2Op(FloatOp):
    """2^x; exp2(-inf) = 0, overflow gives inf, small results are subnormal."""

    name = "snippets.exp2"


_EXP2 = OpRecord(
    Exp2Op,
    value=wide(ufunc("exp2")),
    aten=(Aten("exp2"),),
    floats=Expansion("exponentials:exp2", 1, 1.5, "2^n e^(r ln 2)"),
    math="exp2",
    formulas={FLOAT: ufunc("exp2")},
    names={"numpy": "exp2"},
)


@irdl_op_definition
class Expm1Op(FloatOp):
    """e^x - 1, without cancellation near 0: expm1(-0.0) = -0.0; expm1(-inf) = -1."""

    name = "snippets.expm1"


_EXPM1 = OpRecord(
    Expm1Op,
    value=wide(ufunc("expm1")),
    aten=(Aten("expm1"),),
    floats=Expansion("exponentials:expm1", 1.75, 2, "2^n (e^r - 1) + (2^n - 1)"),
    math="expm1",
    formulas={FLOAT: ufunc("expm1")},
    names={"numpy": "expm1", "stablehlo": "stablehlo.exponential_minus_one"},
)


@irdl_op_definition
class Log1pOp(FloatOp):
    """log(1 + x), without cancellation near 0: log1p(-0.0) = -0.0; -inf at -1, NaN below."""

    name = "snippets.log1p"


_LOG1P = OpRecord(
    Log1pOp,
    value=wide(ufunc("log1p")),
    aten=(Aten("log1p"),),
    floats=Expansion("exponentials:log1p", 1.5, 1.5, "log of 1 + x in two words"),
    math="log1p",
    formulas={FLOAT: ufunc("log1p")},
    samples=(-1.0, 16.0),
    names={"numpy": "log1p", "stablehlo": "stablehlo.log_plus_one"},
)


@irdl_op_definition
class Log2Op(FloatOp):
    """Logarithm to base 2; log2(+-0) = -inf, log2(x < 0) = NaN."""

    name = "snippets.log2"


_LOG2 = OpRecord(
    Log2Op,
    value=wide(ufunc("log2")),
    aten=(Aten("log2"),),
    floats=Expansion("exponentials:log2", 1, 1.5, "log x times 1 / ln 2 in two words"),
    math="log2",
    formulas={FLOAT: ufunc("log2")},
    samples=(0.0, 16.0),
    names={"numpy": "log2"},
)


@irdl_op_definition
class Log10Op(FloatOp):
    """Logarithm to base 10; log10(+-0) = -inf, log10(x < 0) = NaN."""

    name = "snippets.log10"


_LOG10 = OpRecord(
    Log10Op,
    value=wide(ufunc("log10")),
    aten=(Aten("log10"),),
    floats=Expansion("exponentials:log10", 1, 1.5, "log x times 1 / ln 10 in two words"),
    math="log10",
    formulas={FLOAT: ufunc("log10")},
    samples=(0.0, 16.0),
    names={"numpy": "log10"},
)


@irdl_op_definition
class CbrtOp(FloatOp):
    """Cube root with the sign of x; cbrt(-0.0) = -0.0, cbrt(+-inf) = +-inf."""

    name = "snippets.cbrt"


_CBRT = OpRecord(
    CbrtOp,
    value=wide(ufunc("cbrt")),
    floats=Expansion("exponentials:cbrt", 1, 1.5, "e^(log|x| / 3); f64 with one step of Newton"),
    math="cbrt",
    formulas={FLOAT: ufunc("cbrt")},
    names={"numpy": "cbrt", "stablehlo": "stablehlo.cbrt"},
)


RECORDS = (_EXP2, _EXPM1, _LOG1P, _LOG2, _LOG10, _CBRT)
