"""A model of two sessions and a kernel between them, in each form of a source, for the cache."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
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


LARGE = 6000
"""Columns with which a file is told by its identity."""


def as_file(made: onnx.ModelProto, folder: Path) -> Path:
    path = folder / "m.onnx"
    path.write_bytes(made.SerializeToString())
    return path


def beside_data(made: onnx.ModelProto, folder: Path) -> Path:
    path = folder / "m.onnx"
    (folder / "m.data").unlink(missing_ok=True)
    apart = copy.deepcopy(made)
    save: Any = vars(onnx)["save"]  # its type is not known in full
    save(apart, str(path), save_as_external_data=True, location="m.data")
    return path


SOURCES: dict[str, Callable[[onnx.ModelProto, Path], object]] = {
    "proto": lambda made, _: made,
    "bytes": lambda made, _: made.SerializeToString(),
    "file": as_file,
    "data": beside_data,
}
