"""xDSL's lexer, with string literals read in linear time and as text, and numbers that fit."""

from __future__ import annotations

import re
from math import isinf

from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Token
from xdsl.utils.mlir_lexer import MLIRLexer, MLIRTokenKind, StringLiteral

MAX_DIGITS = 1000
"""Of an integer: more than any type has, fewer than Python converts."""


class LiteralLexer(MLIRLexer):
    """A lexer that reads a string without an end in linear time; upstream's takes exponential.

    Text with escapes is text: upstream takes it for bytes when it is not all ASCII.
    """

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
