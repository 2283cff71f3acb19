"""Reading the input of a tool, and splitting it into modules."""

from __future__ import annotations

import os
import re
import sys

from snippets_mlir.errors import CompileError

_SPLIT = re.compile(r"^[ \t]*// -----[^\n]*(?:\n|\Z)", re.MULTILINE)
_NOTHING = re.compile(r"(?:\s|//[^\n]*(?:\n|\Z))*")


def read_input(path: str | None, kind: str | None) -> tuple[str | bytes, str]:
    """The content of the input and what kind of input it is.

    Args:
        path: a file; None or `-` is standard input.
        kind: `mlir` or `onnx`; None tells it from the file's suffix.

    Returns:
        Text for `mlir`, bytes for the rest; and the kind.

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
    return (_decode(data, name), kind) if kind == "mlir" else (data, kind)


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
    """Split at lines `// -----`; parts that hold nothing but blanks and comments are left out.

    Returns:
        Each part with the number of lines in front of it.
    """
    parts: list[tuple[str, int]] = []
    start = 0
    for end, following in (*(m.span() for m in _SPLIT.finditer(text)), (len(text), len(text))):
        part = text[start:end]
        if _NOTHING.fullmatch(part) is None:
            parts.append((part, text.count("\n", 0, start)))
        start = following
    return parts
