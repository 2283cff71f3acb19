"""Steps, arenas and second networks of the models of `run_models.py`, with first inputs.

    python benchmarks/model_networks.py [NAME ...]
    python benchmarks/model_networks.py --cuts bert2 nudenet     with all kernels that are possible

Each model is compiled for one thread in a process of its own. Columns:

* steps: of the table, and the mean time between the end of one and the begin of the next, in
  microseconds, in the best of 30 runs; it has a reading of the clock;
* arena: MiB, and divided by the peak of live bytes (with scratchpads);
* network: MiB that a further network adds to the process, beside its arena and the outputs of its
  last run (Linux with glibc).
"""

from __future__ import annotations

import argparse
import gc
import subprocess
import sys
from ctypes import CDLL
from itertools import pairwise
from pathlib import Path
from typing import Any

from models import store
from models.catalog import MODELS
from timing import use_cpus

import snippets_mlir
from snippets_mlir.analysis.placement import aligned, largest_live_sum
from snippets_mlir.driver.networks.network import Network
from snippets_mlir.runtime.program import Program

HEAD = "| model | steps | between, us | arena, MiB | of live | network, MiB |"
RUNS = 30
NETWORKS = 4


def anonymous() -> float:
    """MiB of the process that are not in files, after the C library has returned free memory."""
    gc.collect()
    CDLL(None).malloc_trim(0)
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    (line,) = (line for line in lines if line.startswith("RssAnon"))
    return int(line.split()[1]) / 1024


def live_bytes(program: Program) -> int:
    """The peak of live bytes in the arena, with scratchpads."""
    places = program.sizes.places
    sizes = [0 if i in places.apart else aligned(int(n)) for i, n in enumerate(places.sizes)]
    lives = list(program.form.memory.frame.lives.values())
    return largest_live_sum(sizes, lives) + aligned(places.scratch)


def row(name: str, *, cuts: bool) -> str:
    """The row of a model, measured in this process."""
    use_cpus(2)
    settings: dict[str, Any] = {"mark_skipped": "none"} if cuts else {}
    path, feed = str(store.model_path(name)), store.feeds_of(name)[0]
    program = snippets_mlir.compile_program(path, streams=1, threads_per_stream=1, **settings)

    def run(network: Network) -> None:
        for spec in program.inputs:
            network.set_input(spec.name, feed[spec.name])
        network.execute()

    first, between = program.network(), list[float]()
    for _ in range(RUNS):
        run(first)
        steps = first.profile()
        gaps = [b.begin - a.end for a, b in pairwise(steps)]
        between.append(sum(gaps) / max(1, len(gaps)) / 1e3)
    built = program.compiled.built().program
    arena, live = built.storage.arena, live_bytes(built)
    before = anonymous()
    further = [program.network() for _ in range(NETWORKS)]
    for network in further:
        run(network)
    outputs = sum(further[0].output(spec.name).nbytes for spec in program.outputs)
    added = (anonymous() - before) / NETWORKS - (further[0].arena + outputs) / 2**20
    count, ratio = len(first.profile()), f"{arena / live:.3f}" if live else ""
    return (
        f"| {name} | {count} | {min(between):.3f} | {arena / 2**20:.2f} | {ratio} | {added:.2f} |"
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Networks of models.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(MODELS))
    parser.add_argument("--cuts", action="store_true", help="with all kernels that are possible")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.here:
        print(row(options.names[0], cuts=options.cuts))
        return
    print(HEAD)
    print("|---|" + "---:|" * 5)
    for name in options.names or MODELS:
        command = [sys.executable, __file__, name, "--here", *(["--cuts"] if options.cuts else [])]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        lines = (done.stdout or done.stderr).splitlines()
        print(lines[-1] if lines else f"| {name} | failed |", flush=True)


if __name__ == "__main__":
    main()
