"""docs/frontend-results.md: four benchmarks write their tables into it, each between its own marks.

    numpy_functions.py  jax_functions.py  torch_compile.py  dask_arrays.py

`arguments` has the options that they share. A run of all programs writes the page; a run of some of
them, or with `--quick`, only prints, unless `--document` names a file.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from machine import machine, named
from tables import write_between_marks

DOCUMENT = Path(__file__).resolve().parents[1] / "docs" / "frontend-results.md"


def parser_of(description: str | None, programs: Sequence[str]) -> argparse.ArgumentParser:
    """A parser with the shared options: names, `--seed`, `--quick`, `--document`."""
    parser = argparse.ArgumentParser(description=(description or "").partition("\n")[0])
    known = ", ".join(f"'{name}'" for name in programs)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {known}; all by default")
    parser.add_argument("--seed", type=int, default=0, help="draws the elements of the arrays")
    parser.add_argument("--quick", action="store_true", help="short blocks, to try the program")
    parser.add_argument("--document", type=Path, metavar="FILE")
    return parser


def parsed(
    parser: argparse.ArgumentParser, programs: Sequence[str], given: Sequence[str] | None
) -> Any:
    """The options; `names` are all of `programs` unless some are named."""
    options = parser.parse_args(given)
    if unknown := sorted(set(options.names) - set(programs)):
        parser.error(f"no program '{unknown[0]}'; known: {', '.join(programs)}")
    if options.document is None and not options.names and not options.quick:
        options.document = DOCUMENT
    options.names = options.names or [*programs]
    return options


def heading(options: Any, packages: Sequence[str]) -> str:
    """The day, the machine, and the versions of the packages that are installed."""
    where = machine()
    found = ", ".join(f"{name} {known}" for name in packages if (known := _version(name)))
    day = datetime.now(UTC).strftime("%Y-%m-%d")
    computer = f"{named(where)}, Python {where['python']}"
    text = f"Measured {day} on {computer}, seed {options.seed}: {found}."
    if options.quick:
        text += "\n\nA quick run: too short for its numbers to mean anything."
    return text


def finish(options: Any, part: str, paragraphs: Sequence[str]) -> None:
    """Print the paragraphs, and write them between the marks of `part` in the document, if any."""
    text = "\n\n".join(paragraphs) + "\n"
    print(text)
    if options.document is not None:
        write_between_marks(options.document, text, part)


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
