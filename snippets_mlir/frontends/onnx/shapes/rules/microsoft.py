"""onnxruntime's own fused and quantised operators (`com.microsoft`).

Source: docs/ContribOperators.md of onnxruntime.
"""

from __future__ import annotations

from collections.abc import Callable

import onnx

from snippets_mlir.frontends.onnx.shapes.dims import Size
from snippets_mlir.frontends.onnx.shapes.rules import attention
from snippets_mlir.frontends.onnx.shapes.rules.contraction import gemm_shape, multiplied
from snippets_mlir.frontends.onnx.shapes.rules.elementwise import like_first
from snippets_mlir.frontends.onnx.shapes.rules.quantization import dequantize, quantize
from snippets_mlir.frontends.onnx.shapes.rules.reduction import RULES as REDUCTIONS
from snippets_mlir.frontends.onnx.shapes.rules.reduction import reduced
from snippets_mlir.frontends.onnx.shapes.rules.windows import conv, conv_shape, pool_shape
from snippets_mlir.frontends.onnx.shapes.types import Shape, UnknownShape
from snippets_mlir.frontends.onnx.shapes.view import NodeView, Out, Rule, normalized

FLOAT, INT32 = onnx.TensorProto.FLOAT, onnx.TensorProto.INT32


def _fused_matmul(node: NodeView) -> list[Out]:
    a, b = node.shape(0), node.shape(1)
    if node.integer("transBatchA") or node.integer("transBatchB"):
        raise UnknownShape
    a = (*a[:-2], *a[:-3:-1]) if node.integer("transA") and len(a) > 1 else a
    b = (*b[:-2], *b[:-3:-1]) if node.integer("transB") and len(b) > 1 else b
    return [Out(multiplied(node, a, b))]


def _fused_gemm(node: NodeView) -> list[Out]:
    return [Out(gemm_shape(node))]


def _qgemm(node: NodeView) -> list[Out]:
    a, b = node.shape(0), node.shape(3)
    rows = a[1 if node.integer("transA") else 0]
    columns = b[0 if node.integer("transB") else 1]
    return [Out((rows, columns), None, node.type(8).element if node.has(8) else FLOAT)]


def _float_matmul(node: NodeView) -> list[Out]:
    return [Out(multiplied(node, node.shape(0), node.shape(1)), None, FLOAT)]


def _matmul_nbits(node: NodeView) -> list[Out]:
    return [Out((*node.shape(0)[:-1], node.integer("N")))]


def _skip_norm(node: NodeView) -> list[Out]:
    shape = node.shape(0)
    statistics = Out(reduced(shape, [len(shape) - 1], keep=True), None, FLOAT)
    return [Out(shape), statistics, statistics, Out(shape)]


def _simplified_norm(node: NodeView) -> list[Out]:
    """The result has the type of the scale."""
    result, deviation, _ = REDUCTIONS["LayerNormalization"](node)
    return [Out(result.shape, None, node.type(1).element), deviation]


def _embedding(node: NodeView) -> list[Out]:
    ids, hidden = node.shape(0), node.shape(2)[-1]
    element = node.type(2).element
    result = Out((*ids, hidden), None, element)
    return [result, Out(ids[:1], None, INT32), result]


def _qlinear_binary(node: NodeView) -> list[Out]:
    return [Out(node.broadcast(node.shape(0), node.shape(3)))]


def _qlinear_pool(node: NodeView) -> list[Out]:
    return [Out(_channels_second(node, lambda s: pool_shape(node, s)))]


def _qlinear_global_pool(node: NodeView) -> list[Out]:
    return [Out(_channels_second(node, lambda s: (*s[:2], *[1] * (len(s) - 2))))]


def _channels_second(node: NodeView, function: Callable[[Shape], Shape]) -> Shape:
    shape = node.shape(0)
    if not node.integer("channels_last"):
        return function(shape)
    found = function((shape[0], shape[-1], *shape[1:-1]))
    return (found[0], *found[2:], found[1])


def _qlinear_concat(node: NodeView) -> list[Out]:
    """Inputs: scale and zero point of the result, then each tensor with its own."""
    shapes = [node.shape(i) for i in range(2, len(node.inputs), 3)]
    axis = normalized(node.integer("axis"), len(shapes[0]))
    total: Size | None = 0
    for shape in shapes:
        size = shape[axis]
        total = None if total is None or size is None else total + size
    rows = zip(*shapes, strict=True)
    result = [total if i == axis else node.same(*sizes) for i, sizes in enumerate(rows)]
    return [Out(tuple(result), None, node.type(2).element)]


def _qlinear_where(node: NodeView) -> list[Out]:
    shape = node.broadcast(node.shape(0), node.shape(1), node.shape(4))
    return [Out(shape, None, node.type(1).element)]


def _nhwc_pool(node: NodeView) -> list[Out]:
    n, *spatial, c = node.shape(0)
    found = pool_shape(node, (n, c, *spatial))
    return [Out((found[0], *found[2:], found[1]))]


def _qlinear_conv(node: NodeView) -> list[Out]:
    if node.integer("channels_last"):
        raise UnknownShape
    return [Out(conv_shape(node, 0, 3), None, node.type(7).element)]


def _bias_split(node: NodeView) -> list[Out]:
    shape = node.shape(0)
    half = shape[-1]
    return [Out((*shape[:-1], None if half is None else half // 2))]


_LIKE_FIRST = (
    "BiasAdd BiasDropout BiasGelu BiasSoftmax FastGelu Gelu GroupNorm QuickGelu QLinearLeakyRelu "
    "QLinearSigmoid QLinearSoftmax RotaryEmbedding SkipGroupNorm Trilu"
)

RULES: dict[str, Rule] = {
    **dict.fromkeys(_LIKE_FIRST.split(), like_first),
    **attention.RULES,
    **dict.fromkeys(("DynamicQuantizeMatMul", "MatMulIntegerToFloat"), _float_matmul),
    **dict.fromkeys(("FusedMatMul", "TransposeMatMul", "FusedMatMulActivation"), _fused_matmul),
    **dict.fromkeys(("QLinearAdd", "QLinearMul"), _qlinear_binary),
    **dict.fromkeys(("SkipLayerNormalization", "SkipSimplifiedLayerNormalization"), _skip_norm),
    "BiasSplitGelu": _bias_split,
    "DequantizeLinear": dequantize,
    "EmbedLayerNormalization": _embedding,
    "FusedConv": conv(),
    "FusedGemm": _fused_gemm,
    "LayerNormalization": REDUCTIONS["LayerNormalization"],
    "MatMulNBits": _matmul_nbits,
    "NhwcMaxPool": _nhwc_pool,
    "QGemm": _qgemm,
    "QLinearAveragePool": _qlinear_pool,
    "QLinearConcat": _qlinear_concat,
    "QLinearConv": _qlinear_conv,
    "QLinearGlobalAveragePool": _qlinear_global_pool,
    "QLinearWhere": _qlinear_where,
    "QuantizeLinear": quantize,
    "SimplifiedLayerNormalization": _simplified_norm,
}
