"""Kernels whose values cross loops: every way to allocate memory gives the same numbers."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import numpy as np
import pytest
from random_graphs import random_array
from random_row_kernels import COUNT, RowKernel
from sampled import ALL, sampled

import snippets_mlir
from snippets_mlir.dialects.builtin.dims import static_size
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.interpreter import Interpreter
from snippets_mlir.passes.pipelines import PIPELINES
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.parsing import parse_module
from snippets_mlir.targets.host import host_target
from snippets_mlir.targets.machine import machine

Array = np.ndarray[Any, np.dtype[Any]]
Shape = tuple[int, ...]

# Passes that the pipelines need not have; each before the named one.
EXTRA = {
    "lir-propagate-layout": "lir-optimize-domain",
    "lir-move-result-out-of-loop": "lir-insert-buffers",
    "lir-move-scalar-to-consumer": "lir-insert-broadcast-move",
    "lir-validate-shapes": "lir-init-loops",
    "lir-validate-unified-loops": "lir-init-loops",
    "lir-clean-repeated-data-pointer-shifts": "lir-expand-math",
    "lir-validate-buffers": "lir-expand-math",
}


@cache
def pipeline(*, optimized: bool, placed: bool = False, upto: str = "") -> str:
    """All passes down to LLVM, or to `upto`, with those of `EXTRA`.

    `placed` lets buffers live in outputs where they can, however small the arrays are.
    """
    passes = PIPELINES["snippets-to-llvm"].split(",")
    for name, before in EXTRA.items():
        if name not in passes:
            passes.insert(passes.index(before), name)
    if upto:
        passes = passes[: passes.index(upto) + 1]
    if placed:
        place = passes.index("lir-place-buffers-in-outputs")
        passes[place] = "lir-place-buffers-in-outputs{least=0}"
    if not optimized:
        place = passes.index("lir-allocate-buffers")
        passes[place] = "lir-allocate-buffers{optimized=false}"
        assert "lir-clean-repeated-data-pointer-shifts" in passes
    return ",".join(passes)


WAYS = ((True, False), (False, False), (True, True))
"""Whether memory is optimized, and whether buffers live in outputs."""


def some_ways(number: int) -> tuple[tuple[bool, bool], ...]:
    """The first and one of the others, in turn from test to test."""
    return WAYS if ALL else (WAYS[0], WAYS[1 + number % 2])


def run_both(
    text: str, arrays: list[Array], ways: tuple[tuple[bool, bool], ...] = WAYS
) -> tuple[Array, ...]:
    """The outputs of the kernel with optimized memory; equal bits without, and in outputs."""
    inputs = {f"arg{i}": array for i, array in enumerate(arrays)}
    results = [
        tuple(
            snippets_mlir.compile(
                text, pipeline=pipeline(optimized=optimized, placed=placed), fallback="error"
            )
            .run(inputs)
            .values()
        )
        for optimized, placed in ways
    ]
    for a, *others in zip(*results, strict=True):
        for b in others:
            np.testing.assert_array_equal(a, b, strict=True)
            if a.dtype.kind == "f":
                np.testing.assert_array_equal(np.signbit(a[a == 0]), np.signbit(b[b == 0]))
    return results[0]


def scratch_of(text: str) -> dict[bool, int]:
    """Bytes of scratchpad of the one kernel: optimized, and not."""
    found: dict[bool, int] = {}
    for optimized in (True, False):
        ctx = make_context()
        module = parse_module(text, ctx)
        passes = parse_pipeline(pipeline(optimized=optimized, upto="lir-validate-buffers"), ctx)
        run_passes(module, ctx, passes, verify_each=True)
        (kernel,) = [op for op in module.ops if isinstance(op, KernelOp)]
        found[optimized] = static_size(kernel.scratch)
    return found


@pytest.mark.parametrize("first", sampled(range(0, COUNT, 2), 8))
def test_random_kernels(first: int) -> None:
    for seed in range(first, first + 2):
        kernel = RowKernel(seed)
        expected = Interpreter(parse_module(kernel.text, make_context())).run("main", kernel.arrays)
        for a, b in zip(
            expected, run_both(kernel.text, kernel.arrays, some_ways(seed)), strict=True
        ):
            np.testing.assert_array_equal(b, a, err_msg=kernel.text, strict=True)


def softmax(shape: Shape, axis: int) -> str:
    t = f"tensor<{''.join(f'{s}x' for s in shape)}f32>"
    return (
        f"func.func @main(%x: {t}, %s: {t}) -> {t} {{\n"
        f"  %0 = snippets.multiply %x, %s : {t}\n"
        f"  %1 = snippets.softmax %0 {{axis = {axis} : i64}} : {t}\n"
        f"  func.return %1 : {t}\n}}"
    )


@pytest.mark.usefixtures("unverified")
@pytest.mark.parametrize(
    ("shape", "axis"),
    [
        *sampled((((5, columns), 1) for columns in (1, 7, 8, 9, 15, 16, 17, 33, 300)), 3),
        *sampled((((rows, 33), 0) for rows in (1, 2, 9)), 2),
        ((3, 5, 17), 1),
        ((17,), 0),
        ((0, 5), 1),
        ((5, 0), 1),
        ((5, 0), 0),
    ],
)
def test_softmax(shape: Shape, axis: int) -> None:
    rng = np.random.default_rng(len(shape) + sum(shape))
    x, s = (rng.standard_normal(shape).astype(np.float32) for _ in range(2))
    (found,) = run_both(softmax(shape, axis), [x, s], some_ways(sum(shape)))
    assert found.shape == shape
    if not found.size:
        return
    scaled = x.astype(np.float64) * s
    e = np.exp(scaled - scaled.max(axis, keepdims=True))
    np.testing.assert_allclose(found, e / e.sum(axis, keepdims=True), rtol=2e-6, atol=1e-9)


@pytest.mark.usefixtures("unverified")
def test_special_rows() -> None:
    """NaN stays in its row, -inf gives 0, a row of -inf gives NaN, an inf gives NaN."""
    x = np.ones((6, 21), np.float32)
    x[1, 20], x[2, 3], x[3, :], x[4, 0], x[5, :] = np.nan, -np.inf, -np.inf, np.inf, -0.0
    (found,) = run_both(softmax(x.shape, 1), [x, np.ones_like(x)])
    np.testing.assert_allclose(found[[0, 5]], np.full((2, 21), 1 / 21), rtol=1e-6)
    assert np.isnan(found[[1, 3, 4]][:, 0]).all()
    assert np.isnan(found[[1, 3]]).all()
    np.testing.assert_allclose(np.delete(found[2], 3), np.full(20, 1 / 20), rtol=1e-6)
    assert found[2, 3] == 0


def test_a_buffer_that_is_read_later_is_kept() -> None:
    """`%e` is read in the loop that fills `%d`, and after it: the guide's version loses it."""
    t, r = "tensor<4x21xi32>", "tensor<4x1xi32>"
    text = f"""func.func @main(%x: {t}) -> {t} {{
  %r = snippets.subgraph (%a = %x) : ({t}) -> {t} {{
    %e = snippets.multiply %a, %a : {t}
    %s = snippets.reduce_sum %e {{axes = array<i64: 1>, keep_dims}} : ({t}) -> {r}
    %d = snippets.subtract %e, %s : ({t}, {r}) -> {t}
    %q = snippets.reduce_max %d {{axes = array<i64: 1>, keep_dims}} : ({t}) -> {r}
    %u = snippets.multiply %d, %q : ({t}, {r}) -> {t}
    %v = snippets.add %u, %e : {t}
    snippets.yield %v : {t}
  }}
  func.return %r : {t}
}}"""
    x: Array = random_array(random.Random(3), (4, 21), "i32")
    (found,) = run_both(text, [x])
    with np.errstate(over="ignore"):
        e: Array = x * x
        d: Array = e - e.sum(1, keepdims=True, dtype=np.int32)
        np.testing.assert_array_equal(found, d * d.max(1, keepdims=True) + e)
    assert scratch_of(text) == {True: 256, False: 256}


