"""The passes on expanded loops, put into the pipeline: kernels compute the same."""

from __future__ import annotations

import numpy as np
import pytest
from sampled import sampled

import snippets_mlir

INSERTED = (
    "after:lir-insert-specific-iterations:lir-normalize-loop-ids,lir-validate-expanded-loops,"
    "lir-optimize-loop-single-evaluation"
)


@pytest.mark.parametrize(
    ("rows", "columns"), sampled([(3, 16), (5, 7), (4, 37), (1, 5000), (2, 33)], 2)
)
def test_softmax_and_sums(rows: int, columns: int) -> None:
    """Loops that run once, tails and blocks of split sums."""
    shape = f"tensor<{rows}x{columns}xf32>"
    text = f"""func.func @main(%x: {shape}) -> ({shape}, tensor<{rows}x1xf32>) {{
      %0 = snippets.softmax %x {{axis = 1 : i64}} : {shape}
      %1 = snippets.reduce_sum %x {{axes = array<i64: 1>, keep_dims}} :
        ({shape}) -> tensor<{rows}x1xf32>
      func.return %0, %1 : {shape}, tensor<{rows}x1xf32>
    }}"""
    x = np.random.default_rng(rows).standard_normal((rows, columns)).astype(np.float32)
    plain = snippets_mlir.compile(text, fallback="error")(x)
    changed = snippets_mlir.compile(text, fallback="error", insert_passes=[INSERTED])(x)
    for a, b in zip(plain, changed, strict=True):
        np.testing.assert_array_equal(a, b)
