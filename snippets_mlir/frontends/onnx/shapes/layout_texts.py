"""The shapes that each operator takes, in the notation of `layouts.py`.

ONNX's inference compares some of these sizes, and onnxruntime compares all of them when a node
runs. Dims that it reads as it likes have no text. What only a kernel takes is in the texts, too.
"""

from __future__ import annotations

import onnx

from snippets_mlir.frontends.onnx.engine_operators import MICROSOFT
from snippets_mlir.frontends.onnx.shapes.view import NodeView

DEFAULTS = {"group": 1, "offset_group": 1}
"""Integer attributes that nodes may leave out."""

ONE = "() / 1"
"""A parameter of the whole tensor."""

_STATE = "directions b hidden_size"


def _recurrent(gates: int, more: str) -> str:
    """Inputs, weights, recurrent weights, biases, lengths, first state."""
    rows = f"directions {gates}*hidden_size"
    bias = f"directions {2 * gates}*hidden_size"
    return f"s b i, {rows} i, {rows} hidden_size, {bias}, b, {_STATE}{more}"


_QUANTISED_CONV = (
    f"n group*c *, {ONE}, {ONE}, = m c *, () / m?, () / m?, {ONE}, {ONE}, m"  # scales, zero points
)
_EMBEDDING = "b s, b s, v c, p c, g c, c, c"
_REDUCTIONS = (
    "ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd "
    "ReduceSum ReduceSumSquare"
)

TEXTS: dict[str, str] = {
    **dict.fromkeys(_REDUCTIONS.split(), ", _"),
    "AffineGrid": "n 2 3 / n 3 4",
    "Attention": "b q_num_heads s d / b s q_num_heads*d, b kv_num_heads t d / b t kv_num_heads*d, "
    "b kv_num_heads t v / b t kv_num_heads*v, , b kv_num_heads p d, b kv_num_heads p v",
    "BatchNormalization": "n c *, c, c, c, c",
    "ConstantOfShape": "_ *",
    "Conv": "n group*c *, = m c *, m",
    "ConvInteger": f"n group*c *, = m c *, {ONE}, () / m?",
    "ConvTranspose": "n c *, = c m *, group*m",
    "DeformConv": "n group*c *, m c kh kw, n 2*offset_group*kh*kw oh ow, m, "
    "n offset_group*kh*kw oh ow",
    "DepthToSpace": "n blocksize*blocksize*c h w",
    "GRU": _recurrent(3, ""),
    "GatherElements": "*, = *",
    "GridSample": "n c _ _ / n c _ _ _, n _ _ 2 / n _ _ _ 3",
    "InstanceNormalization": "n c *, c, c",
    "LRN": "_ _ _ _",
    "LSTM": _recurrent(4, f", {_STATE}, directions 3*hidden_size"),
    "MatMulInteger": f", , {ONE}",
    "MaxRoiPool": "n c h w, r 5",
    "MaxUnpool": "*s, *s",
    "NonMaxSuppression": "b s 4, b c s",
    "QLinearConv": _QUANTISED_CONV,
    "QLinearMatMul": f", {ONE}, {ONE}, , , , {ONE}, {ONE}",
    "RNN": _recurrent(1, ""),
    "Reshape": ", _",
    "RoiAlign": "n c h w, r 4, r",
    "RotaryEmbedding": "b s num_heads*h / b _ s _, *t, *t, b? s",
    "Scatter": "*, = *i, *i",
    "ScatterElements": "*, = *i, *i",
    "Slice": ", i, i, i, i",
    "SpaceToDepth": "n c blocksize*h blocksize*w",
    "Split": ", _",
    "Squeeze": ", _",
    "Trilu": f", {ONE}",
}
"""By operator of ONNX's domain."""

