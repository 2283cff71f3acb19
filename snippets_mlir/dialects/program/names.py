"""Lists of names in the text of the dialect's ops."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.parser import Parser
from xdsl.printer import Printer

Names = ArrayAttr[StringAttr]


def names_attr(names: Sequence[str]) -> Names:
    """An array attribute with one string for each of `names`."""
    return ArrayAttr(map(StringAttr, names))


def parse_names(parser: Parser) -> Names:
    """Parse `["a", "b"]`."""
    return names_attr(
        parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_str_literal)
    )


def print_names(printer: Printer, names: Sequence[str]) -> None:
    """Print `["a", "b"]`."""
    with printer.in_square_brackets():
        printer.print_list(names, printer.print_string_literal)
