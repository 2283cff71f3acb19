"""Unary computing ops of the `snippets` dialect that take attributes.

Float attributes may have any width: the value is rounded to the element type before use.
"""

from __future__ import annotations

import math
from typing import ClassVar

from xdsl.dialects.builtin import Float64Type, FloatAttr, IntegerAttr, StringAttr
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import irdl_op_definition, opt_prop_def, prop_def
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.snippets.base import FLOAT, INTEGER, UnaryOp, kind_of


def _f64(value: float) -> FloatAttr:
    return FloatAttr(value, Float64Type())


@irdl_op_definition
class ClampOp(UnaryOp):
    """x below `min` becomes `min`, then above `max` becomes `max` (so `max` wins when min > max).

    NaN stays NaN, and a zero keeps its sign. The bounds have the kind of the element type; an
    integer bound outside of its range is the end of the range.
    """

    name = "snippets.clamp"
    min = prop_def(FloatAttr | IntegerAttr)
    max = prop_def(FloatAttr | IntegerAttr)

    def __init__(
        self,
        operand: SSAValue | Operation,
        min: FloatAttr | IntegerAttr,
        max: FloatAttr | IntegerAttr,
    ) -> None:
        super().__init__(operand, {"min": min, "max": max})

    def verify_attributes(self) -> None:
        """The bounds are numbers of the operand's kind."""
        kind = kind_of(tensor_of(self.operand).element_type)
        for name, bound in (("min", self.min), ("max", self.max)):
            found = FLOAT if isinstance(bound, FloatAttr) else INTEGER
            if found != kind:
                raise VerifyException(
                    f"C7: snippets.clamp expects {name} to be {kind} like its operand, "
                    f"found {bound}"
                )
            if isinstance(bound, FloatAttr) and math.isnan(bound.value.data):
                raise VerifyException(
                    f"C7: snippets.clamp expects {name} to be a number, found NaN"
                )


@irdl_op_definition
class EluOp(UnaryOp):
    """x if x > 0, else alpha * (e^x - 1); zeros keep their sign for alpha > 0."""

    name = "snippets.elu"
    ELEMENT_KINDS: ClassVar = (FLOAT,)
    alpha = prop_def(FloatAttr)

    def __init__(self, operand: SSAValue | Operation, alpha: float = 1.0) -> None:
        super().__init__(operand, {"alpha": _f64(alpha)})


@irdl_op_definition
class GeluOp(UnaryOp):
    """x * Phi(x), Phi the normal distribution function; gelu(-inf) = NaN (inf * 0).

    `approximation` is `erf` (the default: 0.5 * x * (1 + erf(x / sqrt 2))) or `tanh`
    (0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))).
    """

    name = "snippets.gelu"
    ELEMENT_KINDS: ClassVar = (FLOAT,)
    approximation = opt_prop_def(StringAttr)

    def __init__(self, operand: SSAValue | Operation, approximation: str = "erf") -> None:
        super().__init__(operand, {"approximation": StringAttr(approximation)})

    @property
    def form(self) -> str:
        """`erf` or `tanh`."""
        return self.approximation.data if self.approximation else "erf"

    def verify_attributes(self) -> None:
        """`approximation` is `erf` or `tanh`."""
        if self.form not in ("erf", "tanh"):
            raise VerifyException(
                f'C7: snippets.gelu expects approximation "erf" or "tanh", found "{self.form}"'
            )


@irdl_op_definition
class LeakyReluOp(UnaryOp):
    """x if x >= 0 (or NaN, or -0.0), else alpha * x."""

    name = "snippets.leaky_relu"
    ELEMENT_KINDS: ClassVar = (FLOAT,)
    alpha = prop_def(FloatAttr)

    def __init__(self, operand: SSAValue | Operation, alpha: float = 0.01) -> None:
        super().__init__(operand, {"alpha": _f64(alpha)})


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


@irdl_op_definition
class RoundOp(UnaryOp):
    """x rounded to an integral value, the sign of zero kept.

    `mode` says where halves go: `half_to_even` (the default) or `half_away` (from zero).
    """

    name = "snippets.round"
    ELEMENT_KINDS: ClassVar = (FLOAT,)
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


@irdl_op_definition
class SwishOp(UnaryOp):
    """x / (1 + e^(-beta * x)), `beta` 1 unless given (then it is SiLU).

    swish(-inf) = NaN for beta > 0 (-inf * 0); swish(+-inf) = NaN for beta = 0.
    """

    name = "snippets.swish"
    ELEMENT_KINDS: ClassVar = (FLOAT,)
    beta = opt_prop_def(FloatAttr)

    def __init__(self, operand: SSAValue | Operation, beta: float = 1.0) -> None:
        super().__init__(operand, {"beta": _f64(beta)})

    @property
    def factor(self) -> float:
        """The value of `beta`."""
        return self.beta.value.data if self.beta else 1.0


UNARY_OPS_WITH_ATTRIBUTES = (
    ClampOp,
    EluOp,
    GeluOp,
    LeakyReluOp,
    PowerStaticOp,
    RoundOp,
    SwishOp,
)
