"""Exponential, logarithm, roots and the error function of the `snippets` dialect.

Accuracy: the value of an op is the formula of its docstring in real arithmetic, rounded once; the
interpreter evaluates it in float64 (extended precision for f64), the kernels stay within 4 units in
the last place. `abs ceiling floor negative relu sign sqrt` and the predicates are exact. NaN gives
NaN unless the docstring says otherwise. If the formula evaluates to inf * 0 or inf / inf, the value
is NaN. These rules hold for all ops of one float.

Float attributes may have any width: the value is rounded to the element type before use.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from xdsl.ir import Operation
from xdsl.irdl import irdl_op_definition

from snippets_mlir.dialects.snippets.base import FLOAT, FloatOp
from snippets_mlir.dialects.snippets.counterparts import Aten, Onnx
from snippets_mlir.dialects.snippets.record import (
    Code,
    Expansion,
    FastExpansion,
    OpRecord,
    value_in,
)
from snippets_mlir.dialects.snippets.values.forms import ufunc, wide
from snippets_mlir.support.lazy import LazyModule

if TYPE_CHECKING:
    import numpy as np

    from snippets_mlir.dialects.builtin.dtypes import Array
    from snippets_mlir.dialects.snippets.values import special
else:
    np = LazyModule("numpy")
    special = LazyModule("snippets_mlir.dialects.snippets.values.special")


def _sqrt(op: Operation, dtype: np.dtype[Any], x: Array) -> Array:
    # The hardware's root is rounded once; a root in extended precision would be rounded twice.
    return np.asarray(np.sqrt(x)) if dtype.itemsize > 2 else wide(np.sqrt)(op, dtype, x)


def _erf_of_each(x: Array) -> Array:
    return special.each(math.erf, x)


def _inverse_root(x: Array) -> Array:
    return 1 / np.sqrt(x)


@irdl_op_definition
class ErfOp(FloatOp):
    """Error function, 2 / sqrt(pi) times the integral of e^(-t^2) from 0 to x; erf(+-inf) = +-1."""

    name = "snippets.erf"


_ERF = OpRecord(
    ErfOp,
    value=wide(value_in("special:erf")),
    aten=(Aten("erf"),),
    floats=Expansion("erf:erf", 2, 1.5, "polynomial; f32: two of them, f64: 1 - e^(-x^2) R(x)"),
    math="erf",
    onnx=Onnx("Erf", (9, 13), rate=0.4, bound="single"),
    formulas={FLOAT: _erf_of_each},
    names={"scipy": "erf", "stablehlo": "chlo.erf"},
)


@irdl_op_definition
class ErfcOp(FloatOp):
    """1 - erf(x), without cancellation for large x; erfc(inf) = 0, erfc(-inf) = 2."""

    name = "snippets.erfc"


_ERFC = OpRecord(
    ErfcOp,
    value=wide(value_in("special:erfc")),
    aten=(Aten("erfc"),),
    floats=Expansion("gelu:erfc", 1, 3.5, "2 Phi(-sqrt(2) x); f32 in f64"),
    names={"scipy": "erfc", "stablehlo": "chlo.erfc"},
)


@irdl_op_definition
class ExpOp(FloatOp):
    """e^x; exp(-inf) = 0, overflow gives inf, small results are subnormal."""

    name = "snippets.exp"


_EXP = OpRecord(
    ExpOp,
    value=wide(ufunc("exp")),
    aten=(Aten("exp"),),
    floats=Expansion("exp:exp", 2, 1.5, "2^n times a polynomial"),
    fast=FastExpansion("fast:exp", 8, 2.0**-104),
    math="exp",
    onnx=Onnx("Exp", (6, 13), rate=0.115, avx2_rate=0.37, bound="single"),
    formulas={FLOAT: ufunc("exp")},
    names={"numpy": "exp", "stablehlo": "stablehlo.exponential"},
)


@irdl_op_definition
class LogOp(FloatOp):
    """Natural logarithm; log(+-0) = -inf, log(x < 0) = NaN."""

    name = "snippets.log"


_LOG = OpRecord(
    LogOp,
    value=wide(ufunc("log")),
    aten=(Aten("log"),),
    floats=Expansion("log:log", 1.5, 1.5, "k ln 2 + log m; f64: by atanh"),
    math="log",
    onnx=Onnx("Log", (6, 13), rate=1.5, bound="single"),
    formulas={FLOAT: ufunc("log")},
    samples=(0.0, 16.0),
    names={"numpy": "log", "stablehlo": "stablehlo.log"},
)


@irdl_op_definition
class SqrtOp(FloatOp):
    """Square root, correctly rounded; sqrt(-0.0) = -0.0, sqrt(x < 0) = NaN."""

    name = "snippets.sqrt"


_SQRT = OpRecord(
    SqrtOp,
    value=_sqrt,
    aten=(Aten("sqrt"),),
    code=Code("math.sqrt"),
    weight=8.0,
    onnx=Onnx("Sqrt", (6, 13), rate=0.29, bound="single"),
    formulas={FLOAT: ufunc("sqrt")},
    samples=(0.0, 16.0),
    names={"numpy": "sqrt", "stablehlo": "stablehlo.sqrt"},
)


@irdl_op_definition
class RsqrtOp(FloatOp):
    """1 / sqrt(x); rsqrt(0.0) = inf, rsqrt(-0.0) = -inf, rsqrt(inf) = 0, NaN below 0."""

    name = "snippets.rsqrt"


_RSQRT = OpRecord(
    RsqrtOp,
    value=wide(_inverse_root),
    aten=(Aten("rsqrt"),),
    floats=Expansion("piecewise:rsqrt", 2, 2, "division by the square root"),
    formulas={FLOAT: _inverse_root},
    samples=(0.0, 16.0),
    names={"stablehlo": "stablehlo.rsqrt"},
)


RECORDS = (_ERF, _ERFC, _EXP, _LOG, _SQRT, _RSQRT)
