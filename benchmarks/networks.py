"""Networks and streams, measured: the numbers of docs/measurements.md.

    python benchmarks/networks.py             all of it, about 20 seconds
    python benchmarks/networks.py steps       the overhead of a step beside its kernel
    python benchmarks/networks.py memory      what a second network costs
    python benchmarks/networks.py streams     two streams of one thread beside two processes

`stream_rates.py` does the last measurement for models, and several times. Each number of the others
is the best of several short runs.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
from stream_rates import streams

import snippets_mlir
from snippets_mlir.runtime.engine.sessions import Session
from snippets_mlir.runtime.network import Network
from snippets_mlir.runtime.program import Program

STEPS = 1000

ONE = """func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = snippets.negative %x : tensor<64xf32>
  func.return %0 : tensor<64xf32>
}"""

BETWEEN = """func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = snippets.negative %x : tensor<64xf32>
  %1 = onnx.node "Floor"(%0) {domain = "", version = 13 : i64}
    : (tensor<64xf32>) -> tensor<64xf32>
  %2 = snippets.negative %1 : tensor<64xf32>
  func.return %2 : tensor<64xf32>
}"""


def best(call: Callable[[], object], runs: int, repeats: int = 15) -> float:
    """Nanoseconds of a call: the best mean of `runs` calls."""
    found = float("inf")
    for _ in range(repeats):
        begin = time.perf_counter_ns()
        for _ in range(runs):
            call()
        found = min(found, (time.perf_counter_ns() - begin) / runs)
    return found


def chain(steps: int) -> Program:
    """A program that runs the kernel of `ONE` again and again."""
    built = snippets_mlir.compile(ONE, num_threads=1, fallback="error").built().program
    manifest = deepcopy(built.manifest)
    (step,), value = manifest["steps"], manifest["values"][0]
    manifest["values"] = [deepcopy(value) for _ in range(steps + 1)]
    manifest["steps"] = [
        {**deepcopy(step), "inputs": [i], "outputs": [i + 1]} for i in range(steps)
    ]
    manifest["outputs"][0]["value"] = steps
    return Program(manifest, built.addresses, {}, [], 1, code=built.code)


def steps() -> None:
    """What a step costs."""
    program, x, out = chain(STEPS), np.ones(64, np.float32), np.zeros(64, np.float32)
    begin = time.perf_counter()
    network = Network(program)
    made = time.perf_counter() - begin
    timed = Network(program, timed=True)
    kernel = best(lambda: chain_of_one((x,), out), 2000)
    for name, nanoseconds in {
        "native": best(lambda: network.run((x,), out), 50) / STEPS,
        "native, with times": best(lambda: timed.run((x,), out), 50) / STEPS,
        "Python": best(lambda: program.run_in_python([x], [out]), 3, 7) / STEPS,
    }.items():
        print(f"a step of 64 f32, {name}: {nanoseconds / 1000:.4f} us")
    print(f"a network of {STEPS} steps is made in {1000 * made:.1f} ms")
    print(f"a call of one step: {kernel / 1000:.2f} us")
    session_step()


def chain_of_one(inputs: tuple[Any, ...], out: Any) -> None:
    """A call with one step."""
    _one.run(inputs, out)


def session_step() -> None:
    """The overhead of a session in a table, beyond its own run on bound memory."""
    built = snippets_mlir.compile(BETWEEN, num_threads=1, mark_skipped="none").built().program
    network, x, out = Network(built), np.ones(64, np.float32), np.zeros(64, np.float32)
    (session,) = built.executors.values()
    assert isinstance(session, Session)
    assert session.bound is not None
    make, run = session.bound
    binding: Any = make()
    for bind, name in (
        (binding.bind_input, session.inputs[0]),
        (binding.bind_output, session.outputs[0]),
    ):
        bind(name, "cpu", 0, np.float32, (64,), x.ctypes.data)
    alone = best(lambda: run(binding), 2000)
    whole = best(lambda: network.run((x,), out), 2000)
    kernels = best(lambda: chain_of_one((x,), out), 2000)
    print(f"a session's own run: {alone / 1000:.2f} us; as a step of a table:", end=" ")
    print(f"{(whole - alone - kernels) / 1000:+.2f} us")


def memory() -> None:
    """The memory of a second network, besides its arena."""
    program = chain(STEPS)
    networks = [Network(program)]
    before = resident()
    networks += [Network(program) for _ in range(20)]
    each = (resident() - before) / 20
    print(f"a network of {STEPS} steps: {each / 1024:.0f} KiB, arena {program.storage.arena} bytes")


def resident() -> int:
    """Bytes of memory of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


_one = Network(snippets_mlir.compile(ONE, num_threads=1, fallback="error").built().program)

PARTS: dict[str, Callable[[], None]] = {"steps": steps, "memory": memory, "streams": streams}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Networks and streams, measured.")
    parser.add_argument("parts", nargs="*", help=", ".join(PARTS))
    arguments = parser.parse_args()
    for part in arguments.parts or PARTS:
        if part not in PARTS:
            parser.error(f"no part {part!r}; parts are {', '.join(PARTS)}")
        PARTS[part]()
