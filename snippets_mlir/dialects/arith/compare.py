"""`arith.cmpi` and `arith.cmpf` on scalars, vectors and tensors."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from typing_extensions import override
from xdsl.dialects.arith import (
    CMPF_COMPARISON_OPERATIONS,
    CMPI_COMPARISON_OPERATIONS,
    FastMathFlagsAttr,
)
from xdsl.dialects.builtin import (
    IntegerAttr,
    container_of,
    i1,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
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

from snippets_mlir.dialects.arith.types import FLOAT_LIKE, INTEGER_LIKE, NO_FAST_MATH, with_element


class _Compare(IRDLOperation, ABC):
    """`arith.cmpX predicate, %a, %b : T`, giving i1 or a container of i1 of the same shape."""

    PREDICATES: ClassVar[Sequence[str]]

    predicate = prop_def(IntegerAttr)
    lhs = operand_def()
    rhs = operand_def()
    result = result_def(container_of(i1))
    traits = traits_def(Pure())

    def verify_(self) -> None:
        """Check the predicate and the type of the result."""
        if not 0 <= self.predicate.value.data < len(self.PREDICATES):
            raise VerifyException(
                f"expected a predicate of 0 to {len(self.PREDICATES) - 1}, "
                f"found {self.predicate.value.data}"
            )
        expected = with_element(self.lhs.type, i1)
        if self.result.type != expected:
            raise VerifyException(f"expected result type {expected}, found {self.result.type}")

    @property
    def predicate_name(self) -> str:
        """The predicate as a keyword."""
        return self.PREDICATES[self.predicate.value.data]

    @classmethod
    def _number(cls, predicate: str | int) -> IntegerAttr:
        number = cls.PREDICATES.index(predicate) if isinstance(predicate, str) else predicate
        return IntegerAttr(number, i64)

    @classmethod
    def _parse_predicate(cls, parser: Parser) -> IntegerAttr:
        position = parser.pos
        name = parser.parse_optional_str_literal() or parser.parse_identifier()
        if name not in cls.PREDICATES:
            parser.raise_error(
                f"expected one of {', '.join(cls.PREDICATES)}, found {name!r}",
                position,
                parser.pos,
            )
        return cls._number(name)

    def _print_operands(self, printer: Printer) -> None:
        printer.print_string(f" {self.predicate_name}, ")
        printer.print_operand(self.lhs)
        printer.print_string(", ")
        printer.print_operand(self.rhs)


@irdl_op_definition
class CmpiOp(_Compare):
    """Compare integers: `arith.cmpi slt, %a, %b : vector<8xi32>`."""

    name = "arith.cmpi"
    PREDICATES: ClassVar[Sequence[str]] = tuple(CMPI_COMPARISON_OPERATIONS)
    T: ClassVar = VarConstraint("T", INTEGER_LIKE)

    lhs = operand_def(T)
    rhs = operand_def(T)

    def __init__(
        self, lhs: SSAValue | Operation, rhs: SSAValue | Operation, predicate: str | int
    ) -> None:
        lhs = SSAValue.get(lhs)
        super().__init__(
            operands=[lhs, rhs],
            result_types=[with_element(lhs.type, i1)],
            properties={"predicate": self._number(predicate)},
        )

    @classmethod
    def parse(cls, parser: Parser) -> CmpiOp:
        """Parse `predicate, %a, %b attr-dict : type`."""
        predicate = cls._parse_predicate(parser)
        (lhs, rhs), attributes = _parse_pair(parser)
        op = cls(lhs, rhs, predicate.value.data)
        op.attributes.update(attributes)
        return op

    @override
    def print(self, printer: Printer) -> None:
        self._print_operands(printer)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.lhs.type)


@irdl_op_definition
class CmpfOp(_Compare):
    """Compare floats: `arith.cmpf olt, %a, %b fastmath<nnan> : vector<8xf32>`."""

    name = "arith.cmpf"
    PREDICATES: ClassVar[Sequence[str]] = tuple(CMPF_COMPARISON_OPERATIONS)
    T: ClassVar = VarConstraint("T", FLOAT_LIKE)

    lhs = operand_def(T)
    rhs = operand_def(T)
    fastmath = prop_def(FastMathFlagsAttr, default_value=NO_FAST_MATH)

    def __init__(
        self,
        lhs: SSAValue | Operation,
        rhs: SSAValue | Operation,
        predicate: str | int,
        fastmath: FastMathFlagsAttr = NO_FAST_MATH,
    ) -> None:
        lhs = SSAValue.get(lhs)
        super().__init__(
            operands=[lhs, rhs],
            result_types=[with_element(lhs.type, i1)],
            properties={"predicate": self._number(predicate), "fastmath": fastmath},
        )

    @classmethod
    def parse(cls, parser: Parser) -> CmpfOp:
        """Parse `predicate, %a, %b fastmath<flags> attr-dict : type`."""
        predicate = cls._parse_predicate(parser)
        parser.parse_punctuation(",")
        pair = [parser.parse_unresolved_operand()]
        parser.parse_punctuation(",")
        pair.append(parser.parse_unresolved_operand())
        fastmath = NO_FAST_MATH
        if parser.parse_optional_keyword("fastmath"):
            fastmath = FastMathFlagsAttr(FastMathFlagsAttr.parse_parameter(parser))
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type = parser.parse_type()
        lhs, rhs = parser.resolve_operands(pair, [type, type], parser.pos)
        op = cls(lhs, rhs, predicate.value.data, fastmath)
        op.attributes.update(attributes)
        return op

    @override
    def print(self, printer: Printer) -> None:
        self._print_operands(printer)
        if self.fastmath.data:
            printer.print_string(" fastmath")
            self.fastmath.print_parameter(printer)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.lhs.type)


def _parse_pair(parser: Parser) -> tuple[Sequence[SSAValue], dict[str, Attribute]]:
    parser.parse_punctuation(",")
    pair = [parser.parse_unresolved_operand()]
    parser.parse_punctuation(",")
    pair.append(parser.parse_unresolved_operand())
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    type = parser.parse_type()
    return parser.resolve_operands(pair, [type, type], parser.pos), attributes
