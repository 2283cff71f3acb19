"""Cumulative ops with others around them, of views and of dynamic sizes, in one kernel."""

from __future__ import annotations

import numpy as np
import pytest
from cumulative_kernels import LANES, cumulated, program
from levels import is_level
from sampled import ALL, sampled

import snippets_mlir
from snippets_mlir.interpreter import Interpreter
from snippets_mlir.passes.pipelines import PIPELINES
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.parsing import parse_module

FUSED = """
func.func @main(%x: tensor<{n}x{m}xf32>, %y: tensor<{n}x{m}xf32>) -> tensor<{n}x{m}xf32> {{
  %0 = snippets.tanh %x : tensor<{n}x{m}xf32>
  %1 = snippets.cum_sum %0 {{axis = {axis} : i64}} : tensor<{n}x{m}xf32>
  %2 = snippets.multiply %1, %y : tensor<{n}x{m}xf32>
  %3 = snippets.cum_max %2 {{axis = {axis} : i64}} : tensor<{n}x{m}xf32>
  func.return %3 : tensor<{n}x{m}xf32>
}}"""


AROUND = [(3, 5), (40, LANES), (7, 8 * LANES + 1), (64, 200)]


@pytest.mark.parametrize(
    ("n", "m", "axis"), sampled([(*sizes, axis) for sizes in AROUND for axis in (0, 1)], 2)
)
def test_what_is_around_is_in_the_kernel(n: int, m: int, axis: int):
    rng = np.random.default_rng(n)
    compiled = snippets_mlir.compile(FUSED.format(n=n, m=m, axis=axis))
    assert [list(kernel.ops) for kernel in compiled.kernels] == [
        ["snippets.tanh", "snippets.cum_sum", "snippets.multiply", "snippets.cum_max"]
    ]
    x, y = rng.standard_normal((2, n, m), np.float32)
    wanted = np.maximum.accumulate(np.cumsum(np.tanh(x), axis) * y, axis)
    np.testing.assert_allclose(compiled(x, y), wanted, 1e-4, 1e-4)


TOP_P = """
func.func @main(%x: tensor<{n}x{m}xf32>) -> (tensor<{n}x{m}xf32>, tensor<{n}x1xf32>) {{
  %0 = snippets.softmax %x {{axis = 1 : i64}} : tensor<{n}x{m}xf32>
  %1 = snippets.cum_sum %0 {{axis = 1 : i64}} : tensor<{n}x{m}xf32>
  %2 = snippets.reduce_max %1 {{axes = array<i64: 1>, keep_dims}}
    : (tensor<{n}x{m}xf32>) -> tensor<{n}x1xf32>
  func.return %1, %2 : tensor<{n}x{m}xf32>, tensor<{n}x1xf32>
}}"""


@pytest.mark.parametrize(("n", "m"), [(2, 1000), (40, 65), (33, 5000), (1, 20000)])
def test_beside_reductions(n: int, m: int):
    """The loop of a sum may be split into blocks, and that of a scan may not."""
    x = np.random.default_rng(m).standard_normal((n, m), np.float32)
    compiled = snippets_mlir.compile(TOP_P.format(n=n, m=m))
    assert not compiled.opaque
    e = np.exp(x - x.max(1, keepdims=True)).astype(np.float64)
    wanted = np.cumsum(e / e.sum(1, keepdims=True), 1)
    sums, largest = compiled(x)
    np.testing.assert_allclose(sums, wanted, 1e-4, 1e-6)
    np.testing.assert_array_equal(largest, sums.max(1, keepdims=True))


