"""Compare the partitioners on models: parts, memory traffic between them, kernels, time.

    python -m snippets_mlir.tools.compare_partitioners model.onnx other.mlir

It prints a line for each model and partitioner. `parts` are the subgraphs and the ops beside them
after partitioning, `fused` the parts with several ops. `MiB between` is the memory that parts read
and write for values exchanged between parts and for inputs and outputs of the program, without
constants. `kernels` and `others` describe the final program: compiled kernels, and ops that other
executors run. Times are medians of alternating calls. The tokenizer is shown twice: as used beside
onnxruntime, where it skips ops that onnxruntime fuses itself, and with nothing skipped; `parts` is
without skipping. The exit code is 1 if results differ.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING

from snippets_mlir.support.diagnostics import render
from snippets_mlir.support.errors import CompileError

if TYPE_CHECKING:
    from snippets_mlir.driver.compiled import Compiled

TOKENIZE, FUSE_OPS = "canonicalize,snippets-tokenize", "canonicalize,snippets-fuse-ops"
ROWS = (
    ("tokenize", "tokenize", "auto", TOKENIZE),
    ("tokenize, nothing skipped", "tokenize", "none", TOKENIZE),
    ("fuse-ops", "fuse-ops", "auto", FUSE_OPS),
)
"""The name of a row, its partitioner, what is marked as skipped, the passes that make the parts."""


def _milliseconds(programs: Sequence[Compiled], arrays: Sequence[object]) -> list[float]:
    """The median time of a call of each, for 200 alternating calls or about four seconds."""
    for program in programs:
        program(*arrays)
    times: list[list[float]] = [[] for _ in programs]
    end = perf_counter() + 4
    while len(times[0]) < 3 or (perf_counter() < end and len(times[0]) < 200):
        for program, found in zip(programs, times, strict=True):
            start = perf_counter()
            program(*arrays)
            found.append(1e3 * (perf_counter() - start))
    return [median(found) for found in times]


def compare_model(path: Path) -> tuple[list[str], bool]:
    """The table rows of a model, and whether the results of all partitioners agree."""
    from snippets_mlir.driver import compile_with
    from snippets_mlir.driver.settings import Settings
    from snippets_mlir.inspect.compare import ONNX_TOLERANCE, compare
    from snippets_mlir.inspect.partitions import partition_by
    from snippets_mlir.tools.run_inputs import make_inputs

    programs = [
        compile_with(path, None, Settings.filled(partitioner=p, mark_skipped=skipped))
        for _, p, skipped, _ in ROWS
    ]
    first = programs[0]
    arrays = make_inputs(first.inputs, {}, {}, 0, indices=first.source.model is not None)
    names = [spec.name for spec in first.inputs]
    results = [list(p.run(dict(zip(names, arrays, strict=True))).values()) for p in programs]
    same = all(
        compare(value, expected, ONNX_TOLERANCE).ok
        for other in results[1:]
        for value, expected in zip(other, results[0], strict=True)
    )
    times = _milliseconds(programs, arrays)
    rows: list[str] = []
    for (name, _, _, passes), program, time in zip(ROWS, programs, times, strict=True):
        found = partition_by(program.source, passes)
        rows.append(
            f"| {path.stem} | {name} | {found.parts} | {found.fused} | "
            f"{found.bytes_moved / 2**20:.1f} | {len(program.kernels)} | {len(program.opaque)} | "
            f"{time:.2f} | {'yes' if same else 'NO'} |"
        )
    return rows, same


HEADER = (
    "| model | partitioner | parts | fused | MiB between | kernels | others | ms | same results |",
    "|---|---|---|---|---|---|---|---|---|",
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table for the models on the command line."""
    parser = ArgumentParser("compare-partitioners", description="Compare the partitioners.")
    parser.add_argument("model", nargs="+", type=Path, help="a .mlir or .onnx file")
    models: list[Path] = parser.parse_args(arguments).model
    print("\n".join(HEADER))
    agree = True
    for path in models:
        try:
            rows, same = compare_model(path)
        except CompileError as error:
            print(render(error, default_file=str(path)), file=sys.stderr)
            return 1
        print("\n".join(rows), flush=True)
        agree = agree and same
    return 0 if agree else 1


if __name__ == "__main__":
    sys.exit(main())