def test_scratchpads() -> None:
    """One row of floats for softmax, as long as the row; two without clusters."""
    assert scratch_of(softmax((64, 1024), 1)) == {True: 4096, False: 8192}
    assert scratch_of(softmax((64, 1000), 1)) == {True: 4032, False: 8064}
    # Down columns: a vector of them at a time, 64 rows each.
    vector = 4 * machine(host_target()).lanes
    assert scratch_of(softmax((64, 1000), 0)) == {True: 64 * vector, False: 2 * 64 * vector}


def test_a_buffer_that_is_read_transposed() -> None:
    """A kernel as text, from where buffers are inserted on: a reader sees a view of the buffer."""
    row, column = "#lir.port<[4, 16], sub [8]>", "#lir.port<[16, 4], sub [1]>"
    turned = "#lir.port<[16, 4], layout [1, 0], sub [1]>"
    x, y = "tensor<4x16xf32>", "tensor<16x4xf32>"
    target = 'snippets.target = "generic", snippets.threads = 1 : i64'
    text = f"""builtin.module attributes {{{target}}} {{
  func.func @main(%x: {x}) -> {y} {{
    %r = lir.call @view(%x) : ({x}) -> {y}
    func.return %r : {y}
  }}
  lir.kernel @view "marked" (%a: {x}) -> {y} loops [
      #lir.loop<0, work 4, inc 1, dim 1>, #lir.loop<1, work 16, inc 8, dim 0>,
      #lir.loop<2, work 16, inc 1, dim 1>, #lir.loop<3, work 4, inc 1, dim 0>] {{
    %0 = snippets.abs %a {{lir.loops = array<i64: 0, 1>, lir.ports = [{row}, {row}]}} : {x}
    %1 = snippets.transpose %0 {{permutation = array<i64: 1, 0>, lir.loops = array<i64>,
        lir.ports = [#lir.port<[4, 16]>, #lir.port<[16, 4]>]}} : ({x}) -> {y}
    %2 = snippets.negative %1 {{lir.loops = array<i64: 2, 3>, lir.ports = [{turned}, {column}]}}
        : {y}
    lir.result %2 {{index = 0 : i64, lir.ports = [{column}]}} : {y}
  }}
}}"""
    passes = PIPELINES["lir-to-vector"].split(",")
    rest = passes[passes.index("lir-insert-buffers") :]
    lowering = f"{','.join(rest)},{PIPELINES['vector-to-llvm']}"
    array = np.random.default_rng(0).standard_normal((4, 16)).astype(np.float32)
    found = snippets_mlir.compile(text, pipeline=lowering, fallback="error")(array)
    np.testing.assert_array_equal(found, -np.abs(array).T)