MICROSOFT_TEXTS: dict[str, str] = {
    "Attention": "b s i, i 3*num_heads*h, 3*num_heads*h, , 2 b num_heads p h, b? num_heads? s _",
    "BiasGelu": "* c, c",
    "CDist": "m k, n k",
    "ConvTransposeWithDynamicPads": "n c *, = c m *, _, group*m",
    "CropAndResize": "n c h w, r 4, r, 2",
    "DynamicQuantizeLSTM": "s b i, directions i 4*hidden_size, directions hidden_size 4*hidden_size"
    f", directions 8*hidden_size, b, {_STATE}, {_STATE}, directions 3*hidden_size",
    "DynamicQuantizeMatMul": "* k, * k n / k, , , * n",
    "EmbedLayerNormalization": f"{_EMBEDDING}, b s",
    "FastGelu": "* c, c",
    "FusedConv": "n group*c *, = m c *, m, n m *",
    "GridSample": "n c _ _, n _ _ 2",
    "MatMulIntegerToFloat": f"* k, * k n / k, , , {ONE}, , * n",
    "MatMulNBits": "* K, N blocks bytes, N blocks / N*blocks, N packed / N*packed, , N",
    "MultiHeadAttention": "b s num_heads*h / b s num_heads 3 h, "
    "b t num_heads*h / b num_heads t h / b t num_heads 2 h, b t num_heads*v / b num_heads t v, _, "
    ", b? num_heads? s _, b num_heads p h, b num_heads p v",
    "QAttention": f"b s i, i w, w, {ONE}, () / w?, , {ONE}, () / w?, 2 b num_heads p h",
    "QEmbedLayerNormalization": f"{_EMBEDDING}, b s{f', {ONE}' * 10}",
    "QGemm": f"_ _, {ONE}, {ONE}, _ _, () / _, () / _, , {ONE}, {ONE}",
    "QLinearAveragePool": f", {ONE}, {ONE}, {ONE}, {ONE}",
    "QLinearConv": _QUANTISED_CONV,
    "QLinearGlobalAveragePool": f", {ONE}, {ONE}, {ONE}, {ONE}",
    "QLinearSigmoid": f", {ONE}, {ONE}, {ONE}, {ONE}",
    "RotaryEmbedding": "b s num_heads*h / b _ s _, () / 1 / b s, *t, *t",
    "SkipLayerNormalization": "b s c / s c, _ s c / s c, c, c, c",
    "SkipSimplifiedLayerNormalization": "b s c / s c, _ s c / s c, c, c",
    "Unique": "_",
    "WordConvEmbedding": ", embedding_size _ conv_window_size char_embedding_size *, "
    "embedding_size, _ char_embedding_size *",
}
"""By operator of `com.microsoft`."""

_WITHOUT = ("channels_last", "layout")
"""Attributes with which a node reads its inputs in another way, unless they are 0."""


def text_of(node: NodeView) -> str | None:
    """The shapes of the inputs of a node, None where none are known."""
    texts = MICROSOFT_TEXTS if node.domain == MICROSOFT else {} if node.domain else TEXTS
    if any(map(node.integer, _WITHOUT)):
        return None
    if node.op_type == "GroupNormalization" and not node.domain:
        groups = "num_groups*c" if node.version >= 21 else "num_groups"
        return f"n num_groups*c *, () / * {groups}?, () / * {groups}?"
    if node.op_type == "BatchNormalization" and not node.integer("spatial", 1):
        return None  # parameters of elements, before version 9
    if node.op_type == "Attention" and (node.integers("qkv_hidden_sizes") or node.version > 24):
        return None  # parts of any sizes; since version 25, products that may broadcast
    if node.op_type == "Einsum" and not node.domain:
        return _einsum(node)
    return texts.get(node.op_type)


def _einsum(node: NodeView) -> str | None:
    """A letter is one size, unless the size is 1."""
    equation = node.text("equation", "").replace(" ", "").partition("->")[0]
    terms = [term.replace("...", "*") for term in equation.split(",")]
    if not all(c.isalpha() or c == "*" for term in terms for c in term):
        return None

    def spelt(term: str) -> str:
        return " ".join(c if c == "*" or term.count(c) > 1 else f"{c}?" for c in term) or "()"

    return ", ".join(map(spelt, terms))


def sizes_of_node(node: NodeView) -> dict[str, int]:
    """Sizes that attributes of a node say."""
    if node.op_type == "MatMulNBits":
        bits, size = node.integer("bits", 4), node.integer("block_size", 1) or 1
        blocks = -(-node.integer("K") // size)
        packed = (
            -(-blocks * bits // 8) if node.type(3).element == onnx.TensorProto.UINT8 else blocks
        )
        return {"blocks": blocks, "bytes": size * bits // 8, "packed": packed}
    both = node.text("direction", "forward") == "bidirectional"
    return {"directions": 2 if both else 1}
