"""A model of two sessions and a kernel between them, for tests of its entry in the cache."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper

Array = np.ndarray[Any, Any]


def model_of(rows: str | int = "n", columns: int = 600, scale: float = 1.0) -> onnx.ModelProto:
    """Two products, and between them ops for which onnxruntime takes long."""
    rng = np.random.default_rng(0)
    data = {"w": rng.standard_normal((64, columns)), "v": rng.standard_normal((columns, 8))}
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["a"], name="first"),
        helper.make_node("Softplus", ["a"], ["b"], name="soft"),
        helper.make_node("Mul", ["a", "b"], ["c"], name="gate"),
        helper.make_node("MatMul", ["c", "v"], ["y"], name="second"),
    ]
    weights = [
        onnx.numpy_helper.from_array((scale * array).astype(np.float32), name)
        for name, array in data.items()
    ]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [rows, 64])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [rows, 8])
    graph = helper.make_graph(nodes, "g", [x], [y], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


def given(rows: int = 512) -> Array:
    return np.random.default_rng(1).standard_normal((rows, 64)).astype(np.float32)
