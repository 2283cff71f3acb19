"""ONNX models with nodes between two convolutions, for tests of kernels inside sessions."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

FLOAT = onnx.TensorProto.FLOAT
NUMBERS = {"three": 3.0, "six": 6.0, "zero": 0.0, "half": 0.5, "scale": 1.25, "one": 1.0}

HARD_SWISH = [
    helper.make_node("Add", ["x", "three"], ["a"]),
    helper.make_node("Clip", ["a", "zero", "six"], ["b"]),
    helper.make_node("Mul", ["x", "b"], ["c"]),
    helper.make_node("Div", ["c", "six"], ["y"]),
]
GATED = [
    helper.make_node("GlobalAveragePool", ["x"], ["mean"]),
    helper.make_node("Conv", ["mean", "square"], ["g0"]),
    helper.make_node("HardSigmoid", ["g0"], ["g"]),
    helper.make_node("Mul", ["x", "g"], ["m"]),
    helper.make_node("Add", ["m", "half"], ["y"]),
]
MEAN_GATED = [helper.make_node("ReduceMean", ["x"], ["mean"], axes=[2, 3]), *GATED[1:]]


def between_convolutions(
    nodes: Sequence[onnx.NodeProto],
    channels: int = 24,
    shape: Sequence[int | str] = (2, 3, 40, 40),
    scale: float = 1.0,
) -> onnx.ModelProto:
    """Conv, `nodes` from `x` (an image of so many channels) to `y`, Conv; an input `in`."""
    random = np.random.default_rng(channels)
    weights = {
        "first": random.normal(0, 0.4 * scale, (channels, 3, 3, 3)),
        "bias": random.normal(0, scale, channels),
        "square": random.normal(0, 0.3, (channels, channels, 1, 1)),
        "last": random.normal(0, 0.2, (5, channels, 3, 3)),
    }
    constants = {**{k: np.array(v) for k, v in NUMBERS.items()}, **weights}
    graph = helper.make_graph(
        [
            helper.make_node("Conv", ["in", "first", "bias"], ["x"], pads=[1, 1, 1, 1]),
            *nodes,
            helper.make_node("Conv", ["y", "last"], ["out"], pads=[1, 1, 1, 1]),
        ],
        "images",
        [helper.make_tensor_value_info("in", FLOAT, shape)],
        [helper.make_tensor_value_info("out", FLOAT, None)],
        [numpy_helper.from_array(v.astype(np.float32), k) for k, v in constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)


def optimized(model: onnx.ModelProto, folder: Path) -> onnx.ModelProto:
    """What onnxruntime's optimizer makes of a model."""
    engine: Any = import_module("onnxruntime")  # it has no type information
    options = engine.SessionOptions()
    options.optimized_model_filepath = str(folder / "optimized.onnx")
    engine.InferenceSession(model.SerializeToString(), options)
    found = onnx.ModelProto()
    found.ParseFromString((folder / "optimized.onnx").read_bytes())
    return found


def by_onnxruntime(model: onnx.ModelProto, array: np.ndarray) -> np.ndarray:
    """What onnxruntime computes."""
    engine: Any = import_module("onnxruntime")
    session = engine.InferenceSession(model.SerializeToString())
    return session.run(None, {"in": array})[0]
