"""Two streams of one thread compared with two processes of one thread: requests per second.

    python benchmarks/stream_rates.py                     kernels and a session between them
    python benchmarks/stream_rates.py --rounds 5          the same, five times, and medians
    python benchmarks/stream_rates.py --model m.onnx      a model, on random numbers
    python benchmarks/stream_rates.py --model nudenet     one of `make models`, on its inputs
    python benchmarks/stream_rates.py --model m.onnx --cuts    with all kernels that are possible

Random inputs have size 1 along each dynamic dim, which few models accept. A file `m.npz` beside
`m.onnx`, as in the folder of `make models`, can have the inputs instead. On a busy machine, the
processor time of a request is more reliable than the rate.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from models import store

import snippets_mlir
from snippets_mlir.runtime.arguments.arrays import TensorSpec

SECONDS = 1.5

COMPUTING = """func.func @main(%x: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %0 = snippets.exp %x : tensor<512x512xf32>
  %1 = snippets.tanh %0 : tensor<512x512xf32>
  %2 = onnx.node "Floor"(%1) {domain = "", version = 13 : i64}
    : (tensor<512x512xf32>) -> tensor<512x512xf32>
  %3 = snippets.erf %2 : tensor<512x512xf32>
  %4 = snippets.exp %3 : tensor<512x512xf32>
  func.return %4 : tensor<512x512xf32>
}"""


def streams(model: str | None = None, rounds: int = 1, *, cuts: bool = False) -> None:
    """Print requests a second of two streams of one thread, and of two processes of one thread."""
    if model is not None and store.is_made(model):
        model = str(store.model_path(model))
    name = "kernels and a session" if model is None else Path(model).name
    found: list[tuple[float, float]] = []
    for _ in range(rounds):
        alone, _ = _process_rates(1, model, cuts)
        processes, spent = _process_rates(2, model, cuts)
        both, cost = _stream_rate(model, cuts)
        found.append((both / processes, spent / cost))
        print(f"{name}: one process {alone:.0f}/s, two processes {processes:.0f}/s, ", end="")
        print(f"two streams {both:.0f}/s: {both / processes:.3f} of two processes; ", end="")
        print(f"processor time of a call {spent:.0f} us, of a request {cost:.0f}", flush=True)
    if rounds > 1:
        rate, time_ratio = map(median, zip(*found, strict=True))
        print(f"{name}, medians: {rate:.3f} of two processes, {time_ratio:.3f} by processor time")


def source_of(model: str | None, cuts: bool) -> tuple[str | Path, dict[str, Any]]:
    """The source, and its options."""
    options: dict[str, Any] = {"mark_skipped": "none"} if cuts or model is None else {}
    return COMPUTING if model is None else Path(model), options


def feed(inputs: Sequence[TensorSpec], model: str | None = None) -> dict[str, Any]:
    """Arrays for all inputs by name: of the file beside the model, else integers are 0 and 1."""
    if model is not None and (beside := Path(model).with_suffix(".npz")).is_file():
        return dict(store.read_feeds(beside)[0])
    rng = np.random.default_rng(0)
    found: dict[str, Any] = {}
    for spec in inputs:
        assert spec.shape is not None, f"the rank of {spec.name} is not known"
        shape = [1 if size is None else size for size in spec.shape]
        found[spec.name] = np.asarray(rng.random(shape) * 2 - (spec.dtype.kind == "f"), spec.dtype)
    return found


def _stream_rate(model: str | None, cuts: bool) -> tuple[float, float]:
    """Requests a second of two streams, and microseconds of processor time of each."""
    source, options = source_of(model, cuts)
    with snippets_mlir.compile_program(
        source, streams=2, threads_per_stream=1, **options
    ) as program:
        arrays = feed(program.inputs, model)
        with program.queue(requests=4) as queue:
            for _ in range(8):
                queue.submit(arrays)
        spent, begin, count = time.process_time(), time.perf_counter(), 0
        with program.queue(requests=4) as queue:
            while time.perf_counter() - begin < SECONDS:
                queue.submit(arrays)
                count += 1
        spent = time.process_time() - spent
        return count / (time.perf_counter() - begin), 1e6 * spent / count


def _process_rates(count: int, model: str | None, cuts: bool) -> tuple[float, float]:
    """Calls a second of all processes, and microseconds of processor time of each.

    Raises:
        RuntimeError: a process has failed; its error is on standard error.
    """
    given = [*([] if model is None else ["--model", model]), *(["--cuts"] if cuts else [])]
    command = [sys.executable, __file__, *given, "--child"]
    children = [
        subprocess.Popen(
            [*command, str(i)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for i in range(count)
    ]
    ready = [child.stdout is not None and child.stdout.readline() for child in children]
    if not all(ready):
        for child in children:
            child.communicate()
        raise RuntimeError("a process of the model has failed")
    for child in children:
        assert child.stdin is not None
        child.stdin.write("go\n")
        child.stdin.flush()
    numbers = [map(float, child.communicate()[0].split()) for child in children]
    rates, spent = zip(*numbers, strict=True)
    return sum(rates), sum(r * s for r, s in zip(rates, spent, strict=True)) / sum(rates)


def _child(core: int, model: str | None, cuts: bool) -> None:
    """Call the program on one core for a while; prints calls a second, and their cost."""
    os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[core]})
    source, options = source_of(model, cuts)
    program = snippets_mlir.compile(source, num_threads=1, **options)
    arrays = feed(program.inputs, model)
    for _ in range(8):
        program.run(arrays)
    print("ready", flush=True)
    sys.stdin.readline()
    spent, begin, count = time.process_time(), time.perf_counter(), 0
    while time.perf_counter() - begin < SECONDS:
        program.run(arrays)
        count += 1
    spent = time.process_time() - spent
    print(count / (time.perf_counter() - begin), 1e6 * spent / count, flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Two streams beside two processes.")
    parser.add_argument("--model", help="in place of the program of this file")
    parser.add_argument("--cuts", action="store_true", help="with all kernels that are possible")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child is not None:
        _child(arguments.child, arguments.model, arguments.cuts)
    else:
        streams(arguments.model, arguments.rounds, cuts=arguments.cuts)
