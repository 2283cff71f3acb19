"""The counts of kernels as a table and as CSV.

kernel      counted       position   calls   total        average
subgraph_0  snippets.exp  x.mlir:4:8 12096   527172 ns    43.6 ns
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from snippets_mlir.runtime.perf_counts import PerfCount
from snippets_mlir.support.errors import CompileError

COLUMNS = ("kernel", "counted", "position", "calls", "total", "average")
NUMBERS = ("calls", "total", "average")


def table(counts: Sequence[PerfCount]) -> list[str]:
    """A line of titles and a line for each counter, in columns."""
    if not counts:
        return ["no counters: no kernel with counters was run"]
    rows = [COLUMNS, *(_cells(count) for count in counts)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(COLUMNS))]
    return ["  ".join(_aligned(row, widths)).rstrip() for row in rows]


def _aligned(row: Sequence[str], widths: Sequence[int]) -> list[str]:
    return [
        cell.rjust(width) if name in NUMBERS else cell.ljust(width)
        for name, cell, width in zip(COLUMNS, row, widths, strict=True)
    ]


def _cells(count: PerfCount) -> tuple[str, ...]:
    total, average = f"{count.total} {count.unit}", f"{count.average:.1f} {count.unit}"
    position = count.position or "unknown"
    return (count.kernel, count.label, position, str(count.calls), total, average)


def as_json(counts: Sequence[PerfCount]) -> list[dict[str, Any]]:
    """The counts of each kernel as lists and dicts, for JSON."""
    return [{**count._asdict(), "average": count.average} for count in counts]


def csv_text(counts: Sequence[PerfCount]) -> str:
    """The same as comma-separated values, with the unit in a separate column."""
    text = io.StringIO()
    fields = (*PerfCount._fields, "average")
    writer = csv.DictWriter(text, fields, lineterminator="\n")
    writer.writeheader()
    writer.writerows(as_json(counts))
    return text.getvalue()


def write_csv(path: str, counts: Sequence[PerfCount]) -> None:
    """Write the CSV; `CompileError` when the file cannot be written."""
    try:
        Path(path).write_text(csv_text(counts), encoding="utf-8")
    except OSError as error:
        raise CompileError(f"cannot write it: {error.strerror}", file=path) from None
