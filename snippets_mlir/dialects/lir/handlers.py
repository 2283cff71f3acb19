"""Handlers of a loop: actions on its first, main and last part when the loop is split.

    #lir.loop<0, work 13, inc 8, dim 0, handlers [first "my-pass", last "set-fill-offset" 5]>

A handler consists of its part, its name, and a number if it takes one. Source: the guide's
SpecificIterationHandlers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from xdsl.parser import AttrParser

HandledPart = Literal["first", "main", "last"]

HANDLED: tuple[HandledPart, ...] = ("first", "main", "last")
"""The parts of a loop that can have handlers, in order of execution."""


@dataclass(frozen=True)
class IterationHandler:
    """One handler of a loop.

    Attributes:
        part: the part of the loop that it is for.
        name: of a handler that the compiler has, or of a pass that handles parts.
        argument: a number, for handlers that take one.
    """

    part: HandledPart
    name: str
    argument: int | None = None


def merge_handlers(
    a: Sequence[IterationHandler], b: Sequence[IterationHandler]
) -> tuple[IterationHandler, ...] | None:
    """The handlers of two loops that become one; None when they cannot be merged.

    Handlers with the same part and name must have the same argument, and are merged. The other
    handlers of `b` come after the handlers of `a`.
    """
    merged = list(a)
    known = {(handler.part, handler.name): handler.argument for handler in a}
    for handler in b:
        if (handler.part, handler.name) not in known:
            merged.append(handler)
        elif known[handler.part, handler.name] != handler.argument:
            return None
    return tuple(merged)


def parse_handlers(parser: AttrParser) -> tuple[IterationHandler, ...]:
    """Parse the list after the keyword `handlers`."""
    return tuple(parser.parse_comma_separated_list(parser.Delimiter.SQUARE, lambda: _parse(parser)))


def _parse(parser: AttrParser) -> IterationHandler:
    for part in HANDLED:
        if parser.parse_optional_keyword(part):
            name = parser.parse_str_literal()
            return IterationHandler(part, name, parser.parse_optional_integer())
    parser.raise_error("expected `first`, `main` or `last`, and the name of a handler")


def format_handlers(handlers: Sequence[IterationHandler]) -> str:
    """`[first "my-pass", last "set-fill-offset" 5]`: the text that `parse_handlers` parses."""
    texts = [
        f'{h.part} "{h.name}"' + ("" if h.argument is None else f" {h.argument}") for h in handlers
    ]
    return f"[{', '.join(texts)}]"
