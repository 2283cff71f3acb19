"""Our products and attentions by instruction set, compared with the peak of each: one command.

    python benchmarks/instruction_sets.py [--threads N] [--quick] [--document FILE]

Kernels compiled for each target that this computer can run take turns in one process, on one set of
arrays, and so do loops of multiplications and additions in registers (`peak.py`). The table goes
into docs/product-results.md: operations per second, and their share of the rate of the target's own
loop on as many threads.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median

import numpy as np
import targets
from machine import machine as computer
from machine import named
from peak import peak_call
from peers.snippets_peer import Snippets
from programs import programs
from steps import PRODUCT, Workload
from tables import document, table, write_between_marks
from timing import QUICK, Call, Effort, measure

from snippets_mlir.targets.machine import TARGETS
from snippets_mlir.targets.target_machine import TargetMachine

DOCUMENT = Path(__file__).resolve().parents[1] / "docs" / "product-results.md"
PART = "instruction sets"

LEAST = 0.85
"""The share of the peak that products of these sizes should reach."""

CUBES = ("matmul_512", "matmul_1024", "matmul_2048")
ATTENTIONS = ("attention_12x128x64", "attention_12x512x64")
PEAK = "peak"

Rates = dict[str, dict[str, float]]
"""Operations of a second: program -> target -> rate."""


def runnable() -> list[TargetMachine]:
    """The targets whose kernels this computer runs, the one with the shortest vectors first."""

    def runs(name: str) -> bool:
        try:
            return bool(targets.parsed(name))
        except ValueError:
            return False

    return sorted((TARGETS[name] for name in TARGETS if runs(name)), key=lambda one: one.lanes)


def measured(threads: int, effort: Effort, names: Sequence[str]) -> tuple[Rates, Rates]:
    """The rates of programs and, alternating with each program, of the loops of all targets.

    Raises:
        AssertionError: the results for two targets differ by more than roundings.
    """
    machines = runnable()
    loops = {m.name: peak_call(m, threads) for m in machines}
    known = {p.name: p for p in programs(1) if isinstance(p, Workload)}
    found: Rates = {}
    peaks: Rates = {}
    for name in names:
        workload = known[name]
        inputs = workload.inputs(PRODUCT)
        outputs = {m.name: np.empty(workload.shape(PRODUCT), workload.dtype) for m in machines}
        calls: dict[str, Call] = {f"{PEAK} {target}": call for target, (call, _) in loops.items()}
        for one in machines:
            given, _ = Snippets(threads, one.name).prepare(workload, inputs, PRODUCT)
            calls[one.name] = given.bind(inputs, outputs[one.name])
        times = measure(calls, effort)
        operations = 2.0 * workload.products(PRODUCT)
        found[name] = {m.name: operations / times[m.name].median for m in machines}
        peaks[name] = {
            target: of_loop / times[f"{PEAK} {target}"].median
            for target, (_, of_loop) in loops.items()
        }
        first, *others = outputs.values()
        for other in others:
            np.testing.assert_allclose(other, first, rtol=1e-3, atol=1e-3)
    return found, peaks


def _rows(found: Rates, peaks: Rates) -> Iterator[list[str]]:
    for name, by_target in found.items():
        widest = list(by_target)[-1]
        cells: list[str] = []
        for target, rate in by_target.items():
            share = rate / peaks[name][target]
            missed = name in CUBES and share < LEAST
            cells += [f"{rate / 1e9:.0f}", f"**{share:.2f}**" if missed else f"{share:.2f}"]
            if target != widest:
                cells.append(f"{rate / by_target[widest]:.2f}")
        yield [f"`{name}`", *cells]


def page(found: Rates, peaks: Rates, threads: int) -> str:
    """The part of the page."""
    names = list(next(iter(found.values())))
    head = ["GFLOP/s"]
    for name in names:
        head += [f"`{name}`", "of its peak"]
        if name != names[-1]:
            head.append(f"of `{names[-1]}`")
    where = computer()
    loops = ", ".join(f"{median(p[n] for p in peaks.values()) / 1e9:.0f} `{n}`" for n in names)
    intro = f"Measured on {named(where)}, {threads} threads. Loops: {loops}."
    return f"{intro}\n\n{table(head, _rows(found, peaks))}\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print the table and write it into the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--quick", action="store_true", help="short blocks, to try the program")
    parser.add_argument("--document", type=document(PART), metavar="FILE", default=DOCUMENT)
    options = parser.parse_args(arguments)
    names = CUBES[:1] if options.quick else (*CUBES, *ATTENTIONS)
    effort = QUICK if options.quick else Effort()
    text = page(*measured(options.threads, effort, names), options.threads)
    print(text)
    write_between_marks(options.document, text, PART)
    return 0


if __name__ == "__main__":
    sys.exit(main())
