"""The data-flow passes on dims of unknown size: values for several sizes, 0 and 1 among them."""

from __future__ import annotations

import numpy as np
import pytest
from dataflow_runs import after, interpreted, same_bits

from snippets_mlir.analysis.graph.body_views import body_views
from snippets_mlir.dialects.snippets.layout import LayoutOp
from snippets_mlir.dialects.snippets.reduction import ReduceMeanOp, ReduceOp

PASSES = (
    "snippets-decompose-softmax",
    "snippets-decompose-norms",
    "snippets-decompose-reductions",
    "snippets-decompose-transpose",
    "snippets-eliminate-reshapes",
)

SOFTMAX = """func.func @main(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = snippets.softmax %x {axis = 0 : i64} : tensor<?x4xf32>
  %1 = snippets.log_softmax %0 {axis = 1 : i64} : tensor<?x4xf32>
  func.return %1 : tensor<?x4xf32>
}"""

NORMS = """func.func @main(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %s = snippets.constant dense<[1.0, -2.0, 0.5, 3.0]> : tensor<4xf32>
  %0 = snippets.layer_norm %x, %s {axis = 1 : i64, epsilon = 1.0e-5 : f64} :
       (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  %1 = snippets.group_norm %0, %s, %s {num_groups = 2 : i64, epsilon = 1.0e-5 : f64} :
       (tensor<?x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  %2 = snippets.batch_norm %1, %s, %s, %s, %s {epsilon = 4.0 : f64} :
       (tensor<?x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
       -> tensor<?x4xf32>
  func.return %2 : tensor<?x4xf32>
}"""

REDUCTIONS = """func.func @main(%x: tensor<?x4xf32>)
    -> (tensor<?xf32>, tensor<4xf32>, tensor<f32>) {
  %0 = snippets.reduce_mean %x {axes = array<i64: 1>} : (tensor<?x4xf32>) -> tensor<?xf32>
  %1 = snippets.reduce_max %x {axes = array<i64: 0>} : (tensor<?x4xf32>) -> tensor<4xf32>
  %2 = snippets.reduce_prod %x {axes = array<i64: 0, 1>} : (tensor<?x4xf32>) -> tensor<f32>
  func.return %0, %1, %2 : tensor<?xf32>, tensor<4xf32>, tensor<f32>
}"""

TRANSPOSES = """func.func @main(%x: tensor<?x4xf32>) -> (tensor<4x?xf32>, tensor<4x1x?xf32>) {
  %k = snippets.constant dense<[0.5, 1.5, -0.0, 2.0]> : tensor<4xf32>
  %0 = snippets.subtract %x, %k : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  %1 = snippets.reduce_min %0 {axes = array<i64: 0>, keep_dims} :
       (tensor<?x4xf32>) -> tensor<1x4xf32>
  %2 = snippets.multiply %0, %1 : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
  %3 = snippets.transpose %2 {permutation = array<i64: 1, 0>} :
       (tensor<?x4xf32>) -> tensor<4x?xf32>
  %4 = snippets.unsqueeze %3 {axes = array<i64: 1>} : (tensor<4x?xf32>) -> tensor<4x1x?xf32>
  %5 = snippets.negative %4 : tensor<4x1x?xf32>
  func.return %3, %5 : tensor<4x?xf32>, tensor<4x1x?xf32>
}"""

RESHAPES = """func.func @main(%x: tensor<?x4xf32>) -> tensor<?x1x2x2xf32> {
  %0 = snippets.exp %x : tensor<?x4xf32>
  %1 = snippets.reduce_sum %0 {axes = array<i64: 1>} : (tensor<?x4xf32>) -> tensor<?xf32>
  %2 = snippets.reshape %1 : (tensor<?xf32>) -> tensor<?x1x1xf32>
  %3 = snippets.reshape %0 : (tensor<?x4xf32>) -> tensor<?x2x2xf32>
  %4 = snippets.divide %3, %2 : (tensor<?x2x2xf32>, tensor<?x1x1xf32>) -> tensor<?x2x2xf32>
  %5 = snippets.unsqueeze %4 {axes = array<i64: 1>} : (tensor<?x2x2xf32>) -> tensor<?x1x2x2xf32>
  func.return %5 : tensor<?x1x2x2xf32>
}"""

CASES = {
    "softmax": SOFTMAX,
    "norms": NORMS,
    "reductions": REDUCTIONS,
    "transposes": TRANSPOSES,
    "reshapes": RESHAPES,
}


@pytest.mark.parametrize("case", CASES)
def test_values_for_every_size(case: str) -> None:
    module = after(CASES[case], ",".join(PASSES))
    for rows in (0, 1, 2, 4, 9):
        x = np.random.default_rng(rows).standard_normal((rows, 4)).astype(np.float32)
        expected, found = interpreted(CASES[case], [x]), interpreted(module, [x])
        for f, e in zip(found, expected, strict=True):
            exact = same_bits(f, e)
            # A sum of four elements in two steps of two may be rounded in another way.
            assert exact or (case == "reshapes" and np.allclose(f, e, rtol=1e-6, atol=0.0))


def test_what_is_left() -> None:
    """Reductions keep their dims and reshapes are at the ends."""
    for case, text in CASES.items():
        ops = list(after(text, ",".join(PASSES)).walk())
        reductions = [op for op in ops if isinstance(op, ReduceOp)]
        assert all(op.keeps_dims and not isinstance(op, ReduceMeanOp) for op in reductions), case
        between = body_views(ops).between
        assert not any(isinstance(op, LayoutOp) for op in between), case
