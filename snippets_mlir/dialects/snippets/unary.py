"""Unary computing ops of the `snippets` dialect; each docstring states the op's value.

Accuracy: the value of an op is the formula of its docstring in real arithmetic, rounded once;
the interpreter evaluates it in float64 (extended precision for f64), the kernels stay within 4
units in the last place. `abs ceiling floor negative relu sign sqrt` and the predicates are exact.
NaN gives NaN unless the docstring says otherwise. Where the formula reads inf * 0 or inf / inf, it
is NaN.

Ops with attributes are in `unary_with_attributes.py`.
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.irdl import irdl_op_definition

from snippets_mlir.dialects.snippets.base import BOOL, FLOAT, INTEGER, UnaryOp


@irdl_op_definition
class AbsOp(UnaryOp):
    """|x|: clears the sign, also of NaN and -0.0. Integers wrap: abs(INT_MIN) = INT_MIN."""

    name = "snippets.abs"
    ELEMENT_KINDS: ClassVar = (FLOAT, INTEGER)


@irdl_op_definition
class CeilingOp(UnaryOp):
    """Smallest integral value not below x; ceiling(-0.5) = -0.0."""

    name = "snippets.ceiling"
    ELEMENT_KINDS: ClassVar = (FLOAT,)


@irdl_op_definition
class FloorOp(UnaryOp):
    """Largest integral value not above x; floor(-0.0) = -0.0."""

    name = "snippets.floor"
    ELEMENT_KINDS: ClassVar = (FLOAT,)


@irdl_op_definition
class ErfOp(UnaryOp):
    """Error function."""

    name = "snippets.erf"
    ELEMENT_KINDS: ClassVar = (FLOAT,)


@irdl_op_definition
class ExpOp(UnaryOp):
    """e^x; exp(-inf) = 0, overflow gives inf, small results are subnormal."""

    name = "snippets.exp"
    ELEMENT_KINDS: ClassVar = (FLOAT,)


@irdl_op_definition
class LogOp(UnaryOp):
    """Natural logarithm; log(+-0) = -inf, log(x < 0) = NaN."""

    name = "snippets.log"
    ELEMENT_KINDS: ClassVar = (FLOAT,)


@irdl_op_definition
class SqrtOp(UnaryOp):
    """Square root, correctly rounded; sqrt(-0.0) = -0.0, sqrt(x < 0) = NaN."""

    name = "snippets.sqrt"
    ELEMENT_KINDS: ClassVar = (FLOAT,)


@irdl_op_definition
class RsqrtOp(UnaryOp):
    """1 / sqrt(x); rsqrt(0.0) = inf, rsqrt(-0.0) = -inf, rsqrt(inf) = 0, NaN below 0."""

    name = "snippets.rsqrt"
    ELEMENT_KINDS: ClassVar = (FLOAT,)


@irdl_op_definition
class SigmoidOp(UnaryOp):
    """1 / (1 + e^-x)."""

    name = "snippets.sigmoid"
    ELEMENT_KINDS: ClassVar = (FLOAT,)


@irdl_op_definition
class HSigmoidOp(UnaryOp):
    """min(max(x + 3, 0), 6) / 6."""

    name = "snippets.hsigmoid"
    ELEMENT_KINDS: ClassVar = (FLOAT,)


@irdl_op_definition
class HSwishOp(UnaryOp):
    """x * min(max(x + 3, 0), 6) / 6; hswish(-inf) = NaN (inf * 0)."""

    name = "snippets.hswish"
    ELEMENT_KINDS: ClassVar = (FLOAT,)


@irdl_op_definition
class MishOp(UnaryOp):
    """x * tanh(softplus(x)); mish(-inf) = NaN (inf * 0)."""

    name = "snippets.mish"
    ELEMENT_KINDS: ClassVar = (FLOAT,)


@irdl_op_definition
class SoftplusOp(UnaryOp):
    """log(1 + e^x), without overflow: x for large x, inf at inf."""

    name = "snippets.softplus"
    ELEMENT_KINDS: ClassVar = (FLOAT,)


@irdl_op_definition
class SoftsignOp(UnaryOp):
    """x / (1 + |x|); softsign(+-inf) = NaN (inf / inf)."""

    name = "snippets.softsign"
    ELEMENT_KINDS: ClassVar = (FLOAT,)


@irdl_op_definition
class NegativeOp(UnaryOp):
    """-x: flips the sign, also of zeros and NaN. Integers wrap."""

    name = "snippets.negative"
    ELEMENT_KINDS: ClassVar = (FLOAT, INTEGER)


@irdl_op_definition
class ReluOp(UnaryOp):
    """max(x, 0): NaN stays NaN, relu(-0.0) = +0.0."""

    name = "snippets.relu"
    ELEMENT_KINDS: ClassVar = (FLOAT, INTEGER)


@irdl_op_definition
class SignOp(UnaryOp):
    """-1, 0 or 1; sign(+-0) = +0.0, sign(NaN) = NaN."""

    name = "snippets.sign"
    ELEMENT_KINDS: ClassVar = (FLOAT, INTEGER)


@irdl_op_definition
class LogicalNotOp(UnaryOp):
    """not x."""

    name = "snippets.logical_not"
    ELEMENT_KINDS: ClassVar = (BOOL,)


@irdl_op_definition
class BitwiseNotOp(UnaryOp):
    """~x."""

    name = "snippets.bitwise_not"
    ELEMENT_KINDS: ClassVar = (INTEGER,)


@irdl_op_definition
class IsNanOp(UnaryOp):
    """Whether x is NaN."""

    name = "snippets.is_nan"
    ELEMENT_KINDS: ClassVar = (FLOAT,)
    PREDICATE: ClassVar = True


@irdl_op_definition
class IsInfOp(UnaryOp):
    """Whether x is +inf or -inf."""

    name = "snippets.is_inf"
    ELEMENT_KINDS: ClassVar = (FLOAT,)
    PREDICATE: ClassVar = True


@irdl_op_definition
class IsFiniteOp(UnaryOp):
    """Whether x is neither infinite nor NaN."""

    name = "snippets.is_finite"
    ELEMENT_KINDS: ClassVar = (FLOAT,)
    PREDICATE: ClassVar = True


UNARY_OPS = (
    AbsOp,
    BitwiseNotOp,
    CeilingOp,
    ErfOp,
    ExpOp,
    FloorOp,
    HSigmoidOp,
    HSwishOp,
    IsFiniteOp,
    IsInfOp,
    IsNanOp,
    LogOp,
    LogicalNotOp,
    MishOp,
    NegativeOp,
    ReluOp,
    RsqrtOp,
    SigmoidOp,
    SignOp,
    SoftplusOp,
    SoftsignOp,
    SqrtOp,
)
