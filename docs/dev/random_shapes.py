"""Dynamic programs called with random shapes: results, compilations and memory.

    python docs/dev/random_shapes.py [--program NAME ...] [--shapes N] [--calls N] [--seed N]

Each program has two dynamic dims. It is called with `--shapes` random shapes, among them single
and long ones, and every result is compared with NumPy in f64; then `--calls` more times, with the
memory of the process (RSS) noted at a twentieth, a quarter, half and the end of them. One line for
each program; the exit code is 1 if a result is wrong or a program was compiled more than four
times, once for each mask. It is a tool of development: no test needs it.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import snippets_mlir
from snippets_mlir.driver.compiled import Compiled

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "test" / "unit"))

from test_dynamic import CASES, Shapes  # noqa: E402

PROGRAMS = ("swiglu", "softmax", "layer_norm", "rms_norm", "variance", "transposed")
"""The programs of `test_dynamic.py` that have two dynamic dims."""

SIZES = (1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 255, 1000)
MASKS = 4
RTOL, ATOL = 2e-5, 2e-4


def resident() -> int:
    """MiB of memory that the process has now."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) >> 10
    return 0


def _arrays(rng: np.random.Generator, shapes: Shapes) -> list[Any]:
    return [rng.standard_normal(shape).astype(np.float32) for shape in shapes]


def _wrong(
    program: Compiled,
    expected: Callable[..., Any],
    make: Callable[..., Shapes],
    count: int,
    rng: np.random.Generator,
) -> int:
    """How many of `count` random shapes give another result than NumPy."""
    wrong = 0
    for _ in range(count):
        rows, columns = (
            int(rng.choice(SIZES) if rng.random() < 0.7 else rng.integers(1, 700)) for _ in "rc"
        )
        arrays = _arrays(rng, make(rows, columns, 1))
        found, right = program(*arrays), expected(*arrays)
        same = found.shape == right.shape and np.allclose(found, right, rtol=RTOL, atol=ATOL)
        wrong += not same
    return wrong


def _memory(
    program: Compiled, make: Callable[..., Shapes], calls: int, rng: np.random.Generator
) -> list[int]:
    """The memory after a twentieth, a quarter, half and all of `calls` calls."""
    marks = {max(calls // part, 1) for part in (20, 4, 2, 1)}
    found: list[int] = []
    for call in range(1, calls + 1):
        rows, columns = (int(size) for size in rng.integers(2, 64, 2))
        program(*_arrays(rng, make(rows, columns, 1)))
        if call in marks:
            found.append(resident())
    return found


def main() -> int:
    """Run the command line; the exit code."""
    parser = ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--program", nargs="+", choices=PROGRAMS, default=PROGRAMS)
    parser.add_argument("--shapes", type=int, default=1000)
    parser.add_argument("--calls", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    failed = False
    for name in arguments.program:
        text, expected, make = CASES[name]
        rng = np.random.default_rng(arguments.seed)
        program = snippets_mlir.compile(text, fallback="error")
        wrong = _wrong(program, expected, make, arguments.shapes, rng)
        memory = _memory(program, make, arguments.calls, rng)
        compiled = program.compiled_times
        failed = failed or bool(wrong) or compiled > MASKS or program.per_shape is not None
        print(
            f"{name}: {arguments.shapes} shapes, {wrong} wrong, {compiled} compilations; "
            f"RSS {', '.join(map(str, memory))} MiB over {arguments.calls} calls",
            flush=True,
        )
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main())
