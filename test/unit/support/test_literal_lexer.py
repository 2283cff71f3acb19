"""The lexer that reads most tokens by one expression gives the tokens of xDSL's lexer."""

from __future__ import annotations

from pathlib import Path

import pytest
from sampled import sampled
from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Input, Lexer, Token
from xdsl.utils.mlir_lexer import MLIRLexer, MLIRTokenKind

from snippets_mlir.support.literal_parser import LiteralLexer

ROOT = Path(__file__).resolve().parents[3]
FILES = sampled(sorted(path for path in ROOT.glob("test/**/*.mlir") if path.is_file()), 16)
TEXTS = (
    "",
    "  // no line end",
    "//\n//\n x//y\n/z",
    "a/b a//b\n/ /",
    'x %0 %0x1 %5a %a-b$c.d %-> %. ^bb0 #a #-} {-# { !t.u @f @"g h" "s\\22"',
    "-> - > -1 1.0e5 0x1F 12 -%a ...",
    "_ _a.b$c a-b a->b (x){y}[z]<w>=+*?|,:",
    "\t\r\n\v\f x\u00a0y",
    "\u00e9t\u00e9",
    "a\u00e9",
    "%",
    "%\u00e9",
    "x%",
    "%0.",
    "..",
    "&",
    '"no end',
)


def tokens(lexer: Lexer[MLIRTokenKind, str]) -> tuple[list[Token[MLIRTokenKind, str]], str]:
    """The tokens up to the end or an error, and what the error says."""
    found: list[Token[MLIRTokenKind, str]] = []
    try:
        while not found or found[-1].kind != MLIRTokenKind.EOF:
            found.append(lexer.lex())
    except ParseError as error:
        return found, str(error)
    return found, ""


@pytest.mark.parametrize("text", TEXTS)
def test_tokens_of_a_text(text: str) -> None:
    place = Input(text, "text")
    assert tokens(LiteralLexer(place)) == tokens(MLIRLexer(place))


def test_tokens_of_files() -> None:
    for path in FILES:
        text = path.read_text(encoding="utf-8", errors="replace")  # one is no text on purpose
        place = Input(text, path.name)
        assert tokens(LiteralLexer(place)) == tokens(MLIRLexer(place)), path
