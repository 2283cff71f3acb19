"""How much faster programs of many kernels are compiled by several processes.

    python benchmarks/compile_workers.py --kernels 16 --workers 2

Compiles a program of different softmaxes with one process and with `--workers`, in turns and
without a cache, and prints the medians and their ratio: of compilations whose workers have been
started before, and of the first compilation of a new process, which starts them.

One process uses two cores already: LLVM runs in a thread beside the passes. So each line ends with
the time of one process on one core, and its ratio to the others: the work that can be shared.
"""

from __future__ import annotations

import os
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from statistics import median
from time import perf_counter

import snippets_mlir

ONE_CORE = 0
"""In place of a number of workers: this process alone, kept to one core."""
THREADS = 2
"""Of the kernels; the same wherever they are compiled."""


def text_of(kernels: int) -> str:
    """A program of `kernels` softmaxes over rows of different lengths."""
    types = [f"tensor<64x{100 + 37 * i}xf32>" for i in range(kernels)]
    arguments = ", ".join(f"%x{i}: {t}" for i, t in enumerate(types))
    ops = "".join(
        f"  %y{i} = snippets.softmax %x{i} {{axis = 1 : i64}} : {t}\n" for i, t in enumerate(types)
    )
    names = ", ".join(f"%y{i}" for i in range(kernels))
    return (
        f"func.func @main({arguments}) -> ({', '.join(types)}) {{\n{ops}"
        f"  func.return {names} : {', '.join(types)}\n}}"
    )


def compiled(text: str, workers: int) -> float:
    """Milliseconds of a compilation; `ONE_CORE`: by this process on one core."""
    allowed = os.sched_getaffinity(0)
    if workers == ONE_CORE:
        os.sched_setaffinity(0, {min(allowed)})  # new threads inherit this
    try:
        start = perf_counter()
        snippets_mlir.compile(text, compile_workers=max(1, workers), num_threads=THREADS)
        return 1e3 * (perf_counter() - start)
    finally:
        os.sched_setaffinity(0, allowed)


def first(kernels: int, workers: int) -> float:
    """Milliseconds of the first compilation of a new process; see `compiled`."""
    command = [sys.executable, __file__, "--kernels", str(kernels), "--first", str(workers)]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def main(arguments: Sequence[str] | None = None) -> None:
    """Compile and print."""
    parser = ArgumentParser(description="Time compilations by several processes.")
    parser.add_argument("--kernels", type=int, default=16)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--first", type=int, help="only print the time of one compilation")
    args = parser.parse_args(arguments)
    os.environ["SNIPPETS_CACHE_DIR"] = ""
    text = text_of(args.kernels)
    if args.first is not None:
        print(compiled(text, args.first))
        return
    counts = (1, args.workers, ONE_CORE)
    for count in counts:
        compiled(text, count)  # imports, in this process and in workers
    later = [[compiled(text, count) for count in counts] for _ in range(args.rounds)]
    new = [[first(args.kernels, count) for count in counts] for _ in range(3)]
    for what, rounds in (("later compilations", later), ("the first of a process", new)):
        one, several, core = (median(column) for column in zip(*rounds, strict=True))
        print(
            f"{what}, {args.kernels} kernels: 1 process {one:.0f} ms, {args.workers} processes "
            f"{several:.0f} ms, {one / several:.2f} times as fast; "
            f"1 process on 1 core {core:.0f} ms, {core / several:.2f} times as long"
        )


if __name__ == "__main__":
    main()
