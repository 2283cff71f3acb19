"""Plain affine loops: vectorized, unchanged, and compiled by numba.

    python benchmarks/loops.py [--quick]

The programs are those of `docs/examples/loops`. Each is compiled twice, with and without
`affine-super-vectorize`; numba compiles the same loops written in Python, and is left out when it
is not installed. All on one thread; results are compared first. The last line of the output is a
section of the report as JSON.
"""

from __future__ import annotations

import argparse
import importlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from targets import target
from timing import QUICK, Effort, measure, use_cpus

import snippets_mlir

EXAMPLES = Path(__file__).resolve().parents[1] / "docs/examples/loops"
LOWER = "affine-to-llvm"
TARGET = f"snippets-set-target{{target={target()} threads=1}}"

Array = npt.NDArray[np.float32]


def saxpy(a: float, x: Array, y: Array) -> None:
    """The loop of `docs/examples/loops/saxpy.mlir` for numba."""
    for i in range(y.shape[0]):
        y[i] = a * x[i] + y[i]


def stencil(a: Array, b: Array) -> None:
    """The loops of `docs/examples/loops/stencil.mlir` for numba."""
    for i in range(1, 1023):
        for j in range(1, 1023):
            rows, columns = a[i - 1, j] + a[i + 1, j], a[i, j - 1] + a[i, j + 1]
            b[i, j] = (rows + columns) * np.float32(0.25)


def row_sum(a: Array, s: Array) -> None:
    """The loops of `docs/examples/loops/row_sum.mlir` for numba."""
    for i in range(1024):
        total = np.float32(0.0)
        for j in range(1024):
            total += a[i, j]
        s[i] = total


def matmul(a: Array, b: Array, c: Array) -> None:
    """The loops of `docs/examples/loops/matmul.mlir` for numba."""
    for i in range(256):
        for j in range(256):
            for k in range(256):
                c[i, j] += a[i, k] * b[k, j]


@dataclass(frozen=True)
class Loops:
    """A program.

    Attributes:
        name: of its file.
        plain: the same in Python.
        vectorize: the passes that vectorize it.
        shapes: of its arrays; the last one is written.
        scalar: whether it takes a number first.
    """

    name: str
    plain: Callable[..., None]
    vectorize: str
    shapes: tuple[tuple[int, ...], ...]
    scalar: bool = False

    def arguments(self) -> list[Any]:
        """Fresh arguments, the same at each call."""
        numbers = np.random.default_rng(7)
        arrays = [numbers.standard_normal(shape).astype(np.float32) for shape in self.shapes]
        return [np.float32(0.5), *arrays] if self.scalar else list(arrays)


PEELED = "affine-loop-peeling{size=32},affine-super-vectorize{virtual-vector-size=32}"
"""The part of a loop that is a multiple long needs no masks."""
PROGRAMS = (
    Loops("saxpy", saxpy, PEELED, ((100_000,), (100_000,)), scalar=True),
    Loops("stencil", stencil, PEELED, ((1024, 1024), (1024, 1024))),
    Loops(
        "row_sum",
        row_sum,
        "affine-super-vectorize{virtual-vector-size=64 vectorize-reductions=true}",
        ((1024, 1024), (1024,)),
    ),
    Loops(
        "matmul",
        matmul,
        "affine-super-vectorize{virtual-vector-size=32}",
        ((256, 256), (256, 256), (256, 256)),
    ),
)


def contenders(loops: Loops) -> dict[str, Callable[..., object]]:
    """The ways to run a program, by name."""
    source = str(EXAMPLES / f"{loops.name}.mlir")
    found: dict[str, Callable[..., object]] = {
        "vectorized": snippets_mlir.compile(source, pipeline=f"{TARGET},{loops.vectorize},{LOWER}"),
        "scalar": snippets_mlir.compile(source, pipeline=f"{TARGET},{LOWER}"),
    }
    try:
        found["numba"] = importlib.import_module("numba").njit(loops.plain)
    except ModuleNotFoundError:
        print("numba is not installed")
    return found


def check(loops: Loops, calls: Mapping[str, Callable[..., object]]) -> None:
    """All results within rounding of the scalar build's.

    Raises:
        AssertionError: a contender is wrong.
    """
    expected = loops.arguments()
    calls["scalar"](*expected)
    for name, call in calls.items():
        found = loops.arguments()
        call(*found)
        np.testing.assert_allclose(found[-1], expected[-1], 1e-4, 1e-4, err_msg=name)


def section(effort: Effort) -> dict[str, Any]:
    """Times of all programs, as a section of the report."""
    names = ("vectorized", "scalar", "numba")
    rows: list[list[Any]] = []
    for loops in PROGRAMS:
        calls = contenders(loops)
        check(loops, calls)
        bound = {name: bind(call, loops.arguments()) for name, call in calls.items()}
        times = measure(bound, effort)
        rows.append([loops.name, *(times[n].median if n in times else None for n in names)])
    return {
        "title": "Loops over memrefs",
        "note": "The programs of `docs/examples/loops` on one thread, each call in place.",
        "unit": "s",
        "head": ["", *names],
        "rows": rows,
    }


def bind(call: Callable[..., object], arguments: list[Any]) -> Callable[[], object]:
    """A call without arguments."""
    return lambda: call(*arguments)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few samples")
    quick = parser.parse_args().quick
    use_cpus(1)
    found = section(QUICK if quick else Effort())
    for name, *times in found["rows"]:
        print(name.ljust(10), *(f"{t * 1e6:10.1f} us" if t else "         -" for t in times))
    print(json.dumps(found))


if __name__ == "__main__":
    main()
