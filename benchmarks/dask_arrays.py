"""Kernels on arrays of Dask beside Dask's graph of NumPy: a part of docs/frontend-results.md.

    python benchmarks/dask_arrays.py [--gigabytes 4] [--runs 3] [NAMES] [--seed N] [--document FILE]

Two workers are processes of one thread with a `memory_limit` of 1 GB each; the array, of float32 in
chunks of 64 MiB, is made by the workers and is larger than their memory together. Each run has new
workers, so that it has its own peak: the largest resident set of the two (`VmHWM`). Runs of the two
alternate; the time, from `compute` to the result, is the median. The results, sums, are compared
with each other. `--quick` takes one run of three chunks.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from importlib import import_module
from statistics import median
from typing import Any

import frontend_page
import numpy as np
from tables import duration, table

from snippets_mlir.dask import apply_gufunc, map_blocks, reduction

da: Any = import_module("dask.array")
ROWS, COLUMNS = 1 << 13, 1 << 11
BAR = 0.6


def total(block: Any, axis: Any, keepdims: bool) -> Any:
    """The sum of a block."""
    return block.sum(axis, keepdims=keepdims)


def gelu(x: Any) -> Any:
    """The activation by tanh."""
    return (
        x
        * np.float32(0.5)
        * (1 + np.tanh(np.float32(0.7978846) * (x + np.float32(0.044715) * x * x * x)))
    )


def weighted_softmax(x: Any) -> Any:
    """Softmax of rows, times the row."""
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) * x


def moments(x: Any) -> Any:
    """The summands of the third program; NumPy's powers would be slow."""
    square = (x - np.float32(0.5)) * (x - np.float32(0.5))
    return square * square


def moments_total(block: Any, axis: Any, keepdims: bool) -> Any:
    """The sum of `moments` of a block."""
    return total(moments(block), axis, keepdims)


PROGRAMS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "gelu": (lambda x: reduction(total, map_blocks(gelu, x)), lambda x: gelu(x).sum()),
    "softmax": (
        lambda x: reduction(total, apply_gufunc(weighted_softmax, "(i)->(i)", x)),
        lambda x: weighted_softmax(x).sum(),
    ),
    "moments": (lambda x: reduction(moments_total, x), lambda x: moments(x).sum()),
}


def peak() -> float:
    """The largest resident set of this process until now, in MB."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) / 1e3 for line in status if line.startswith("VmHWM"))


def run(make: Callable[[Any], Any], blocks: int, seed: int) -> tuple[float, float, float]:
    """The result, the seconds, and the peak in MB, with new workers."""
    distributed: Any = import_module("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, memory_limit="1GB", dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        x = da.random.default_rng(seed).random(
            (ROWS * blocks, COLUMNS), chunks=(ROWS, COLUMNS), dtype=np.float32
        )
        result = make(x)
        begin = time.perf_counter()
        found = float(result.compute())
        return found, time.perf_counter() - begin, max(client.run(peak).values())


def main(given: Sequence[str] | None = None) -> None:
    """Measure, print the table and write it into the page."""
    parser = frontend_page.parser_of(__doc__, [*PROGRAMS])
    parser.add_argument("--gigabytes", type=float, default=4)
    parser.add_argument("--runs", type=int, default=3)
    options = frontend_page.parsed(parser, [*PROGRAMS], given)
    blocks = 3 if options.quick else round(options.gigabytes * 1e9 / (ROWS * COLUMNS * 4))
    rows: list[list[str]] = []
    for name in options.names:
        found: tuple[list[Any], list[Any]] = [], []
        for _ in range(1 if options.quick else options.runs):
            for place, make in enumerate(PROGRAMS[name]):
                found[place].append(run(make, blocks, options.seed))
        values = [result for runs in found for result, _, _ in runs]
        assert np.allclose(values, values[-1], rtol=1e-3), values
        (ours, own_peak), (theirs, their_peak) = (
            (median(s for _, s, _ in runs), max(mb for _, _, mb in runs)) for runs in found
        )
        row = [name, duration(ours), duration(theirs), f"{ours / theirs:.2f}"]
        rows.append([*row, f"{own_peak:.0f}", f"{their_peak:.0f}"])
        print(*rows[-1], flush=True)
    rows.append(["bar", "", "", f"{BAR:.2f}", "", ""])
    head = ["the sum of", "ours", "NumPy's graph", "ratio", "peak, ours, MB", "NumPy's, MB"]
    size = f"{blocks} chunks of 64 MiB, {options.runs} runs."
    heading = frontend_page.heading(options, ("snippets_mlir", "dask", "distributed", "numpy"))
    frontend_page.finish(options, "dask", [heading, table(head, rows), size])


if __name__ == "__main__":
    main()
