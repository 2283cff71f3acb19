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
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from types import FrameType, NoneType
from typing import Any, Literal, get_args, get_origin

import numpy as np
from xdsl.passes import ModulePass

import snippets_mlir
from snippets_mlir import CompileError
from snippets_mlir.inspect.compare import interpreter_results
from snippets_mlir.passes.pipelines import AFFINE_TO_LLVM, PIPELINES
from snippets_mlir.passmanager import universe
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.options import option_types
from snippets_mlir.testing.graph_builder import Graph
from snippets_mlir.testing.graph_generator import generate
from snippets_mlir.testing.thread_counts import drawn_threads
from snippets_mlir.tools.random_graphs import compare

Array = np.ndarray[Any, np.dtype[Any]]

SECONDS_OF_ONE = 120
MEMORY = 4 << 30
NUMBERS = (0, 1, 2, 3, 5, 8, 16, 17, 64, -1, 1000, 2**31, 2**63 - 1, 2**63, 10**30)
WORDS = (
    "x",
    "f16",
    "-",
    "f32,f64",
    "NCHW4c",
    "generic",
    "x86-64-avx2",
    "host",
    "",
    "a b",
    "\n",
    "é",
)
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


class Wrong(AssertionError):
    """A result that is not NumPy's."""


@dataclass(frozen=True)
class Insertion:
    """One compilation.

    Attributes:
        seed: everything follows from it.
        text: the program.
        position: of the pass; empty when it has the place of the one of this name.
        name: of the pass.
        spelled: the pass with its options.
        pipeline: of the program.
        check: compares results with NumPy's; `Wrong` where they are not the same.
        arrays: makes the arguments.
    """

    seed: int
    text: str
    position: str
    name: str
    spelled: str
    pipeline: Sequence[str]
    arrays: Callable[[], list[Any]]
    check: Callable[[Sequence[Array]], None]

    def __str__(self) -> str:
        return f"seed {self.seed}: {self.position}:{self.spelled}"

    @property
    def options(self) -> dict[str, Any]:
        """The arguments of `compile`."""
        if self.position:
            return {"insert_passes": [f"{self.position}:{self.spelled}"]}
        names = [self.spelled if name == self.name else name for name in self.pipeline]
        return {"pipeline": ",".join(["snippets-set-target", *names])}


# --- programs


def _random_graph(rng: random.Random) -> tuple[str, list[Any], Callable[[Sequence[Array]], None]]:
    graph: Graph = generate(rng.randrange(10_000), rng.randrange(1, 7))

    def check(found: Sequence[Array]) -> None:
        ratio, where = compare(graph, found)
        if ratio > 1:
            raise Wrong(where)

    return graph.text, list(graph.arrays), check


ROWS = """
func.func @main(%x: tensor<NxMxf32>, %y: tensor<Mxf32>)
    -> (tensor<NxMxf32>, tensor<NxMxf32>) {
  %0 = snippets.add %x, %y : (tensor<NxMxf32>, tensor<Mxf32>) -> tensor<NxMxf32>
  %1 = snippets.reduce_max %0 {axes = array<i64: 1>} : (tensor<NxMxf32>) -> tensor<Nx1xf32>
  %2 = snippets.subtract %0, %1 : (tensor<NxMxf32>, tensor<Nx1xf32>) -> tensor<NxMxf32>
  %3 = snippets.softmax %x {axis = 1 : i64} : tensor<NxMxf32>
  func.return %2, %3 : tensor<NxMxf32>, tensor<NxMxf32>
}"""
NODES = """
func.func @main(%x: tensor<NxMxf32>, %y: tensor<Mxf32>)
    -> (tensor<NxMxf32>, tensor<NxMxf32>) {
  %c = snippets.constant dense<[[2.0], [0.5]]> : tensor<2x1xf32>
  %r = snippets.reshape %c : (tensor<2x1xf32>) -> tensor<1x2xf32>
  %k = snippets.reduce_sum %r {axes = array<i64: 1>} : (tensor<1x2xf32>) -> tensor<1x1xf32>
  %0 = snippets.add %x, %y : (tensor<NxMxf32>, tensor<Mxf32>) -> tensor<NxMxf32>
  %1 = onnx.node "Identity"(%0) {domain = "", version = 13 : i64}
    : (tensor<NxMxf32>) -> tensor<NxMxf32>
  %2 = snippets.multiply %1, %k : (tensor<NxMxf32>, tensor<1x1xf32>) -> tensor<NxMxf32>
  %3 = snippets.relu %x : tensor<NxMxf32>
  func.return %2, %3 : tensor<NxMxf32>, tensor<NxMxf32>
}"""
LOOPS = """func.func @main(%x: memref<Mxf32>, %a: f32, %y: memref<Mxf32>) {
  affine.for %i = 0 to M {
    %0 = affine.load %x[%i] : memref<Mxf32>
    %1 = arith.mulf %0, %a : f32
    %2 = affine.load %y[%i] : memref<Mxf32>
    %3 = arith.addf %1, %2 : f32
    affine.store %3, %y[%i] : memref<Mxf32>
  }
  func.return
}"""


