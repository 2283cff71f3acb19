"""xDSL's lexer and its parser of types and literals: exact, with limits, and faster.

String literals are read in linear time and as text, numbers have to fit, and one regular expression
reads most tokens, which takes half of upstream's time. In `dense<...>` infinities and NaNs written
as bits keep their bits, lists of plain numbers are read at once (`number_lists.py`), and a literal
that would fill the memory is an error. Element types are created once.
"""

from __future__ import annotations

import re
from functools import cache
from math import isinf, prod
from typing import Any

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    ComplexType,
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    RankedStructure,
    UnrankedMemRefType,
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
from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Span, Token
from xdsl.utils.mlir_lexer import (
    KIND_BY_PUNCTUATION_SPELLING,
    MLIRLexer,
    MLIRTokenKind,
    StringLiteral,
)

MAX_ELEMENTS = 1 << 25
"""Maximal elements of a literal: all elements are stored, even if the text has one for all."""

_STRINGS = frozenset((MLIRTokenKind.STRING_LIT, MLIRTokenKind.BYTES_LIT))
_NOT_ONE_ELEMENT = _STRINGS | {MLIRTokenKind.L_SQUARE, MLIRTokenKind.GREATER}
"""What a dense literal begins with if it has a list, bytes or no elements."""


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


MAX_DIGITS = 1000
"""The limit on the digits of an integer: more than any type needs, fewer than Python's own
limit."""

_PLAIN = re.compile(
    r"(?:\s++|//[^\n]*+\n?)*+"
    r"(?:([a-zA-Z_][a-zA-Z0-9_$.]*+)"
    r"|([:,()}\[\]<>=+/*?|])"
    r"|(%(?:[0-9]++|[a-zA-Z$._-][a-zA-Z0-9$._-]*+)))",
    re.ASCII,
)
"""Blanks and comments, then a bare identifier, a character that begins no longer token, or the name
of a value."""
_KINDS = (None, MLIRTokenKind.BARE_IDENT, None, MLIRTokenKind.PERCENT_IDENT)
"""The kind of a token by the group that matched; punctuation has a kind for each character."""


class LiteralLexer(MLIRLexer):
    """A lexer that reads a string without an end in linear time; upstream's takes exponential.

    Strings with escapes are text; upstream reads them as bytes if they are not all ASCII.
    """

    def lex(self) -> Token[MLIRTokenKind]:
        """The next token."""
        match = _PLAIN.match(self.input.content, self.pos)
        if match is None:
            return super().lex()
        group = match.lastindex or 0
        start, self.pos = match.span(group)
        kind = _KINDS[group] or KIND_BY_PUNCTUATION_SPELLING[match[group]]
        return Token(kind, Span(start, self.pos, self.input))

    _unescaped_characters_regex = re.compile(r'"(?:[^"\\\n\v\f]++|\\(?:["nt\\]|[0-9A-Fa-f]{2}))*+"')

    def _lex_string_literal(self, start_pos: int) -> Token[MLIRTokenKind]:
        token = super()._lex_string_literal(start_pos)
        if token.kind != MLIRTokenKind.BYTES_LIT:
            return token
        try:
            StringLiteral.from_span(token.span).string_contents
        except UnicodeDecodeError:
            return token
        return Token(MLIRTokenKind.STRING_LIT, token.span)

    def _lex_number(self, start_pos: int) -> Token[MLIRTokenKind]:
        """A number; an error for a decimal float that only infinity is near, as in MLIR."""
        token = super()._lex_number(start_pos)
        if token.kind == MLIRTokenKind.FLOAT_LIT:
            if isinf(float(token.text)):
                raise ParseError(token.span, "floating-point literal is too large for f64")
        elif len(token.text) > MAX_DIGITS:
            raise ParseError(token.span, "integer literal is too large")
        return token


class LiteralParser(Parser):
    """Parser of the types and literals of the project's texts."""

    _is_whole = False  # the next list is a whole literal

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

    def _parse_tensor_literal(
        self,
    ) -> tuple[list[Parser._TensorLiteralElement], list[int]]:
        """As upstream's, which reads numbers one by one, and comes here again for each list inside.

        The fast path is tried only for the whole literal: trying it for inner lists would scan each
        list again.
        """
        token, is_whole = self._current_token, self._is_whole
        self._is_whole = False
        if not is_whole or token.kind is not MLIRTokenKind.L_SQUARE:
            return super()._parse_tensor_literal()
        from snippets_mlir.support.number_lists import number_list

        source = token.span.input
        found = number_list(source.content, token.span.start)
        if found is None:
            return super()._parse_tensor_literal()
        self._resume_from(found.end)
        elements: list[Parser._TensorLiteralElement] = [
            self._TensorLiteralElement(value < 0, value, Span(begin, end, source))
            for value, (begin, end) in zip(found.values, found.spans, strict=True)
        ]
        return elements, found.shape

    def _parse_memref_attrs(self) -> MemRefType | UnrankedMemRefType:
        """As upstream's; the memory space 0 is the default one, as in MLIR."""
        type = super()._parse_memref_attrs()
        space = type.memory_space
        if not isinstance(space, IntegerAttr) or space.value.data != 0:
            return type
        if isinstance(type, UnrankedMemRefType):
            return UnrankedMemRefType.from_type(type.element_type)
        return MemRefType(type.element_type, type.shape, type.layout)

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
        start = self._current_token.span.start
        self.parse_punctuation("<", " in dense attribute")
        if self._current_token.kind not in _NOT_ONE_ELEMENT:
            return self._parse_splat(type)
        token = self._current_token
        self._resume_from(start)
        self._is_whole = True
        found = super().parse_dense_int_or_fp_elements_attr(type)
        if token.kind in _STRINGS:  # upstream reads bytes that fill no element, and any prefix
            size = len(found) * found.get_element_type().compile_time_size
            if len(found.data.data) != size or not token.text.startswith(('"0x', '"0X')):
                self.raise_error(
                    f"expected a string of '0x' and the digits of {size} bytes, or of one element",
                    token.span,
                )
        return found

    def _parse_splat(self, type: RankedStructure[Any] | None) -> DenseIntOrFPElementsAttr:
        """Parse `1.0> : type`. The bytes of the element are repeated; upstream packs each copy."""
        (element,), _ = self._parse_tensor_literal()
        self.parse_punctuation(">", " in dense attribute")
        if type is None:
            self.parse_punctuation(":", " in dense attribute")
            type = self._parse_dense_literal_type()
        value: Any = element.to_type(self, type.element_type)
        values = [value] if prod(type.get_shape()) else []
        return DenseIntOrFPElementsAttr.from_list(type, values)

    def _check_size(self, type: RankedStructure[Any], span: Span) -> None:
        count = prod(type.get_shape())
        if count > MAX_ELEMENTS:
            self.raise_error(
                f"a literal of {count} elements is too large, {MAX_ELEMENTS} are the most; "
                "write one element and snippets.broadcast, or name a file with the data",
                span,
            )
