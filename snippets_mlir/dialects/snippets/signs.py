"""Signs, and rounding to integral values: exact ops of the `snippets` dialect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import irdl_op_definition, opt_prop_def
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.snippets.base import FLOAT, INTEGER, FloatOp, UnaryOp
from snippets_mlir.dialects.snippets.counterparts import Aten, Onnx
from snippets_mlir.dialects.snippets.record import Code, Expansion, OpRecord
from snippets_mlir.dialects.snippets.values.forms import integral, ufunc
from snippets_mlir.support.lazy import LazyModule

if TYPE_CHECKING:
    import numpy as np

    from snippets_mlir.dialects.builtin import dtypes
    from snippets_mlir.dialects.builtin.dtypes import Array
else:
    np = LazyModule("numpy")
    dtypes = LazyModule("snippets_mlir.dialects.builtin.dtypes")


def _bits(x: Array) -> Array:
    return np.asarray(x, order="C").view(f"u{x.dtype.itemsize}")


def _sign_bit(x: Array) -> Any:
    bits = np.dtype(f"u{x.dtype.itemsize}")
    return bits.type(1 << (8 * x.dtype.itemsize - 1))


def _abs(op: Operation, dtype: np.dtype[Any], x: Array) -> Array:
    if dtypes.is_float(dtype):
        return np.asarray(_bits(x) & ~_sign_bit(x)).view(dtype)
    return np.where(x < 0, np.negative(x), x) if dtype.kind == "i" else x


def _negative(op: Operation, dtype: np.dtype[Any], x: Array) -> Array:
    if dtypes.is_float(dtype):
        return np.asarray(_bits(x) ^ _sign_bit(x)).view(dtype)
    return np.subtract(dtype.type(0), x)


def _sign(op: Operation, dtype: np.dtype[Any], x: Array) -> Array:
    zero, one = np.zeros((), dtype), np.ones((), dtype)
    result = np.where(x > 0, one, zero)
    if dtype.kind == "u":
        return result
    result = np.where(x < 0, np.asarray(-1, dtype), result)
    return np.where(np.isnan(x), x, result) if dtypes.is_float(dtype) else result


def _half_away(x: Array) -> Array:
    whole = np.trunc(x)
    return np.where(np.abs(x - whole) >= 0.5, whole + np.copysign(1.0, x), whole)


def _round(op: Operation, dtype: np.dtype[Any], x: Array) -> Array:
    assert isinstance(op, RoundOp)
    function = np.rint if op.halves == "half_to_even" else _half_away
    return integral(function)(op, dtype, x)


@irdl_op_definition
class AbsOp(UnaryOp):
    """|x|: clears the sign, also of NaN and -0.0. Integers wrap: abs(INT_MIN) = INT_MIN."""

    name = "snippets.abs"
    ELEMENT_KINDS: ClassVar = (FLOAT, INTEGER)


_ABS = OpRecord(
    AbsOp,
    value=_abs,
    aten=(Aten("abs"),),
    code=Code(source="arithmetic:absolute", vectors=1),
    integers=Expansion("integer:absolute", note="select"),
    cheap=True,
    onnx=Onnx("Abs", (6, 13), rate=0.072, avx2_rate=0.06, bound="single"),
    formulas={FLOAT: ufunc("abs"), INTEGER: ufunc("abs")},
    keeps_exact=True,
    names={"numpy": "absolute", "stablehlo": "stablehlo.abs"},
)


@irdl_op_definition
class NegativeOp(UnaryOp):
    """-x: flips the sign, also of zeros and NaN. Integers wrap."""

    name = "snippets.negative"
    ELEMENT_KINDS: ClassVar = (FLOAT, INTEGER)


_NEGATIVE = OpRecord(
    NegativeOp,
    value=_negative,
    aten=(Aten("neg"),),
    code=Code(source="arithmetic:negative", vectors=1),
    cheap=True,
    onnx=Onnx("Neg", (6, 13), rate=0.075, avx2_rate=0.06, bound="single"),
    formulas={FLOAT: ufunc("negative"), INTEGER: ufunc("negative")},
    keeps_exact=True,
    names={"numpy": "negative", "stablehlo": "stablehlo.negate"},
)


@irdl_op_definition
class SignOp(UnaryOp):
    """-1, 0 or 1; sign(+-0) = +0.0, sign(NaN) = NaN."""

    name = "snippets.sign"
    ELEMENT_KINDS: ClassVar = (FLOAT, INTEGER)


_SIGN = OpRecord(
    SignOp,
    value=_sign,
    floats=Expansion("piecewise:sign", note="two selects"),
    integers=Expansion("integer:sign", note="two selects"),
    onnx=Onnx("Sign", (9, 13), rate=0.82),
    formulas={FLOAT: ufunc("sign"), INTEGER: ufunc("sign")},
    jumps=True,
    names={"numpy": "sign"},
)


@irdl_op_definition
class CeilingOp(FloatOp):
    """Smallest integral value not below x; ceiling(-0.5) = -0.0."""

    name = "snippets.ceiling"


_CEILING = OpRecord(
    CeilingOp,
    value=integral(ufunc("ceil")),
    aten=(Aten("ceil"),),
    code=Code("math.ceil"),
    onnx=Onnx("Ceil", (6, 13), rate=0.31, avx2_rate=0.32),
    formulas={FLOAT: ufunc("ceil")},
    jumps=True,
    names={"numpy": "ceil", "stablehlo": "stablehlo.ceil"},
)


@irdl_op_definition
class FloorOp(FloatOp):
    """Largest integral value not above x; floor(-0.0) = -0.0."""

    name = "snippets.floor"


_FLOOR = OpRecord(
    FloorOp,
    value=integral(ufunc("floor")),
    aten=(Aten("floor"),),
    code=Code("math.floor"),
    onnx=Onnx("Floor", (6, 13), rate=0.27, avx2_rate=0.29, bound="single"),
    formulas={FLOAT: ufunc("floor")},
    jumps=True,
    names={"numpy": "floor", "stablehlo": "stablehlo.floor"},
)


@irdl_op_definition
class RoundOp(FloatOp):
    """x rounded to an integral value, the sign of zero kept.

    `mode` is the rounding of halves: `half_to_even` (the default) or `half_away` (from zero).
    """

    name = "snippets.round"
    mode = opt_prop_def(StringAttr)

    def __init__(self, operand: SSAValue | Operation, mode: str = "half_to_even") -> None:
        super().__init__(operand, {"mode": StringAttr(mode)})

    @property
    def halves(self) -> str:
        """`half_to_even` or `half_away`."""
        return self.mode.data if self.mode else "half_to_even"

    def verify_attributes(self) -> None:
        """`mode` is `half_to_even` or `half_away`."""
        if self.halves not in ("half_to_even", "half_away"):
            raise VerifyException(
                'C7: snippets.round expects mode "half_to_even" or "half_away", '
                f'found "{self.halves}"'
            )


_ROUND = OpRecord(
    RoundOp,
    value=_round,
    aten=(Aten("round", given={"decimals": 0}),),
    code=Code("math.roundeven"),
    floats=Expansion(
        "piecewise:round_half_away",
        note="halves away from zero: trunc and a correction",
        holds=lambda attrs: attrs.get("mode", "half_to_even") != "half_to_even",
    ),
    onnx=Onnx("Round", (11, 22), rate=0.2, avx2_rate=0.2),
    formulas={FLOAT: ufunc("rint")},
    jumps=True,
    names={"numpy": "rint", "stablehlo": "stablehlo.round_nearest_even"},
)


RECORDS = (_ABS, _NEGATIVE, _SIGN, _CEILING, _FLOOR, _ROUND)
