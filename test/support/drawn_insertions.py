"""Random passes at random positions: which program, which pass, where, and its options."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from types import NoneType
from typing import Any, Literal, get_args, get_origin

import numpy as np
from xdsl.passes import ModulePass

from snippets_mlir.passes.pipelines import AFFINE_TO_LLVM, PIPELINES
from snippets_mlir.passmanager import universe
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.options import option_types
from snippets_mlir.testing.graph_builder import Graph
from snippets_mlir.testing.graph_generator import generate
from snippets_mlir.tools.random_graphs import compare

Array = np.ndarray[Any, np.dtype[Any]]
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


def require_close(found: Sequence[Array], expected: Sequence[Array]) -> None:
    """`Wrong` for results that are further from what is expected than rounding explains."""
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
    return text, [x, y], lambda found: require_close(found, [first, second])


def _loops(rng: random.Random) -> tuple[str, list[Any], Callable[[Sequence[Array]], None]]:
    m = rng.choice((1, 4, 7, 33))
    x, y = np.arange(m, dtype=np.float32), np.ones(m, np.float32)
    return (
        LOOPS.replace("M", str(m)),
        [x, np.float32(0.5), y.copy()],
        lambda found: require_close([found[2]], [0.5 * x + y]),
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
