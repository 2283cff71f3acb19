"""Fused multiply-adds round once, in the interpreter and in kernels."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from dataflow_runs import after, compiled, interpreted, same_bits

from snippets_mlir.targets.host import host_target
from snippets_mlir.targets.machine import machine

TEXT = """
func.func @main(%x: tensor<37x{0}>, %y: tensor<37x{0}>, %z: tensor<37x{0}>) -> tensor<37x{0}> {{
  %0 = snippets.subgraph (%a = %x, %b = %y, %c = %z) : (tensor<37x{0}>, tensor<37x{0}>, tensor<37x{0}>) -> tensor<37x{0}> {{
    %1 = snippets.multiply %a, %b : tensor<37x{0}>
    %2 = snippets.add %c, %1 : tensor<37x{0}>
    snippets.yield %2 : tensor<37x{0}>
  }}
  func.return %0 : tensor<37x{0}>
}}
"""  # noqa: E501
PASSES = "snippets-set-target{target=x86-64-avx2},snippets-mul-add-to-fma"


@pytest.mark.parametrize(("element", "dtype"), [("f32", np.float32), ("f64", np.float64)])
def test_sums_are_rounded_once(element: str, dtype: Any):
    rng = np.random.default_rng(5)
    x, y, z = (rng.standard_normal(37).astype(dtype) for _ in range(3))
    z[:9] = -(x[:9] * y[:9])  # only the rounding error of the product is left
    x[9:13], y[9:13] = [np.inf, -0.0, np.nan, 0.0], [0.0, 1.0, 1.0, -1.0]
    module = after(TEXT.format(element), PASSES)
    assert "snippets.fma" in str(module)
    (found,) = interpreted(module, [x, y, z])
    finite = np.isfinite(x)
    exact = [
        float(Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c)))
        for a, b, c in zip(x[finite], y[finite], z[finite], strict=True)
    ]
    assert (found[finite] == np.array(exact, np.float64).astype(dtype)).all()
    assert found[:9].any()
    if machine(host_target()).fma:
        module.attributes.pop("snippets.target")
        assert same_bits(compiled(module, [x, y, z])[0], found)
