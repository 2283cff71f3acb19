"""Nodes of ONNX that leave out outputs, beside kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx.parser
import onnxruntime
import pytest

import snippets_mlir

LSTM = """
<ir_version: 10, opset_import: ["" : 18]>
g (float[4,2,3] x, float[1,8,3] w, float[1,8,2] r) => (float[1,2,2] y) {
  a = Relu(x)
  , h = LSTM<hidden_size = 2>(a, w, r)
  y = Tanh(h)
}
"""
SCORES = """
<ir_version: 10, opset_import: ["" : 23]>
g (float[1,2,3,4] x, float[1,2,3,4] w, float[1,2,3,4] r) => (float[1,2,3,4] y, float[1,2,3,3] s) {
  a = Relu(x)
  b, , , t = Attention<qk_matmul_output_mode = 1>(a, w, r)
  y = Tanh(b)
  s = Neg(t)
}
"""
OPTIONS: tuple[dict[str, Any], ...] = ({}, {"mark_skipped": "none"})


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("text", [LSTM, SCORES])
def test_values_are_those_of_onnxruntime(text: str, options: dict[str, Any]) -> None:
    """With kernels on both sides such a node was `expected a tensor, found none`."""
    model = onnx.parser.parse_model(text)
    session: Any = onnxruntime.InferenceSession(model.SerializeToString())
    rng = np.random.default_rng(0)
    arrays: dict[str, Any] = {
        spec.name: np.asarray(rng.standard_normal(spec.shape), np.float32)
        for spec in session.get_inputs()
    }
    wanted: list[Any] = session.run(None, arrays)
    program = snippets_mlir.compile(model, **options)
    assert bool(program.kernels) is bool(options)
    found: list[Any] = list(program.run(arrays).values())
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, other, 1e-5, 1e-6)
