"""The errors that a user of the compiler sees.

`CompileError` is raised for every error in the input of a compilation; the tools print it as
`file:line:col: error: message` and exit with code 1.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


def one_line(message: str) -> str:
    """A message of several lines, as xDSL's verifiers write them, joined to one."""
    return " ".join(part for line in message.splitlines() if (part := line.strip()))


_RULE = re.compile(r"(?:^|: )([A-Z]\d{1,2}): ")
RULES = "docs/rules.md"


def with_rule(message: str) -> str:
    """A message that begins a part with the code of a rule, with the place of that rule."""
    found = _RULE.search(message)
    if found is None or RULES in message:
        return message
    return f"{message} (see {RULES}#{found[1].lower()})"


class CompileError(ValueError):
    """A program cannot be compiled.

    Attributes:
        message: what was expected, what was found, and what to try; one line.
        file: name of the input, or None when the input has no name.
        line: line in `file`, counted from 1, or None.
        column: column in `line`, counted from 1, or None.
    """

    def __init__(
        self,
        message: str,
        *,
        file: str | None = None,
        line: int | None = None,
        column: int | None = None,
    ) -> None:
        self.message = one_line(message)
        self.file = file
        self.line = line
        self.column = column
        super().__init__(self.render())

    def render(self) -> str:
        """The message with its position in front, as a compiler prints it."""
        where = [str(p) for p in (self.file, self.line, self.column) if p is not None]
        message = with_rule(self.message)
        return f"{':'.join(where)}: {message}" if where else message

    def put_in(self, file: str) -> None:
        """Make `file` the error's file, unless the error has one."""
        if self.file is None:
            self.file = file
            self.args = (self.render(),)


class PlaceError(CompileError, IndexError):
    """An index of a call is out of bounds."""


class StageError(CompileError):
    """A pass got IR at a stage that it does not accept.

    Attributes:
        symbol: the kernel or graph.
        needed: the stages that the pass accepts.
        found: its stage.
    """

    def __init__(
        self,
        symbol: str,
        needed: Sequence[str],
        found: str,
        *,
        file: str | None = None,
        line: int | None = None,
        column: int | None = None,
    ) -> None:
        self.symbol, self.needed, self.found = symbol, tuple(needed), found
        super().__init__(
            f'expected @{symbol} at stage {" or ".join(needed)}, found "{found}"',
            file=file,
            line=line,
            column=column,
        )


class UndecidedError(ValueError):
    """A question about sizes has no answer for all values of their symbols.

    Attributes:
        question: the question, such as `?0 < 4`.
        place: `file:line` of the code that asked.
    """

    def __init__(self, question: str, place: str) -> None:
        self.question, self.place = question, place
        super().__init__(f"dynamic dimensions do not decide {question}, asked at {place}")


def is_debugging() -> bool:
    """Whether errors show the frames of the compiler, as set by the variable SNIPPETS_DEBUG."""
    return bool(os.environ.get("SNIPPETS_DEBUG"))


def in_one_message(function: Callable[P, R]) -> Callable[P, R]:
    """A function of the public interface: its `CompileError` shows no frames of the compiler.

    With the environment variable `SNIPPETS_DEBUG` the error keeps its traceback and its causes.
    """

    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except CompileError as error:
            if is_debugging():
                raise
            raise error.with_traceback(None) from None

    return called


@contextmanager
def errors_in(file: Callable[[], str | None]) -> Generator[None]:
    """Set the file of a `CompileError` without one to the result of `file`, if that is not None."""
    try:
        yield
    except CompileError as error:
        if error.file is None and (name := file()) is not None:
            error.put_in(name)
        raise


@contextmanager
def depth_of(what: str) -> Generator[None]:
    """Raise a `CompileError` (`what` is nested too deeply) in place of `RecursionError`.

    Regions, types and attributes are trees, which are read, copied and printed recursively.
    """
    try:
        yield
    except RecursionError as error:
        raise CompileError(f"{what} is nested too deeply") from error