VIEWS = """
func.func @main(%x: tensor<9x40xf32>) -> (tensor<40x9xf32>, tensor<5x40xf32>) {
  %0 = snippets.transpose %x {permutation = array<i64: 1, 0>}
    : (tensor<9x40xf32>) -> tensor<40x9xf32>
  %1 = snippets.cum_sum %0 {axis = 0 : i64} : tensor<40x9xf32>
  %2 = snippets.slice %x {starts = array<i64: 8, 0>, steps = array<i64: -2, 1>}
    : (tensor<9x40xf32>) -> tensor<5x40xf32>
  %3 = snippets.cum_prod %2 {axis = 0 : i64} : tensor<5x40xf32>
  func.return %1, %3 : tensor<40x9xf32>, tensor<5x40xf32>
}"""


def test_transposed_and_sliced_operands():
    x = np.random.default_rng(0).uniform(0.5, 2, (9, 40)).astype(np.float32)
    compiled = snippets_mlir.compile(VIEWS)
    assert not compiled.opaque
    sums, products = compiled(x)
    np.testing.assert_allclose(sums, np.cumsum(x.T, 0), 1e-5)
    np.testing.assert_allclose(products, np.cumprod(x[8::-2], 0), 1e-5)


@pytest.mark.parametrize("axis", [0, 1])
def test_dynamic_sizes(axis: int):
    """Sizes of a call: 0, 1, below and above a vector; the kernels are compiled once."""
    compiled = snippets_mlir.compile(
        f"""func.func @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {{
          %0 = snippets.abs %x : tensor<?x?xf32>
          %1 = snippets.cum_sum %0 {{axis = {axis} : i64}} : tensor<?x?xf32>
          func.return %1 : tensor<?x?xf32>
        }}"""
    )
    assert compiled.per_shape is None
    for shape in [(3, 5), (1, 7), (7, 1), (0, 4), (4, 0), (LANES + 1, LANES - 1), (50, 333)]:
        x = np.random.default_rng(1).standard_normal(shape, np.float32)
        np.testing.assert_allclose(compiled(x), np.cumsum(abs(x), axis), 1e-5, 1e-5)


def test_dynamic_sizes_backwards():
    """Slices begin at numbers: a program that goes backwards is compiled for each shape."""
    compiled = snippets_mlir.compile(
        """func.func @main(%x: tensor<?xi64>) -> tensor<?xi64> {
          %0 = snippets.cum_sum %x {axis = 0 : i64, reverse, exclusive} : tensor<?xi64>
          func.return %0 : tensor<?xi64>
        }"""
    )
    for size in (0, 1, 2, 70):
        x = np.arange(size)
        wanted = cumulated(x, "sum", 0, exclusive=True, reverse=True)
        np.testing.assert_array_equal(compiled(x), wanted)


LEVELS = {
    "rows": (FUSED.format(n=3, m=19, axis=1), [(3, 19), (3, 19)]),
    "columns": (FUSED.format(n=6, m=11, axis=0), [(6, 11), (6, 11)]),
    "flat": (program((67,), "f32", "sum", 0), [(67,)]),
    "beside a sum": (TOP_P.format(n=2, m=25), [(2, 25)]),
}


@pytest.mark.parametrize("name", sampled(LEVELS, 2))
def test_every_level_computes_the_same(name: str):
    """The interpreter runs the module before and after passes, also with registers."""
    text, shapes = LEVELS[name]
    ctx = make_context()
    module = parse_module(text, ctx)
    rng = np.random.default_rng(0)
    inputs = [rng.standard_normal(shape).astype(np.float32) for shape in shapes]
    wanted = Interpreter(module).run("main", inputs)
    options = "{target=x86-64-avx2}"
    pipeline = PIPELINES["snippets-to-llvm"].replace(
        "snippets-set-target", f"snippets-set-target{options}"
    )
    for one in parse_pipeline(pipeline.removesuffix(",llvm-constants-to-memory"), ctx):
        run_passes(module, ctx, [one])
        if not (ALL or is_level(one.name)):
            continue
        for found, other in zip(Interpreter(module).run("main", inputs), wanted, strict=True):
            np.testing.assert_allclose(
                np.asarray(found), np.asarray(other), 1e-4, 1e-5, err_msg=one.name
            )
