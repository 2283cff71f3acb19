"""`--verify-diagnostics`: the errors of a module compared with comments in its text.

    // expected-error @+1 {{C4: shapes 4x8 and 4x9 do not broadcast}}
    %2 = snippets.add %0, %1 : ...
    %3 = foo.bar %2  // expected-error-re {{unknown op '{{.*}}bar'}}

As in MLIR: `error`, `warning`, `remark` or `note`; `-re` makes the text in inner braces a regular
expression; `@+N`, `@-N`, `@above`, `@below` and `@unknown` give the line; a number before the
braces is the count. The text has to occur in the message. A message without a comment, or a comment
without a message, is a failure.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from snippets_mlir.support.diagnostics import render
from snippets_mlir.support.errors import CompileError

_COMMENT = re.compile(
    r"expected-(error|warning|remark|note)(-re)? *"
    r"(?:@([+-]\d+|above|below|unknown))? *(\d+)? *\{\{(.*)\}\}\s*$"
)
_ALMOST = re.compile(r"//.*expected-(error|warning|remark|note)\b")


@dataclass(frozen=True)
class Diagnostic:
    """A message that the tool wants to print."""

    severity: str
    error: CompileError


@dataclass
class Expectation:
    """One expected diagnostic: severity, pattern, place, and the number that is still missing."""

    severity: str
    pattern: re.Pattern[str]
    text: str
    line: int | None
    comment_line: int
    missing: int

    def accepts(self, diagnostic: Diagnostic) -> bool:
        """Whether this comment is about that message."""
        return (
            self.missing > 0
            and self.severity == diagnostic.severity
            and self.line == diagnostic.error.line
            and self.pattern.search(diagnostic.error.message) is not None
        )


def read_expectations(text: str, file: str, line_offset: int = 0) -> list[Expectation]:
    """The comments in a text.

    Raises:
        CompileError: a comment is malformed.
    """
    lines = text.split("\n")
    comments = [_COMMENT.search(line) for line in lines]
    nothing_else = [
        c is not None and line[: c.start()].strip(" \t/") == ""
        for line, c in zip(lines, comments, strict=True)
    ]
    found: list[Expectation] = []
    for index, (line, comment) in enumerate(zip(lines, comments, strict=True)):
        number = index + 1 + line_offset
        if comment is None:
            if _ALMOST.search(line):
                raise CompileError(
                    "malformed expectation; write 'expected-error {{text}}' at the end of the line",
                    file=file,
                    line=number,
                    column=1,
                )
            continue
        severity, is_regex, where, count, body = comment.groups()
        found.append(
            Expectation(
                severity,
                _pattern(body, bool(is_regex)),
                body,
                _target(where, number, nothing_else, line_offset),
                number,
                int(count or 1),
            )
        )
    return found


def _pattern(body: str, is_regex: bool) -> re.Pattern[str]:
    if not is_regex:
        return re.compile(re.escape(body))
    pieces = re.split(r"\{\{(.*?)\}\}", body)
    return re.compile("".join(p if i % 2 else re.escape(p) for i, p in enumerate(pieces)))


def _target(
    where: str | None, number: int, nothing_else: Sequence[bool], offset: int
) -> int | None:
    """The line in the file that a comment on line `number` is about; None for no line.

    `above` and `below` step over lines that hold nothing but such a comment.
    """
    if where is None:
        return number
    if where == "unknown":
        return None
    if where in ("above", "below"):
        step = -1 if where == "above" else 1
        index = number - offset - 1 + step
        while 0 <= index < len(nothing_else) and nothing_else[index]:
            index += step
        return index + 1 + offset
    return number + int(where)


def compare(
    expectations: Sequence[Expectation], diagnostics: Sequence[Diagnostic], file: str
) -> list[CompileError]:
    """The differences between the messages and the comments; empty if they agree."""
    problems: list[CompileError] = []
    for diagnostic in diagnostics:
        meets = next((e for e in expectations if e.accepts(diagnostic)), None)
        if meets is not None:
            meets.missing -= 1
            continue
        error = diagnostic.error
        problems.append(
            CompileError(
                f"unexpected {diagnostic.severity}: {error.message}",
                file=error.file or file,
                line=error.line,
                column=error.column,
            )
        )
    problems.extend(
        CompileError(
            f'expected {e.severity} "{e.text}" was not produced',
            file=file,
            line=e.comment_line,
            column=1,
        )
        for e in expectations
        if e.missing
    )
    return problems


def judge(
    diagnostics: Sequence[Diagnostic], text: str, file: str, line_offset: int, *, expected: bool
) -> list[CompileError]:
    """The errors among the messages of a module that count.

    Args:
        diagnostics: the messages of the module.
        text: the text of the module.
        file: its file.
        line_offset: lines of the file before it.
        expected: whether comments in the text state the expected messages. If not, remarks,
            warnings and notes are printed, and every error counts.
    """
    if expected:
        return compare(read_expectations(text, file, line_offset), diagnostics, file)
    for diagnostic in diagnostics:
        if diagnostic.severity != "error":
            print(render(diagnostic.error, severity=diagnostic.severity), file=sys.stderr)
    return [d.error for d in diagnostics if d.severity == "error"]
