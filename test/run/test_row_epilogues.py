"""Long epilogues of products whose rows are outside: they go by blocks of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from levels import is_level
from numpy.typing import NDArray
from runnable import HOST, RUNNABLE
from sampled import ALL, alternating, sampled
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

import snippets_mlir
from snippets_mlir.interpreter import Interpreter
from snippets_mlir.passes.pipelines import PIPELINES
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.parsing import parse_module
from snippets_mlir.testing.product_values import product_bound

Array = NDArray[Any]
UNIT = 2.0**-24


def program(shape: str, terms: int, columns: int, *, gated: bool) -> str:
    """tanh(x w) * (x w), or tanh(x w) * (x u) with two products side by side."""
    x, y = f"tensor<{shape}x{terms}xf32>", f"tensor<{shape}x{columns}xf32>"
    w = f"tensor<{terms}x{columns}xf32>"
    other = f"%1 = snippets.matmul %x, %u : ({x}, {w}) -> {y}" if gated else ""
    return f"""
func.func @main(%x: {x}, %w: {w}, %u: {w}) -> ({y}, {y}) {{
  %0 = snippets.matmul %x, %w : ({x}, {w}) -> {y}
  {other}
  %2 = snippets.tanh %0 : {y}
  %3 = snippets.multiply %2, {"%1" if gated else "%0"} : {y}
  %4 = snippets.exp %3 : {y}
  func.return %3, %4 : {y}, {y}
}}"""


def drawn(*shape: int) -> Array:
    return np.random.default_rng([*shape]).standard_normal(shape).astype(np.float32)


def check(found: list[Array], x: Array, w: Array, u: Array) -> None:
    x, w, u = (a.astype(np.float64) for a in (x, w, u))
    first, second = x @ w, x @ u
    error = product_bound(x, w, UNIT) * (1 + np.abs(second)) + product_bound(x, u, UNIT)
    wanted = np.tanh(first) * second
    error += 16 * UNIT * (np.abs(wanted) + 1)
    assert (np.abs(found[0] - wanted) <= error).all()
    assert (np.abs(found[1] - np.exp(wanted)) <= np.exp(wanted) * (2 * error + 8 * UNIT)).all()


def is_split(compiled: snippets_mlir.Compiled) -> bool:
    """Whether the rows of a product are in a loop inside of one over blocks of rows."""
    text = "".join(kernel.ir("lir-brgemm-split-epilogue") for kernel in compiled.kernels)
    return "dim 2, inner of 0, jam" in text


CASES = [
    # rows, in the text; sizes of calls; terms; columns; whether it fires for vectors of AVX-512
    ("2048", [(2048,)], 32, 48, True),
    ("2048", [(2048,)], 257, 15, True),
    ("2053", [(2053,)], 9, 48, False),
    ("?x1024", [(0, 1024), (1, 1024), (3, 1024)], 16, 33, True),
    ("3x1024", [(3, 1024)], 5, 64, None),
    ("?", [(2048,), (1,), (2,), (517,)], 16, 48, False),
]


@pytest.mark.usefixtures("untuned")
@pytest.mark.parametrize(
    ("shape", "calls", "terms", "columns", "fires", "threads", "gated"),
    sampled(
        [
            (*case, threads, gated)
            for case in CASES
            for threads in (1, 2, 5)
            for gated in (False, True)
        ],
        6,
    ),
)
def test_values(
    shape: str,
    calls: list[tuple[int, ...]],
    terms: int,
    columns: int,
    fires: bool | None,
    threads: int,
    gated: bool,
) -> None:
    text = program(shape, terms, columns, gated=gated)
    compiled = snippets_mlir.compile(text, num_threads=threads)
    w, u = drawn(terms, columns), drawn(columns, terms).T.copy()
    for sizes in calls:
        x = drawn(*sizes, terms)
        results = list(compiled(x, w, u))
        check(results, x, w, u if gated else w)
    if fires is not None and HOST.name == "x86-64-avx512":
        assert is_split(compiled) is fires


def test_rows_of_nan_and_infinities_stay_apart() -> None:
    x, w = drawn(2048, 8), drawn(8, 48)
    x[5], x[130], x[2047] = np.nan, np.inf, -0.0
    compiled = snippets_mlir.compile(program("2048", 8, 48, gated=False), num_threads=2)
    found, _ = compiled(x, w, w)
    with np.errstate(invalid="ignore"):
        wanted = np.tanh(x @ w) * (x @ w)
    np.testing.assert_allclose(found, wanted, 1e-4, 1e-5)


@pytest.mark.parametrize("target", RUNNABLE)
def test_targets(target: str) -> None:
    x, w = drawn(2048, 19), drawn(19, 40)
    compiled = snippets_mlir.compile(program("2048", 19, 40, gated=False), target=target)
    check(list(compiled(x, w, w)), x, w, w)


STOPS = ("convert-snippets-to-lir", "lir-insert-specific-iterations", "convert-lir-to-vector")


def test_every_level() -> None:
    """About the fewest rows of which `generic` computes the epilogue in blocks."""
    x, w = drawn(64, 3), drawn(3, 7)
    ctx, seen = make_context(), dict[str, str]()
    module = parse_module(program("64", 3, 7, gated=False), ctx)
    passes = PIPELINES["snippets-to-llvm"].partition(",convert-scf-to-cf")[0]
    passes = passes.replace("set-target", "set-target{target=generic threads=1}", 1)

    def after(p: ModulePass, module: ModuleOp) -> None:
        if p.name == "lir-brgemm-split-epilogue":
            seen[p.name] = str(module)
        if p.name in STOPS or (ALL and is_level(p.name)):
            check(list(Interpreter(module, verify=False).run("main", [x, w, w])), x, w, w)

    run_passes(module, ctx, parse_pipeline(passes, ctx), after=after)
    assert "dim 2, inner of 0, jam" in seen["lir-brgemm-split-epilogue"]


@pytest.mark.parametrize(
    ("case", "target"),
    alternating(sampled([(3, 5), (3, 16), (4, 7), (4, 24), (16, 33)], 2), RUNNABLE),
)
def test_tiles_of_rows_outside_of_the_only_panel_of_weights(
    case: tuple[int, int], target: str
) -> None:
    """The rows of a tile went through a buffer of one row."""
    threads, columns = case
    x, w = drawn(33, 6), drawn(columns, 6)
    text = f"""
func.func @main(%x: tensor<33x6xf32>) -> tensor<33x{columns}xf32> {{
  %w = snippets.constant dense<"0x{w.tobytes().hex()}"> : tensor<{columns}x6xf32>
  %0 = snippets.matmul %x, %w {{transpose_b}}
    : (tensor<33x6xf32>, tensor<{columns}x6xf32>) -> tensor<33x{columns}xf32>
  %1 = snippets.tanh %0 : tensor<33x{columns}xf32>
  func.return %1 : tensor<33x{columns}xf32>
}}"""
    found = snippets_mlir.compile(text, num_threads=threads, target=target)(x)
    left, right = x.astype(np.float64), w.T.astype(np.float64)
    error = product_bound(left, right, UNIT) + 8 * UNIT
    assert (np.abs(found - np.tanh(left @ right)) <= error).all()
