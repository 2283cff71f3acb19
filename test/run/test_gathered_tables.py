"""Kernels that gather rows of a table: embeddings, computed tables, tables that others read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from levels import is_level
from sampled import ALL, sampled

import snippets_mlir
from snippets_mlir.interpreter import Interpreter
from snippets_mlir.passes.pipelines import PIPELINES
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.parsing import parse_module

Array = np.ndarray[Any, Any]


EMBEDDING = """
func.func @main(%t: tensor<50x{n}xf32>, %i: tensor<3x4xi64>, %p: tensor<4x{n}xf32>,
    %w: tensor<{n}xf32>, %b: tensor<{n}xf32>) -> tensor<3x4x{n}xf32> {{
  %0 = snippets.gather %t, %i {{axis = 0 : i64, from_end}}
    : (tensor<50x{n}xf32>, tensor<3x4xi64>) -> tensor<3x4x{n}xf32>
  %1 = snippets.add %0, %p : (tensor<3x4x{n}xf32>, tensor<4x{n}xf32>) -> tensor<3x4x{n}xf32>
  %2 = snippets.layer_norm %1, %w, %b {{axis = 2 : i64, epsilon = 1.0e-5 : f32}}
    : (tensor<3x4x{n}xf32>, tensor<{n}xf32>, tensor<{n}xf32>) -> tensor<3x4x{n}xf32>
  func.return %2 : tensor<3x4x{n}xf32>
}}
"""


def embedding(t: Array, i: Array, p: Array, w: Array, b: Array) -> Array:
    rows = t[i].astype(np.float64) + p
    apart = rows - rows.mean(-1, keepdims=True)
    return apart / np.sqrt((apart**2).mean(-1, keepdims=True) + 1e-5) * w + b


@pytest.mark.parametrize(
    ("size", "threads"), sampled([(size, n) for size in (1, 15, 33, 256) for n in (1, 2)], 2)
)
def test_an_embedding_with_its_norm_is_one_kernel(size: int, threads: int):
    rng = np.random.default_rng(size)
    compiled = snippets_mlir.compile(EMBEDDING.format(n=size), num_threads=threads)
    assert len(compiled.kernels) == 1
    assert not compiled.opaque
    t, p = rng.standard_normal((50, size), np.float32), rng.standard_normal((4, size), np.float32)
    w, b = rng.standard_normal((2, size), np.float32)
    i = rng.integers(-50, 50, (3, 4))
    np.testing.assert_allclose(compiled(t, i, p, w, b), embedding(t, i, p, w, b), 1e-4, 1e-4)


LEVELS = {
    "rows": """
func.func @main(%x: tensor<7x19xf32>, %i: tensor<3xi64>) -> tensor<3x1xf32> {
  %0 = snippets.gather %x, %i {axis = 0 : i64}
    : (tensor<7x19xf32>, tensor<3xi64>) -> tensor<3x19xf32>
  %1 = snippets.reduce_max %0 {axes = array<i64: 1>, keep_dims}
    : (tensor<3x19xf32>) -> tensor<3x1xf32>
  func.return %1 : tensor<3x1xf32>
}""",
    "columns": """
func.func @main(%x: tensor<3x19xf32>, %i: tensor<11xi64>) -> tensor<3x11xf32> {
  %0 = snippets.gather %x, %i {axis = 1 : i64, from_end}
    : (tensor<3x19xf32>, tensor<11xi64>) -> tensor<3x11xf32>
  %1 = snippets.negative %0 : tensor<3x11xf32>
  func.return %1 : tensor<3x11xf32>
}""",
    "a slice": """
