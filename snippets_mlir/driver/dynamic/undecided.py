"""Handling of undecidable questions about dynamic dimensions, in one place.

A pass that compares sizes raises `UndecidedError` if the answer depends on the values of symbols
(`dialects/builtin/dims.py`). This is a gap in the compiler, not a mistake of the user. Programs
that would be compiled for a mask or for all shapes are then compiled for each shape, or run as one
session, and reports give the question as the reason. In the tests it is an error:
`SNIPPETS_UNDECIDED=error`, which `test/conftest.py` sets, lets the exception through.
"""

from __future__ import annotations

import os

from snippets_mlir.support.errors import UndecidedError

VARIABLE = "SNIPPETS_UNDECIDED"


def reason_of(error: UndecidedError) -> str:
    """Why there is no code for all values of the symbols; raises `error` itself in tests."""
    if os.environ.get(VARIABLE) == "error":
        raise error
    return str(error)
