"""Sizes of `size_numbers.py` in the text and as attributes of IR."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerAttr, IntegerType
from xdsl.parser import AttrParser

from snippets_mlir.dialects.size_numbers import (
    FIRST_OFFSET,
    MAX_SYMBOLS,
    SCRATCH,
    SMALLEST,
    TooManySizesError,
    aligned,
    evaluate,
    factors,
    format_size,
    format_sizes,
    is_symbolic,
    runtime_slots,
    symbol,
)

__all__ = [
    "FIRST_OFFSET",
    "MAX_SYMBOLS",
    "SCRATCH",
    "SMALLEST",
    "TooManySizesError",
    "aligned",
    "evaluate",
    "factors",
    "format_size",
    "format_sizes",
    "is_symbolic",
    "parse_size",
    "runtime_slots",
    "size_attr",
    "symbol",
]


def parse_size(parser: AttrParser) -> int:
    """A number, or a product of symbols and a number: what `format_size` prints."""
    size = 1
    while True:
        if parser.parse_optional_punctuation("?"):
            size *= symbol(parser.parse_integer(allow_negative=False, allow_boolean=False))
        else:
            size *= parser.parse_integer()
        if not parser.parse_optional_punctuation("*"):
            return size


def size_attr(size: int) -> IntegerAttr[IntegerType]:
    """`size` as an attribute: i64, or wider where a product of symbols does not fit."""
    return IntegerAttr(size, IntegerType(64 if -(1 << 63) <= size < 1 << 63 else 512))
