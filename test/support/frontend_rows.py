"""The rows of docs/frontend-results.md."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmark_programs import BENCHMARKS

PAGE = BENCHMARKS.parent / "docs" / "frontend-results.md"


def rows(tables: Any, page: Path, part: str) -> list[str]:
    """The first cells of the rows of a part of the page, without its head, means and bars."""
    lines = [x for x in tables.between_marks(page, part).splitlines() if x.startswith("| ")]
    cells = [line.split("|")[1].strip() for line in lines[2:]]
    return [cell for cell in cells if cell not in ("geometric mean", "bar")]
