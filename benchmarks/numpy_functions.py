"""`snippets_mlir.jit` beside NumPy, numba and numexpr: a part of docs/frontend-results.md.

    python benchmarks/numpy_functions.py [NAMES] [--seed N] [--quick] [--document FILE]

All run in one process and take turns as `timing.py` says: a pause until no thread spins, calls that
do not count, then samples, whose median is the number. numba compiles the same function with
`parallel=True, fastmath=True`; numexpr gets the formula as text, where it has the functions.
Results are compared with NumPy in float64 before anything is timed. A package that is not installed
is left out. Last come the time of a call of 64 elements, and that of tracing and the first call of
a function whose program is in the cache.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from statistics import geometric_mean, median

import frontend_page
import numpy as np
from numpy_programs import PROGRAMS, contenders, load_peers
from tables import duration, table
from timing import QUICK, Effort, measure

import snippets_mlir

EFFORT = Effort()
PEERS = ("numba", "numexpr", "NumPy")
BARS = {"numba": 0.8, "numexpr": 0.2}


def cached_trace(processes: int) -> float:
    """Seconds of tracing and the first call of a function whose program is in the cache."""
    program = (
        "import time, numpy as np, snippets_mlir; x = np.ones(64, 'f4')\n"
        "snippets_mlir.jit(lambda x: x * 3)(x)\n"
        "f = snippets_mlir.jit(lambda x: np.tanh(x) * 2 + 1); a = time.perf_counter(); f(x)\n"
        "print(time.perf_counter() - a)"
    )
    runs = [
        subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
        for _ in range(1 + processes)
    ]
    return median(float(run.stdout) for run in runs[1:])


def small_call(effort: Effort) -> float:
    """Seconds of a call of 64 elements."""
    x = np.ones(64, np.float32)
    small = snippets_mlir.jit(lambda x: x * 2 + 1)  # pyright: ignore
    return measure({"ours": lambda: small(x)}, effort)["ours"].median


def measured(name: str, seed: int, effort: Effort) -> dict[str, float]:
    """Seconds of a call by package."""
    times = measure(contenders(name, seed), effort)
    return {package: time.median for package, time in times.items()}


def main(given: Sequence[str] | None = None) -> None:
    """Measure, print the table and write it into the page."""
    options = frontend_page.parsed(
        frontend_page.parser_of(__doc__, [*PROGRAMS]), [*PROGRAMS], given
    )
    load_peers()
    effort = QUICK if options.quick else EFFORT
    ratios: dict[str, list[float]] = {package: [] for package in PEERS}
    rows: list[list[str]] = []
    for name in options.names:
        times = measured(name, options.seed, effort)
        row = [name, duration(times["ours"])]
        row += [duration(times[package]) if package in times else "" for package in PEERS]
        for package in PEERS:
            row.append("")
            if package in times:
                ratios[package].append(times["ours"] / times[package])
                row[-1] = f"{ratios[package][-1]:.2f}"
        rows.append(row)
        print(*row, flush=True)
    means = [f"{geometric_mean(r):.2f}" if (r := ratios[package]) else "" for package in PEERS]
    rows.append(["geometric mean", *[""] * (1 + len(PEERS)), *means])
    bars = [f"{BARS[package]:.2f}" if package in BARS else "" for package in PEERS]
    rows.append(["bar", *[""] * (1 + len(PEERS)), *bars])
    head = ["function", "ours", *PEERS, *(f"/ {package}" for package in PEERS)]
    small = f"A call of 64 elements takes {duration(small_call(effort))} (bar 2.5 us)"
    first = cached_trace(1 if options.quick else 5)
    traced = f"tracing and the first call from the cache {duration(first)} (bar 3 ms)"
    packages = ("snippets_mlir", "numpy", "numba", "numexpr")
    heading = frontend_page.heading(options, packages)
    frontend_page.finish(options, "numpy", [heading, table(head, rows), f"{small}; {traced}."])


if __name__ == "__main__":
    main()
