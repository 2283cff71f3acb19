"""A workload as an ONNX model, for ONNX Runtime and OpenVINO."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
from reference import EPSILON
from shapes import plain
from steps import SUMS, Step, Workload

from peers.base import Inputs, Unsupported

OPS = {
    "add": "Add",
    "subtract": "Sub",
    "multiply": "Mul",
    "maximum": "Max",
    "minimum": "Min",
    "relu": "Relu",
    "sigmoid": "Sigmoid",
    "gelu": "Gelu",
    "greater": "Greater",
    "select": "Where",
    "bitwise_and": "BitwiseAnd",
    "bitwise_or": "BitwiseOr",
    "bitwise_xor": "BitwiseXor",
    "matmul": "MatMul",
}


def _nodes(helper: Any, step: Step, names: list[str], constant: Callable[..., str]) -> list[Any]:
    """The nodes of one step on operands `names`."""

    def node(op: str, inputs: list[str], result: str, **attributes: Any) -> Any:
        return helper.make_node(op, inputs, [result], **attributes)

    if step.op in SUMS:
        axes = constant(np.array([SUMS[step.op]], np.int64))
        return [node("ReduceSum", [*names, axes], step.result, keepdims=0)]
    if step.op == "transpose":
        return [node("Transpose", names, step.result, perm=[1, 0])]
    if step.op == "permute":
        return [node("Transpose", names[:1], step.result, perm=step.operands[-1])]
    if step.op == "reshape":
        sizes = constant(np.array(step.operands[-1], np.int64))
        return [node("Reshape", [names[0], sizes], step.result)]
    if step.op in ("softmax", "log_softmax"):
        op = "Softmax" if step.op == "softmax" else "LogSoftmax"
        return [node(op, names, step.result, axis=-1)]
    if step.op == "layer_norm":
        return [node("LayerNormalization", names, step.result, axis=-1, epsilon=EPSILON)]
    if step.op == "rms_norm":
        # The form that ONNX Runtime and OpenVINO can fuse.
        x, scale = names
        two, epsilon = constant(np.float32(2)), constant(np.float32(EPSILON))
        axes = constant(np.array([-1], np.int64))
        return [
            node("Pow", [x, two], "square"),
            node("ReduceMean", ["square", axes], "mean", keepdims=1),
            node("Add", ["mean", epsilon], "shifted"),
            node("Sqrt", ["shifted"], "root"),
            node("Div", [x, "root"], "normal"),
            node("Mul", ["normal", scale], step.result),
        ]
    if step.op not in OPS:
        raise Unsupported(f"ONNX has no {step.op} of signed integers")
    return [node(OPS[step.op], names, step.result)]


def onnx_bytes(workload: Workload, inputs: Inputs, size: str) -> bytes:
    """The serialized model, whose constants are those of `inputs`.

    Raises `Unsupported` for shifts, which ONNX has for unsigned types only.
    """
    onnx: Any = import_module("onnx")
    helper, numpy_helper = onnx.helper, onnx.numpy_helper
    dtype = np.dtype(workload.dtype)
    element = helper.np_dtype_to_tensor_dtype(dtype)
    nodes: list[Any] = []
    constants = [numpy_helper.from_array(inputs[name], name) for name in workload.constants]

    def constant(value: Any) -> str:
        name = f"k{len(constants)}"
        constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    for step in plain(workload.steps):
        operands = [o for o in step.operands if not isinstance(o, tuple)]
        names = [o if isinstance(o, str) else constant(np.array(o, dtype)) for o in operands]
        nodes += _nodes(helper, step, names, constant)
    fed = [
        helper.make_tensor_value_info(name, element, workload.argument_shape(name, size))
        for name in workload.arguments
        if name not in workload.constants
    ]
    output = helper.make_tensor_value_info(workload.result, element, workload.shape(size))
    graph = helper.make_graph(nodes, workload.name, fed, [output], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
    return bytes(model.SerializeToString())
