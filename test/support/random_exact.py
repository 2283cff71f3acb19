"""Random graphs of whole numbers through the compiler: every element has to be NumPy's.

    PYTHONPATH=test/support python test/support/random_exact.py --count 1000 --seed 0

Each graph (`exact_ops`) is compiled in one of many ways: both partitioners, 1 to 16 threads,
several targets, fast and strict mathematics, non-temporal stores, counters. It is called with
arrays that are dense, unaligned, strided, reversed or in Fortran's order, for several sizes of its
dynamic dims; `--levels` interprets it at every level, too.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
from exact_graphs import ExactGraph
from exact_ops import generate
from exact_values import differences
from seeds import parser_of, run_seeds

import snippets_mlir
from snippets_mlir.dialects.builtin.dtypes import Array
from snippets_mlir.inspect.levels import STOPS, run_levels
from snippets_mlir.support.errors import CompileError
from snippets_mlir.testing.thread_counts import drawn_threads, small_kernels_shared

CALLS = 4
WAYS: tuple[dict[str, Any], ...] = (
    {},
    {"partitioner": "fuse-ops"},
    {"target": "generic"},
    {"target": "x86-64-avx2"},
    {"math": "fast"},
    {"math": "strict"},
    {"streaming": "always"},
    {"segfault_detector": True},
    {"perf_count": "loops"},
)
"""Arguments of `compile`; a target that this computer lacks is not tried. Threads are drawn."""


def placed(array: Array, rng: random.Random) -> Array:
    """The same numbers in memory of another form."""
    match rng.randrange(8) if array.ndim else 0:
        case 1:
            memory = np.zeros(array.nbytes + 2 * array.itemsize, np.uint8)
            inside = memory[array.itemsize : array.itemsize + array.nbytes].view(array.dtype)
            inside = inside.reshape(array.shape)
            inside[...] = array
            return inside
        case 2:
            wide = np.zeros((*array.shape[:-1], 2 * array.shape[-1]), array.dtype)
            wide[..., ::2] = array
            return wide[..., ::2]
        case 3:
            return array[::-1].copy()[::-1]
        case 4:
            return np.asfortranarray(array)
        case _:
            return array


def calls_of(graph: ExactGraph, count: int) -> Iterator[tuple[str, list[Array], list[Array]]]:
    """The calls of a graph: their sizes as text, inputs, and what NumPy makes of them."""
    for call in range(count if graph.dynamic else 1):
        if (found := graph.call(call)) is not None:
            yield f"call {call} {graph.sizes or ''}", *found


def compiled_faults(graph: ExactGraph, way: dict[str, Any]) -> Iterator[str]:
    """What is wrong with the compiled program of a graph."""
    program = snippets_mlir.compile(graph.text, num_threads=drawn_threads(graph.seed), **way)
    rng = random.Random(graph.seed)
    for name, arrays, expected in calls_of(graph, CALLS):
        given = [placed(array, rng) for array in arrays]
        named = zip((spec.name for spec in program.inputs), given, strict=True)
        found = list(program.run(dict(named)).values())
        if wrong := differences(found, expected):
            yield f"{way} {name}: {wrong}"


def level_faults(graph: ExactGraph) -> Iterator[str]:
    """What is wrong with a graph at the levels of the pipeline."""
    for name, arrays, expected in calls_of(graph, 2):
        for level, found in run_levels(graph.text, arrays, tuple(STOPS), drawn_threads(graph.seed)):
            if wrong := differences(found, expected):
                yield f"level {level}, {name}: {wrong}"


def faults(seed: int, *, levels: bool = False) -> list[str]:
    """What is wrong with the program of a seed; an exception is a line, too."""
    graph = generate(seed)
    if not graph.steps:
        return []
    way, threads = WAYS[seed // 2 % len(WAYS)], drawn_threads(seed)
    try:
        with small_kernels_shared():
            found = list(compiled_faults(graph, way))
        found += level_faults(graph) if levels else ()
        return [f"seed {seed}, {threads} threads, {fault}" for fault in found]
    except CompileError as error:
        return [f"seed {seed}, {way}: {error}"]
    except Exception as error:  # a bug of ours is what is looked for: the other seeds go on
        return [f"seed {seed}, {way}: internal error: {type(error).__name__}: {error}"]


def main() -> int:
    """Run the command line; the exit code."""
    parser = parser_of("random_exact", __doc__)
    parser.add_argument("--levels", action="store_true", help="interpret the graphs, too")
    options = parser.parse_args()
    return run_seeds(
        options, lambda seed: generate(seed).text, lambda seed: faults(seed, levels=options.levels)
    )


if __name__ == "__main__":
    raise SystemExit(main())
