"""Unrolled loops: sizes around one to four vectors, unaligned arrays, every stage of the kernel."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray
from sampled import sampled

import snippets_mlir
from snippets_mlir.checkers.linear_ir import verify_linear_ir
from snippets_mlir.interpreter import Interpreter
from snippets_mlir.passes.pipelines import LIR_TO_VECTOR, PIPELINES
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.parsing import parse_module

Array = NDArray[np.float32]
LANES = 8
TARGET = "x86-64-avx2"
SIZES = sorted({n * LANES + d for n in (1, 2, 3, 4, 5, 8) for d in (-1, 0, 1)} | {1, 100})


def tensor(shape: Sequence[int]) -> str:
    """The type of a tensor of float32."""
    return f"tensor<{''.join(f'{size}x' for size in shape)}f32>"


def program(columns: int, rows: int = 3) -> str:
    """Sums and maxima over both dims, a softmax, and what is flat."""
    x, row, column = tensor((rows, columns)), tensor((1, columns)), tensor((rows, 1))
    return f"""func.func @main(%x: {x}) -> ({column}, {column}, {row}, {x}, {x}) {{
      %0 = snippets.reduce_sum %x {{axes = array<i64: 1>, keep_dims}} : ({x}) -> {column}
      %1 = snippets.reduce_max %x {{axes = array<i64: 1>, keep_dims}} : ({x}) -> {column}
      %2 = snippets.reduce_sum %x {{axes = array<i64: 0>, keep_dims}} : ({x}) -> {row}
      %3 = snippets.softmax %x {{axis = 1 : i64}} : {x}
      %4 = snippets.relu %x : {x}
      func.return %0, %1, %2, %3, %4 : {column}, {column}, {row}, {x}, {x}
    }}"""


def expected(x: Array) -> list[NDArray[np.float64]]:
    """What NumPy computes, in double precision."""
    wide = x.astype(np.float64)
    e = np.exp(wide - wide.max(1, keepdims=True))
    return [
        wide.sum(1, keepdims=True),
        wide.max(1, keepdims=True),
        wide.sum(0, keepdims=True),
        e / e.sum(1, keepdims=True),
        np.maximum(wide, 0),
    ]


def check(found: Sequence[Array], x: Array) -> None:
    """Compare with NumPy; the error of a sum is 4 * 2^-24 * sum|x| at most."""
    size = abs(x.astype(np.float64))
    bounds = (size.sum(1, keepdims=True), 0, size.sum(0, keepdims=True), 4, 0)
    for a, b, bound in zip(found, expected(x), bounds, strict=True):
        assert (abs(a - b) <= 4 * 2.0**-24 * bound).all()


def unaligned(shape: tuple[int, ...], seed: int) -> Array:
    """An array that begins one element after an aligned place."""
    x = np.empty(int(np.prod(shape)) + 1, np.float32)[1:].reshape(shape)
    x[:] = np.random.default_rng(seed).standard_normal(shape)
    return x


@pytest.mark.usefixtures("unverified")
@pytest.mark.usefixtures("unverified")  # sizes of the call are verified after each pass, below
@pytest.mark.parametrize(
    ("columns", "factor"),
    sampled([(c, f) for c in SIZES for f in (2, 4) if f == 4 or c < 4 * LANES], 3),
)
def test_rows_around_one_to_four_vectors(columns: int, factor: int) -> None:
    compiled = snippets_mlir.compile(
        program(columns),
        fallback="error",
        target=TARGET,
        num_threads=2,
        insert_passes=[f"after:lir-expand-math:lir-unroll{{factor={factor}}}"],
    )
    x = unaligned((3, columns), columns)
    check(compiled(x), x)


@pytest.mark.parametrize(
    ("rows", "columns", "factor"),
    sampled([(3, 31, 4), (2, 77, 4), (1, 63, 2), (1, 129, 4), (18, 3, 4)], 3),
)
def test_every_stage_computes_the_same(rows: int, columns: int, factor: int) -> None:
    """Blocks of 64 elements of a sum, of which the last is short, or ends before its rest."""
    ctx = make_context()
    module = parse_module(program(columns, rows), ctx)
    x = unaligned((rows, columns), factor)
    names: list[str] = list(LIR_TO_VECTOR)
    names[names.index("lir-split-loops")] = "lir-split-loops{max-terms=8 max-lane-terms=6}"
    place = names.index("lir-expand-math") + 1
    target = PIPELINES["snippets-to-lir"].replace("set-target", f"set-target{{target={TARGET}}}")
    before = ",".join((target, *names[:place], f"lir-unroll{{factor={factor}}}"))
    for passes in (before, "lir-insert-specific-iterations", "convert-lir-to-vector"):
        run_passes(module, ctx, parse_pipeline(passes, ctx))
        module.verify()
        verify_linear_ir(module)
        check(Interpreter(module).run("main", [x]), x)


def test_text_after_unrolling_goes_on_alike() -> None:
    ctx = make_context()
    module = parse_module(program(75), ctx)
    names = list(LIR_TO_VECTOR)
    place = names.index("lir-expand-math") + 1
    passes = (PIPELINES["snippets-to-lir"], *names[:place], "lir-unroll{factor=4}")
    run_passes(module, ctx, parse_pipeline(",".join(passes), ctx))
    again = parse_module(str(module), ctx)
    rest = parse_pipeline(",".join((*names[place:], PIPELINES["vector-to-llvm"])), ctx)
    for each in (module, again):
        run_passes(each, ctx, rest)
    assert str(again) == str(module)


@pytest.mark.usefixtures("unverified")
@pytest.mark.parametrize("columns", sampled([1, 7, 8, 31, 32, 33, 65, 2048, 2100], 2))
def test_sizes_that_a_call_brings(columns: int) -> None:
    x = unaligned((3, columns), columns)
    check(_dynamic()(x), x)


def _dynamic() -> snippets_mlir.driver.Compiled:
    if not _COMPILED:
        text = program(987654).replace("3x987654", "?x?").replace("987654", "?")
        text = text.replace("tensor<3x1x", "tensor<?x1x")
        passes = ["after:lir-expand-math:lir-unroll{factor=4}"]
        _COMPILED.append(
            snippets_mlir.compile(text, fallback="error", target=TARGET, insert_passes=passes)
        )
    return _COMPILED[0]


_COMPILED: list[snippets_mlir.driver.Compiled] = []
