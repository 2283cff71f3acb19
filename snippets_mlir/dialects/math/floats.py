"""`math` ops that test the class of a float, and `math.clampf`."""

from __future__ import annotations

from abc import ABC
from typing import ClassVar, Self

from typing_extensions import override
from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.builtin import container_of, i1
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.arith.types import FLOAT_LIKE, NO_FAST_MATH, with_element


class _Question(IRDLOperation, ABC):
    """A float, or a container of floats, to i1.

    C1: the result has the shape of the operand.
    """

    operand = operand_def(FLOAT_LIKE)
    fastmath = prop_def(FastMathFlagsAttr, default_value=NO_FAST_MATH)
    result = result_def(container_of(i1))
    traits = traits_def(Pure())

    def __init__(
        self, operand: SSAValue | Operation, fastmath: FastMathFlagsAttr = NO_FAST_MATH
    ) -> None:
        operand = SSAValue.get(operand)
        super().__init__(
            operands=[operand],
            result_types=[with_element(operand.type, i1)],
            properties={"fastmath": fastmath},
        )

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Parse `%x attr-dict : type`, the flags among the attributes."""
        name = parser.parse_unresolved_operand()
        attributes = parser.parse_optional_attr_dict()
        fastmath = attributes.pop("fastmath", NO_FAST_MATH)
        if not isinstance(fastmath, FastMathFlagsAttr):
            parser.raise_error(f"expected fast-math flags, found {fastmath}")
        parser.parse_punctuation(":")
        op = cls(parser.resolve_operand(name, parser.parse_type()), fastmath)
        op.attributes.update(attributes)
        return op

    @override
    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.operand)
        flags = {"fastmath": self.fastmath} if self.fastmath.data else {}
        printer.print_op_attributes({**flags, **self.attributes})
        printer.print_string(" : ")
        printer.print_attribute(self.operand.type)

    @override
    def verify_(self) -> None:
        expected = with_element(self.operand.type, i1)
        if self.result.type != expected:
            raise VerifyException(f"C1: expected a result of {expected}, found {self.result.type}")


@irdl_op_definition
class IsFiniteOp(_Question):
    """An i1: whether the operand is neither infinite nor NaN."""

    name = "math.isfinite"


@irdl_op_definition
class IsInfOp(_Question):
    """An i1: whether the operand is +inf or -inf."""

    name = "math.isinf"


@irdl_op_definition
class IsNanOp(_Question):
    """An i1: whether the operand is NaN."""

    name = "math.isnan"


@irdl_op_definition
class IsNormalOp(_Question):
    """Finite, not 0 and not subnormal."""

    name = "math.isnormal"


@irdl_op_definition
class ClampfOp(IRDLOperation):
    """`min(max(value, low), high)`: `math.clampf %x to [%low, %high] : f32`."""

    name = "math.clampf"
    T: ClassVar = VarConstraint("T", FLOAT_LIKE)

    value = operand_def(T)
    min = operand_def(T)
    max = operand_def(T)
    fastmath = prop_def(FastMathFlagsAttr, default_value=NO_FAST_MATH)
    result = result_def(T)
    traits = traits_def(Pure())

    assembly_format = (
        "$value `to` `` ` ` `[` $min `,` $max `]` (`fastmath` `` $fastmath^)? attr-dict "
        "`:` type($result)"
    )

    def __init__(
        self, value: SSAValue | Operation, low: SSAValue | Operation, high: SSAValue | Operation
    ) -> None:
        value = SSAValue.get(value)
        super().__init__(operands=[value, low, high], result_types=[value.type])


OPS: tuple[type[Operation], ...] = (ClampfOp, IsFiniteOp, IsInfOp, IsNanOp, IsNormalOp)
