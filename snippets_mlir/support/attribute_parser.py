"""xDSL's parser of attributes with what MLIR and xDSL print and xDSL does not read.

"test.op"() : () -> () loc(#loc)              an alias that is defined after its use
#loc = loc("f.mlir":3:4)
loc(fused<"pass">["a", "f.mlir":1:2])         metadata of a fused location
array<f32: 0x7FC00000>                        a float as its bits: a NaN or an infinity
"""

from __future__ import annotations

import re
from typing import Any

from xdsl.dialects.builtin import AnyFloat, DenseArrayBase, FusedLoc, LocationAttr, NoneAttr
from xdsl.ir import Attribute
from xdsl.utils.mlir_lexer import MLIRTokenKind

from snippets_mlir.support.literal_parser import LiteralParser

_DEFINITION = re.compile(r"^[ \t]*(#[\w.$-]+)\s*=\s*(?=loc\s*\()", re.MULTILINE | re.ASCII)


class AttributeParser(LiteralParser):
    """Parser of attributes; aliases of locations may be defined anywhere in the text."""

    _places: dict[str, int] | None = None
    """Where the text defines each alias of a location, after the equals sign."""
    _later: dict[str, LocationAttr]
    """The locations of aliases that were used before their definition."""

    def _parse_location(self) -> LocationAttr:
        token = self._current_token
        if token.kind is MLIRTokenKind.HASH_IDENT and token.text not in self.attribute_aliases:
            if token.text not in self._later:
                self._later[token.text] = self._defined_later(token.text)
            self._consume_token()
            return self._later[token.text]
        if token.kind is MLIRTokenKind.BARE_IDENT and token.text == "fused":
            self._consume_token()
            metadata: Attribute = NoneAttr()
            if self.parse_optional_punctuation("<") is not None:
                metadata = self.parse_attribute()
                self.parse_punctuation(">", " in fused location")
            places = self.parse_comma_separated_list(self.Delimiter.SQUARE, self._parse_location)
            return FusedLoc(tuple(places), metadata)
        return super()._parse_location()

    def _parse_builtin_densearray_attr(self) -> DenseArrayBase | None:
        start = self._current_token.span.start
        self.parse_punctuation("<", " in dense array")
        type = self.parse_optional_type()
        if not isinstance(type, AnyFloat) or self.parse_optional_punctuation(":") is None:
            self._resume_from(start)
            return super()._parse_builtin_densearray_attr()
        values = self.parse_comma_separated_list(
            self.Delimiter.NONE, lambda: self._parse_float_or_bits(type)
        )
        self.parse_punctuation(">", " in dense array")
        return DenseArrayBase.from_list(type, values)

    def _parse_float_or_bits(self, type: AnyFloat) -> float:
        token = self._current_token
        if token.kind is MLIRTokenKind.INTEGER_LIT and token.text[:2] in ("0x", "0X"):
            value: Any = self._parse_tensor_literal_element().to_type(self, type)
            return value
        return self.parse_float()

    def _defined_later(self, name: str) -> LocationAttr:
        """The location of an alias that the text has not defined yet."""
        token = self._current_token
        if self._places is None:
            found = _DEFINITION.finditer(token.span.input.content)
            self._places = {match[1]: match.end() for match in found}
        place = self._places.pop(name, None)  # without it, a location of itself is undefined
        if place is None:
            self.raise_error(f"undefined symbol alias '{name}'", token.span)
        self._resume_from(place)
        location = self.parse_optional_location()
        assert location is not None
        self._resume_from(token.span.start)
        self._places[name] = place
        return location
