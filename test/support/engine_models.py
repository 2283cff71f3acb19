"""Small ONNX models, and the operators that onnxruntime's optimizer makes of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper
from xdsl.dialects.builtin import ModuleOp

from snippets_mlir.frontends.onnx import import_graph, prepare_model
from snippets_mlir.runtime.engine.opening import SLOW_FUSIONS

Node = tuple[str, list[str], str] | tuple[str, list[str], str, dict[str, Any]]


def model(
    nodes: Sequence[Node],
    *shapes: Sequence[int | str],
    outputs: Sequence[str] = ("y",),
    types: Sequence[int] = (),
    **data: Any,
) -> onnx.ModelProto:
    """A model on x and z of these shapes, [64, 256] unless given; `data` are its initializers.

    Numbers of Python among them are float32.
    """
    made: list[onnx.NodeProto] = []
    for op, reads, result, *kinds in nodes:
        given: dict[str, Any] = kinds[0] if kinds else {}
        axes: dict[str, Any] = {"axes": [-1]} if op == "ReduceMean" else {}
        made.append(helper.make_node(op, reads, result.split(), **axes, **given))
    sizes = [*shapes, (64, 256), (64, 256)][: max(2, len(shapes))]
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, [*shape])
        for name, shape in zip(("x", "z", "u"), sizes, strict=False)
    ]
    results = [helper.make_tensor_value_info(n, TensorProto.FLOAT, None) for n in outputs]
    numbers: dict[str, Any] = {
        name: np.float32(value) if isinstance(value, float) else value
        for name, value in data.items()
    }
    weights = [
        onnx.numpy_helper.from_array(np.asarray(array), name) for name, array in numbers.items()
    ]
    graph = helper.make_graph(made, "g", inputs, results, weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


def nodes_of_engine(
    made: onnx.ModelProto, folder: Path, without: Sequence[str] = SLOW_FUSIONS
) -> list[str]:
    """The operators of the model that onnxruntime's optimizer writes without some fusions."""
    engine: Any = ort
    options = engine.SessionOptions()
    options.log_severity_level = 4
    options.optimized_model_filepath = str(folder / "optimized.onnx")
    providers = ["CPUExecutionProvider"]
    model = made.SerializeToString()
    engine.InferenceSession(model, options, providers, disabled_optimizers=[*without])
    written = onnx.ModelProto.FromString((folder / "optimized.onnx").read_bytes())
    return [node.op_type for node in written.graph.node]


def module_of(made: onnx.ModelProto) -> ModuleOp:
    return import_graph(prepare_model(made)).module
