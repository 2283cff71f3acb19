"""Trigonometric and hyperbolic ops of the `snippets` dialect; accuracy and NaN as in `unary.py`."""

from __future__ import annotations

from typing import ClassVar

from xdsl.irdl import irdl_op_definition

from snippets_mlir.dialects.snippets.base import FLOAT, UnaryOp


@irdl_op_definition
class SinOp(UnaryOp):
    """Sine of x radians, over the whole range; sin(+-inf) = NaN."""

    name = "snippets.sin"
    ELEMENT_KINDS: ClassVar = (FLOAT,)


@irdl_op_definition
class CosOp(UnaryOp):
    """Cosine of x radians, over the whole range; cos(+-inf) = NaN."""

    name = "snippets.cos"
    ELEMENT_KINDS: ClassVar = (FLOAT,)


@irdl_op_definition
class TanOp(UnaryOp):
    """Tangent of x radians, over the whole range; tan(+-inf) = NaN."""

    name = "snippets.tan"
    ELEMENT_KINDS: ClassVar = (FLOAT,)


@irdl_op_definition
class AsinOp(UnaryOp):
    """Arc sine in [-pi/2, pi/2]; NaN outside [-1, 1]."""

    name = "snippets.asin"
    ELEMENT_KINDS: ClassVar = (FLOAT,)


@irdl_op_definition
class AcosOp(UnaryOp):
    """Arc cosine in [0, pi]; NaN outside [-1, 1]."""

    name = "snippets.acos"
    ELEMENT_KINDS: ClassVar = (FLOAT,)


@irdl_op_definition
class AtanOp(UnaryOp):
    """Arc tangent in [-pi/2, pi/2]."""

    name = "snippets.atan"
    ELEMENT_KINDS: ClassVar = (FLOAT,)


@irdl_op_definition
class SinhOp(UnaryOp):
    """Hyperbolic sine."""

    name = "snippets.sinh"
    ELEMENT_KINDS: ClassVar = (FLOAT,)


@irdl_op_definition
class CoshOp(UnaryOp):
    """Hyperbolic cosine."""

    name = "snippets.cosh"
    ELEMENT_KINDS: ClassVar = (FLOAT,)


@irdl_op_definition
class TanhOp(UnaryOp):
    """Hyperbolic tangent; tanh(+-inf) = +-1, tanh(-0.0) = -0.0."""

    name = "snippets.tanh"
    ELEMENT_KINDS: ClassVar = (FLOAT,)


@irdl_op_definition
class AsinhOp(UnaryOp):
    """Inverse hyperbolic sine."""

    name = "snippets.asinh"
    ELEMENT_KINDS: ClassVar = (FLOAT,)


@irdl_op_definition
class AcoshOp(UnaryOp):
    """Inverse hyperbolic cosine; NaN below 1."""

    name = "snippets.acosh"
    ELEMENT_KINDS: ClassVar = (FLOAT,)


@irdl_op_definition
class AtanhOp(UnaryOp):
    """Inverse hyperbolic tangent; +-inf at +-1, NaN outside [-1, 1]."""

    name = "snippets.atanh"
    ELEMENT_KINDS: ClassVar = (FLOAT,)


TRIGONOMETRIC_OPS = (
    AcosOp,
    AcoshOp,
    AsinOp,
    AsinhOp,
    AtanOp,
    AtanhOp,
    CosOp,
    CoshOp,
    SinOp,
    SinhOp,
    TanOp,
    TanhOp,
)
