"""Random graphs through every level of the compiler, compared with NumPy.

    python -m snippets_mlir.tools.random_graphs --count 5000 --seed 0 --jobs 2
    python -m snippets_mlir.tools.random_graphs --seed 1234 --count 1 --show

A graph of 5 to 60 ops over the whole op set (elementwise, comparisons, integers, reductions,
softmax, norms, transposes, reshapes, broadcasts; ranks 1 to 6, sizes of 0, of 1 and odd sizes) is
made for each seed. Each output, interpreted at every level of the pipeline and computed by the
compiled kernels, has to be within 8 times NumPy's float32 error, both against float64, plus 4 units
in the last place of the graph's largest intermediate value; integers and bools have to be equal.
Ops after which NumPy's error would be far below the error of random roundings are not used
(`graph_generator`). If an output fails, the exit code is 1, and the seeds are printed.
`--levels=none` skips the interpreter; a graph at all levels takes about two seconds. Each seed has
its own number of threads, 1 to 16 (`testing/thread_counts.py`), which split all kernels.
`--products` makes programs around matrix products (`testing/product_graphs.py`). Each is
partitioned by the tokenizer and by operator fusion, and the kernels of both have to be within the
bounds; programs with few multiplications go through the levels.
"""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from typing import TYPE_CHECKING, cast

from snippets_mlir.support.errors import CompileError
from snippets_mlir.tools.option_values import seed_number

if TYPE_CHECKING:
    from snippets_mlir.driver import Partitioner
    from snippets_mlir.testing.graph_builder import Graph
    from snippets_mlir.testing.graph_formulas import Array
    from snippets_mlir.testing.product_graphs import ProductGraph

SMALLEST, LARGEST = 5, 60


@dataclass(frozen=True)
class Outcome:
    """The result of one graph.

    Attributes:
        ops: the names of the graph's ops.
        failures: a line for each level that is wrong.
        kernels: how many kernels the program has.
        others: how many ops are in none.
        worst: the largest error as a fraction of the tolerance.
    """

    ops: tuple[str, ...]
    failures: tuple[str, ...]
    kernels: int
    others: int
    worst: float


def make_graph(seed: int) -> Graph:
    """The graph of a seed; seeds that follow each other run through all sizes."""
    from snippets_mlir.testing.graph_generator import generate

    return generate(seed, SMALLEST + seed % (LARGEST - SMALLEST + 1))


def compare(graph: Graph, outputs: Sequence[Array]) -> tuple[float, str]:
    """The largest error as a fraction of the tolerance, and its position."""
    import numpy as np

    worst, where = 0.0, ""
    for index, (value, found) in enumerate(zip(graph.outputs, outputs, strict=True)):
        if found.shape != value.shape or found.dtype != value.narrow.dtype:
            return np.inf, f"output {index} is {found.dtype}{list(found.shape)}"
        if value.element != "f32":
            wrong = found != value.narrow
            ratio, text = (
                (np.inf, f"{int(wrong.sum())} elements differ") if wrong.any() else (0, "")
            )
        else:
            with np.errstate(invalid="ignore"):
                error = np.abs(found.astype(np.float64) - value.wide)
            same = (found == value.wide) | (np.isnan(found) & np.isnan(value.wide))
            error = np.where(same, 0.0, np.where(np.isfinite(error), error, np.inf))
            largest, tolerance = float(error.max(initial=0.0)), graph.tolerance(value)
            ratio, text = largest / tolerance, f"error {largest:.3g}, allowed {tolerance:.3g}"
        if ratio > worst:
            worst, where = float(ratio), f"output {index}: {text}"
    return worst, where


def _results(
    graph: Graph | ProductGraph, levels: Sequence[str], partitioners: Sequence[Partitioner]
) -> Iterator[tuple[str, list[Array], int, int]]:
    """Each way to run the graph: its name, outputs, and for programs kernels and other ops."""
    import snippets_mlir
    from snippets_mlir.inspect.levels import run_levels
    from snippets_mlir.testing.thread_counts import drawn_threads, small_kernels_shared

    threads = drawn_threads(graph.seed)
    if levels:
        for level, outputs in run_levels(graph.text, graph.arrays, levels, threads):
            yield f"{level} for {threads} threads", outputs, 0, 0
    for partitioner in partitioners:
        with small_kernels_shared():
            program = snippets_mlir.compile(
                graph.text, partitioner=partitioner, num_threads=threads
            )
            names = [spec.name for spec in program.inputs]
            outputs = list(program.run(dict(zip(names, graph.arrays, strict=True))).values())
        way = f"compiled by {partitioner} for {threads} threads"
        yield way, outputs, len(program.kernels), len(program.opaque)


def _product_graph(seed: int) -> ProductGraph:
    from snippets_mlir.testing.product_graphs import ProductGraph

    return ProductGraph(seed)


