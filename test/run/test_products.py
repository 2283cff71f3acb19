"""Programs with matrix products, for the shapes of their calls."""

from __future__ import annotations

import numpy as np
import pytest

import snippets_mlir

PROGRAM = """
func.func @main(%a: tensor<?x?xf32>, %b: tensor<?x5xf32>, %c: tensor<5xf32>) -> tensor<?x5xf32> {
  %0 = snippets.matmul %a, %b : (tensor<?x?xf32>, tensor<?x5xf32>) -> tensor<?x5xf32>
  %1 = snippets.add %0, %c : (tensor<?x5xf32>, tensor<5xf32>) -> tensor<?x5xf32>
  func.return %1 : tensor<?x5xf32>
}
"""


def numbers(*shape: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32)


def test_dynamic_sizes():
    program = snippets_mlir.compile(PROGRAM)
    for rows, inner in ((3, 7), (1, 7), (3, 1), (0, 7), (3, 0), (33, 64)):
        a, b, c = numbers(rows, inner), numbers(inner, 5), numbers(5)
        expected = a.astype(np.float64) @ b.astype(np.float64) + c
        np.testing.assert_allclose(program(a, b, c), expected, 1e-5, 1e-5)


def test_inner_sizes_of_a_call_that_differ():
    program = snippets_mlir.compile(PROGRAM)
    with pytest.raises(ValueError, match="equal inner sizes, found 3x7 and 6x5: 7 and 6"):
        program(numbers(3, 7), numbers(6, 5), numbers(5))
