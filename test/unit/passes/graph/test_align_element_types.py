"""Kernels that read and write other element types than they compute in."""

from __future__ import annotations

import numpy as np
from dataflow_runs import Array, after, interpreted, same_bits

import snippets_mlir

TEXT = """
func.func @main(%x: tensor<3x37xf32>, %y: tensor<37xi32>) -> (tensor<3x37xf32>, tensor<37xi32>) {
  %0, %1 = snippets.subgraph (%a = %x, %b = %y) : (tensor<3x37xf32>, tensor<37xi32>) -> (tensor<3x37xf32>, tensor<37xi32>) {
    %2 = snippets.exp %a : tensor<3x37xf32>
    %3 = snippets.multiply %b, %b : tensor<37xi32>
    snippets.yield %2, %3 : tensor<3x37xf32>, tensor<37xi32>
  }
  func.return %0, %1 : tensor<3x37xf32>, tensor<37xi32>
}
"""  # noqa: E501
KERNELS = "snippets-set-target,convert-snippets-to-lir,lir-to-vector,vector-to-llvm"


def _inputs() -> list[Array]:
    rng = np.random.default_rng(3)
    x = (rng.standard_normal((3, 37)) * 5).astype(np.float16)
    x[0, :6] = [np.inf, -np.inf, np.nan, -0.0, 12.0, 6e-8]
    return [x, rng.integers(-128, 128, 37).astype(np.int8)]


def test_conversions_in_the_kernel_equal_conversions_around_it():
    x, y = _inputs()
    wide, square = interpreted(TEXT, [x.astype(np.float32), y.astype(np.int32)])
    with np.errstate(over="ignore"):
        expected = [wide.astype(np.float16), np.clip(square, 0, 255).astype(np.uint8)]
    module = after(TEXT, "snippets-align-element-types{inputs=f16,i8 outputs=f16,ui8}")
    found = interpreted(module, [x, y])
    assert all(same_bits(a, b) for a, b in zip(found, expected, strict=True))
    program = snippets_mlir.compile(module, fallback="error", pipeline=KERNELS)
    kernel = list(program.run({"arg0": x, "arg1": y}).values())
    assert same_bits(kernel[1], expected[1])
    ok = np.isfinite(expected[0])
    assert same_bits(kernel[0][~ok], expected[0][~ok])
    np.testing.assert_array_max_ulp(kernel[0][ok], expected[0][ok], 1)
