"""Maps and sets with operands, and bounds, as `affine` text: `max affine_map<...>(%i)[%n]`."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import AffineMapAttr, AffineSetAttr, IndexType
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr, AffineMap, AffineSymExpr
from xdsl.parser import Parser
from xdsl.printer import Printer


def parse_map_operands(parser: Parser, dims: int, symbols: int) -> list[SSAValue]:
    """Parse `(%dims)[%symbols]`, the operands of a map or set."""
    position = parser.pos
    first = parser.parse_optional_comma_separated_list(
        parser.Delimiter.PAREN, lambda: parser.parse_operand(IndexType())
    )
    second = parser.parse_optional_comma_separated_list(
        parser.Delimiter.SQUARE, lambda: parser.parse_operand(IndexType())
    )
    found = (len(first or ()), len(second or ()))
    if found != (dims, symbols):
        parser.raise_error(
            f"expected {dims} dimension and {symbols} symbol operands, "
            f"found {found[0]} and {found[1]}",
            position,
            parser.pos,
        )
    return [*(first or ()), *(second or ())]


def print_map_operands(printer: Printer, dims: int, operands: Sequence[SSAValue]) -> None:
    """Print the operands of a map as `(%dims)[%symbols]`; no brackets without symbols."""
    with printer.in_parens():
        printer.print_list(operands[:dims], printer.print_operand)
    if operands[dims:]:
        with printer.in_square_brackets():
            printer.print_list(operands[dims:], printer.print_operand)


def parse_map(parser: Parser) -> tuple[AffineMapAttr, list[SSAValue]]:
    """Parse `affine_map<...>(%dims)[%symbols]`: the map and its operands, dims first."""
    position = parser.pos
    map = parser.parse_attribute()
    if not isinstance(map, AffineMapAttr):
        parser.raise_error("expected an affine map", position, parser.pos)
    return map, parse_map_operands(parser, map.data.num_dims, map.data.num_symbols)


def parse_set(parser: Parser) -> tuple[AffineSetAttr, list[SSAValue]]:
    """Parse `affine_set<...>(%dims)[%symbols]`: the set and its operands, dims first."""
    position = parser.pos
    set = parser.parse_attribute()
    if not isinstance(set, AffineSetAttr):
        parser.raise_error("expected an affine set", position, parser.pos)
    return set, parse_map_operands(parser, set.data.num_dims, set.data.num_symbols)


def parse_bound(parser: Parser, keyword: str) -> tuple[AffineMapAttr, list[SSAValue]]:
    """Parse a bound of `affine.for`: an integer, a value, or a map after `min` or `max`."""
    several = parser.parse_optional_keyword(keyword) is not None
    operand = parser.parse_optional_operand(IndexType())
    if operand is not None:
        return AffineMapAttr(AffineMap(0, 1, (AffineExpr.symbol(0),))), [operand]
    position = parser.pos
    value = parser.parse_optional_integer(allow_boolean=False)
    if value is not None:
        return AffineMapAttr(AffineMap.constant_map(value)), []
    map, operands = parse_map(parser)
    if len(map.data.results) > 1 and not several:
        parser.raise_error(
            f"expected '{keyword}' before a bound with several results", position, parser.pos
        )
    return map, operands


def print_bound(
    printer: Printer, keyword: str, map: AffineMapAttr, operands: Sequence[SSAValue]
) -> None:
    """Print a bound for `parse_bound`, in the shortest form."""
    results = map.data.results
    if len(results) == 1 and isinstance(results[0], AffineConstantExpr) and not operands:
        printer.print_string(str(results[0].value))
        return
    if len(results) == 1 and isinstance(results[0], AffineSymExpr) and len(operands) == 1:
        printer.print_operand(operands[0])
        return
    if len(results) > 1:
        printer.print_string(f"{keyword} ")
    printer.print_attribute(map)
    print_map_operands(printer, map.data.num_dims, operands)
