"""Attention: ONNX's operator, and onnxruntime's operators (`com.microsoft`)."""

from __future__ import annotations

from snippets_mlir.frontends.onnx.shapes.bounds import known_equal, maximum
from snippets_mlir.frontends.onnx.shapes.dims import Size, floordiv
from snippets_mlir.frontends.onnx.shapes.types import Shape
from snippets_mlir.frontends.onnx.shapes.view import NodeView, Out, Rule

_PADS = 24
"""The first opset in which ONNX pads masks."""


def attention(node: NodeView) -> list[Out]:
    """ONNX's Attention: inputs of rank 4, or of rank 3 with the heads in the last dim."""
    q, k, v = (node.shape(i) for i in range(3))
    heads = _heads(q, node.integer("q_num_heads"))
    kv_heads = _heads(k, node.integer("kv_num_heads"))
    past = node.shape(4) if node.has(4) else None
    new = node.same(k[-2], v[-2])
    length = new
    if past is not None:
        values = node.shape(5) if node.has(5) else past
        length = _plus(node.same(past[2], values[2]), new)
    _take_padded(node, length)
    k_size = k[3] if len(k) == 4 else _divided(k[2], kv_heads)
    v_size = v[3] if len(v) == 4 else _divided(v[2], kv_heads)
    if len(q) == 4:
        result: Shape = (q[0], q[1], q[2], v_size)
    else:
        result = (q[0], q[1], _times(heads, v_size))
    return [
        Out(result),
        Out((q[0], kv_heads, length, k_size)),
        Out((q[0], kv_heads, length, v_size)),
        Out((q[0], heads, q[-2], length)),
    ]


def _take_padded(node: NodeView, keys: Size | None) -> None:
    """Record that a mask that cannot have fewer columns than keys has as many.

    Before ONNX padded masks, one of several columns has a column for each key. Since then, one that
    is padded has max(keys, columns) columns (`attention_masks.py`).
    """
    mask = node.type(3).shape if node.has(3) else None
    if node.assumptions.closed or keys is None or not mask or mask[-1] is None:
        return
    if node.version < _PADS:
        node.broadcast((mask[-1],), (keys,))
        return
    columns, keys = (node.assumptions.resolve(size) for size in (mask[-1], keys))
    if known_equal(columns, keys) is None and maximum((keys, columns)) == columns:
        node.assumptions.equal(columns, keys)


def _heads(shape: Shape, attribute: int) -> Size | None:
    return shape[1] if len(shape) == 4 else attribute or None


def _plus(a: Size | None, b: Size | None) -> Size | None:
    return None if a is None or b is None else a + b


def _times(a: Size | None, b: Size | None) -> Size | None:
    return None if a is None or b is None else a * b


def _divided(a: Size | None, b: Size | None) -> Size | None:
    return None if a is None or b is None else floordiv(a, b)


def _packed_attention(node: NodeView) -> list[Out]:
    """Packed weights: the last dim holds those of queries, keys and values."""
    batch, length, _ = node.shape(0)
    quantised = node.op_type == "QAttention"
    sizes, heads = node.integers("qkv_hidden_sizes"), node.integer("num_heads") or None
    hidden = sizes[2] if sizes else _divided(node.shape(1)[-1], 3)
    element, at = (node.type(3).element, 8) if quantised else (node.type(0).element, 4)
    total = _plus(node.shape(at)[3], length) if node.has(at) else length
    present = (2, batch, heads, total, None if sizes else _divided(hidden, heads))
    return [Out((batch, length, hidden), None, element), Out(present, None, element)]


def _multi_head_attention(node: NodeView) -> list[Out]:
    query, heads = node.shape(0), node.integer("num_heads") or None
    if len(query) == 5:  # queries, keys and values in one tensor, by head
        return [Out((query[0], query[1], _times(heads, query[4])))]
    hidden: Size | None = None
    keys, values = node.type(1).shape, node.type(2).shape
    if values is not None:
        hidden = values[2] if len(values) == 3 else _times(values[1], values[3])
    result = Out((query[0], query[1], hidden))
    if keys is None or len(keys) != 3 or values is None or len(values) != 3:
        return [result]
    total = _plus(node.shape(6)[2], keys[1]) if node.has(6) else keys[1]
    sizes = (_divided(query[2], heads), _divided(hidden, heads))
    return [result, *(Out((query[0], heads, total, size)) for size in sizes)]


def _grouped_attention(node: NodeView) -> list[Out]:
    """Keys and values may be packed into the queries."""
    query, heads, groups = node.shape(0), node.integer("num_heads"), node.integer("kv_num_heads")
    hidden = query[2]
    if not node.has(1):
        hidden = _times(_divided(hidden, heads + 2 * groups), heads)
    size = node.shape(3)[3] if node.has(3) else _divided(hidden, heads)
    present = Out((query[0], groups, _grouped_length(node), size))
    return [Out((query[0], query[1], hidden)), present, present]


def _grouped_length(node: NodeView) -> Size | None:
    """The length of the caches after the node: a tensor says it, if they are not longer before."""
    past, total = node.shape(3)[2] if node.has(3) else 0, node.sizes(6)
    if past is None or total is None or len(total) != 1 or total[0] is None:
        return None
    return maximum((past, total[0]))


RULES: dict[str, Rule] = {
    "Attention": _packed_attention,
    "GroupQueryAttention": _grouped_attention,
    "MultiHeadAttention": _multi_head_attention,
    "QAttention": _packed_attention,
}
