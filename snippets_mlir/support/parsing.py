"""Text to IR: a module whose ops know their location, or one error with a position."""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import (
    ModuleOp,
)
from xdsl.utils.exceptions import (
    ParseError,
)

from snippets_mlir.support.errors import CompileError, one_line
from snippets_mlir.support.located_parser import WRONG_TEXT, LocatedParser


def parse_module(
    text: str,
    ctx: Context,
    name: str = "<string>",
    *,
    line_offset: int = 0,
    allow_implicit_module: bool = True,
) -> ModuleOp:
    """Parse a module.

    Args:
        text: textual IR; top-level ops that are not one `builtin.module` get one around them.
        ctx: from `make_context`.
        name: file name for locations and errors.
        line_offset: lines before this text in its file.
        allow_implicit_module: whether the text may leave `builtin.module` out.

    Raises:
        CompileError: the text does not parse; with file, line and column. Nothing is verified.
    """
    text = text.removeprefix("\ufeff")
    if not text or text.isspace():
        raise CompileError("the input is empty", file=name, line=1 + line_offset, column=1)
    try:
        parser = LocatedParser(ctx, text, name, line_offset)
    except ParseError as error:  # the first token is already wrong
        place = error.span.get_location()
        raise CompileError(
            one_line(error.msg), file=name, line=place.line + line_offset, column=place.col
        ) from error
    try:
        return parser.parse_module(allow_implicit_module)
    except ParseError as error:
        raise parser.compile_error(error) from error
    except RecursionError as error:
        line, column = parser.line_and_column(parser.pos)
        raise CompileError(
            "the text is nested too deeply", file=name, line=line, column=column
        ) from error
    except WRONG_TEXT as error:  # outside any op: an alias definition, file metadata
        line, column = parser.line_and_column(parser.pos)
        message = one_line(str(error)) or "malformed text"
        raise CompileError(message, file=name, line=line, column=column) from error
