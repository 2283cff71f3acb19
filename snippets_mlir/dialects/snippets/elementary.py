"""Exponential, logarithm, roots, powers and the error function of the `snippets` dialect.

Accuracy: the value of an op is the formula of its docstring in real arithmetic, rounded once;
the interpreter evaluates it in float64 (extended precision for f64), the kernels stay within 4
units in the last place. `abs ceiling floor negative relu sign sqrt` and the predicates are exact.
NaN gives NaN unless the docstring says otherwise. Where the formula reads inf * 0 or inf / inf, it
is NaN. These rules hold for all ops of one float.

Float attributes may have any width: the value is rounded to the element type before use.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import irdl_op_definition, prop_def
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.snippets.base import (
    FLOAT,
    INTEGER,
    BinaryOp,
    FloatOp,
    UnaryOp,
    kind_of,
)
from snippets_mlir.dialects.snippets.counterparts import Aten, Onnx
from snippets_mlir.dialects.snippets.record import (
    Code,
    Expansion,
    FastExpansion,
    OpRecord,
    value_in,
)
from snippets_mlir.dialects.snippets.values.forms import by_kind, float_value, once, ufunc, wide
from snippets_mlir.support.lazy import LazyModule

if TYPE_CHECKING:
    import numpy as np

    from snippets_mlir.dialects.builtin import dtypes
    from snippets_mlir.dialects.builtin.dtypes import Array
    from snippets_mlir.dialects.snippets.values import integer, special
else:
    np = LazyModule("numpy")
    dtypes = LazyModule("snippets_mlir.dialects.builtin.dtypes")
    integer = LazyModule("snippets_mlir.dialects.snippets.values.integer")
    special = LazyModule("snippets_mlir.dialects.snippets.values.special")


def _sqrt(op: Operation, dtype: np.dtype[Any], x: Array) -> Array:
    # The hardware's root is rounded once; a root in extended precision would be rounded twice.
    return np.asarray(np.sqrt(x)) if dtype.itemsize > 2 else wide(np.sqrt)(op, dtype, x)


def _power(x: Array, y: Array) -> Array:
    """C's pow; exponents -1, 1 and 2 are rounded once in every type."""
    if not x.shape and not y.shape:
        return np.asarray(_power(x.reshape(1), y.reshape(1))[0])
    # For a single exponent of 0.5 NumPy takes the square root, which is -0.0 and NaN where pow
    # is 0.0 and infinite.
    y = np.array(np.broadcast_to(y, np.broadcast_shapes(x.shape, y.shape)))
    result = dtypes.round_to(np.asarray(np.power(dtypes.widen(x), dtypes.widen(y))), x.dtype)
    # Some C libraries' long double pow loses the parity of huge exponents of infinities.
    result = np.where(np.isinf(x), dtypes.round_to(np.asarray(np.power(x, y)), x.dtype), result)
    one = np.ones((), x.dtype)
    result = np.where(y == 1, x, np.where(y == 2, once(np.multiply)(x, x), result))
    return np.where(y == -1, once(np.divide)(one, x), result)


def _power_static(op: Operation, dtype: np.dtype[Any], x: Array) -> Array:
    """The value of `power` with an exponent of x's dtype."""
    assert isinstance(op, PowerStaticOp)
    if dtypes.is_float(dtype):
        return np.asarray(_power(x, float_value(op.exponent, dtype)))
    return integer.power(x, np.asarray(op.exponent.value.data, dtype))


def _erf_of_each(x: Array) -> Array:
    return special.each(math.erf, x)


def _inverse_root(x: Array) -> Array:
    return 1 / np.sqrt(x)


def _broadcast_power(x: Array, y: Array) -> Array:
    return np.power(x, np.broadcast_to(y, np.broadcast_shapes(x.shape, y.shape)))


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
    names={"stablehlo": "chlo.erf"},
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
    names={"stablehlo": "chlo.erfc"},
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
    onnx=Onnx("Exp", (6, 13), rate=0.115, bound="single"),
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


@irdl_op_definition
class PowerOp(BinaryOp):
    """lhs ^ rhs. Floats as C's pow (pow(x, 0) = pow(1, x) = 1, also for NaN; NaN for x < 0 and a
    fractional exponent). Integers wrap; a negative exponent truncates the real value toward zero,
    and 0 ^ negative = 0.
    """

    name = "snippets.power"
    ELEMENT_KINDS: ClassVar = (FLOAT, INTEGER)


_POWER = OpRecord(
    PowerOp,
    value=by_kind(_power, value_in("integer:power")),
    aten=(Aten("pow"),),
    floats=Expansion(
        "power:power", 1, 1.5, "e^(y log x), f64: logarithm in double words; f32 in f64"
    ),
    integers=Expansion("integer:power", note="repeated squaring"),
    math="powf",
    integer_math="ipowi",
    onnx=Onnx("Pow", (), own_importer=True, rate=3.3),
    formulas={FLOAT: _broadcast_power},
    samples=(0.0, 4.0),
    names={"numpy": "power", "stablehlo": "stablehlo.power"},
)


@irdl_op_definition
class PowerStaticOp(UnaryOp):
    """x ^ exponent, the value of `power` with that constant (the guide's PowerStatic).

    The exponent is a number of the operand's kind; one of integers is in 0 .. 127.
    """

    name = "snippets.power_static"
    exponent = prop_def(FloatAttr | IntegerAttr)

    def __init__(self, operand: SSAValue | Operation, exponent: FloatAttr | IntegerAttr) -> None:
        super().__init__(operand, {"exponent": exponent})

    def verify_attributes(self) -> None:
        """The exponent has the operand's kind; that of integers fits every width."""
        kind = kind_of(tensor_of(self.operand).element_type)
        found = FLOAT if isinstance(self.exponent, FloatAttr) else INTEGER
        if found != kind:
            raise VerifyException(
                f"C7: snippets.power_static expects exponent to be {kind} like its operand, "
                f"found {self.exponent}"
            )
        number = self.exponent.value.data
        if isinstance(self.exponent, IntegerAttr) and not 0 <= number <= 127:
            raise VerifyException(
                "C7: snippets.power_static expects an exponent of 0 to 127 for integers, "
                f"found {number}"
            )


_POWER_STATIC = OpRecord(
    PowerStaticOp,
    value=_power_static,
    floats=Expansion("power:power_static", 2, 2, "products, root or division; else as power"),
    integers=Expansion("integer:power_static", note="squaring"),
    samples=(0.0, 4.0),
)


RECORDS = (_ERF, _ERFC, _EXP, _LOG, _SQRT, _RSQRT, _POWER, _POWER_STATIC)
