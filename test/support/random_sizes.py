"""Random graphs whose dims have names, compiled once and called with many shapes.

    PYTHONPATH=test/support python test/support/random_sizes.py --count 1000 --seed 0

Every result is compared with what `sized_oracle` says, which knows nothing of the product: results
that a call returns, that it writes to memory full of other bits (machine code checks such arrays),
and that it writes with a stride (Python checks them). The bytes around the results have to stay.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from math import prod

import numpy as np
from seeds import parser_of, run_seeds
from sized_graphs import SizedGraph, Sizes
from sized_numbers import Array, Numbers, difference, dtype_of
from sized_ops import generate

import snippets_mlir
from snippets_mlir.inspect.levels import STOPS, run_levels
from snippets_mlir.support.errors import CompileError
from snippets_mlir.testing.thread_counts import drawn_threads, small_kernels_shared

GUARD, FILL = 8192, 0xA5
MOST, DRAWS = 200_000, 100


def placed(shape: tuple[int, ...], dtype: np.dtype[np.generic], step: int) -> tuple[Array, Array]:
    """An array with `step` elements between two of a row, and the bytes that it lies in."""
    stored = (*shape[:-1], step * shape[-1]) if shape else shape
    memory = np.full(prod(stored) * dtype.itemsize + 2 * GUARD, FILL, np.uint8)
    inside = memory[GUARD : len(memory) - GUARD].view(dtype).reshape(stored)
    return (inside[..., ::step] if shape else inside), memory


def calls_of(graph: SizedGraph, count: int) -> Iterator[tuple[Sizes, list[Array]]]:
    """The sizes and inputs of the calls of a graph: one where the text has all sizes.

    Sizes that give some value more than `MOST` elements are drawn again (the oracle computes with
    Python's integers); there is no call where none of `DRAWS` fits.
    """
    rng = random.Random(graph.seed + 1)
    for _ in range(count if len(graph.fixed) < len(graph.names) else 1):
        draws = ({**graph.draw(graph.names, rng), **graph.fixed} for _ in range(DRAWS))
        sizes = next((drawn for drawn in draws if most_elements(graph, drawn) <= MOST), None)
        if sizes is not None:
            yield sizes, graph.arrays(sizes, rng.getrandbits(32))


def most_elements(graph: SizedGraph, sizes: Sizes) -> int:
    """Those of the largest value; a dim of 0 counts as one, its neighbours are reduced to it."""
    return max(prod(dim.size(sizes) or 1 for dim in value.dims) for value in graph.values)


def _wrong(found: Sequence[Array], expected: Sequence[Numbers], how: str) -> list[str]:
    pairs = enumerate(zip(found, expected, strict=True))
    reasons = ((i, difference(array, numbers)) for i, (array, numbers) in pairs)
    return [f"{how}, output {i}: {reason}" for i, reason in reasons if reason is not None]


def _results(value: object) -> Sequence[Array]:
    return value if isinstance(value, tuple) else [value]  # pyright: ignore


def faults(seed: int, calls: int, levels: Sequence[str] = ()) -> list[str]:
    """What is wrong with the program of a seed: a line for each wrong result."""
    graph, threads = generate(seed), drawn_threads(seed)
    program = snippets_mlir.compile(graph.text, num_threads=threads)
    found: list[str] = []
    for sizes, arrays in calls_of(graph, calls):
        expected, at = graph.expected(arrays), f"seed {seed}, {threads} threads, {dict(sizes)}"
        found += _wrong(_results(program(*arrays)), expected, f"{at}, returned")
        for step in (1, 2):
            places = [placed(v.array.shape, dtype_of(v.element), step) for v in expected]
            program(*arrays, out=[array for array, _ in places])
            how = f"{at}, written with a stride of {step}"
            found += _wrong([array for array, _ in places], expected, how)
            for index, (_, memory) in enumerate(places):
                if (memory[:GUARD] != FILL).any() or (memory[-GUARD:] != FILL).any():
                    found.append(f"{how}, output {index}: bytes beside it were written")
        if levels and len(graph.fixed) == len(graph.names):
            for level, outputs in run_levels(graph.text, arrays, levels, threads):
                found += _wrong(outputs, expected, f"{at}, level {level}")
    return found


def check(seed: int, calls: int = 4, levels: Sequence[str] = ()) -> list[str]:
    """What is wrong with the program of a seed; an exception is a line, too."""
    try:
        with small_kernels_shared():
            return faults(seed, calls, levels)
    except CompileError as error:
        return [f"seed {seed}: {error}"]
    except Exception as error:  # a bug of ours is what is looked for: the other seeds go on
        return [f"seed {seed}: internal error: {type(error).__name__}: {error}"]


def main() -> int:
    """Run the command line; the exit code."""
    parser = parser_of("random_sizes", __doc__)
    parser.add_argument("--calls", type=int, default=6, help="shapes of a graph (default: 6)")
    parser.add_argument("--levels", action="store_true", help="interpret static graphs, too")
    options = parser.parse_args()
    levels = tuple(STOPS) if options.levels else ()
    return run_seeds(
        options,
        lambda seed: generate(seed).text,
        lambda seed: check(seed, options.calls, levels),
    )


if __name__ == "__main__":
    raise SystemExit(main())
