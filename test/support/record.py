"""Records what the compiler prints, so that two commits can be compared.

    python test/support/record.py FOLDER [--parts examples,lit] [--graphs 200] [--jobs 2]
    python test/support/record.py --compare FOLDER FOLDER [--lines 40]

A folder gets a text file for each program and target, and `index.txt` with the sha256 of each. The
parts:

* `examples`: `docs/examples`, with the LLVM text, the manifest, and the remarks on what is in no
  kernel, or the error, for each target;
* `workloads`: the same of every benchmark workload, small and large;
* `graphs`: the same of random graphs, by their seeds;
* `programs`: what `snippets_mlir.compile` makes of the examples on this computer;
* `lit`: all that our commands print in the `.mlir` tests: IR, remarks, errors.

Two recordings of one commit on one computer are equal. `--compare` prints the differences, and the
exit code is 1 when there are any. `benchmarks/costs.py` compares times.
"""

from __future__ import annotations

import hashlib
import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from difflib import unified_diff
from itertools import islice
from multiprocessing import get_context
from pathlib import Path

from recorded_programs import Program, graphs, loops, models, recorded, tensors, workloads
from recorded_tests import tests

INDEX = "index.txt"
PARTS = ("examples", "workloads", "graphs", "programs", "lit")


def programs(parts: Sequence[str], count: int) -> Iterator[Program]:
    if "examples" in parts:
        yield from tensors()
        yield from loops()
    if "workloads" in parts:
        yield from workloads()
    if "graphs" in parts:
        yield from graphs(count)
    if "programs" in parts:
        yield from models()
    if "lit" in parts:
        yield from tests()


def record(folder: Path, todo: Sequence[Program], jobs: int) -> int:
    """Write the texts of all programs and their index; how many texts there are."""
    sums: list[str] = []
    for texts in _texts(todo, jobs):
        for name, text in texts.items():
            path, data = folder / name, text.encode()
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            sums.append(f"{hashlib.sha256(data).hexdigest()}  {name}\n")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / INDEX).write_text("".join(sorted(sums, key=lambda s: s[66:])), encoding="utf-8")
    return len(sums)


def _texts(todo: Sequence[Program], jobs: int) -> Iterator[dict[str, str]]:
    if jobs <= 1:
        yield from map(recorded, todo)
        return
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        yield from pool.map(recorded, todo, chunksize=8)


def compare(before: Path, after: Path, lines: int) -> tuple[int, list[str]]:
    """How many texts differ, and what of them to print: at most `lines` lines of each."""
    differing, shown = 0, list[str]()
    names = {p.relative_to(f).as_posix() for f in (before, after) for p in f.rglob("*.*")}
    for name in sorted(names - {INDEX}):
        old, new = _lines(before / name), _lines(after / name)
        if old == new:
            continue
        differing += 1
        if old is None or new is None:
            shown.append(f"only in {before if new is None else after}: {name}\n")
            continue
        difference = unified_diff(old, new, f"{before}/{name}", f"{after}/{name}")
        head = [*islice(difference, lines)]
        shown += head
        if left := sum(1 for _ in difference):
            shown.append(f"... {left} more lines\n")
    return differing, shown


def _lines(path: Path) -> list[str] | None:
    if not path.is_file():
        return None
    return path.read_text(encoding="utf-8").splitlines(keepends=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Record or compare; the exit code."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", help="where the texts go")
    parser.add_argument("--parts", default=",".join(PARTS), help="names with commas (default: all)")
    parser.add_argument("--graphs", type=int, default=200, help="random graphs (default: 200)")
    parser.add_argument("--jobs", type=int, default=1, help="processes (default: 1)")
    parser.add_argument("--compare", type=Path, nargs=2, metavar="FOLDER", help="two recordings")
    parser.add_argument("--lines", type=int, default=40, help="of each difference (default: 40)")
    options = parser.parse_args(arguments)
    if options.compare is not None:
        before: Path
        after: Path
        before, after = options.compare
        for folder in (before, after):
            if not (folder / INDEX).is_file():
                parser.error(f"{folder} is no recording: it has no {INDEX}")
        differing, shown = compare(before, after, options.lines)
        sys.stdout.writelines(shown)
        print(f"{differing} texts differ")
        return int(differing > 0)
    parts = options.parts.split(",")
    if options.folder is None or not set(parts) <= set(PARTS):
        parser.error(f"expected a folder, and parts of {', '.join(PARTS)}")
    if options.folder.exists():
        parser.error(f"{options.folder} exists")
    todo = list(programs(parts, options.graphs))
    print(f"{record(options.folder, todo, options.jobs)} texts of {len(todo)} programs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
