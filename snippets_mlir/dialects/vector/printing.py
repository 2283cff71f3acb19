"""`vector.print`: a value, a string or punctuation on standard output.

vector.print %v : vector<8xf32>
vector.print %x : f32 punctuation <no_punctuation>
vector.print str "sum "

`PrintOp.parts` defines the text, for the interpreter and for machine code. Floats are written as
with C's `%g`, i1 as 0 or 1, `index` and unsigned integers as unsigned, other integers as signed, as
upstream does.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from typing_extensions import override
from xdsl.dialects.builtin import StringAttr, VectorType
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import Operation, SpacedOpaqueSyntaxAttribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    traits_def,
)
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum


class Punctuation(StrEnum):
    """The punctuation that `vector.print` writes after a value."""

    NONE = "no_punctuation"
    NEWLINE = "newline"
    COMMA = "comma"
    OPEN = "open"
    CLOSE = "close"


@irdl_attr_definition
class PunctuationAttr(EnumAttribute[Punctuation], SpacedOpaqueSyntaxAttribute):
    """The attribute of `vector.print`: `#vector.punctuation<newline>`."""

    name = "vector.punctuation"

    @override
    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(self.data)

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Punctuation:
        """Parse `<name>`."""
        with parser.in_angle_brackets():
            return parser.parse_str_enum(Punctuation)


_TEXTS: dict[Punctuation, str] = {
    Punctuation.NONE: "",
    Punctuation.NEWLINE: "\n",
    Punctuation.COMMA: ", ",
    Punctuation.OPEN: "( ",
    Punctuation.CLOSE: " )",
}
NEWLINE = PunctuationAttr(Punctuation.NEWLINE)


@irdl_op_definition
class PrintOp(IRDLOperation):
    """Print a value or a string, then punctuation.

    C1: a string has neither a value nor punctuation of its own.
    """

    name = "vector.print"

    source = opt_operand_def()
    punctuation = prop_def(PunctuationAttr, default_value=NEWLINE)
    stringLiteral = opt_prop_def(StringAttr)
    traits = traits_def(MemoryWriteEffect())

    def __init__(
        self,
        source: SSAValue | Operation | None = None,
        punctuation: Punctuation = Punctuation.NEWLINE,
        text: str | None = None,
    ) -> None:
        super().__init__(
            operands=[source],
            properties={
                "punctuation": PunctuationAttr(punctuation),
                "stringLiteral": None if text is None else StringAttr(text),
            },
        )

    @override
    def verify_(self) -> None:
        if self.stringLiteral is None:
            return
        if self.source is not None:
            raise VerifyException("C1: expected a value or a string, found both")
        if self.punctuation != NEWLINE:
            raise VerifyException(
                f"C1: expected no punctuation of a string, found {self.punctuation.data}"
            )

    def parts(self) -> Iterator[str | int]:
        """What is printed: texts, and elements by their number in row-major order."""
        if self.stringLiteral is not None:
            yield self.stringLiteral.data
            return
        if self.source is not None:
            type = self.source.type
            shape = tuple(type.get_shape()) if isinstance(type, VectorType) else None
            yield from _elements(shape, 0) if shape != () else ("( ", 0, " )")
        yield _TEXTS[self.punctuation.data]

    @classmethod
    def parse(cls, parser: Parser) -> PrintOp:
        """Parse `%v : type [punctuation <p>]`, `str "text"`, or `punctuation <p>`."""
        source = text = None
        name = parser.parse_optional_unresolved_operand()
        if name is not None:
            parser.parse_punctuation(":")
            source = parser.resolve_operand(name, parser.parse_type())
        elif parser.parse_optional_keyword("str"):
            text = parser.parse_str_literal()
        punctuation = Punctuation.NEWLINE
        if parser.parse_optional_keyword("punctuation"):
            punctuation = PunctuationAttr.parse_parameter(parser)
        attributes = parser.parse_optional_attr_dict()
        op = cls(source, punctuation, text)
        op.attributes.update(attributes)
        return op

    @override
    def print(self, printer: Printer) -> None:
        if self.source is not None:
            printer.print_string(" ")
            printer.print_operand(self.source)
            printer.print_string(" : ")
            printer.print_attribute(self.source.type)
        if self.stringLiteral is not None:
            printer.print_string(" str ")
            printer.print_attribute(self.stringLiteral)
        if self.punctuation != NEWLINE:
            printer.print_string(" punctuation ")
            self.punctuation.print_parameter(printer)
        printer.print_op_attributes(self.attributes)


def _elements(shape: tuple[int, ...] | None, first: int) -> Iterator[str | int]:
    if not shape:
        yield first
        return
    each = prod(shape[1:])
    yield "( "
    for i in range(shape[0]):
        if i:
            yield ", "
        yield from _elements(shape[1:], first + i * each)
    yield " )"


OPS: tuple[type[Operation], ...] = (PrintOp,)
