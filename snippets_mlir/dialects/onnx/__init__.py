"""The `onnx` dialect: `onnx.node` holds one ONNX node that is not compiled."""

from xdsl.ir import Dialect

from snippets_mlir.dialects.onnx.attributes import NamedTensorAttr, ProtoAttr
from snippets_mlir.dialects.onnx.ops import NodeOp
from snippets_mlir.dialects.onnx.types import StringType, ValueType

Onnx = Dialect("onnx", [NodeOp], [NamedTensorAttr, ProtoAttr, StringType, ValueType])
