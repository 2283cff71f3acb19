"""xDSL's lexer, with string literals read in linear time and as text."""

from __future__ import annotations

import re

from xdsl.utils.lexer import Token
from xdsl.utils.mlir_lexer import MLIRLexer, MLIRTokenKind, StringLiteral


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
