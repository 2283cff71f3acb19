"""The text of report passes: on standard output, or in a file."""

from __future__ import annotations

import sys
from pathlib import Path

from snippets_mlir.support.errors import CompileError


def write_report(text: str, file: str) -> None:
    """Write `text` to `file`, or to standard output for an empty name.

    Raises:
        CompileError: the file cannot be written.
    """
    if not file:
        sys.stdout.write(text)
        return
    try:
        Path(file).write_text(text, encoding="utf-8")
    except OSError as error:
        raise CompileError(f"cannot write {file}: {error.strerror}") from None
