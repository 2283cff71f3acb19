"""Compile time, memory or calls of one peer in a fresh process; `sections.py` starts it.

    python benchmarks/probe.py compile|memory|calls PEER THREADS [--quick]

The last line of the output is the answer as JSON.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
import peers
from peers.base import Peer
from sections import WORKLOAD
from steps import Workload
from targets import target
from timing import use_cpus
from workloads import WORKLOADS


@dataclass(frozen=True)
class Amount:
    """The extent of the measurements: programs in a warm process, calls in a block, blocks, size of
    arrays.
    """

    programs: int = 5
    calls: int = 2_000
    blocks: int = 11
    size: str = "mem"


QUICK = Amount(programs=1, calls=20, blocks=1, size="l2")

SILU = """
func.func @main(%x: {t}, %y: {t}) -> {t} {{
  %0 = snippets.sigmoid %x : {t}
  %1 = snippets.multiply %x, %0 : ({t}, {t}) -> {t}
  %2 = snippets.multiply %1, %y : ({t}, {t}) -> {t}
  func.return %2 : {t}
}}
"""


def _workload() -> Workload:
    return next(w for w in WORKLOADS if w.name == WORKLOAD)


def _seconds(peer: Peer, workload: Workload) -> float:
    """Seconds from the program to its first result, for its fastest variant."""
    inputs = workload.inputs("l2")
    start = perf_counter()
    ways = peer.prepare(workload, inputs, "l2")
    ways[-1].bind(inputs, np.empty(workload.shape("l2"), workload.dtype))()
    return perf_counter() - start


def compile_seconds(name: str, threads: int, amount: Amount) -> dict[str, float]:
    """Import, first program of the process, median of later ones that no cache knows."""
    start = perf_counter()
    peer = peers.load(name, threads)
    loaded = perf_counter() - start
    first = _seconds(peer, _workload())
    warm = [_seconds(peer, _workload().varied(k)) for k in range(amount.programs)]
    return {"import": loaded, "first": first, "warm": median(warm)}


def _status(field: str) -> float:
    """A line of /proc/self/status, in MiB."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) / 1024
    raise KeyError(field)


def memory(name: str, threads: int, amount: Amount) -> dict[str, float]:
    """MiB of the import, and the peaks that compiling and calls add."""
    workload = _workload()
    before = _status("VmRSS")
    peer = peers.load(name, threads)
    loaded = _status("VmRSS")
    inputs = workload.inputs(amount.size)
    # Writing 5 sets the peak back to what is resident now.
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    base = _status("VmRSS")
    ways = [way for way in peer.prepare(workload, inputs, amount.size) if not way.given]
    call = ways[-1].bind(inputs, np.empty(0, workload.dtype))
    for _ in range(5):
        call()
    return {"import": loaded - before, "peak": _status("VmHWM") - base}


def _each(call: Callable[[], object], amount: Amount) -> float:
    """Seconds of one call: the median of blocks of them."""
    seconds: list[float] = []
    for _ in range(amount.blocks):
        start = perf_counter()
        for _ in range(amount.calls):
            call()
        seconds.append((perf_counter() - start) / amount.calls)
    return median(seconds)


def calls(name: str, threads: int, amount: Amount) -> dict[str, list[float]]:
    """Our ways through a call on 64 elements, in seconds: into given outputs, fresh outputs."""
    assert name == peers.OURS
    import snippets_mlir

    def program(size: str) -> Any:
        text = SILU.format(t=f"tensor<{size}xf32>")
        return snippets_mlir.compile(text, num_threads=threads, target=target())

    x, y, out = np.ones((3, 64), np.float32)
    strided = np.ones((64, 2), np.float32)[:, 0]
    static, dynamic, turns = program("64"), program("?"), program("?")

    def in_turn(given: bool) -> None:
        turns(x, y, out=out) if given else turns(x, y)
        turns(x[:32], y[:32], out=out[:32]) if given else turns(x[:32], y[:32])

    ways: dict[str, tuple[Callable[[], object], Callable[[], object]]] = {
        "sizes in the program": (lambda: static(x, y, out=out), lambda: static(x, y)),
        "dynamic sizes": (lambda: dynamic(x, y, out=out), lambda: dynamic(x, y)),
        "two calls, sizes in turn": (lambda: in_turn(True), lambda: in_turn(False)),
        "a strided input, copied": (
            lambda: static(strided, y, out=out),
            lambda: static(strided, y),
        ),
    }
    for both in ways.values():
        for call in both * 3:
            call()
    return {way: [_each(call, amount) for call in both] for way, both in ways.items()}


PROBES: dict[str, Callable[[str, int, Amount], Any]] = {
    "compile": compile_seconds,
    "memory": memory,
    "calls": calls,
}


def main(kind: str, name: str, threads: str, *quick: str) -> int:
    """Answer the question on the command line as JSON on standard output."""
    use_cpus(int(threads))
    print(json.dumps(PROBES[kind](name, int(threads), QUICK if quick else Amount())))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
