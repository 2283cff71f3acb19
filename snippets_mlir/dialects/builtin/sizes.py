"""Sizes of dynamic dimensions in IR: their text, and the attributes that carry them.

    tensor<?x8x?xf32, #lir.sizes<?0, ?1*4>>      one size for each `?` of the shape, in order
    tensor<?x?xf32, #lir.sizes<?0, ?>>           the second size is unknown
    #snippets.size<?0*24 : f32>                  a size as a number of an element type

An attribute that holds a static size is an integer, `size = 64 : i64`; for a dynamic size it is
`#snippets.size` of i64, `size = #snippets.size<?0*4 : i64>`. `dims.py` defines the sizes, and
`shaped.py` the tensor types.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TypeGuard

from typing_extensions import override
from xdsl.dialects.builtin import IntegerAttr, IntegerType, i64
from xdsl.ir import Attribute, Data
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.dims import Dim, Size, format_size, symbol
from snippets_mlir.dialects.builtin.size_facts import has_symbols

MAY_BE_ONE = "snippets.may_be_one"
"""A unit attribute of a module: its symbols may be 1 at run time, because the model states its
broadcasts (ONNX). Without it a size of 1 needs other code, and no symbol is 1 (`dims.py`).
"""


def _parse_factor(parser: AttrParser) -> Dim:
    if parser.parse_optional_punctuation("?"):
        return symbol(parser.parse_integer(allow_negative=False, allow_boolean=False))
    return parser.parse_integer(allow_boolean=False)


def parse_size(parser: AttrParser) -> Dim:
    """A number, or a sum of products of symbols and numbers, as `format_size` prints it."""
    return _parse_sum(parser, _parse_factor(parser))


def _parse_sum(parser: AttrParser, term: Dim) -> Dim:
    """The size after its first factor has been read."""
    size: Dim = 0
    while True:
        while parser.parse_optional_punctuation("*"):
            term = term * _parse_factor(parser)
        size = size + term
        if not parser.parse_optional_punctuation("+"):
            return size
        term = _parse_factor(parser)


@irdl_attr_definition
class SizesAttr(Data[tuple[Size | None, ...]]):
    """The sizes of a tensor's dynamic dimensions, as the encoding of its type: `#lir.sizes<?0>`.

    There is one size for each `?` of the shape, in order; None, printed `?`, is an unknown size. At
    least one size is known.
    """

    name = "lir.sizes"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> tuple[Size | None, ...]:
        """Parse `<?0, ?1*4, ?>`."""
        return tuple(
            parser.parse_comma_separated_list(
                parser.Delimiter.ANGLE, lambda: cls._parse_entry(parser)
            )
        )

    @staticmethod
    def _parse_entry(parser: AttrParser) -> Size | None:
        at = parser.pos
        if not parser.parse_optional_punctuation("?"):
            size = parse_size(parser)
        else:
            index = parser.parse_optional_integer(allow_boolean=False, allow_negative=False)
            if index is None:
                return None
            size = _parse_sum(parser, symbol(index))
        if isinstance(size, Size):
            return size
        parser.raise_error(f"expected a size with a symbol, such as ?0, found {size}", at)

    @override
    def print_parameter(self, printer: Printer) -> None:
        sizes = ", ".join("?" if s is None else format_size(s) for s in self.data)
        printer.print_string(f"<{sizes}>")

    def verify(self) -> None:
        """At least one size has a symbol; a `VerifyException` otherwise."""
        if not has_symbols(size for size in self.data if size is not None):
            raise VerifyException("expected a size with a symbol in #lir.sizes, found none")


@irdl_attr_definition
class SizeAttr(Data[tuple[Size, Attribute]]):
    """A size with symbols as a number of an element type: `#snippets.size<?0*24 : f32>`.

    Floats are rounded to nearest, integers keep the low bits.
    """

    name = "snippets.size"

    @property
    def size(self) -> Size:
        """The formula, with at least one symbol."""
        return self.data[0]

    @property
    def type(self) -> Attribute:
        """The element type of the number."""
        return self.data[1]

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> tuple[Size, Attribute]:
        """Parse `<?0*24 : f32>`."""
        with parser.in_angle_brackets():
            at = parser.pos
            size = parse_size(parser)
            if not isinstance(size, Size):
                parser.raise_error(
                    f"expected a size with a symbol, such as ?0, found {size}; "
                    "write a number as it is",
                    at,
                )
            parser.parse_punctuation(":")
            return size, parser.parse_type()

    @override
    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(f"{format_size(self.size)} : ")
            printer.print_attribute(self.type)


@lru_cache(maxsize=4096, typed=True)
def i64_attr(value: int) -> IntegerAttr[IntegerType]:
    """An attribute of type i64, cached: checking one takes longer than a lookup."""
    return IntegerAttr(value, i64)


def size_attr(size: Dim) -> IntegerAttr[IntegerType] | SizeAttr:
    """`size` as an attribute of type i64."""
    return SizeAttr((size, i64)) if isinstance(size, Size) else i64_attr(size)


def is_size(attr: Attribute | None) -> TypeGuard[IntegerAttr | SizeAttr]:
    """Whether `attr` holds a size: an integer, or a formula."""
    return isinstance(attr, IntegerAttr | SizeAttr)


def size_in(attr: IntegerAttr | SizeAttr) -> Dim:
    """The size that an attribute holds."""
    return attr.size if isinstance(attr, SizeAttr) else attr.value.data
