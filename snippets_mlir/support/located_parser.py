"""xDSL's parser with four things added.

Every op and block argument knows its location in the text, every error has a position (including
errors in an op's own syntax and for undefined values), `LiteralParser` reads literals and
`AttributeParser` locations, and names of values survive copies.
"""

from __future__ import annotations

import re
import struct
from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache

from xdsl.context import Context
from xdsl.dialects.builtin import (
    FileLineColLoc,
    IntAttr,
    ModuleOp,
    StringAttr,
    UnknownLoc,
    UnregisteredOp,
)
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.parser import ParserState, UnresolvedOperand
from xdsl.utils.exceptions import (
    DiagnosticException,
    MultipleSpansParseError,
    ParseError,
    UnregisteredConstructException,
)
from xdsl.utils.lexer import Input, Span

from snippets_mlir.support.attribute_parser import AttributeParser
from snippets_mlir.support.diagnostics import Position, close_match, format_position
from snippets_mlir.support.errors import CompileError, one_line
from snippets_mlir.support.literal_parser import LiteralLexer
from snippets_mlir.support.value_names import settle_hint

WRONG_TEXT = (
    DiagnosticException,
    UnregisteredConstructException,
    ValueError,
    TypeError,
    LookupError,
    ArithmeticError,
    AssertionError,
    NotImplementedError,
    struct.error,
)
"""Exceptions of the parsing code of xDSL and of dialects for invalid text, besides ParseError."""

# Clearer texts for some messages of xDSL's parser.
_CLEARER = {
    "in block definition": "expected an operation, a block or '}'",
    "Could not parse entire input!": "expected an operation",
    "Expected suffix identifier after {first_char}": "expected a name after it: a number, or "
    "letters, digits, '$', '.', '_' and '-' of ASCII",
}


@lru_cache(maxsize=1024)
def _number(value: int) -> IntAttr:
    """A line or a column."""
    return IntAttr(value)


class LocatedParser(AttributeParser):
    """A parser that records locations.

    Args:
        ctx: dialects to parse with; they are loaded on first use.
        text: the text, with any line ends.
        name: name of the text in locations and errors.
        line_offset: lines of the file before this text (for `--split-input-file`).
    """

    def __init__(self, ctx: Context, text: str, name: str, line_offset: int) -> None:
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self._line_offset = line_offset
        self._file = StringAttr(name)
        self._first_use: dict[str, Span] = {}
        self._later = {}
        super().__init__(ctx, "", name)
        self._parser_state = ParserState(LiteralLexer(Input(text, name)))

    def line_and_column(self, index: int) -> tuple[int, int]:
        """Line in the file and column, both from 1, of an index into the text."""
        line = bisect_right(self._starts, index)
        return line + self._line_offset, index - self._starts[line - 1] + 1

    def location(self, span: Span) -> FileLineColLoc:
        """The location attribute for the start of a span."""
        line, column = self.line_and_column(span.start)
        return FileLineColLoc(self._file, _number(line), _number(column))

    def parse_operation(self) -> Operation:
        """Parse one op, and give it the location of its first token."""
        span = self._current_token.span
        try:
            op = super().parse_operation()
        except WRONG_TEXT as error:
            raise ParseError(span, one_line(str(error)) or "malformed operation") from error
        if isinstance(op.location, UnknownLoc):
            op.location = self.location(span)
        if op.properties and isinstance(op, UnregisteredOp):  # xDSL's have attributes alone
            if twice := op.properties.keys() & op.attributes.keys():
                raise ParseError(span, f"'{min(twice)}' is a property and an attribute")
            op.attributes.update(op.properties)
            op.properties.clear()
        return op

    def resolve_operand(self, operand: UnresolvedOperand, type: Attribute) -> SSAValue:
        """Resolve an operand; remember where a value is used before its definition."""
        name = operand.operand_name
        if name not in self.ssa_values:
            self._first_use.setdefault(name, operand.span)
        return super().resolve_operand(operand, type)

    def _register_ssa_definition(self, name: str, values: Sequence[SSAValue], span: Span) -> None:
        super()._register_ssa_definition(name, values, span)
        for value in values:
            settle_hint(value)
            if isinstance(value, BlockArgument) and isinstance(value.location, UnknownLoc):
                value.location = self.location(span)

    def _get_op_by_name(self, name: str) -> type[Operation]:
        found = self.ctx.get_optional_op(name, dialect_stack=self._parser_state.dialect_stack)
        if found is not None:
            return found
        span = self._op_name_span(name)
        dialect = name.partition(".")[0] if "." in name else None
        if dialect is not None and self.ctx.get_optional_dialect(dialect) is None:
            known = tuple(self.ctx.registered_dialect_names)
            hint = close_match(dialect, known) or "; see --show-dialects"
            hint += "; an op of a plug-in needs the plug-in: docs/plugins.md"
            self.raise_error(f"unknown op '{name}': no dialect '{dialect}'{hint}", span)
        known = tuple(op.name for op in self.ctx.loaded_ops)
        self.raise_error(f"unknown op '{name}'{close_match(name, known)}", span)

    def _op_name_span(self, name: str) -> Span:
        """The span of the op's name, which was just consumed: searched backwards from the current
        token.
        """
        here = self._current_token.span
        start = here.input.content.rfind(name, 0, here.start)
        return here if start < 0 else Span(start, start + len(name), here.input)

    def parse_module(self, allow_implicit_module: bool = True) -> ModuleOp:
        """Parse the whole text.

        Raises:
            ParseError: the text is wrong; `compile_error` gives it a position.
        """
        try:
            module = super().parse_module(allow_implicit_module)
        except ParseError as error:
            missing = [name for name in self.forward_ssa_references if name in self._first_use]
            if missing and error.msg.startswith("values used but not defined"):
                name = missing[0]
                raise ParseError(
                    self._first_use[name], f"use of value %{name}, which is not defined"
                ) from error
            raise
        if isinstance(module.location, UnknownLoc):
            line, column = self.line_and_column(0)
            module.location = FileLineColLoc(self._file, IntAttr(line), IntAttr(column))
        return module

    def compile_error(self, error: ParseError) -> CompileError:
        """The same error with file, line and column."""
        line, column = self.line_and_column(error.span.start)
        message = one_line(error.msg)
        message = _CLEARER.get(message, message)
        if isinstance(error, MultipleSpansParseError):
            for span, text in error.refs:
                at, where = self.line_and_column(span.start)
                position = Position(file=self._file.data, line=at, column=where)
                detail = text or (error.ref_text or "").rstrip(":")
                message += f" ({detail}: {format_position(position)})"
        return CompileError(message, file=self._file.data, line=line, column=column)
