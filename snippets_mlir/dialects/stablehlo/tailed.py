"""The text of ops that end with one named value: `%a, %b, word = value {attributes} : type`."""

from __future__ import annotations

from abc import ABC
from typing import ClassVar, Self

from typing_extensions import override
from xdsl.dialects.builtin import DenseArrayBase, FunctionType, IntegerAttr, i64
from xdsl.ir import Attribute
from xdsl.irdl import IRDLOperation
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer


class TailedOp(IRDLOperation, ABC):
    """An op with one named value in its text; see the module.

    `WORD` is the word, `TAIL` the property that it names: a list of dims, or one dim.
    """

    WORD: ClassVar[str]
    TAIL: ClassVar[str]
    ONE: ClassVar[bool] = False

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Parse the text above; a single type is the type of the operand and of the result."""
        place = parser.pos
        operands: list[UnresolvedOperand] = []
        while (operand := parser.parse_optional_unresolved_operand()) is not None:
            operands.append(operand)
            parser.parse_punctuation(",")
        parser.parse_optional_punctuation(",")  # after a list of no operands
        parser.parse_keyword(cls.WORD)
        parser.parse_punctuation("=")
        value: Attribute
        if cls.ONE:
            value = IntegerAttr(parser.parse_integer(), i64)
        else:
            dims = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
            value = DenseArrayBase.from_list(i64, dims)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        types = parser.parse_type()
        if not isinstance(types, FunctionType):
            types = FunctionType.from_lists([types], [types])
        return cls.create(
            operands=parser.resolve_operands(operands, types.inputs.data, place),
            result_types=types.outputs.data,
            properties={cls.TAIL: value},
            attributes=attributes,
        )

    @override
    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_operand)
        value = self.properties[self.TAIL]
        printer.print_string(f", {self.WORD} = ")
        if isinstance(value, IntegerAttr):
            printer.print_string(str(value.value.data))
        else:
            assert isinstance(value, DenseArrayBase)
            printer.print_string(str(list(value.get_values())))
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        self.print_types(printer)

    def print_types(self, printer: Printer) -> None:
        """Print the types of operands and results as a function type."""
        printer.print_function_type(self.operand_types, self.result_types)
