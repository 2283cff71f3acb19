"""One report of several runs: a whole run takes an hour, its parts can be measured one by one.

    python benchmarks/join.py FILE... [--json FILE] [--markdown FILE] [--svg FILE]

Each FILE is what `run.py --json` wrote. A cell (workload, size, threads) and a section that several
files have is taken from the last of them. The runs have to be of one machine, one target and
one day: their headers are compared.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from outputs import add_outputs, write
from programs import ALL_NAMES
from steps import SIZES

SAME = ("date", "machine", "quick", "seed", "target", "host_target")


def _place(cell: dict[str, Any]) -> tuple[int, int, int]:
    size, workload = SIZES.index(cell["size"]), ALL_NAMES.index(cell["workload"])
    return cell["threads"], size, workload


def joined(results: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The cells, sections and versions of all results; ValueError when they do not go together."""
    first = results[0]
    cells: dict[tuple[str, str, int], Any] = {}
    sections: dict[str, Any] = {}
    for result in results:
        for name in SAME:
            if result.get(name) != first.get(name):
                found = f"{first.get(name)}, {result.get(name)}"
                raise ValueError(f"expected runs of one {name}: {found}")
        for cell in result["cells"]:
            cells[cell["workload"], cell["size"], cell["threads"]] = cell
        sections |= {section["title"]: section for section in result["sections"]}
    return {
        **{name: first[name] for name in SAME if name in first},
        "cells": sorted(cells.values(), key=_place),
        "versions": {k: v for result in results for k, v in result["versions"].items()},
        "missing": {k: v for result in results for k, v in result["missing"].items()},
        "sections": [*sections.values()],
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the Markdown report and write the files asked for."""
    parser = argparse.ArgumentParser(description="One report of several runs.")
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    add_outputs(parser)
    options = parser.parse_args(arguments)
    try:
        result = joined([json.loads(f.read_text(encoding="utf-8")) for f in options.files])
    except (OSError, ValueError) as error:
        print(f"join.py: {error}", file=sys.stderr)
        return 1
    write(result, options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
