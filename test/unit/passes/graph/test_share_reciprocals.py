"""Divisions by a row's number before and after they are products, and in kernels."""

from __future__ import annotations

import numpy as np
import pytest
from dataflow_runs import after, compiled, interpreted, same_bits

from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.passes.pipelines import SNIPPETS_TO_LIR

PASS = "snippets-share-reciprocals"
ROOT = """
func.func @main(%x: tensor<{rows}x{columns}xf32>, %v: tensor<{rows}x1xf32>)
    -> tensor<{rows}x{columns}xf32> {{
  %0 = snippets.subgraph (%a = %x, %b = %v)
      : (tensor<{rows}x{columns}xf32>, tensor<{rows}x1xf32>) -> tensor<{rows}x{columns}xf32> {{
    %1 = snippets.sqrt %b : tensor<{rows}x1xf32>
    %2 = snippets.divide %a, %1
       : (tensor<{rows}x{columns}xf32>, tensor<{rows}x1xf32>) -> tensor<{rows}x{columns}xf32>
    snippets.yield %2 : tensor<{rows}x{columns}xf32>
  }}
  func.return %0 : tensor<{rows}x{columns}xf32>
}}
"""
SOFTMAX = """
func.func @main(%x: tensor<{rows}x{columns}xf32>) -> tensor<{rows}x{columns}xf32> {{
  %0 = snippets.softmax %x {{axis = 1 : i64}} : tensor<{rows}x{columns}xf32>
  func.return %0 : tensor<{rows}x{columns}xf32>
}}
"""


def _special() -> list[float]:
    info = np.finfo(np.float32)
    some = [0.0, 1.0, 3.0, np.inf, float(info.max), float(info.tiny), 1e-45, 2.0**-100]
    return [*some, *(-v for v in some), np.nan]


def test_quotients_by_roots_keep_special_values_and_move_by_one_unit():
    values = _special()
    v = np.array(values, np.float32)[:, None]
    random = np.random.default_rng(0).standard_normal(30).tolist()
    x = np.array([[*values, *random]] * len(values), np.float32)
    text = ROOT.format(rows=x.shape[0], columns=x.shape[1])
    (expected,) = interpreted(text, [x, v])
    module = after(text, PASS)
    assert "snippets.multiply" in str(module)
    for (found,) in (interpreted(module, [x, v]), compiled(module, [x, v])):
        special = ~np.isfinite(expected) | (expected == 0)
        assert same_bits(found[special], expected[special])
        with np.errstate(all="ignore"):
            error = np.abs(found.astype(float) - expected) / np.spacing(np.abs(expected))
        assert (error[~special] <= 1).all()


@pytest.mark.parametrize("columns", [1, 2, 15, 16, 17, 300])
def test_softmax_is_within_four_units_of_its_formula(columns: int):
    rng = np.random.default_rng(columns)
    x = (rng.standard_normal((9, columns)) * 8).astype(np.float32)
    x[1] = -np.inf
    x[2, 0] = np.nan
    x[3, -1] = np.inf
    x[4, 0] = -np.inf
    x[5] = 1e30
    (found,) = compiled(after(SOFTMAX.format(rows=9, columns=columns), "snippets-set-target"), [x])
    with np.errstate(invalid="ignore"):
        e = np.exp(x.astype(float) - x.max(axis=1, keepdims=True))
        expected = e / e.sum(axis=1, keepdims=True)
    bad = np.isnan(expected)
    assert (np.isnan(found) == bad).all()
    # The distance to the maximum is rounded, and exp multiplies its error: that is in the formula.
    distance = np.abs(x.astype(float) - np.where(bad, 0, x.max(axis=1, keepdims=True)))
    bound = (4 + np.where(np.isfinite(distance), distance, 0)) * np.spacing(
        np.maximum(expected, 1e-30).astype(np.float32)
    )
    assert (np.abs(found - expected)[~bad] <= bound[~bad]).all()


def test_the_pipeline_divides_once_a_row():
    module = after(SOFTMAX.format(rows=9, columns=33), ",".join(SNIPPETS_TO_LIR))
    divisions = [op for op in module.walk() if op.name == "snippets.divide"]
    assert [shape_of(d.results[0]) for d in divisions] == [(9, 1)]
