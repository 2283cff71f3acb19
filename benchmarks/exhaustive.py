"""Accuracy of the compiled unary float32 functions over all inputs.

    python benchmarks/exhaustive.py [OP ...] [--stride N] [--processes N] [--json FILE]
    python benchmarks/exhaustive.py --tables [--json FILE] [--document FILE]

Each function's kernel runs over the 2^32 bit patterns of float32, or every N-th of them, and is
compared with float64; `accuracy.py` says how. It prints the largest error in units in the last
place, its input, the error there by mpmath, and the results at special values. FILE keeps the
results: an interrupted run continues, and functions that are finished with this stride or a smaller
one, by the same code, do not run again. `--tables` runs nothing and writes the tables of FILE into
a document, between its two marks.

Exit code 1 when a special value is wrong or an error is above the bound of 2 ULP that all functions
keep.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import time
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from multiprocessing import get_context
from multiprocessing.pool import Pool
from pathlib import Path
from typing import Any

import numpy as np
from accuracy import NAMES, PATTERNS, Worst, check_range, errors, kernel, mpmath_error, oracle
from tables import document, write_between_marks

HERE = Path(__file__).resolve().parent
DOCUMENT = HERE.parent / "docs" / "accuracy.md"
BOUND = 2.0
PART = 1 << 27
"""Patterns of one task: what is lost when a run is interrupted."""

SPECIAL = {
    "0": 0.0, "-0": -0.0, "inf": np.inf, "-inf": -np.inf, "NaN": np.nan, "1": 1.0, "-1": -1.0,
    "smallest": 2.0**-149, "-smallest": -(2.0**-149), "largest": float(np.finfo(np.float32).max),
    "-largest": -float(np.finfo(np.float32).max),
}  # fmt: skip

Entry = dict[str, Any]
"""What is known of one function: keys as `new_entry` and `finish` write them."""


def specials(name: str) -> tuple[list[str], list[str]]:
    """The results at `SPECIAL` as text, and their errors."""
    x = np.array(list(SPECIAL.values()), np.float32)
    got = np.asarray(kernel(name, len(x))(x))
    exact = oracle(name, x)
    wrong = [
        f"{name}({label}) is {value}, expected {right}"
        for label, value, right, error in zip(SPECIAL, got, exact, errors(got, exact), strict=True)
        if error > BOUND
    ]
    return [_text(value) for value in got], wrong


def _text(value: float) -> str:
    return "NaN" if np.isnan(value) else f"{value:.7g}"


def new_entry(name: str, stride: int) -> Entry:
    """The entry of a function without results; `code` identifies its kernel."""
    compiled: Any = kernel(name)
    code = hashlib.sha256(compiled.kernels[0].ir("llvm-ir").encode()).hexdigest()[:16]
    return {
        "stride": stride, "code": code, "next": 0, "error": 0.0, "bits": 0, "inputs": 0,
        "seconds": 0.0,
    }  # fmt: skip


def goes_on(old: Entry | None, new: Entry) -> bool:
    """Whether the earlier results are for the same code, and for at least as many inputs."""
    if old is None or old["code"] != new["code"]:
        return False
    return bool(
        old["stride"] == new["stride"] or ("special" in old and old["stride"] < new["stride"])
    )


def run_parts(name: str, entry: Entry, pool: Pool) -> Iterable[None]:
    """Run the remaining parts of a function; `entry` is up to date after each part."""
    stride = entry["stride"]
    starts = range(entry["next"], PATTERNS, PART * stride)
    tasks = [(name, first, min(first + PART * stride, PATTERNS), stride) for first in starts]
    began = time.perf_counter()
    for task, found in zip(tasks, pool.imap(check_range, tasks), strict=True):
        worst = Worst(entry["error"], entry["bits"], entry["inputs"]).with_other(found)
        entry.update(error=worst.error, bits=worst.bits, inputs=worst.inputs, next=task[2])
        now = time.perf_counter()
        entry["seconds"] += now - began
        began = now
        yield


def finish(name: str, entry: Entry) -> None:
    """Add the results that need all parts."""
    if entry["inputs"] != -(-PATTERNS // entry["stride"]):
        raise RuntimeError(f"{name}: {entry['inputs']} inputs checked")
    special, wrong = specials(name)
    confirmed = mpmath_error(name, entry["bits"])
    date = datetime.now(UTC).date().isoformat()
    entry.update(confirmed=confirmed, special=special, wrong=wrong, date=date)


HEAD = ["function", "largest error, ULP", "by mpmath", "at", "bits", "seconds"]


def cells(name: str, entry: Entry) -> list[str]:
    """The line of the first table."""
    x = np.array([entry["bits"]], np.uint32).view(np.float32)[0]
    exact = "" if entry["confirmed"] is None else f"{entry['confirmed']:.4f}"
    bits = f"0x{entry['bits']:08x}"
    return [
        f"`{name}`",
        f"{entry['error']:.4f}",
        exact,
        f"{x:.9g}",
        bits,
        f"{entry['seconds']:.0f}",
    ]


def line(parts: Sequence[str]) -> str:
    """A line of a Markdown table."""
    return f"| {' | '.join(parts)} |"


def tables(entries: dict[str, Entry]) -> str:
    """A table for each stride, and the table of special values, as Markdown."""
    done = {name: entry for name, entry in sorted(entries.items()) if "special" in entry}
    lines: list[str] = []
    for stride in sorted({entry["stride"] for entry in done.values()}):
        some = [(name, entry) for name, entry in done.items() if entry["stride"] == stride]
        what = (
            "All 2^32 inputs" if stride == 1 else f"{some[0][1]['inputs']} inputs, every {stride}th"
        )
        lines += [f"{what}, {' and '.join(sorted({entry['date'] for _, entry in some}))}:", ""]
        lines += [line(HEAD), line(["---"] * len(HEAD)), *(line(cells(*row)) for row in some), ""]
    head = ["x", *SPECIAL]
    lines += ["Special values:", "", line(head), line(["---"] * len(head))]
    lines += [line([f"`{name}`", *entry["special"]]) for name, entry in done.items()]
    return "\n".join(lines) + "\n"


def check(
    names: Sequence[str], stride: int, processes: int, known: dict[str, Entry], to: Path
) -> None:
    """Bring `known` up to date for the functions, and write it to `to` after each part."""
    print(line(HEAD), line(["---"] * len(HEAD)), sep="\n", flush=True)
    with get_context("spawn").Pool(processes) as pool:
        for name in names:
            entry = new_entry(name, stride)
            if goes_on(known.get(name), entry):
                entry = known[name]
            known[name] = entry
            if "special" not in entry:
                for _ in run_parts(name, entry, pool):
                    _save(known, to)
                finish(name, entry)
                _save(known, to)
            print(line(cells(name, entry)), flush=True)


def _save(known: dict[str, Entry], to: Path) -> None:
    part = to.with_name(f"{to.name}.{os.getpid()}")
    part.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    part.replace(to)


def options_of(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(description="Accuracy of the unary float32 functions.")
    parser.add_argument("ops", nargs="*", metavar="OP", help=", ".join(NAMES))
    parser.add_argument("--stride", type=int, default=1, help="take every N-th input")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--json", type=Path, default=DOCUMENT.with_suffix(".json"))
    parser.add_argument("--tables", action="store_true", help="write the tables and run nothing")
    parser.add_argument("--document", type=document(), default=DOCUMENT)
    options = parser.parse_args(arguments)
    if options.stride < 1:
        parser.error("--stride: expected 1 or more")
    unknown = set(options.ops) - set(NAMES)
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(NAMES)}")
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    """Check the functions named, or all; or write the tables."""
    options = options_of(arguments)
    found: Path = options.json
    known: dict[str, Entry] = json.loads(found.read_text("utf-8")) if found.exists() else {}
    if options.tables:
        write_between_marks(options.document, tables(known))
        return 0
    names = options.ops or list(NAMES)
    check(names, options.stride, options.processes, known, found)
    print("", tables({name: known[name] for name in names}).rpartition("\n\n")[2], sep="\n")
    bad = [text for name in names for text in known[name]["wrong"]]
    bad += [f"{name}: error above {BOUND} ULP" for name in names if known[name]["error"] > BOUND]
    for text in bad:
        print(text)
    return int(bool(bad))


if __name__ == "__main__":
    sys.exit(main())
