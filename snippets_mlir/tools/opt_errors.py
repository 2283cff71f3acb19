"""Errors of `snippets-opt`, each on one line; `--debug` shows their traceback instead."""

from __future__ import annotations

from xdsl.utils.exceptions import ArgSpecParseError

from snippets_mlir.support.diagnostics import render
from snippets_mlir.support.errors import CompileError, UndecidedError, one_line
from snippets_mlir.support.outside import place_outside


def line_of(error: BaseException) -> str:
    """The line for an error; an error of an unexpected class is a bug, of ours or of a plug-in."""
    match error:
        case CompileError():
            return render(error)
        case UndecidedError():
            return f"error: {error}; compile it for sizes that are numbers"
        case ArgSpecParseError():
            return f"error: target: {one_line(str(error))}"
        case _:
            notes = [note for note in getattr(error, "__notes__", ()) if "\n" not in note]
            detail = " ".join((f"{type(error).__name__}: {one_line(str(error))}", *notes))
            place = place_outside(error) or "internal error"
            return f"error: {place}: {detail} (--debug shows where)"
