"""xDSL's lexer, with string literals read in linear time and as text, and numbers that fit.

One regular expression reads most tokens, which takes half of upstream's time.
"""

from __future__ import annotations

import re
from math import isinf

from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Span, Token
from xdsl.utils.mlir_lexer import (
    KIND_BY_PUNCTUATION_SPELLING,
    MLIRLexer,
    MLIRTokenKind,
    StringLiteral,
)

MAX_DIGITS = 1000
"""Of an integer: more than any type has, fewer than Python converts."""

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
"""By the group that matched; punctuation has a kind for each character."""


class LiteralLexer(MLIRLexer):
    """A lexer that reads a string without an end in linear time; upstream's takes exponential.

    Text with escapes is text: upstream takes it for bytes when it is not all ASCII.
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
