"""The command lines of generators of random graphs: seeds, and what is wrong with each graph."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable


def parser_of(program: str, doc: str | None) -> ArgumentParser:
    """A parser with `--count`, `--seed` and `--show`."""
    parser = ArgumentParser(program, description=str(doc).partition("\n")[0])
    parser.add_argument("--count", type=int, default=100, help="number of graphs (default: 100)")
    parser.add_argument("--seed", type=int, default=0, help="the first seed (default: 0)")
    parser.add_argument("--show", action="store_true", help="print the graphs, too")
    return parser


def run_seeds(
    options: Namespace, text: Callable[[int], str], wrong: Callable[[int], list[str]]
) -> int:
    """Print what is `wrong` with the graph of each seed; the exit code. `text` is that graph."""
    failed = 0
    for seed in range(options.seed, options.seed + options.count):
        if options.show:
            print(text(seed))
        if lines := wrong(seed):
            failed += 1
            print("\n".join(line[:500] for line in lines[:3]), flush=True)
        if (done := seed - options.seed + 1) % 100 == 0:
            print(f"{done} graphs, {failed} failed", file=sys.stderr, flush=True)
    print(f"{options.count} graphs, {failed} failed")
    return int(failed > 0)
