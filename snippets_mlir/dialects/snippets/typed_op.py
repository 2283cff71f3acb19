"""The syntax that most ops share: `%a, %b {attributes} : types`.

The types are one type for all operands and results, or a function type.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping, Sequence
from typing import ClassVar, Self

from typing_extensions import override
from xdsl.dialects.builtin import (
    FunctionType,
)
from xdsl.ir import Attribute, OpResult, SSAValue
from xdsl.parser import Parser
from xdsl.printer import Printer

from snippets_mlir.dialects.builtin.op_class import Op


def parse_typed_operands(
    parser: Parser, result_count: int = 1
) -> tuple[list[SSAValue], dict[str, Attribute], list[Attribute]]:
    """Parse `%a, %b {attrs} : type-or-function-type`; return operands, attributes, result types."""
    pos = parser.pos
    unresolved = parser.parse_optional_undelimited_comma_separated_list(
        parser.parse_optional_unresolved_operand, parser.parse_unresolved_operand
    )
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    types = parser.parse_type()
    inputs: list[Attribute]
    outputs: list[Attribute]
    if isinstance(types, FunctionType):
        inputs, outputs = list(types.inputs.data), list(types.outputs.data)
    else:
        inputs, outputs = [types] * len(unresolved or ()), [types] * result_count
    operands = parser.resolve_operands(unresolved or [], inputs, pos)
    return list(operands), attributes, outputs


def print_typed_operands(
    printer: Printer,
    operands: Sequence[SSAValue],
    attributes: Mapping[str, Attribute],
    results: Sequence[OpResult],
) -> None:
    """Print the operands and types in the form of `parse_typed_operands`."""
    if operands:
        printer.print_string(" ")
        printer.print_list(operands, printer.print_operand)
    printer.print_op_attributes(attributes)
    printer.print_string(" : ")
    types = {value.type for value in (*operands, *results)}
    if len(types) == 1:
        printer.print_attribute(types.pop())
    else:
        printer.print_function_type([v.type for v in operands], [v.type for v in results])


class TypedOp(Op, ABC):
    """An op in the common syntax `%a, %b {attributes} : types`."""

    RESULTS: ClassVar[int] = 1

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Parse the common syntax; attributes that are properties of the op become properties."""
        operands, attributes, results = parse_typed_operands(parser, cls.RESULTS)
        names = cls.get_irdl_definition().properties
        properties = {k: attributes.pop(k) for k in list(attributes) if k in names}
        return cls.create(
            operands=operands, result_types=results, properties=properties, attributes=attributes
        )

    @override
    def print(self, printer: Printer) -> None:
        print_typed_operands(
            printer, self.operands, {**self.properties, **self.attributes}, self.results
        )
