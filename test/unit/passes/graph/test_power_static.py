"""Powers by constants before and after they are static, and in kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from dataflow_runs import Array, after, compiled, interpreted, same_bits

from snippets_mlir.dialects.snippets.expansions.power import STATIC_EXPONENTS

PASS = "snippets-power-to-power-static"
TEXT = """
func.func @main(%x: tensor<33x{element}>) -> tensor<33x{element}> {{
  %0 = snippets.subgraph (%a = %x) : (tensor<33x{element}>) -> tensor<33x{element}> {{
    %c = snippets.scalar {exponent} : {element}
    %1 = snippets.power %a, %c : (tensor<33x{element}>, tensor<{element}>) -> tensor<33x{element}>
    snippets.yield %1 : tensor<33x{element}>
  }}
  func.return %0 : tensor<33x{element}>
}}
"""


def _values(dtype: type[Any]) -> Array:
    info = np.finfo(dtype)
    some = [0, 1, 0.5, 3, np.inf, info.max, info.tiny, info.smallest_subnormal, 2.0**60, 1e-30]
    random = np.random.default_rng(1).standard_normal(12)
    return np.array([*some, *(-v for v in some), np.nan, *random], dtype)


@pytest.mark.parametrize("exponent", STATIC_EXPONENTS)
@pytest.mark.parametrize(("element", "dtype"), [("f32", np.float32), ("f64", np.float64)])
def test_static_powers_keep_their_values(element: str, dtype: type[Any], exponent: float):
    x = _values(dtype)
    text = TEXT.format(element=element, exponent=exponent)
    (expected,) = interpreted(text, [x])
    module = after(text, PASS)
    assert "power_static" in str(module)
    (found,) = interpreted(module, [x])
    assert same_bits(found, expected)
    (found,) = compiled(module, [x])
    special = ~np.isfinite(expected) | (expected == 0)
    assert same_bits(found[special], expected[special])
    with np.errstate(all="ignore"):
        error = np.abs(found - expected) / np.spacing(np.abs(expected))
    assert (error[~special] <= 3).all()


@pytest.mark.parametrize("exponent", [0, 1, 2, 31, 127])
def test_static_powers_of_integers_are_exact(exponent: int):
    info = np.iinfo(np.int32)
    ends = [info.min, info.max, info.min + 1]
    x = np.array([*range(-15, 15), *ends], np.int32)
    text = TEXT.format(element="i32", exponent=exponent)
    expected = interpreted(text, [x])[0]
    module = after(text, PASS)
    assert "power_static" in str(module)
    assert same_bits(interpreted(module, [x])[0], expected)
    assert same_bits(compiled(module, [x])[0], expected)
