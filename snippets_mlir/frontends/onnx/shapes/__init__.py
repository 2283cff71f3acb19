"""Shapes of the values of an ONNX model, with expressions over symbols for sizes of a call."""

from snippets_mlir.frontends.onnx.shapes.bounds import known_equal, known_less
from snippets_mlir.frontends.onnx.shapes.dim_text import parse_dim
from snippets_mlir.frontends.onnx.shapes.dims import Dim, Size, evaluate, symbol
from snippets_mlir.frontends.onnx.shapes.infer import InferredShapes, infer_shapes
from snippets_mlir.frontends.onnx.shapes.types import ValueType

__all__ = [
    "Dim",
    "InferredShapes",
    "Size",
    "ValueType",
    "evaluate",
    "infer_shapes",
    "known_equal",
    "known_less",
    "parse_dim",
    "symbol",
]
