"""Reading the input of a tool, and splitting it into modules."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass

from snippets_mlir.frontends.texts import TEXTS
from snippets_mlir.support.errors import CompileError

_SPLIT = re.compile(r"^[ \t]*// -----[^\n]*(?:\n|\Z)", re.MULTILINE)
_NOTHING = re.compile(r"(?:\s|//[^\n]*(?:\n|\Z))*")


@dataclass(frozen=True)
class Chunk:
    """One module of the input.

    Attributes:
        data: its bytes.
        kind: `mlir`, `onnx`, or another kind by the file's suffix.
        line_offset: lines of the input before it.
        source: the text of the whole input; empty when it is not text.
    """

    data: bytes
    kind: str
    line_offset: int = 0
    source: str = ""

    @property
    def text(self) -> str:
        """The module's text; empty when it is not text."""
        return self.data.decode() if self.source else ""


def read_chunks(path: str | None, kind: str | None, *, split: bool) -> list[Chunk]:
    """Read the input.

    Args:
        path: a file; None or `-` is standard input.
        kind: `onnx` or one of `TEXTS`; None: by the file's suffix.
        split: whether to split text at lines `// -----`.

    Raises:
        CompileError: the file cannot be read, or a text file is not text.
    """
    if path is None or path == "-":
        name, data = "<stdin>", sys.stdin.buffer.read()
    else:
        name = path
        try:
            with open(path, "rb") as file:
                data = file.read()
        except OSError as error:
            raise CompileError(f"cannot read '{path}': {error.strerror}") from error
    kind = kind or os.path.splitext(name)[1].lstrip(".") or "mlir"
    if kind not in TEXTS:
        return [Chunk(data, kind)]
    text = _decode(data, name)
    parts = split_text(text) if split else [(text, 0)]
    return [Chunk(part.encode(), kind, offset, text) for part, offset in parts]


def _decode(data: bytes, name: str) -> str:
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        raise CompileError(
            "the input is not UTF-8 text", file=name, line=line, column=column
        ) from error
    if (index := text.find("\0")) >= 0:
        line = text.count("\n", 0, index) + 1
        column = index - text.rfind("\n", 0, index)
        raise CompileError(
            "the input is binary, it has a zero byte", file=name, line=line, column=column
        )
    return text


def split_text(text: str) -> list[tuple[str, int]]:
    """Split at lines `// -----`; parts with only blanks and comments are left out.

    Returns:
        Each part with the number of lines before it.
    """
    parts: list[tuple[str, int]] = []
    start = 0
    for end, following in (*(m.span() for m in _SPLIT.finditer(text)), (len(text), len(text))):
        part = text[start:end]
        if _NOTHING.fullmatch(part) is None:
            parts.append((part, text.count("\n", 0, start)))
        start = following
    return parts
