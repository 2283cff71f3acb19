"""Runs the programs of `guard_cases.py` on arrays and scratchpads at forbidden pages.

    python guard_runner.py --target=x86-64-avx2 --threads=2 --kind=static [--sizes=few] [--part=0/1]
    python guard_runner.py --target=x86-64-avx2 --threads=2 --kind=products --seeds=0:1000

`--kind=products` runs random programs around matrix products (`testing/product_graphs.py`).
A line on standard output names each program, with its sizes, target and threads, before it runs:
after a fault the last one is the culprit. Results have to be those of ordinary arrays, bit for bit.
This is a process of its own, so that a fault ends it and not the tests.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from guard_cases import all_forms
from guard_forms import Form
from guard_pages import PLACES, Array, Fenced, Place, Yard

import snippets_mlir
from snippets_mlir.driver import Compiled
from snippets_mlir.runtime.memory import arena as runtime_arena
from snippets_mlir.runtime.memory import scratch as runtime_scratch
from snippets_mlir.runtime.parallel import step_teams
from snippets_mlir.targets.machine import machine
from snippets_mlir.testing.product_graphs import ProductGraph


class Scratchpads:
    """Stands in for `aligned_block`: scratchpads at forbidden pages."""

    place: Place = "last"

    def block(self, size: int) -> tuple[int, Array]:
        """Memory for a call; its size is a multiple of the alignment, so both ends are aligned."""
        if not size:
            return 0, np.empty(0, np.uint8)
        fenced = Fenced(size)
        self._kept = [*getattr(self, "_kept", ()), fenced]
        memory = fenced.array((size,), np.dtype(np.uint8), self.place)
        return fenced.address(size, self.place), memory


def whole_team(touched: int, threads: int, computing: float = 0.0) -> int:
    """Stands in for `team_for`: small arrays are shared, too."""
    return threads


def inputs_of(compiled: Compiled, size: int, rng: np.random.Generator) -> list[Array]:
    """Arrays for a call in which dynamic dims have `size`."""
    arrays: list[Array] = []
    for spec in compiled.inputs:
        shape = tuple(size if s is None else s for s in spec.shape or ())
        if spec.dtype.kind == "f":
            values: Array = rng.uniform(0.1, 2.0, shape)
        else:
            values = rng.integers(0, 2 if spec.dtype.kind == "b" else 3, shape)
            values = values + (spec.name.startswith("y") and spec.dtype.kind == "i")
        arrays.append(np.asarray(values).astype(spec.dtype))
    return arrays


def called(compiled: Compiled, arrays: Sequence[Array], out: Any = None) -> list[Array]:
    results = compiled(*arrays, out=out)
    return [results] if isinstance(results, np.ndarray) else list(results)


def check(compiled: Compiled, arrays: Sequence[Array], yard: Yard, pads: Scratchpads) -> None:
    """Call a program at both ends of fenced memory; ValueError when a bit is different."""
    expected = called(compiled, arrays)
    for place in PLACES:
        pads.place = place
        yard.clear()
        fenced = [yard.copy(array, place) for array in arrays]
        out = [yard.empty(array.shape, array.dtype, place) for array in expected]
        called(compiled, fenced, out)
        for result, wanted in zip(out, expected, strict=True):
            if result.tobytes() != wanted.tobytes():
                raise ValueError(f"results differ at the {place} page")


def runs(
    form: Form, kind: str, lanes: int, sizes: str
) -> Iterator[tuple[Sequence[int | str], Sequence[int]]]:
    """Sizes to compile for, and sizes to call with; loops may be unrolled, so some are larger."""
    few = [lanes - 1, lanes + 1]
    chosen = few if sizes == "few" else list(range(1, 2 * lanes + 1))
    unrolled = [3 * lanes + 1, 8 * lanes + 1]
    if kind == "dynamic":
        if form.free:
            yield ["?"], [*chosen, 2 * lanes - 1, *unrolled]
        return
    if sizes == "all":
        chosen += unrolled
    for start in range(0, len(chosen), 4):
        yield chosen[start : start + 4], [0]
        if not form.free:
            return


def run_products(args: argparse.Namespace, yard: Yard, pads: Scratchpads) -> int:
    """Run random programs around products; how many calls were made."""
    first, end = map(int, args.seeds.split(":"))
    for seed in range(first, end):
        graph = ProductGraph(seed)
        print(f"products of seed {seed}: {args.target}, {args.threads} threads", flush=True)
        compiled = snippets_mlir.compile(
            graph.text,
            target=args.target,
            num_threads=args.threads,
            fallback="error",
            insert_passes=args.insert_pass,
        )
        check(compiled, graph.arrays, yard, pads)
    return end - first


def run(args: argparse.Namespace) -> int:
    """Run everything that was asked for; how many calls were made."""
    pads, yard = Scratchpads(), Yard(1 << 14, 1 if args.beyond else 0)
    runtime_arena.aligned_block = runtime_scratch.aligned_block = pads.block
    step_teams.team_for = whole_team
    if args.kind == "products":
        return run_products(args, yard, pads)
    rng = np.random.default_rng(0)
    lanes = machine(args.target).lanes
    part, parts = map(int, args.part.split("/"))
    calls = 0
    forms = [f for f in all_forms() if args.forms in ("all", "core" if f.core else "others")]
    for form in forms[part::parts]:
        for compiled_for, called_with in runs(form, args.kind, lanes, args.sizes):
            sizes = ", ".join(map(str, compiled_for))
            print(f"{form.name}: {args.kind} {sizes}, {args.target}, {args.threads} threads")
            compiled = snippets_mlir.compile(
                form.text(compiled_for),
                target=args.target,
                num_threads=args.threads,
                fallback="error",
                insert_passes=args.insert_pass,
                streaming=args.streaming,
            )
            for size in called_with:
                print(f"  size {size or sizes}", flush=True)
                check(compiled, inputs_of(compiled, size, rng), yard, pads)
                calls += 1
    return calls


def main() -> int:
    parser = argparse.ArgumentParser(description="Run programs at forbidden pages.")
    parser.add_argument("--target", required=True)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--kind", choices=("static", "dynamic", "products"), required=True)
    parser.add_argument("--seeds", default="0:8", help="of products: from which to before which")
    parser.add_argument("--sizes", choices=("few", "all"), default="all")
    parser.add_argument("--forms", choices=("core", "others", "all"), default="all")
    parser.add_argument("--part", default="0/1", help="of the programs: which of how many")
    parser.add_argument("--insert-pass", action="append", default=[])
    parser.add_argument("--streaming", choices=("auto", "always", "never"), default="auto")
    parser.add_argument("--beyond", action="store_true", help="place arrays an element off")
    print(f"{run(parser.parse_args())} calls")
    return 0


if __name__ == "__main__":
    sys.exit(main())
