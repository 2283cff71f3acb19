"""ONNX's operators on quantised tensors; `windows.py` has the convolutions."""

from __future__ import annotations

import onnx

from snippets_mlir.frontends.onnx.shapes.rules.contraction import multiplied
from snippets_mlir.frontends.onnx.shapes.view import NodeView, Out, Rule

UINT8 = onnx.TensorProto.UINT8


def quantize(node: NodeView) -> list[Out]:
    """The element type is that of the zero point, or an attribute says it."""
    element = node.type(2).element if node.has(2) else node.integer("output_dtype", UINT8)
    return [Out(node.shape(0), None, element or UINT8)]


def dequantize(node: NodeView) -> list[Out]:
    """The element type is that of the scale, or an attribute says it."""
    element = node.integer("output_dtype") or node.type(1).element
    return [Out(node.shape(0), None, element or onnx.TensorProto.FLOAT)]


def _dynamic_quantize(node: NodeView) -> list[Out]:
    float_ = onnx.TensorProto.FLOAT
    return [Out(node.shape(0), None, UINT8), Out((), None, float_), Out((), None, UINT8)]


def qlinear_matmul(node: NodeView) -> list[Out]:
    """Inputs: a, its scale and zero point, b and its, and those of the result."""
    shape = multiplied(node, node.shape(0), node.shape(3))
    return [Out(shape, None, node.type(7).element)]


RULES: dict[str, Rule] = {
    "DequantizeLinear": dequantize,
    "DynamicQuantizeLinear": _dynamic_quantize,
    "QLinearMatMul": qlinear_matmul,
    "QuantizeLinear": quantize,
}
