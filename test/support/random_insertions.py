"""Random passes at random positions: the program computes the same, or it is refused.

    python test/support/random_insertions.py --count 20000 --seed 0 [--own] [--seconds N]

A seed says which program it is (a random graph, one with dynamic dims, with ONNX nodes, with
constants, or a function on memrefs), which pass goes where, and the options of the pass; or which
pass of the pipeline gets other options. The result has to be that of NumPy (in float64, with the
tolerance of the program), or a `CompileError` comes instead. Passes that retype are compared with
the interpreter (`Compiled.reference`). `--own` leaves out the passes that come with xDSL. A
compilation that takes more than 20 seconds of the CPU or 4 GiB is a failure, too.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Generator
from types import FrameType
from typing import Any

import numpy as np
from drawn_insertions import Insertion, Wrong, insertion, require_close

import snippets_mlir
from snippets_mlir import CompileError
from snippets_mlir.inspect.compare import interpreter_results
from snippets_mlir.testing.thread_counts import drawn_threads

SECONDS_OF_ONE = 120
MEMORY = 4 << 30
OTHER_NUMBERS = frozenset(
    {
        "approximate-math-with-bitcast",
        "arith-add-fastmath",
        "expand-math-to-polynomials",
        "snippets-set-target",
        "snippets-relax-maxima",
    }
)
"""Passes whose word is less than the tolerance: results are not compared."""


def _too_long(_: int, __: FrameType | None) -> None:
    raise TimeoutError(f"more than {SECONDS_OF_ONE} seconds")


@contextlib.contextmanager
def _quietly() -> Generator[None]:
    """In an empty folder, without what passes print, and not for long."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        with contextlib.redirect_stderr(io.StringIO()):
            previous = signal.signal(signal.SIGPROF, _too_long)
            signal.setitimer(signal.ITIMER_PROF, SECONDS_OF_ONE)
            os.chdir(folder)
            try:
                yield
            finally:
                os.chdir(before)
                signal.setitimer(signal.ITIMER_PROF, 0)
                signal.signal(signal.SIGPROF, previous)


def check(one: Insertion) -> str:
    """Compile and run it: `ok`, or `refused`.

    Raises whatever is neither: `Wrong`, or an exception of the compiler.
    """
    with _quietly():
        try:
            threads = drawn_threads(one.seed)
            program = snippets_mlir.compile(one.text, num_threads=threads, **one.options)
            arrays = one.arrays()
            _run(one, program, arrays)
        except CompileError as error:
            if "\n" in error.message:
                raise Wrong(f"more than one line: {error.message}") from error
            return "refused"
    return "ok"


def _run(one: Insertion, program: Any, arrays: list[Any]) -> None:
    source, retyping = program.reference()
    if program.on_memrefs:
        program(*arrays)
        if one.name not in OTHER_NUMBERS and retyping is None:
            one.check(arrays)
        return
    if retyping is not None:
        specs = program.inputs
        arrays = [np.ones([n or 2 for n in spec.shape], spec.dtype) for spec in specs]
    names = [spec.name for spec in program.inputs]
    found = list(program.run(dict(zip(names, arrays, strict=True))).values())
    if one.name in OTHER_NUMBERS:
        return
    if retyping is None:
        one.check(found)
    else:
        require_close(found, interpreter_results(source, arrays, 1))


def outcome(seed: int, *, own: bool = False) -> tuple[str, str]:
    """`ok`, `refused` or `failed`, and what failed."""
    one = insertion(seed, own=own)
    try:
        return check(one), ""
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{os.path.basename(where.filename)}:{where.lineno}"
        return "failed", f"{one}: {type(error).__name__}: {error!s:.300} ({place})"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--own", action="store_true")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    counts: Counter[str] = Counter()
    end = time.monotonic() + options.seconds
    for seed in range(options.seed, options.seed + options.count):
        if time.monotonic() > end:
            break
        if options.show:
            print(insertion(seed, own=options.own).text)
        kind, message = outcome(seed, own=options.own)
        counts[kind] += 1
        if message:
            print(message, flush=True)
    print(dict(counts))
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