def _closed(found: Sequence[Array], expected: Sequence[Array]) -> None:
    for index, (a, b) in enumerate(zip(found, expected, strict=True)):
        if a.shape != b.shape or not np.allclose(a, b, rtol=1e-5, atol=1e-5, equal_nan=True):
            raise Wrong(f"output {index}: {a!r:.300}, expected {b!r:.300}")


def _rows(rng: random.Random) -> tuple[str, list[Any], Callable[[Sequence[Array]], None]]:
    n, m = rng.choice((1, 2, 3, 9)), rng.choice((1, 5, 16, 33))
    x = np.random.default_rng(n * m).standard_normal((n, m)).astype(np.float32)
    y = np.linspace(-1, 1, m, dtype=np.float32)
    sums, nodes = x.astype(np.float64) + y, rng.random() < 0.4
    powers = np.exp(x.astype(np.float64))
    first = 2.5 * sums if nodes else sums - sums.max(1, keepdims=True)
    second = np.maximum(x, 0) if nodes else powers / powers.sum(1, keepdims=True)
    rows, columns = (rng.choice((str(size), "?")) for size in (n, m))
    text = (NODES if nodes else ROWS).replace("N", rows).replace("M", columns)
    return text, [x, y], lambda found: _closed(found, [first, second])


def _loops(rng: random.Random) -> tuple[str, list[Any], Callable[[Sequence[Array]], None]]:
    m = rng.choice((1, 4, 7, 33))
    x, y = np.arange(m, dtype=np.float32), np.ones(m, np.float32)
    return (
        LOOPS.replace("M", str(m)),
        [x, np.float32(0.5), y.copy()],
        lambda found: _closed([found[2]], [0.5 * x + y]),
    )


# --- passes


@cache
def passes(own: bool) -> dict[str, type[ModulePass]]:
    """The classes of passes by name; with `own` those of this project."""
    found = make_context().passes
    names = sorted(set(universe.PASSES) if own else found)
    return {name: found[name]() for name in names}


def _value(rng: random.Random, kind: Any) -> str:
    kinds = [k for k in get_args(kind) if k is not NoneType] if get_origin(kind) else [kind]
    if get_origin(kind) is Literal:
        return str(rng.choice((*get_args(kind), "other")))
    if get_origin(kind) is tuple:
        return ",".join(_value(rng, get_args(kind)[0]) for _ in range(rng.randrange(1, 4)))
    match rng.choice(kinds):
        case t if t is bool:
            return rng.choice(("true", "false"))
        case t if t is int:
            return str(rng.choice(NUMBERS))
        case t if t is float:
            return rng.choice(("0.5", "-1", "nan", "1e300"))
        case t if t is str:
            return f'"{rng.choice(WORDS)}"'
        case t:
            return _value(rng, t) if get_origin(t) else "x"


def spelled(rng: random.Random, cls: type[ModulePass]) -> str:
    """A pass with some of its options."""
    options = [
        f"{name}={_value(rng, kind)}"
        for name, kind in option_types(cls).items()
        if rng.random() < 0.4
    ]
    return f"{cls.name}{{{' '.join(options)}}}" if options else cls.name


def insertion(seed: int, *, own: bool = False) -> Insertion:
    """What `seed` says."""
    rng = random.Random(seed)
    kind = rng.choices((_random_graph, _rows, _loops), (5, 5, 2))[0]
    text, arrays, check = kind(rng)
    anchors = AFFINE_TO_LLVM if kind is _loops else PIPELINES["snippets-to-llvm"].split(",")
    place = rng.choice(("start", "end", *("before", "after") * 4))
    position = f"{place}:{rng.choice(anchors)}" if place in ("before", "after") else place
    known = passes(own or rng.random() < 0.6)
    name = rng.choice(list(known))
    if rng.random() < 0.3:
        position, known = "", passes(False)
        name = rng.choice([anchor for anchor in anchors if option_types(known[anchor])])
    return Insertion(
        seed,
        text,
        position,
        name,
        spelled(rng, known[name]),
        anchors,
        lambda: deepcopy(arrays),
        check,
    )


# --- running


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
        _closed(found, interpreter_results(source, arrays, 1))


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