func.func @main(%x: tensor<7x19xf32>, %i: tensor<3xi64>) -> tensor<2x11xf32> {
  %s = snippets.slice %i {starts = array<i64: 0>, steps = array<i64: 1>, drops = array<i64: 0>}
    : (tensor<3xi64>) -> tensor<i64>
  %0 = snippets.dynamic_slice %x, %s, %s {axes = array<i64: 0, 1>}
    : (tensor<7x19xf32>, tensor<i64>, tensor<i64>) -> tensor<2x11xf32>
  %1 = snippets.negative %0 : tensor<2x11xf32>
  func.return %1 : tensor<2x11xf32>
}""",
}  # fmt: skip


@pytest.mark.parametrize("name", LEVELS)
def test_every_level_computes_the_same(name: str):
    """The interpreter runs the module before and after passes, also with registers."""
    ctx = make_context()
    module = parse_module(LEVELS[name], ctx)
    shape = (3, 19) if name == "columns" else (7, 19)
    x = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    i = np.array([5, -2, 100] if name != "columns" else [5, -2, 100, *range(8)], np.int64)
    wanted = Interpreter(module).run("main", [x, i])
    options = "{target=x86-64-avx2}"
    text = PIPELINES["snippets-to-llvm"].replace(
        "snippets-set-target", f"snippets-set-target{options}"
    )
    for one in parse_pipeline(text, ctx):
        run_passes(module, ctx, [one])
        if not (ALL or is_level(one.name)):
            continue
        for found, other in zip(Interpreter(module).run("main", [x, i]), wanted, strict=True):
            np.testing.assert_array_equal(np.asarray(found), np.asarray(other), one.name)


def test_a_computed_table_is_a_kernel_of_its_own():
    """What indices choose from has to be in memory, and so have they."""
    text = """func.func @main(%x: tensor<9x5xf32>, %i: tensor<3xi64>) -> tensor<3x5xf32> {
      %e = snippets.exp %x : tensor<9x5xf32>
      %j = snippets.add %i, %i : tensor<3xi64>
      %0 = snippets.gather %e, %j {axis = 0 : i64} : (tensor<9x5xf32>, tensor<3xi64>) -> tensor<3x5xf32>
      %1 = snippets.negative %0 : tensor<3x5xf32>
      func.return %1 : tensor<3x5xf32>
    }"""  # noqa: E501
    x, i = np.random.default_rng(0).random((9, 5), np.float32), np.array([0, 2, 4])
    for partitioner in ("tokenize", "fuse-ops"):
        compiled = snippets_mlir.compile(text, partitioner=partitioner)
        assert not compiled.opaque
        np.testing.assert_allclose(compiled(x, i), -np.exp(x)[i + i], 1e-6)


READ_TWICE: dict[str, Callable[[Any, Any, Any], Any]] = {
    "the table, element by element": lambda x, i, j: x[i] + x,
    "rows and columns of one table": lambda x, i, j: x[i] * x[:, j],
    "all three": lambda x, i, j: x[i] * x[:, j] - x,
    "the indices as numbers": lambda x, i, j: x[i] + i[:, None] + j,
    "rows twice": lambda x, i, j: x[i] + x[(i + 1) % 33],
    "a table of its own places": lambda x, i, j: j[j % 65] + j,
}


@pytest.mark.parametrize("name", READ_TWICE)
def test_an_array_that_others_read_too(name: str):
    """Each way of reading an array has a pointer of its own: loops move them in other ways."""
    function = READ_TWICE[name]
    rng = np.random.default_rng(0)
    x = rng.standard_normal((33, 65)).astype(np.float32)
    i, j = rng.integers(0, 33, 33), rng.integers(0, 65, 65)
    np.testing.assert_array_equal(snippets_mlir.jit(function)(x, i, j), function(x, i, j))


OF_A_DYNAMIC_TABLE = """
func.func @main(%x: tensor<?x64xf32>, %i: tensor<4xi64>, %s: tensor<i64>)
    -> (tensor<4x64xf32>, tensor<3x64xf32>) {
  %a = snippets.gather %x, %i {axis = 0 : i64}
    : (tensor<?x64xf32>, tensor<4xi64>) -> tensor<4x64xf32>
  %b = snippets.exp %a : tensor<4x64xf32>
  %c = snippets.dynamic_slice %x, %s {axes = array<i64: 0>}
    : (tensor<?x64xf32>, tensor<i64>) -> tensor<3x64xf32>
  func.return %b, %c : tensor<4x64xf32>, tensor<3x64xf32>
}
"""


@pytest.mark.parametrize("streaming", ["auto", "always"])
def test_the_call_decides_about_the_table_alone(streaming: Any):
    """Loops are static, and what bounds an index is a size of the call."""
    program = snippets_mlir.compile(OF_A_DYNAMIC_TABLE, num_threads=2, streaming=streaming)
    for rows in (3, 9, 1000):
        table = np.random.default_rng(rows).normal(size=(rows, 64)).astype(np.float32)
        places = np.array([0, 1, rows - 1, rows + 7])
        found, part = program(table, places, np.array(rows - 2))
        wanted = np.exp(table[np.clip(places, 0, rows - 1)].astype(np.float64))
        np.testing.assert_allclose(found, wanted, rtol=1e-5)
        np.testing.assert_array_equal(part, table[rows - 3 :])
