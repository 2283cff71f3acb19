"""Compile time or memory of one peer in a fresh process; `sections.py` starts it.

    python benchmarks/probe.py compile|memory PEER THREADS

The last line of the output is the answer as JSON.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from statistics import median
from time import perf_counter

import peers
from peers.base import Peer
from sections import WORKLOAD
from steps import Workload
from timing import use_cpus
from workloads import WORKLOADS

REPEATS = 5
MIB = 1 << 20


def _workload() -> Workload:
    return next(w for w in WORKLOADS if w.name == WORKLOAD)


def _seconds(peer: Peer, workload: Workload) -> float:
    """From the program to its first result, its quickest variant."""
    inputs = workload.inputs("l2")
    start = perf_counter()
    prepared = peer.prepare(workload, inputs, "l2")
    prepared[-1].call()
    return perf_counter() - start


def compile_seconds(name: str, threads: int) -> dict[str, float]:
    """Import, first program of the process, median of later ones that no cache knows."""
    start = perf_counter()
    peer = peers.load(name, threads)
    loaded = perf_counter() - start
    first = _seconds(peer, _workload())
    warm = [_seconds(peer, _workload().varied(k)) for k in range(REPEATS)]
    return {"import": loaded, "first": first, "warm": median(warm)}


def _status(field: str) -> float:
    """A line of /proc/self/status, in MiB."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) / 1024
    raise KeyError(field)


def memory(name: str, threads: int) -> dict[str, float]:
    """MiB of the import, and what compiling and calls add at their peak."""
    workload = _workload()
    before = _status("VmRSS")
    peer = peers.load(name, threads)
    loaded = _status("VmRSS")
    inputs = workload.inputs("mem")
    # Writing 5 sets the peak back to what is resident now.
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    base = _status("VmRSS")
    prepared = [v for v in peer.prepare(workload, inputs, "mem") if not v.given]
    for _ in range(5):
        prepared[-1].call()
    return {"import": loaded - before, "peak": _status("VmHWM") - base}


def main(kind: str, name: str, threads: str) -> int:
    """Print the answer."""
    use_cpus(int(threads))
    answer = (compile_seconds if kind == "compile" else memory)(name, int(threads))
    print(json.dumps(answer))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
