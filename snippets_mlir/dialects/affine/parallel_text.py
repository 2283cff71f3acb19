"""The bounds and reductions of `affine.parallel` as text."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.parser import Parser
from xdsl.printer import Printer

from snippets_mlir.dialects.affine.text import SubscriptParser, joined_bounds, print_expression

REDUCTIONS: tuple[str, ...] = (
    "addf",
    "addi",
    "andi",
    "assign",
    "maximumf",
    "maxnumf",
    "maxs",
    "maxu",
    "minimumf",
    "minnumf",
    "mins",
    "minu",
    "mulf",
    "muli",
    "ori",
    "xori",
)
"""MLIR's `AtomicRMWKind`, in the order of its numbers."""


def parse_reduction(parser: Parser) -> str:
    """Parse the name of a reduction in quotes."""
    position = parser.pos
    name = parser.parse_str_literal()
    if name not in REDUCTIONS:
        parser.raise_error(
            f"expected one of {', '.join(REDUCTIONS)}, found {name!r}", position, parser.pos
        )
    return name


def parse_bounds(
    parser: Parser, keyword: str
) -> tuple[Sequence[Sequence[AffineExpr]], AffineMap, Sequence[SSAValue]]:
    """Parse `(expression or keyword(expressions), ...)`, a bound for each loop.

    Returns:
        The expressions of each loop, a map of them all, and its operands.
    """
    subscripts = SubscriptParser(parser)

    def group() -> Sequence[AffineExpr]:
        if parser.parse_optional_keyword(keyword):
            return parser.parse_comma_separated_list(parser.Delimiter.PAREN, subscripts.expression)
        return [subscripts.expression()]

    groups = parser.parse_comma_separated_list(parser.Delimiter.PAREN, group)
    flat, _ = joined_bounds(groups)
    return groups, subscripts.map_of(flat), subscripts.operands()


def print_bounds(
    printer: Printer,
    keyword: str,
    groups: Sequence[Sequence[AffineExpr]],
    map: AffineMap,
    operands: Sequence[SSAValue],
) -> None:
    """Print the bounds that `parse_bounds` reads, without the parentheses around."""
    for place, group in enumerate(groups):
        printer.print_string(", " if place else "")
        printer.print_string(f"{keyword}(" if len(group) > 1 else "")
        printer.print_list(
            group, lambda expr: print_expression(printer, expr, map.num_dims, operands)
        )
        printer.print_string(")" if len(group) > 1 else "")
