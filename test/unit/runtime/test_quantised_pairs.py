"""Sessions beside kernels quantise twice where the model does."""

from __future__ import annotations

import numpy as np
from onnx import helper
from onnx_models import model, value

import snippets_mlir


def test_two_pairs_with_different_parameters_are_not_merged():
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "s", "z"], ["a"]),
        helper.make_node("DequantizeLinear", ["a", "s", "z"], ["b"]),
        helper.make_node("QuantizeLinear", ["b", "t", "u"], ["c"]),
        helper.make_node("DequantizeLinear", ["c", "t", "u"], ["d"]),
        helper.make_node("Relu", ["d"], ["y"]),
    ]
    constants = {
        "s": np.array(0.25, np.float32),
        "z": np.array(0, np.uint8),
        "t": np.array(0.25, np.float32),
        "u": np.array(5, np.uint8),
    }
    made = model(nodes, [value("x", [4, 16])], [value("y", [4, 16])], constants)
    program = snippets_mlir.compile(made, mark_skipped="none")
    assert [kernel.ops for kernel in program.kernels] == [("snippets.relu",)]
    x = np.random.default_rng(0).standard_normal((4, 16)).astype(np.float32) * 20
    once = np.clip(np.rint(x / 0.25), 0, 255) * 0.25
    twice = (np.clip(np.rint(once / 0.25) + 5, 0, 255) - 5) * 0.25
    np.testing.assert_array_equal(program(x), np.maximum(twice, 0))