def _compared(graph: Graph | ProductGraph, outputs: Sequence[Array]) -> tuple[float, str]:
    from snippets_mlir.testing.product_graphs import ProductGraph
    from snippets_mlir.testing.product_values import wrong_elements

    if isinstance(graph, ProductGraph):
        return wrong_elements(graph.outputs, outputs)
    return compare(graph, outputs)


def check(seed: int, levels: Sequence[str], products: bool = False) -> Outcome:
    """Run the graph of a seed everywhere, or with `products` a program around matrix products."""
    graph = _product_graph(seed) if products else make_graph(seed)
    partitioners: list[Partitioner] = ["tokenize", "fuse-ops"] if products else ["tokenize"]
    if products and not cast("ProductGraph", graph).is_small:
        levels = ()
    failures: list[str] = []
    kernels = others = 0
    worst = 0.0
    try:
        for level, outputs, found, beside in _results(graph, levels, partitioners):
            kernels, others = kernels + found, others + beside
            ratio, where = _compared(graph, outputs)
            worst = max(worst, ratio)
            if ratio > 1:
                failures.append(f"seed {seed}, {level}: {where}")
    except CompileError as error:
        failures.append(f"seed {seed}: {error}")
    except Exception as error:  # the tool searches for bugs, so it continues with other seeds
        failures.append(f"seed {seed}: internal error: {type(error).__name__}: {error}")
    return Outcome(tuple(graph.ops), tuple(failures), kernels, others, worst)


def _load(plugins: Sequence[str]) -> None:
    """Load dialect plug-ins, so that graphs contain their ops."""
    from snippets_mlir.driver.settings import default_context
    from snippets_mlir.passmanager.plugins import load_dialect_plugin

    for plugin in plugins:
        load_dialect_plugin(plugin, default_context())


def _outcomes(
    seeds: range, levels: Sequence[str], jobs: int, plugins: Sequence[str], products: bool
) -> Iterator[Outcome]:
    """The outcome of each seed in order, computed by `jobs` processes."""
    if jobs == 1:
        yield from (check(seed, levels, products) for seed in seeds)
        return
    with ProcessPoolExecutor(jobs, get_context("spawn"), _load, (plugins,)) as pool:
        yield from pool.map(partial(check, levels=levels, products=products), seeds, chunksize=4)


def _parser() -> ArgumentParser:
    parser = ArgumentParser("random-graphs", description="Random graphs through every level.")
    parser.add_argument("--count", type=int, default=100, help="number of graphs (default: 100)")
    parser.add_argument("--seed", type=seed_number, default=0, help="the first seed (default: 0)")
    parser.add_argument(
        "--levels", default="all", help="all, none, or names with commas (default: all)"
    )
    parser.add_argument("--jobs", type=int, default=1, help="processes (default: 1)")
    parser.add_argument(
        "--load-dialect-plugin",
        action="append",
        default=[],
        metavar="PLUGIN",
        help="ops of a plugin",
    )
    parser.add_argument("--products", action="store_true", help="programs around matrix products")
    parser.add_argument("--show", action="store_true", help="print the graphs, too")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Check graphs; print each failure at once, and a summary at the end."""
    from snippets_mlir.inspect.levels import checked_levels

    options = _parser().parse_args(arguments)
    try:
        levels = () if options.levels == "none" else checked_levels(options.levels.split(","))
    except CompileError as error:
        print(f"error: --levels: {error.message}", file=sys.stderr)
        return 1
    try:
        _load(options.load_dialect_plugin)
    except CompileError as error:
        print(f"error: {error.message}", file=sys.stderr)
        return 1
    ops: Counter[str] = Counter()
    failed = kernels = others = 0
    worst, start = 0.0, time.monotonic()
    seeds = range(options.seed, options.seed + options.count)
    plugins, jobs = options.load_dialect_plugin, max(options.jobs, 1)
    outcomes = _outcomes(seeds, levels, jobs, plugins, options.products)
    for seed, outcome in zip(seeds, outcomes, strict=True):
        if options.show:
            print((_product_graph if options.products else make_graph)(seed).text)
        ops.update(outcome.ops)
        failed += bool(outcome.failures)
        kernels, others = kernels + outcome.kernels, others + outcome.others
        worst = max(worst, outcome.worst)
        if outcome.failures:
            print("\n".join(outcome.failures), flush=True)
        if (done := seed - options.seed + 1) % 250 == 0:
            print(f"{done} graphs, {failed} failed", file=sys.stderr, flush=True)
    print(
        f"{options.count} graphs, {ops.total()} ops of {len(ops)} kinds, {kernels} kernels, "
        f"{others} ops beside them; levels: {', '.join((*levels, 'compiled'))}"
    )
    print(
        f"{failed} failed; largest error {worst:.2f} of what is allowed; "
        f"{time.monotonic() - start:.0f} s"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
