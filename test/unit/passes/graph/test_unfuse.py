"""Subgraphs that no single kernel can compute: their ops run one by one, and say why."""

from __future__ import annotations

import numpy as np
import pytest

import snippets_mlir
from snippets_mlir.interpreter import Interpreter
from snippets_mlir.passes.graph.tokenize.snippets_unfuse_unlowerable import (
    SnippetsUnfuseUnlowerablePass,
)
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.support.parsing import parse_module

# Groups that a partitioner (or the user) made. No loops walk a 6x4 and a 4x6 tensor at once.
RESHAPE = """
func.func @main(%x: tensor<6x4xf32>) -> (tensor<4x6xf32>, tensor<4x1xf32>) {
  %0, %1 = snippets.subgraph (%a = %x) : (tensor<6x4xf32>) -> (tensor<4x6xf32>, tensor<4x1xf32>) {
    %s = snippets.scalar 2.0 : f32
    %2 = snippets.multiply %a, %s : (tensor<6x4xf32>, tensor<f32>) -> tensor<6x4xf32>
    %3 = snippets.reshape %2 : (tensor<6x4xf32>) -> tensor<4x6xf32>
    %4 = snippets.add %3, %s : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x6xf32>
    %5 = snippets.reduce_max %4 {axes = array<i64: 1>, keep_dims}
        : (tensor<4x6xf32>) -> tensor<4x1xf32>
    snippets.yield %4, %5 : tensor<4x6xf32>, tensor<4x1xf32>
  }
  func.return %0, %1 : tensor<4x6xf32>, tensor<4x1xf32>
}
"""

TRANSPOSE = """
func.func @main(%x: tensor<6x4xf32>) -> (tensor<4x6xf32>, tensor<f32>) {
  %0, %1 = snippets.subgraph (%a = %x) : (tensor<6x4xf32>) -> (tensor<4x6xf32>, tensor<f32>) {
    %s = snippets.scalar 2.0 : f32
    %2 = snippets.multiply %a, %s : (tensor<6x4xf32>, tensor<f32>) -> tensor<6x4xf32>
    %3 = snippets.transpose %2 {permutation = array<i64: 1, 0>}
        : (tensor<6x4xf32>) -> tensor<4x6xf32>
    snippets.yield %3, %s : tensor<4x6xf32>, tensor<f32>
  }
  func.return %0, %1 : tensor<4x6xf32>, tensor<f32>
}
"""


def sample() -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    x = np.random.default_rng(1).standard_normal((6, 4)).astype(np.float32)
    x[0, :3] = (-0.0, np.inf, -np.inf)
    x[5, 3] = np.nan
    return x


@pytest.mark.parametrize("text", [RESHAPE, TRANSPOSE])
def test_nothing_changes_but_the_kernels(text: str) -> None:
    ctx = make_context()
    module = parse_module(text, ctx)
    before = Interpreter(module).run("main", [sample()])
    SnippetsUnfuseUnlowerablePass().apply(ctx, module)
    module.verify()
    after = Interpreter(module).run("main", [sample()])
    for old, new in zip(before, after, strict=True):
        assert old.tobytes() == new.tobytes()


def test_it_runs_and_says_why() -> None:
    expected = Interpreter(parse_module(RESHAPE, make_context())).run("main", [sample()])
    program = snippets_mlir.compile(RESHAPE, fallback="error")
    for result, wanted in zip(program(sample()), expected, strict=True):
        np.testing.assert_array_equal(result, wanted)
    assert [kernel.ops for kernel in program.kernels] == [
        ("snippets.multiply",),
        ("snippets.add",),
        ("snippets.reduce_max",),
    ]
    for kernel in program.kernels:
        reason = kernel.entry.reason
        assert reason.startswith("its subgraph was taken apart: K4: snippets.reshape: no shapes")
        assert kernel.entry.lines()[-1] == f"  {reason}"
        assert kernel.entry.as_json()["reason"] == reason


def test_what_is_one_kernel_has_no_reason() -> None:
    text = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = snippets.negative %x : tensor<4xf32>
      func.return %0 : tensor<4xf32>
    }"""
    (kernel,) = snippets_mlir.compile(text, fallback="error").kernels
    assert kernel.entry.reason == ""
    assert kernel.entry.lines() == [
        "kernel subgraph_0: snippets.negative",
        "  1 loop 4, 0 buffers, 0 bytes of scratchpad a thread, domain 4",
    ]
