"""A workload as an ONNX model, for ONNX Runtime and OpenVINO."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from workloads import Workload

from peers.base import Unsupported

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
}


def onnx_bytes(workload: Workload, size: str) -> bytes:
    """The serialized model; `Unsupported` for shifts, which ONNX has for unsigned types only."""
    onnx: Any = import_module("onnx")
    helper, numpy_helper = onnx.helper, onnx.numpy_helper
    dtype = np.dtype(workload.dtype)
    element = helper.np_dtype_to_tensor_dtype(dtype)
    nodes: list[Any] = []
    constants: list[Any] = []
    for step in workload.steps:
        if step.op not in OPS:
            raise Unsupported(f"ONNX has no {step.op} of signed integers")
        names: list[str] = []
        for operand in step.operands:
            if isinstance(operand, str):
                names.append(operand)
            else:
                names.append(f"k{len(constants)}")
                constants.append(numpy_helper.from_array(np.array(operand, dtype), names[-1]))
        nodes.append(helper.make_node(OPS[step.op], names, [step.result]))
    inputs = [
        helper.make_tensor_value_info(name, element, workload.argument_shape(name, size))
        for name in workload.arguments
    ]
    output = helper.make_tensor_value_info(workload.result, element, workload.shape(size))
    graph = helper.make_graph(nodes, workload.name, inputs, [output], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
    return bytes(model.SerializeToString())
