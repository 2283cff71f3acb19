"""`vector.from_elements` and `vector.to_elements`: building a vector and taking it apart."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from typing_extensions import override
from xdsl.dialects.builtin import (
    VectorType,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException


def element_of(type: Attribute) -> Attribute:
    """Element type of a vector, a scalar itself."""
    return type.element_type if isinstance(type, VectorType) else type  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]


class _Elements(IRDLOperation):
    """Checks of the two ops that go between a vector and its elements."""

    def _verify_elements(self, vector: Attribute, elements: Sequence[Attribute]) -> None:
        assert isinstance(vector, VectorType)
        count = prod(vector.get_shape())
        if len(elements) != count:
            raise VerifyException(f"expected {count} elements, found {len(elements)}")
        for type in elements:
            if type != vector.element_type:  # pyright: ignore[reportUnknownMemberType]
                raise VerifyException(f"expected elements of {vector}, found {type}")


@irdl_op_definition
class FromElementsOp(_Elements):
    """A vector of the operands: `vector.from_elements %a, %b : vector<2xf32>`."""

    name = "vector.from_elements"
    elements = var_operand_def()
    dest = result_def(VectorType)
    traits = traits_def(Pure())

    def __init__(self, elements: Sequence[SSAValue | Operation], result_type: Attribute) -> None:
        super().__init__(operands=[elements], result_types=[result_type])

    def verify_(self) -> None:
        """Check number and types of the elements."""
        self._verify_elements(self.dest.type, self.operand_types)

    @classmethod
    def parse(cls, parser: Parser) -> FromElementsOp:
        """Parse `%a, %b attr-dict : type`."""
        names = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, parser.parse_unresolved_operand
        )
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type = parser.parse_type()
        op = cls(parser.resolve_operands(names, [element_of(type)] * len(names), parser.pos), type)
        op.attributes.update(attributes)
        return op

    @override
    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_operand)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.dest.type)


@irdl_op_definition
class ToElementsOp(_Elements):
    """All elements of a vector: `%e:2 = vector.to_elements %v : vector<2xf32>`."""

    name = "vector.to_elements"
    source = operand_def(VectorType)
    elements = var_result_def()
    traits = traits_def(Pure())

    def __init__(self, source: SSAValue | Operation) -> None:
        source = SSAValue.get(source)
        assert isinstance(source.type, VectorType)
        count = prod(source.type.get_shape())  # pyright: ignore[reportUnknownMemberType]
        super().__init__(operands=[source], result_types=[[element_of(source.type)] * count])  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType]

    def verify_(self) -> None:
        """Check number and types of the elements."""
        self._verify_elements(self.source.type, self.result_types)

    @classmethod
    def parse(cls, parser: Parser) -> ToElementsOp:
        """Parse `%v attr-dict : type`."""
        name = parser.parse_unresolved_operand()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        op = cls(parser.resolve_operand(name, parser.parse_type()))
        op.attributes.update(attributes)
        return op

    @override
    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.source)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.source.type)


OPS: tuple[type[Operation], ...] = (FromElementsOp, ToElementsOp)
