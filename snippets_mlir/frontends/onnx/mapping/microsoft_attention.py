"""onnxruntime's Attention and MultiHeadAttention as products with a softmax between them.

    Attention(x, w, bias, mask, past)     %q = snippets.matmul %x, %wq    columns 0 to 768 of w
                                          %0 = snippets.add %q, %bq       the same for keys, values
                                          %k = snippets.concat ...        the cache and the new keys
                                          %s = snippets.matmul ...        and so on
    MultiHeadAttention(q, k, v, ...)      the same without the first products

The packed weights are constants, and so are the weights of their parts. A padding mask adds
`mask_filter_value` to the scores of keys that it hides. It consists of integers that are above 0
for keys to keep, [batch, keys] or [batch, rows, keys], or of positions: the ends of each batch
[batch], or ends and starts [2 * batch]. `unidirectional` gives hidden keys the least float. A cache
is one array for keys and values in Attention, two in MultiHeadAttention.

Opaque are packed inputs, weights that are not constants, rotary embeddings, caches that are shared
buffers or whose new state is not an output, masks of other types or lengths, and causal masks or
ends for unknown sizes. Source: docs/ContribOperators.md of onnxruntime, and the behaviour of its
CPU kernels.
"""

from __future__ import annotations

import numpy as np
from xdsl.ir import SSAValue

from snippets_mlir.dialects.builtin.dims import Dim, Size, divided, product
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.builtin.size_facts import sum_of
from snippets_mlir.dialects.snippets.arithmetic import AddOp
from snippets_mlir.dialects.snippets.concatenation import ConcatOp
from snippets_mlir.dialects.snippets.shapes import DYNAMIC, format_shape
from snippets_mlir.dialects.snippets.slicing import SliceOp
from snippets_mlir.frontends.onnx.engine_operators import MICROSOFT
from snippets_mlir.frontends.onnx.mapping.attention_parts import (
    Window,
    after_cache,
    by_head,
    columns_of,
    joined,
    scaled_scores,
    weighted,
)
from snippets_mlir.frontends.onnx.mapping.layout import reshaped
from snippets_mlir.frontends.onnx.mapping.microsoft_masks import bias_of_scores, padding_of
from snippets_mlir.frontends.onnx.node import Built, NodeBuilder, Opaque, Row

LEAST = float(np.finfo(np.float32).min)
"""The bias of scores that causality hides."""


def _attention(b: NodeBuilder) -> Built:
    if b.flag("do_rotary") or b.flag("past_present_share_buffer") or b.has(6):
        raise Opaque("Attention with rotary embeddings, or a cache that is a shared buffer")
    if b.has(4) and not b.wants(1):
        raise Opaque("Attention with a cache whose new state is no output")
    x, heads = b.value(0), b.flag("num_heads")
    parts = _projections(b, x)
    queries, *new = (by_head(b, part, (heads,)) for part in parts)
    keys, values = new
    first: Dim = 0
    outputs: list[SSAValue] = []
    if b.wants(1):
        present = _present(b, keys, values)
        if b.has(4):
            first = shape_of(b.value(4))[3]
            keys, values = (_half(b, present, i) for i in range(2))
        outputs.append(present)
    return [_attended(b, queries, keys, values, first, (3, 5)), *outputs]


def _projections(b: NodeBuilder, x: SSAValue) -> list[SSAValue]:
    """Queries, keys and values [batch, rows, hidden]."""
    weights = shape_of(b.value(1))
    if len(shape_of(x)) != 3 or len(weights) != 2:
        found = f"{format_shape(shape_of(x))} and weights {format_shape(weights)}"
        raise Opaque(f"Attention of an input {found}")
    widths = [int(n) for n in b.node.attributes.get("qkv_hidden_sizes", ())]
    if not widths:
        third = divided(weights[1], 3) if weights[1] != DYNAMIC else None
        if third is None or third[1] or isinstance(third[0], Size):
            raise Opaque(f"Attention with weights {format_shape(weights)}")
        widths = [third[0]] * 3
    if len(widths) != 3 or any(w % max(b.flag("num_heads"), 1) for w in widths):
        raise Opaque(f"Attention of {b.flag('num_heads')} heads with hidden sizes {widths}")
    parts = [b.product(x, w) for w in columns_of(b, 1, widths)]
    if b.has(2):
        biases = columns_of(b, 2, widths)
        parts = [b.emit(AddOp(part, c)) for part, c in zip(parts, biases, strict=True)]
    return parts


