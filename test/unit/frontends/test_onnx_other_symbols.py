"""Sizes that the model and its operators give in different symbols, although they are equal."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnxruntime as ort
import pytest
from onnx import helper
from onnx_models import model, value

import snippets_mlir

SHIFTED = model(
    [
        helper.make_node("Slice", ["x", "one", "end", "zero"], ["rest"]),
        helper.make_node("Pad", ["rest", "pads"], ["back"], name="padding"),
        helper.make_node("Add", ["x", "back"], ["sum"]),
        helper.make_node("Tanh", ["sum"], ["y"]),
    ],
    [value("x", ["n", 8])],
    [value("y", ["n", 8])],
    {
        name: np.array(numbers, np.int64)
        for name, numbers in (
            ("one", [1]),
            ("end", [1 << 40]),
            ("zero", [0]),
            ("pads", [0, 0, 1, 0]),
        )
    },
)
"""x, plus x without its first row and with zeros after its last one: n - 1 rows and one more."""


@pytest.mark.parametrize("rows", [1, 2, 5, 17])
def test_only_the_node_stays_opaque(rows: int):
    """The rest of the model has kernels; it was one session, because of one node."""
    program = snippets_mlir.compile(SHIFTED, mark_skipped="none", num_threads=1)
    x = np.linspace(-3, 3, rows * 8, dtype=np.float32).reshape(rows, 8)
    session: Any = ort.InferenceSession(
        SHIFTED.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    np.testing.assert_allclose(program(x), session.run(None, {"x": x})[0], 1e-6, 1e-6)
    if rows > 1:
        assert [kernel.ops for kernel in program.kernels] == [("snippets.add", "snippets.tanh")]
        reasons = {op.reason for op in program.opaque if op.name == "padding"}
        assert reasons == {"the model says that 'back' has shape ?0x8, its operator gives ?1 + 1x8"}
