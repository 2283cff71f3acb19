"""Shared by the `affine` ops with regions: the text of types and bodies, and the terminator."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.affine import YieldOp
from xdsl.ir import Attribute, Block, Region
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException


def parse_types(parser: Parser) -> Sequence[Attribute]:
    """Parse `(type, ...)` or one bare type."""
    if parser.parse_optional_punctuation("("):
        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        parser.parse_punctuation(")")
        return types
    return [parser.parse_type()]


def print_types(printer: Printer, types: Sequence[Attribute]) -> None:
    """Print ` -> (type, ...)`, nothing when there is no type."""
    if not types:
        return
    printer.print_string(" -> ")
    with printer.in_parens():
        printer.print_list(types, printer.print_attribute)


def terminate(region: Region) -> None:
    """End the block of `region` with the `affine.yield` that the text omits; `{}` has none."""
    if not region.blocks:
        region.add_block(Block())
    block = region.block
    if not isinstance(block.last_op, YieldOp):
        block.add_op(YieldOp.get())


def verify_yield(region: Region, types: Sequence[Attribute]) -> None:
    """Check that a block ends with an `affine.yield` of `types` (C5)."""
    last = region.block.last_op
    if not isinstance(last, YieldOp) or tuple(last.operand_types) != tuple(types):
        found = ", ".join(map(str, last.operand_types)) if isinstance(last, YieldOp) else "none"
        expected = ", ".join(map(str, types))
        raise VerifyException(
            f"C5: expected the block to end with affine.yield of ({expected}), found ({found})"
        )


def print_body(printer: Printer, region: Region, *, yields: bool) -> None:
    """Print a region, its terminator only if it yields something."""
    printer.print_string(" ")
    printer.print_region(
        region,
        print_entry_block_args=False,
        print_empty_block=False,
        print_block_terminators=yields
        or bool(region.block.last_op and region.block.last_op.attributes),
    )
