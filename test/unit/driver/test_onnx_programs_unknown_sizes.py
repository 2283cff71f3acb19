"""ONNX models in which onnxruntime runs nodes whose results have a dim of unknown size."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper
from onnx_models import model, value

import snippets_mlir


def pooled_and_chosen() -> onnx.ModelProto:
    """exp(layer_norm(m + p)): m has (t - 1) // 2 rows, and p is some rows of m, as `c` says.

    So the sum has the rows of m, if the number of these is not 1, which the sum alone knows.
    """
    nodes = [
        helper.make_node("MaxPool", ["x"], ["m"], kernel_shape=[3, 1], strides=[2, 1]),
        helper.make_node("Compress", ["m", "c"], ["p"], axis=2),
        helper.make_node("Add", ["m", "p"], ["a"]),
        helper.make_node("LayerNormalization", ["a", "s"], ["n"]),
        helper.make_node("Exp", ["n"], ["y"]),
    ]
    inputs = [value("x", [1, 1, "t", 8]), value("c", ["k"], np.bool_)]
    return model(nodes, inputs, ["y"], {"s": np.ones(8, np.float32)}, opset=17)


@pytest.mark.parametrize("rows", [9, 21, 3])
@pytest.mark.parametrize("chosen", ["all", "one"])
def test_what_reads_such_a_result_runs_in_onnxruntime_too(rows: int, chosen: str) -> None:
    made = pooled_and_chosen()
    rng = np.random.default_rng(0)
    pooled = (rows - 1) // 2
    keep = np.full(pooled, chosen == "all")
    keep[0] = True
    feed = {"x": rng.standard_normal((1, 1, rows, 8)).astype(np.float32), "c": keep}
    engine: Any = import_module("onnxruntime")
    (expected,) = engine.InferenceSession(made.SerializeToString()).run(None, feed)
    program = snippets_mlir.compile(made, mark_skipped="none")
    np.testing.assert_allclose(program.run(feed)["y"], expected, 1e-5, 1e-5)
    assert [op.op for op in program.opaque if op.op.startswith("snippets.")] == []
