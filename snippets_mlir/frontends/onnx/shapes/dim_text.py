"""Parses the `str` of a `Dim`."""

from __future__ import annotations

import json
import re

from snippets_mlir.frontends.onnx.shapes.bounds import rebuilt
from snippets_mlir.frontends.onnx.shapes.dims import Size, ceildiv, floordiv, symbol
from snippets_mlir.frontends.onnx.shapes.terms import NAME

_TOKEN = re.compile(rf'\s*(?:(\d+)|({NAME.pattern})|("(?:[^"\\]|\\.)*")|(//|[-+*%(),]))')
_CALLS = ("min", "max", "ceildiv")


def parse_dim(text: str) -> Size:
    """The size that `text` says: `parse_dim(str(size)) == size`.

    Also reads `%` and `ceildiv(a, b)`. ValueError for anything else.
    """
    parser = _Parser(text)
    try:
        size = parser.sum()
    except (OverflowError, RecursionError):
        raise ValueError("expected a size, found a larger expression than there are") from None
    if parser.tokens[parser.at]:
        raise ValueError(f"expected the end of {text!r}, found {parser.tokens[parser.at]!r}")
    return size


class _Parser:
    """Recursive descent; `tokens` end with an empty one."""

    def __init__(self, text: str) -> None:
        self.tokens: list[str] = []
        self.at = 0
        position, end = 0, len(text.rstrip())
        while position < end:
            match = _TOKEN.match(text, position)
            if match is None:
                raise ValueError(f"expected a size, found {text!r}")
            self.tokens.append(match[0].strip())
            position = match.end()
        self.tokens.append("")

    def take(self, *texts: str) -> str:
        """The next token if it is one of `texts`, else an empty one."""
        token = self.tokens[self.at]
        if token and token in texts:
            self.at += 1
            return token
        return ""

    def sum(self) -> Size:
        size = -self.product() if self.take("-") else self.product()
        while sign := self.take("+", "-"):
            size = size + self.product() if sign == "+" else size - self.product()
        return size

    def product(self) -> Size:
        """`a * b // c % d`, from left to right."""
        size = self.factor()
        while sign := self.take("*", "//", "%"):
            other = self.factor()
            if sign == "*":
                size = size * other
            elif other == 0:
                raise ValueError("expected a divisor, found 0")
            else:
                size = floordiv(size, other) if sign == "//" else size % other
        return size

    def factor(self) -> Size:
        """A number, a symbol, a call, or anything in parentheses."""
        token = self.tokens[self.at]
        if self.take("("):
            return self.closed(self.sum())
        self.at += 1
        if token.isdigit():
            return int(token)
        if token in _CALLS and self.take("("):
            args = [self.sum()]
            while self.take(","):
                args.append(self.sum())
            return self.closed(_called(token, args))
        if NAME.fullmatch(token):
            return symbol(token)
        if token.startswith('"') and token != '""':
            return symbol(json.loads(token))
        raise ValueError(f"expected a size, found {token!r}")

    def closed(self, size: Size) -> Size:
        if not self.take(")"):
            raise ValueError(f"expected ')', found {self.tokens[self.at]!r}")
        return size


def _called(name: str, args: list[Size]) -> Size:
    if name != "ceildiv":
        return rebuilt(name, tuple(args))
    if len(args) != 2 or args[1] == 0:
        raise ValueError("expected ceildiv(a, b) with b other than 0")
    return ceildiv(args[0], args[1])
