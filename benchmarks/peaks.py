"""Memory of a process around the first two runs of ONNX models, compared with onnxruntime's.

    python benchmarks/peaks.py model.onnx [model2.onnx ...] [--size 32]
    python benchmarks/peaks.py bert2 magika ...         models of `run_models.py`, with their inputs
    python benchmarks/peaks.py --cuts bert2 ...         with all kernels that are possible

Dynamic dims are `--size`, numbers are random, integers 1. A process compiles each model; then
one loads it from the cache, another one in onnxruntime, and runs it twice. Before the first run,
the C library returns the memory that loading has freed: otherwise a run in such memory would seem
to take none. Columns, in MiB:

* loaded: the resident set before the first run;
* own: how far the peak of the first run is above that, without pages of files, which are mapped
  read-only and shared by processes (`RssFile`);
* files: pages of files that the first run touches first, such as packed weights;
* again: the same as own for the second run;
* after: the resident set after it.

Linux with glibc only: it calls `malloc_trim`, reads `/proc/self/status`, and resets the peak by
`/proc/self/clear_refs`.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from ctypes import CDLL
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from models import store

HEAD = (
    "| model | engine | loaded | own | files | again | after |\n|---|---|---:|---:|---:|---:|---:|"
)
ENGINES = ("snippets", "onnxruntime")
KINDS = {"tensor(float)": "float32", "tensor(int64)": "int64", "tensor(int32)": "int32"}


def status() -> dict[str, float]:
    """The sizes of the process in MiB."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    pairs = (line.split(":") for line in lines if line.startswith(("Vm", "Rss")))
    return {name: int(text.split()[0]) / 1024 for name, text in pairs}


def array(shape: Sequence[Any], dtype: str, size: int) -> Any:
    """An input."""
    known = [dim if isinstance(dim, int) else size for dim in shape]
    if dtype.startswith("int"):
        return np.ones(known, dtype)
    return np.random.default_rng(0).standard_normal(known).astype(dtype)


def loaded(engine: str, path: str, options: argparse.Namespace) -> Callable[[], object]:
    """The object that runs the model."""
    size: int = options.size
    named: Mapping[str, Any] = {}
    if not path.endswith(".onnx"):
        named, path = store.feeds_of(path)[0], str(store.model_path(path))
    if engine == "snippets":
        import snippets_mlir

        settings: dict[str, Any] = {"mark_skipped": "none"} if options.cuts else {}
        program = snippets_mlir.compile(path, num_threads=2, **settings)
        given = named or {
            spec.name: array(spec.shape or (), spec.dtype.name, size) for spec in program.inputs
        }
        return lambda: program.run(given)
    onnxruntime: Any = import_module("onnxruntime")  # it has no type information
    asked: Any = onnxruntime.SessionOptions()
    asked.intra_op_num_threads = 2
    asked.log_severity_level = 3
    session: Any = onnxruntime.InferenceSession(path, asked)
    feed = named or {i.name: array(i.shape, KINDS[i.type], size) for i in session.get_inputs()}
    return lambda: session.run(None, feed)


def growth(run: Callable[[], object]) -> tuple[float, float]:
    """The peak of a run above the resident memory before it, without files; and the growth of
    files.
    """
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    before = status()
    run()
    after = status()
    files = after["RssFile"] - before["RssFile"]
    return after["VmHWM"] - before["VmRSS"] - files, files


def measured(engine: str, path: str, options: argparse.Namespace) -> list[float]:
    """The numbers of a row, in this process."""
    run = loaded(engine, path, options)
    gc.collect()
    CDLL(None).malloc_trim(0)
    start = status()["VmRSS"]
    own, files = growth(run)
    again, _ = growth(run)
    return [start, own, files, again, status()["VmRSS"]]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="+")
    parser.add_argument("--size", type=int, default=32)
    parser.add_argument("--cuts", action="store_true", help="with all kernels that are possible")
    parser.add_argument("--engine", choices=ENGINES, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.engine is not None:
        print(json.dumps(measured(options.engine, options.models[0], options)))
        return
    print(HEAD)
    for path in options.models:
        with TemporaryDirectory() as cache:  # the first call decides which ops are in kernels
            environment = os.environ | {"SNIPPETS_CACHE_DIR": cache}
            for engine in (None, *ENGINES):  # the first process compiles
                command = [sys.executable, __file__, path, "--size", str(options.size)]
                command += ["--engine", engine or "snippets", *(["--cuts"] if options.cuts else [])]
                done = subprocess.run(
                    command, capture_output=True, text=True, check=True, env=environment
                )
                if engine is not None:
                    numbers = " | ".join(f"{number:.1f}" for number in json.loads(done.stdout))
                    print(f"| {Path(path).stem} | {engine} | {numbers} |", flush=True)


if __name__ == "__main__":
    main()
