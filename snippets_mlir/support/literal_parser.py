"""xDSL's parser of types and of `dense<...>`: exact, of a limited size, and in less time.

Infinities and NaNs that are written as bits keep them, a literal that would fill the memory is an
error, and types of elements are made once.
"""

from __future__ import annotations

from functools import cache
from math import prod
from typing import Any

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    ComplexType,
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerType,
    RankedStructure,
    bf16,
    f16,
    f32,
    f64,
    i1,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.ir import Attribute, TypeAttribute
from xdsl.irdl import AttrConstraint, base
from xdsl.parser import Parser
from xdsl.utils.lexer import Span
from xdsl.utils.mlir_lexer import MLIRTokenKind

MAX_ELEMENTS = 1 << 25
"""Of a literal: all elements are kept, also where the text has one for all."""


SCALAR_TYPES: dict[str, TypeAttribute] = {
    **{str(type): type for type in (bf16, f16, f32, f64)},
    **{str(type): type for type in (i1, i8, i16, i32, i64, IndexType())},
}


@cache
def _literal_types() -> AttrConstraint[
    RankedStructure[IntegerType | IndexType | AnyFloat | ComplexType]
]:
    """The types that a dense literal may have."""
    return base(RankedStructure[IntegerType | IndexType | AnyFloat | ComplexType])


class LiteralParser(Parser):
    """Parser of the types and literals of the project's texts."""

    class _TensorLiteralElement(Parser._TensorLiteralElement):  # pyright: ignore[reportPrivateUsage]
        """An element whose hexadecimal spelling is the bits of the float, as in MLIR."""

        def to_type(self, parser: Parser, type: Attribute) -> object:  # pyright: ignore
            if (
                isinstance(type, AnyFloat)
                and isinstance(self.value, int)
                and self.span.text[:2] in ("0x", "0X")
            ):
                if self.value.bit_length() > 8 * type.size:
                    parser.raise_error(f"hexadecimal literal is too large for {type}", self.span)
                return next(type.iter_unpack(self.value.to_bytes(type.size, "little")))
            return super().to_type(parser, type)  # pyright: ignore

    def _parse_optional_integer_or_float_type(self) -> TypeAttribute | None:
        """As upstream's, with one object for each type that texts have often."""
        token = self._current_token
        if token.kind is MLIRTokenKind.BARE_IDENT:
            if (found := SCALAR_TYPES.get(token.text)) is not None:
                self._consume_token()
                return found
        return super()._parse_optional_integer_or_float_type()

    def _parse_dense_literal_type(self) -> RankedStructure[Any]:
        """The type of a literal. Its size is limited: one element may fill a tensor of any size.

        As upstream's, which builds the constraint again for each literal: that takes 2 ms.
        """
        span = self._current_token.span
        type = self.expect(self.parse_optional_type, "Dense attribute must be typed!")
        if not _literal_types().verifies(type):
            self.raise_error(
                "Expected memref, vector or tensor type of integer, index, float, or complex type",
                span,
            )
        if DYNAMIC_INDEX in type.get_shape():
            self.raise_error("Dense literal attribute should have a static shape.", span)
        self._check_size(type, span)
        return type

    def parse_dense_int_or_fp_elements_attr(
        self, type: RankedStructure[Any] | None
    ) -> DenseIntOrFPElementsAttr:
        """Parse a literal, whose type may be known."""
        if type is not None:
            self._check_size(type, self._current_token.span)
        return super().parse_dense_int_or_fp_elements_attr(type)

    def _check_size(self, type: RankedStructure[Any], span: Span) -> None:
        count = prod(type.get_shape())
        if count > MAX_ELEMENTS:
            self.raise_error(
                f"a literal of {count} elements is too large, {MAX_ELEMENTS} are the most; "
                "write one element and snippets.broadcast, or name a file with the data",
                span,
            )
