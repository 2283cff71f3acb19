"""Random graphs with reductions, transposes and reshapes: tokenized, and compiled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from naive_tokens import function_blocks, mergeable_pairs, reachability
from numpy.typing import NDArray
from random_norm_graphs import NormGraph
from random_reduction_graphs import ReductionGraph
from sampled import sampled

import snippets_mlir
from snippets_mlir.checkers.dominance import verify_dominance
from snippets_mlir.interpreter import Interpreter
from snippets_mlir.passes.graph.tokenize.snippets_tokenize import SnippetsTokenizePass
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.support.parsing import parse_module

Array = NDArray[Any]


def same(a: Array, b: Array) -> bool:
    """Equal values; all NaN are one, zeros have signs."""
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind != "f":
        return a.tobytes() == b.tobytes()
    signs = np.array_equal(np.signbit(a) | np.isnan(a), np.signbit(b) | np.isnan(b))
    return signs and np.array_equal(a, b, equal_nan=True)


@pytest.mark.parametrize("seed", range(40))
def test_tokens_of_random_graphs(seed: int) -> None:
    graph = ReductionGraph(seed)
    ctx = make_context()
    module = parse_module(graph.text, ctx)
    with np.errstate(all="ignore"):
        before = Interpreter(module).run("main", graph.arrays)
        SnippetsTokenizePass().apply(ctx, module)
        module.verify()
        verify_dominance(module)
        (block,) = function_blocks(module)
        reachability(block)  # asserts that nothing stands before what it needs
        assert not mergeable_pairs(block)
        after = Interpreter(module).run("main", graph.arrays)
    assert all(old.tobytes() == new.tobytes() for old, new in zip(before, after, strict=True))


def run(text: str, arrays: Sequence[Array]) -> list[Array]:
    """The outputs of the compiled program."""
    program = snippets_mlir.compile(text, fallback="error", num_threads=2)
    results = program(*arrays)
    return [results] if len(program.outputs) == 1 else list(results)


@pytest.mark.parametrize("seed", [*sampled(range(1000, 1025), 3), 504, 938, 1666, 3972])
def test_kernels_of_random_graphs(seed: int) -> None:
    graph = ReductionGraph(seed)
    with np.errstate(all="ignore"):
        module = parse_module(graph.text, make_context())
        expected = Interpreter(module).run("main", graph.arrays)
    found = run(graph.text, graph.arrays)
    assert len(found) == len(expected)
    for result, wanted in zip(found, expected, strict=True):
        assert same(result, wanted)


@pytest.mark.parametrize("seed", [*sampled(range(20), 2), 228])
def test_kernels_of_random_norms(seed: int) -> None:
    """Float64, so that only rounding differs: a mistake in a sum is far larger."""
    graph = NormGraph(seed)
    module = parse_module(graph.text, make_context())
    with np.errstate(all="ignore"):
        expected = Interpreter(module).run("main", graph.arrays)
    for result, wanted in zip(run(graph.text, graph.arrays), expected, strict=True):
        np.testing.assert_allclose(result, wanted, rtol=1e-9, atol=1e-9)


def test_a_pointer_that_only_inner_loops_move() -> None:
    """The transposed input stands still in the second loop, and is read after that loop, too."""
    x = np.arange(17 * 7, dtype=np.float32).reshape(17, 7, 1)
    z = np.arange(7, dtype=np.float32).reshape(1, 7, 1)
    text = """func.func @main(%x: tensor<17x7x1xf32>, %z: tensor<1x7x1xf32>)
        -> (tensor<7x7x17xf32>, tensor<7x1x17xf32>) {
      %0 = snippets.transpose %x {permutation = array<i64: 1, 2, 0>}
          : (tensor<17x7x1xf32>) -> tensor<7x1x17xf32>
      %1 = snippets.add %0, %z
          : (tensor<7x1x17xf32>, tensor<1x7x1xf32>) -> tensor<7x7x17xf32>
      func.return %1, %0 : tensor<7x7x17xf32>, tensor<7x1x17xf32>
    }"""
    total, turned = run(text, [x, z])
    np.testing.assert_array_equal(turned, x.transpose(1, 2, 0))
    np.testing.assert_array_equal(total, x.transpose(1, 2, 0) + z)


@pytest.mark.parametrize(("shape", "axis"), [((0, 5), 0), ((5, 0), 1), ((0, 5), 1)])
def test_reductions_of_nothing(shape: tuple[int, int], axis: int) -> None:
    rows, columns = shape
    kept = f"{1 if axis == 0 else rows}x{1 if axis == 1 else columns}"
    text = f"""func.func @main(%x: tensor<{rows}x{columns}xf32>)
        -> (tensor<{kept}xf32>, tensor<{kept}xf32>) {{
      %0 = snippets.reduce_sum %x {{axes = array<i64: {axis}>, keep_dims}}
          : (tensor<{rows}x{columns}xf32>) -> tensor<{kept}xf32>
      %1 = snippets.reduce_max %x {{axes = array<i64: {axis}>, keep_dims}}
          : (tensor<{rows}x{columns}xf32>) -> tensor<{kept}xf32>
      func.return %0, %1 : tensor<{kept}xf32>, tensor<{kept}xf32>
    }}"""
    x = np.zeros(shape, np.float32)
    total, largest = run(text, [x])
    np.testing.assert_array_equal(total, x.sum(axis, keepdims=True))
    np.testing.assert_array_equal(largest, x.max(axis, keepdims=True, initial=-np.inf))


def test_the_checker_finds_reductions_that_could_merge() -> None:
    text = """func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {{
      %0 = snippets.subgraph (%a = %x) : (tensor<4x8xf32>) -> tensor<4x1xf32> {{
        %r = snippets.reduce_max %a {{axes = array<i64: 1>, keep_dims}}
            : (tensor<4x8xf32>) -> tensor<4x1xf32>
        snippets.yield %r : tensor<4x1xf32>
      }}
      %1 = snippets.subgraph (%a = %0, %b = %x)
          : (tensor<4x1xf32>, tensor<4x8xf32>) -> tensor<4x8xf32> {{
        %t = snippets.subtract %b, %a : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
        %s = snippets.reduce_sum %t {{axes = array<i64: {axis}>, keep_dims}}
            : (tensor<4x8xf32>) -> tensor<{shape}xf32>
        %d = snippets.divide %t, %s
            : (tensor<4x8xf32>, tensor<{shape}xf32>) -> tensor<4x8xf32>
        snippets.yield %d : tensor<4x8xf32>
      }}
      func.return %1 : tensor<4x8xf32>
    }}"""

    def pairs(axis: int, shape: str) -> int:
        module = parse_module(text.format(axis=axis, shape=shape), make_context())
        (block,) = function_blocks(module)
        return len(mergeable_pairs(block))

    assert pairs(1, "4x1") == 1
    assert pairs(0, "1x8") == 0