def _present(b: NodeBuilder, keys: SSAValue, values: SSAValue) -> SSAValue:
    """Keys and values in one array [2, batch, heads, keys, width], those of the cache first."""
    shape, others = shape_of(keys), shape_of(values)
    if shape != others:
        found = f"keys {format_shape(shape)} and values {format_shape(others)}"
        raise Opaque(f"Attention with one cache for {found}")
    halves = [reshaped(b, x, (1, *shape)) for x in (keys, values)]
    new = b.emit(ConcatOp(halves, 0))
    if not b.has(4):
        return new
    past = b.value(4)
    before = shape_of(past)
    kept = tuple(shape[dim] for dim in (0, 1, 3))
    if len(before) != 5 or (before[0], *before[1:3], before[4]) != (2, *kept):
        found = f"{format_shape(before)} before keys {format_shape(shape)}"
        raise Opaque(f"Attention with a cache {found}")
    return b.emit(ConcatOp([past, new], 3))


def _half(b: NodeBuilder, present: SSAValue, index: int) -> SSAValue:
    """The keys or the values of a cache."""
    shape = shape_of(present)
    return b.emit(SliceOp(present, (index, 0, 0, 0, 0), (1, *shape[1:]), (1,) * 5, (0,)))


def _multi_head_attention(b: NodeBuilder) -> Built:
    if b.has(8) or b.has(9) or b.wants(3):
        raise Opaque("MultiHeadAttention with a shared cache, or with its scores as an output")
    if not b.has(1) or not b.has(2):
        raise Opaque("MultiHeadAttention of packed inputs")
    q, k, v = _with_bias(b, [b.value(i) for i in range(3)])
    if len(shape_of(q)) != 3 or len(shape_of(k)) not in (3, 4):
        raise Opaque("MultiHeadAttention of packed inputs")
    _refuse_cache(b, k)
    heads = (b.flag("num_heads"),)
    queries, *present = (by_head(b, x, heads) for x in (q, k, v))
    first: Dim = 0
    if b.has(6):
        first = shape_of(b.value(6))[2]
        present = [after_cache(b, b.value(6 + i), new) for i, new in enumerate(present)]
    keys, values = present
    return [_attended(b, queries, keys, values, first, (4, 5)), *present][: len(b.node.outputs)]


def _refuse_cache(b: NodeBuilder, k: SSAValue) -> None:
    if b.has(6) != b.has(7):
        raise Opaque("MultiHeadAttention with a cache of either keys or values")
    if b.has(6) and not (b.wants(1) and b.wants(2)):
        raise Opaque("MultiHeadAttention with a cache whose new state is no output")
    if len(shape_of(k)) == 4 and (b.has(6) or b.wants(1) or b.wants(2)):
        raise Opaque("MultiHeadAttention of keys by head with a cache")


def _with_bias(b: NodeBuilder, inputs: list[SSAValue]) -> list[SSAValue]:
    """Queries, keys and values with their parts of the bias; those of rank 4 get none."""
    if not b.has(3):
        return inputs
    widths = [
        shape_of(x)[-1] if len(shape_of(x)) == 3 else product(shape_of(x)[1::2]) for x in inputs
    ]
    biases = columns_of(b, 3, widths)
    return [
        b.emit(AddOp(x, part)) if len(shape_of(x)) == 3 else x
        for x, part in zip(inputs, biases, strict=True)
    ]


def _attended(
    b: NodeBuilder,
    queries: SSAValue,
    keys: SSAValue,
    values: SSAValue,
    first: Dim,
    masks: tuple[int, int],
) -> SSAValue:
    """[batch, rows, hidden] for queries, keys and values by head, under two inputs that mask."""
    padding, bias = masks
    scores = scaled_scores(b, queries, keys, b.number("scale") or None)
    if b.has(padding) and (added := padding_of(b, padding, scores)) is not None:
        scores = b.emit(AddOp(scores, added))
    heads = (shape_of(scores)[1],)
    if b.has(bias):
        scores = b.emit(AddOp(scores, bias_of_scores(b, bias, scores)))
    if b.flag("unidirectional"):
        rows, seen = shape_of(scores)[-2:]
        if DYNAMIC in (first, rows, seen) or sum_of((first, rows)) != seen:
            raise Opaque(f"a causal {b.node.op_type} of other keys than queries")
        scores = Window(None, 0, first).apply(b, scores, scores, LEAST)
    return joined(b, weighted(b, scores, values), heads, rank=3)


ROWS: dict[tuple[str, str], Row] = {
    (MICROSOFT, "Attention"): Row(
        (1,),
        _attention,
        (
            "do_rotary",
            "mask_filter_value",
            "num_heads",
            "past_present_share_buffer",
            "qkv_hidden_sizes",
            "rotary_embedding_dim",  # of `do_rotary`
            "scale",
            "unidirectional",
        ),
    ),
    (MICROSOFT, "MultiHeadAttention"): Row(
        (1,),
        _multi_head_attention,
        ("mask_filter_value", "num_heads", "scale", "unidirectional"),
    ),
}
"""Domain and operator -> its row."""
