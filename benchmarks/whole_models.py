"""Whole transformers compared with onnxruntime and OpenVINO: one command.

    python benchmarks/whole_models.py [--threads N] [--quick] [model ...]

The models are those of `make models`, which makes their files; by default encoders of 12 layers
with 128 and 384 tokens, a decoder's first 128 tokens, and its single tokens with a cache. Each is
run by the three from the same file on the same inputs, in turns in one process, without reduced
precision. The table has milliseconds of a run, the largest relative difference from onnxruntime,
and our time over that of the better one of the two.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np
from machine import machine as computer
from machine import named
from models.store import feeds_of, is_made, model_path
from tables import geometric_mean, table
from timing import QUICK, Call, Effort, measure

import snippets_mlir

MODELS = ("bert12_128", "bert12_384", "gpt2_12_prefill", "gpt2_12_kv")
EFFORT = Effort(rounds=9, block=0.4)

Feed = Mapping[str, Any]


def ours(name: str, feed: Feed, threads: int) -> Call:
    """The model, compiled by this project."""
    program = snippets_mlir.compile(str(model_path(name)), num_threads=threads)
    return lambda: program.run(feed)


def onnxruntime(name: str, feed: Feed, threads: int) -> Call:
    """A session of the file."""
    ort: Any = import_module("onnxruntime")
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    session = ort.InferenceSession(str(model_path(name)), options, ["CPUExecutionProvider"])
    return lambda: session.run(None, dict(feed))


def openvino(name: str, feed: Feed, threads: int) -> Call:
    """The file, compiled for latency in full precision; arrays and results share memory."""
    settings = {
        "INFERENCE_NUM_THREADS": str(threads),
        "PERFORMANCE_HINT": "LATENCY",
        "INFERENCE_PRECISION_HINT": "f32",
    }
    core: Any = import_module("openvino").Core()
    request = core.compile_model(str(model_path(name)), "CPU", settings).create_infer_request()
    return lambda: [*request.infer(dict(feed), share_inputs=True, share_outputs=True).values()]


CONTENDERS = {"ours": ours, "onnxruntime": onnxruntime, "OpenVINO": openvino}


def difference(found: Any, wanted: Any) -> float:
    """The largest difference of results, relative to the largest number of each."""
    results: list[Any] = [*found.values()] if hasattr(found, "values") else list(found)
    pairs = [(np.asarray(a), np.asarray(b)) for a, b in zip(results, wanted, strict=True)]
    return max(float(np.abs(a - b).max() / max(np.abs(b).max(), 1e-30)) for a, b in pairs if a.size)


def row_of(name: str, threads: int, effort: Effort) -> tuple[list[str], float]:
    """The row of a model, and our time over the better one's."""
    feed = feeds_of(name)[0]
    calls = {peer: make(name, feed, threads) for peer, make in CONTENDERS.items()}
    error = difference(calls["ours"](), calls["onnxruntime"]())
    times = {peer: time.median for peer, time in measure(calls, effort).items()}
    ratio = times["ours"] / min(times["onnxruntime"], times["OpenVINO"])
    cells = [f"{times[peer] * 1e3:.1f}" for peer in CONTENDERS]
    return [f"`{name}`", *cells, f"{error:.1e}", f"{ratio:.2f}"], ratio


def main(arguments: list[str] | None = None) -> int:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser("whole_models", description=str(__doc__).partition("\n")[0])
    parser.add_argument("models", nargs="*", default=list(MODELS), help="models of `make models`")
    cores = len(os.sched_getaffinity(0))
    parser.add_argument("--threads", type=int, default=cores, help="of each (default: all)")
    parser.add_argument("--quick", action="store_true", help="rough times")
    given = parser.parse_args(arguments)
    missing = [name for name in given.models if not is_made(name)]
    if missing:
        print(f"no files of {', '.join(missing)}: `make models` makes them", file=sys.stderr)
        return 1
    effort = QUICK if given.quick else EFFORT
    found = [row_of(name, given.threads, effort) for name in given.models]
    print(f"{named(computer())}, {given.threads} threads; milliseconds\n")
    print(table(["model", *CONTENDERS, "difference", "ours / best"], [row for row, _ in found]))
    print(f"\ngeometric mean {geometric_mean([ratio for _, ratio in found]):.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
