"""Chrome's trace format, which `chrome://tracing` and ui.perfetto.dev show."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from snippets_mlir.support.errors import CompileError


def event(
    name: str, kind: str, begin: int, duration: int, row: int, **facts: object
) -> Mapping[str, Any]:
    """A complete event.

    Args:
        name: the displayed text.
        kind: its category.
        begin: in nanoseconds.
        duration: in nanoseconds.
        row: its row in the display; events of a row are nested.
        facts: details that are displayed when it is selected, as JSON values.
    """
    times = {"ts": begin / 1000, "dur": duration / 1000}
    return {"name": name, "cat": kind, "ph": "X", **times, "pid": 0, "tid": row, "args": facts}


def write_events(file: str, events: Sequence[Mapping[str, Any]]) -> None:
    """Write events to a file.

    Raises:
        CompileError: the file cannot be written.
    """
    try:
        Path(file).write_text(json.dumps({"traceEvents": events}, indent=1), encoding="utf-8")
    except OSError as error:
        raise CompileError(f"cannot write it: {error.strerror}", file=file) from None
