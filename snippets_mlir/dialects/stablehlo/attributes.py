"""Attributes of StableHLO: words, and dimension numbers with named fields.

    #stablehlo<comparison_direction GT>   #stablehlo<precision DEFAULT>
    #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>
    #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0],
                      index_vector_dim = 1>
    #stablehlo.conv<[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]>

A field that is not written is empty, or 0 for `index_vector_dim`. Source: the StableHLO
specification, and what jaxlib 0.10 prints.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping, Sequence
from typing import ClassVar, Self

from typing_extensions import override
from xdsl.ir import Attribute, Data, SpacedOpaqueSyntaxAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

Fields = tuple[tuple[str, tuple[int, ...] | int], ...]


class WordAttr(Data[str], SpacedOpaqueSyntaxAttribute, ABC):
    """A word from a fixed list: `#stablehlo<name WORD>`."""

    WORDS: ClassVar[tuple[str, ...]]

    @classmethod
    @override
    def parse_parameter(cls, parser: AttrParser) -> str:
        place = parser.pos
        word = parser.parse_identifier()
        if word not in cls.WORDS:
            parser.raise_error(f"expected {' or '.join(cls.WORDS)}, found {word}", place)
        return word

    @override
    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(self.data)


@irdl_attr_definition
class DirectionAttr(WordAttr):
    """The direction of a comparison."""

    name = "stablehlo.comparison_direction"
    WORDS: ClassVar = ("EQ", "NE", "GE", "GT", "LE", "LT")


@irdl_attr_definition
class ComparisonTypeAttr(WordAttr):
    """The type of a comparison; TOTALORDER orders NaN and the signs of zero."""

    name = "stablehlo.comparison_type"
    WORDS: ClassVar = ("NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED")


@irdl_attr_definition
class PrecisionAttr(WordAttr):
    """The required precision of a product; all products are exact here."""

    name = "stablehlo.precision"
    WORDS: ClassVar = ("DEFAULT", "HIGH", "HIGHEST")


class FieldsAttr(Data[Fields], ABC):
    """Named lists of dims, and single dims: `#stablehlo.name<field = [0, 1], field = 2>`."""

    LISTS: ClassVar[tuple[str, ...]]
    NUMBERS: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def of(cls, fields: Mapping[str, Sequence[int] | int]) -> Self:
        """The attribute with these fields, in their order; sequences become tuples."""
        found = {k: v if isinstance(v, int) else tuple(v) for k, v in fields.items()}
        return cls(tuple(found.items()))

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Fields:
        """Parse `<field = value, ...>`."""
        found: dict[str, tuple[int, ...] | int] = {}

        def field() -> None:
            place = parser.pos
            name = parser.parse_identifier()
            if name not in cls.LISTS + cls.NUMBERS or name in found:
                known = ", ".join(cls.LISTS + cls.NUMBERS)
                parser.raise_error(f"expected each of {known} at most once, found {name}", place)
            parser.parse_punctuation("=")
            if name in cls.NUMBERS:
                found[name] = parser.parse_integer()
            else:
                numbers = parser.parse_comma_separated_list(
                    parser.Delimiter.SQUARE, parser.parse_integer
                )
                found[name] = tuple(numbers)

        parser.parse_comma_separated_list(parser.Delimiter.ANGLE, field)
        return tuple(found.items())

    @override
    def print_parameter(self, printer: Printer) -> None:
        shown = (f"{k} = {v if isinstance(v, int) else list(v)}" for k, v in self.data)
        printer.print_string(f"<{', '.join(shown)}>")

    def dims(self, field: str) -> tuple[int, ...]:
        """The dims of a field that is a list."""
        found = dict(self.data).get(field, ())
        return (found,) if isinstance(found, int) else found

    def number(self, field: str) -> int:
        """The dim of a field that is one."""
        found = dict(self.data).get(field, 0)
        assert isinstance(found, int)
        return found


@irdl_attr_definition
class DotAttr(FieldsAttr):
    """The batching and the contracting dims of both operands of a product."""

    name = "stablehlo.dot"
    LISTS: ClassVar = (
        "lhs_batching_dimensions",
        "rhs_batching_dimensions",
        "lhs_contracting_dimensions",
        "rhs_contracting_dimensions",
    )


@irdl_attr_definition
class GatherAttr(FieldsAttr):
    """The correspondence between the dims of a gather's operand, indices and result."""

    name = "stablehlo.gather"
    LISTS: ClassVar = (
        "offset_dims",
        "collapsed_slice_dims",
        "operand_batching_dims",
        "start_indices_batching_dims",
        "start_index_map",
    )
    NUMBERS: ClassVar = ("index_vector_dim",)


@irdl_attr_definition
class ScatterAttr(FieldsAttr):
    """The correspondence between the dims of a scatter's operand, indices and updates."""

    name = "stablehlo.scatter"
    LISTS: ClassVar = (
        "update_window_dims",
        "inserted_window_dims",
        "input_batching_dims",
        "scatter_indices_batching_dims",
        "scatter_dims_to_operand_dims",
    )
    NUMBERS: ClassVar = ("index_vector_dim",)


@irdl_attr_definition
class ConvAttr(Data[tuple[tuple[str, ...], ...]]):
    """The roles of the dims of a convolution's input, kernel and result: letters, or space dims."""

    name = "stablehlo.conv"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> tuple[tuple[str, ...], ...]:
        """Parse `<[b, f, 0]x[o, i, 0]->[b, f, 0]>`."""
        with parser.in_angle_brackets():
            return cls.parse_roles(parser)

    @staticmethod
    def parse_roles(parser: AttrParser) -> tuple[tuple[str, ...], ...]:
        """Parse `[b, f, 0]x[o, i, 0]->[b, f, 0]`."""

        def role() -> str:
            number = parser.parse_optional_integer(allow_boolean=False, allow_negative=False)
            return str(number) if number is not None else parser.parse_identifier()

        def roles() -> tuple[str, ...]:
            return tuple(parser.parse_comma_separated_list(parser.Delimiter.SQUARE, role))

        first = roles()
        parser.parse_keyword("x")
        second = roles()
        parser.parse_punctuation("->")
        return first, second, roles()

    @override
    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(f"<{self.text}>")

    @property
    def text(self) -> str:
        """`[b, f, 0]x[o, i, 0]->[b, f, 0]`."""
        x, w, y = (f"[{', '.join(roles)}]" for roles in self.data)
        return f"{x}x{w}->{y}"


ATTRIBUTES: list[type[Attribute]] = [
    ComparisonTypeAttr,
    ConvAttr,
    DirectionAttr,
    DotAttr,
    GatherAttr,
    PrecisionAttr,
    ScatterAttr,
]
