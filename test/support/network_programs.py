"""Programs for the tests of networks: kernels with steps of onnxruntime between them."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

ROWS, COLUMNS = 5, 64

MIXED = f"""
func.func @main(%x: tensor<{ROWS}x{COLUMNS}xf32>, %i: tensor<3xi64>)
    -> (tensor<3x{COLUMNS}xf32> {{snippets.name = "y"}},
        tensor<3x{COLUMNS}xf32> {{snippets.name = "z"}}) {{
  %0 = snippets.negative %x : tensor<{ROWS}x{COLUMNS}xf32>
  %1 = onnx.node "Gather"(%0, %i) {{domain = "", version = 13 : i64}}
    : (tensor<{ROWS}x{COLUMNS}xf32>, tensor<3xi64>) -> tensor<3x{COLUMNS}xf32>
  %2 = snippets.add %1, %1 : tensor<3x{COLUMNS}xf32>
  %3 = onnx.node "Gather"(%2, %i) {{domain = "", version = 13 : i64}}
    : (tensor<3x{COLUMNS}xf32>, tensor<3xi64>) -> tensor<3x{COLUMNS}xf32>
  func.return %2, %3 : tensor<3x{COLUMNS}xf32>, tensor<3x{COLUMNS}xf32>
}}
"""
"""Kernel, session, kernel, session; its second output is a session's. `%i` may be out of range."""


def mixed_arrays(seed: int, shift: int = 0) -> tuple[Array, Array]:
    """Inputs of `MIXED`; a `shift` of 5 makes the sessions fail."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((ROWS, COLUMNS)).astype(np.float32)
    x[0, :3] = [-0.0, np.nan, np.inf]
    return x, rng.integers(0, 3, 3) + shift


def mixed_results(x: Array, i: Array) -> tuple[Array, Array]:
    """What `MIXED` computes."""
    y = (-x)[i] * 2
    return y, y[i]
