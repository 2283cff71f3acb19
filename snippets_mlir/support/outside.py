"""Registrations of plug-ins for the whole process, for parts that do not load the dialects.

`dialects/snippets/registry.py` fills `OPS` and `DIALECTS`: contexts know these ops and their
dialects. `PARTS` records the origin of each op, target and implementation, for the keys of the
cache.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from time import time
from typing import Any, NamedTuple

IMPORTED_AT = time()
"""When this package was imported, in seconds of the epoch."""

_PACKAGE = str(Path(__file__).parents[1])
_NOT_OUTSIDE = {"llvmlite", "ml_dtypes", "numpy", "onnx", "onnxruntime", "xdsl"}

OPS: dict[str, type[Any]] = {}
"""Name of an op, with its dialect's -> its class."""

DIALECTS: dict[str, Callable[[], Any]] = {}
"""Name of a dialect -> a function that creates it; for dialects that a plug-in names but does not
define."""


class PlugIn(NamedTuple):
    """A plug-in that was loaded.

    Attributes:
        name: its name in the request.
        code: its module, the path of a file of patterns, or an object in place of a module.
    """

    name: str
    code: object


class Place(NamedTuple):
    """A line of a plug-in's file; its text is `FILE:LINE`."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


def place_outside(error: BaseException) -> Place | None:
    """The innermost frame of an error in a plug-in; None for none."""
    found = None
    trace = error.__traceback__
    while trace is not None:
        frame = trace.tb_frame
        file, module = frame.f_code.co_filename, str(frame.f_globals.get("__name__"))
        known = module.partition(".")[0] in _NOT_OUTSIDE | sys.stdlib_module_names
        if not known and not file.startswith(_PACKAGE):
            found = Place(file, trace.tb_lineno)
        trace = trace.tb_next
    return found


PARTS: dict[str, PlugIn | None] = {}
"""`op 'mine.twice'`, `target 'mine'`, `implementation 'mine'` -> its plug-in; None for none."""


def from_plugin(part: str, text: str) -> str:
    """The text of an error about a part, preceded by the name of its plug-in."""
    plugin = PARTS.get(part)
    return text if plugin is None else f"plugin '{plugin.name}': {text}"
