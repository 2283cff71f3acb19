"""The syntax of pipelines: xDSL's `-p` and mlir-opt's `--pass-pipeline`, in one grammar.

    pipeline ::= (element (`,` element)*)?
    element  ::= anchor `(` pipeline `)`            anchor is builtin.module or any
               | `mlir-opt` `[` text `]`
               | name (`{` options `}`)?
    options  ::= (key (`=` value (`,` value)*)?)*   blanks or commas between them
    value    ::= `"` text `"` | `'` text `'` | word

Blanks may be anywhere between these. After a comma, a value is followed by one more value or by the
next option: a word before `=` is an option, and `option_names` decides for the rest.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass

from snippets_mlir.support.errors import CompileError

ANCHORS = ("builtin.module", "any")

_BLANK = re.compile(r"\s*")
_NAME = re.compile(r"[A-Za-z0-9_][\w.-]*")
_KEY = re.compile(r"[A-Za-z_][\w-]*")
_WORD = re.compile(r"[^\s,{}=\"'()\[\]]+")
_QUOTED = re.compile(r'"((?:\\.|[^"\\])*)"|\'([^\']*)\'')


@dataclass(frozen=True)
class Value:
    """One value of an option, as written."""

    text: str
    quoted: bool = False


@dataclass(frozen=True)
class PassText:
    """One pass of a pipeline, as written, with its start column (from 1)."""

    name: str
    column: int
    options: dict[str, tuple[Value, ...]]


def is_word(text: str) -> bool:
    """Whether a value reads back without quotes."""
    return _WORD.fullmatch(text) is not None


FlagNames = Callable[[str], Collection[str]]
"""From a pass name to its options that may be written without a value."""


class PipelineReader:
    """Reads one pipeline; `read` is the entry."""

    def __init__(self, text: str, flags: FlagNames, source: str) -> None:
        self.text = text
        self.flags = flags
        self.source = source
        self.position = 0

    def fail(self, message: str) -> CompileError:
        """An error at the current position."""
        return CompileError(message, file=self.source, line=1, column=self.position + 1)

    def peek(self) -> str:
        """Skip blanks; returns the next character, or nothing at the end."""
        match = _BLANK.match(self.text, self.position)
        self.position = match.end() if match else self.position
        return self.text[self.position : self.position + 1]

    def seen(self) -> str:
        """The next text, for a message."""
        return f"'{character}'" if (character := self.peek()) else "the end"

    def take(self, character: str) -> bool:
        """Skip this character if it comes next."""
        if self.peek() != character:
            return False
        self.position += 1
        return True

    def match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Skip what the pattern matches here."""
        self.peek()
        found = pattern.match(self.text, self.position)
        if found:
            self.position = found.end()
        return found

    def read(self) -> list[PassText]:
        """Read the whole text: passes with options; an error if any text is left."""
        passes = self.pipeline()
        if self.peek():
            raise self.fail(f"expected ',' between passes, found {self.seen()}")
        return passes

    def pipeline(self) -> list[PassText]:
        """Read elements up to the end, or to a parenthesis that closes no anchor."""
        passes: list[PassText] = []
        anchors: list[str] = []
        while True:
            if self.peek() not in ("", ")"):
                name, column = self.name()
                if self.peek() == "(":
                    anchors.append(self.anchor(name))
                    continue
                passes.append(self.element(name, column))
                if self.take(","):
                    continue
            while anchors and self.take(")"):
                anchors.pop()
            if not self.take(","):
                break
        if anchors:
            raise self.fail(f"expected ')' at the end of '{anchors[-1]}(...'")
        return passes

    def name(self) -> tuple[str, int]:
        """Read a name; returns it and its start column."""
        self.peek()
        column = self.position + 1
        name_match = self.match(_NAME)
        if name_match is None:
            raise self.fail(f"expected a pass name, found {self.seen()}")
        return name_match.group(), column

    def element(self, name: str, column: int) -> PassText:
        """Read the text after the name of a pass."""
        following = self.peek()
        if following == "[" and name == "mlir-opt":
            return self.upstream_tool(column)
        return PassText(name, column, self.options(name) if following == "{" else {})

    def anchor(self, name: str) -> str:
        """Read the parenthesis after an anchor."""
        if name not in ANCHORS:
            self.position -= len(name)
            raise self.fail(
                f"passes run on the whole module here, not on each '{name}'; "
                f"write its passes without '{name}(...)' around them"
            )
        self.take("(")
        return name

    def upstream_tool(self, column: int) -> PassText:
        """Read xDSL's `mlir-opt[passes]`, which runs the real mlir-opt."""
        end = self.text.find("]", self.position)
        if end < 0:
            raise self.fail("expected ']' at the end of 'mlir-opt[...'")
        inner = self.text[self.position + 1 : end]
        self.position = end + 1
        arguments = (
            "--mlir-print-op-generic",
            "--allow-unregistered-dialect",
            "-p",
            f"builtin.module({inner})",
        )
        values = tuple(Value(argument, quoted=True) for argument in arguments)
        return PassText("mlir-opt", column, {"arguments": values})

    def options(self, name: str) -> dict[str, tuple[Value, ...]]:
        """Read `{...}` after a pass name."""
        flags = frozenset(flag.replace("_", "-") for flag in self.flags(name))
        self.take("{")
        found: dict[str, tuple[Value, ...]] = {}
        while not self.take("}"):
            if self.take(","):
                continue
            key_match = self.match(_KEY)
            if key_match is None:
                raise self.fail(f"expected an option of '{name}' or '}}', found {self.seen()}")
            key = key_match.group().replace("_", "-")
            if key in found:
                self.position = key_match.start()
                raise self.fail(f"option '{key}' of pass '{name}' is given twice")
            found[key] = self.values(key, flags) if self.take("=") else ()
        return found

    def values(self, key: str, flags: Collection[str]) -> tuple[Value, ...]:
        """Read the values of one option."""
        values = [self.value(key)]
        while self.peek() == ",":
            after = self.position
            self.take(",")
            word = self.match(_KEY)
            next_option = word is not None and (
                self.peek() == "=" or word.group().replace("_", "-") in flags
            )
            self.position = after
            if next_option:
                break
            self.take(",")
            values.append(self.value(key))
        return tuple(values)

    def value(self, key: str) -> Value:
        """Read one value of an option: a word, or text in quotes."""
        if (quoted := self.match(_QUOTED)) is not None:
            double, single = quoted.group(1), quoted.group(2)
            text = re.sub(r"\\(.)", r"\1", double) if double is not None else single
            return Value(text, quoted=True)
        if (word := self.match(_WORD)) is not None:
            return Value(word.group())
        raise self.fail(f"expected a value for option '{key}', found {self.seen()}")


def read_pipeline(text: str, flags: FlagNames, source: str = "<pipeline>") -> list[PassText]:
    """Split the text of a pipeline into its passes; nothing is looked up.

    Raises:
        CompileError: the text does not follow the grammar; with the column in it.
    """
    return PipelineReader(text, flags, source).read()
