"""ONNX's Attention as products with a softmax between them.

    Attention(q, k, v, mask)   %s = snippets.matmul %q, %k {transpose_b}
                               %0 = snippets.multiply %s, %scale
                               %1 = snippets.add %0, %mask
                               %p = snippets.softmax %1 {axis = 3}
                               %y = snippets.matmul %p, %v

A mask of truth values adds 0 or -inf, so a NaN stays; a row that a mask or window hides completely
is 0. `is_causal` and windows compare the places of queries and keys (`attention_places.py`).
Without a mask they select the scores: a hidden key does not count, even if its score is NaN. A
`snippets.concat` joins a cache (`past_key`, `past_value`) and the new keys, and also gives the
outputs `present_key` and `present_value`; queries come after its keys. `nonpad_kv_seqlen` is the
number of keys of a batch; the queries are the last ones. A mask with fewer columns than keys is
padded before (`attention_masks.py`).

Opaque are scores as an output, a softmax of another precision, and masks of other types or more
columns. Source: the operator's definition in ONNX.
"""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import i1, i64
from xdsl.ir import SSAValue

from snippets_mlir.analysis.graph.products import LEAST_ROWS
from snippets_mlir.dialects.builtin.dims import Dim, Size
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.onnx.types import ELEMENT_TYPES
from snippets_mlir.dialects.snippets.arithmetic import AddOp, DivideOp, MultiplyOp, SubtractOp
from snippets_mlir.dialects.snippets.comparison import EqualOp, LessOp
from snippets_mlir.dialects.snippets.hyperbolic import TanhOp
from snippets_mlir.dialects.snippets.reduction import ReduceSumOp
from snippets_mlir.dialects.snippets.selection import SelectOp
from snippets_mlir.dialects.snippets.shapes import format_shape
from snippets_mlir.frontends.onnx.mapping.attention_parts import (
    Heads,
    Window,
    after_cache,
    beside_scores,
    by_head,
    hidden,
    joined,
    scaled_scores,
    weighted,
)
from snippets_mlir.frontends.onnx.mapping.attention_places import number_of, places
from snippets_mlir.frontends.onnx.mapping.layout import reshaped
from snippets_mlir.frontends.onnx.node import Built, NodeBuilder, Opaque, Row

_SIDES = ("left", "right")


def _number_of_heads(b: NodeBuilder, x: SSAValue, attribute: str) -> int:
    """The heads of an input: from its shape for rank 4, from an attribute for rank 3."""
    shape = shape_of(x)
    if len(shape) not in (3, 4):
        raise Opaque(f"{b.node.op_type} of an input of rank {len(shape)}")
    found = shape[1] if len(shape) == 4 else b.flag(attribute)
    if isinstance(found, Size) or found < 1:
        raise Opaque(f"{b.node.op_type} of a number of heads that is not known")
    return found


def _heads(b: NodeBuilder, q: SSAValue, k: SSAValue, v: SSAValue) -> Heads:
    of_queries, of_keys, of_values = (
        _number_of_heads(b, x, name)
        for x, name in ((q, "q_num_heads"), (k, "kv_num_heads"), (v, "kv_num_heads"))
    )
    if of_keys != of_values or of_queries % of_keys:
        counts = f"{of_queries}, {of_keys} and {of_values} heads"
        raise Opaque(f"Attention of queries, keys and values of {counts}")
    own, mask = of_queries // of_keys, shape_of(b.value(3)) if b.has(3) else ()
    has_row = shape_of(q)[-2 if len(shape_of(q)) == 4 else 1] == 1 and mask[-2:-1] in ((), (1,))
    return Heads(of_keys, own, has_row and own >= LEAST_ROWS)


def _queries(b: NodeBuilder, q: SSAValue, heads: Heads) -> SSAValue:
    """[batch, heads.., rows, width] of queries."""
    queries = by_head(b, q, heads.of_queries)
    shape = shape_of(queries)
    return reshaped(b, queries, (*shape[:-2], shape[-1])) if heads.are_rows else queries


def _result(b: NodeBuilder, y: SSAValue, heads: Heads, rank: int) -> SSAValue:
    """The result in the layout of the queries, which have this rank."""
    shape = shape_of(y)
    if heads.are_rows:
        y = reshaped(b, y, (*shape[:-1], 1, shape[-1]))
    return joined(b, y, heads.of_queries, rank=rank)


def _zero_where_hidden(b: NodeBuilder, result: SSAValue, bias: SSAValue) -> SSAValue:
    """0 in the rows whose scores have -inf added for every key."""
    hides = b.emit(EqualOp(bias, b.like(-np.inf, bias)))
    kept = b.emit(SelectOp(hides, b.like(0.0, bias), b.like(1.0, bias)))
    count = b.emit(ReduceSumOp(kept, [len(shape_of(bias)) - 1], keep_dims=True))
    nothing = b.emit(EqualOp(count, b.like(0.0, count)))
    return b.emit(SelectOp(nothing, b.like(0.0, result), result))


def _attention(b: NodeBuilder) -> Built:
    _refuse_outputs(b)
    q, k, v = (b.value(i) for i in range(3))
    element, softcap = tensor_of(q).element_type, b.number("softcap")
    precision = b.flag("softmax_precision")
    if precision and ELEMENT_TYPES.get(precision) != element:
        raise Opaque(f"Attention of {element} with a softmax of another precision")
    heads = _heads(b, q, k, v)
    present = [by_head(b, x, (heads.shared,)) for x in (k, v)]
    first: Dim | SSAValue = 0
    if b.has(4):
        first = shape_of(b.value(4))[2]
        present = [after_cache(b, b.value(4 + i), new) for i, new in enumerate(present)]
    keys, values = (by_head(b, x, heads.of_keys) for x in present)
    scale = b.number("scale") if "scale" in b.node.attributes else None
    scores = scaled_scores(b, _queries(b, q, heads), keys, scale)
    if softcap > 0:
        capped = b.emit(TanhOp(b.emit(DivideOp(scores, b.like(softcap, scores)))))
        scores = b.emit(MultiplyOp(capped, b.like(softcap, scores)))
    if b.has(6):
        first = _place_from_end(b, scores, heads)
    bias, scores = _masked(b, scores, heads, first)
    result = weighted(b, scores, values)
    if bias is not None:
        result = _zero_where_hidden(b, result, bias)
    return [_result(b, result, heads, len(shape_of(q))), *present][: _outputs(b)]


def _refuse_outputs(b: NodeBuilder) -> None:
    if b.wants(3):
        raise Opaque("Attention with its scores as an output")
    if b.has(4) != b.has(5):
        raise Opaque("Attention with a cache of either keys or values")
    if b.has(4) and b.has(6):
        raise Opaque("Attention with two caches")


def _outputs(b: NodeBuilder) -> int:
    return len(b.node.outputs)


def _masked(
    b: NodeBuilder, scores: SSAValue, heads: Heads, first: Dim | SSAValue
) -> tuple[SSAValue | None, SSAValue]:
    """The bias from mask and window, if they may hide whole rows; and the scores."""
    left, right = (n if (n := b.flag(f"{s}_window_size", -1)) >= 0 else None for s in _SIDES)
    rows = 1 if heads.are_rows else None
    window = Window(left, 0 if b.flag("is_causal") else right, first, rows)
    bias = _mask(b, scores, heads) if b.has(3) else None
    if b.has(6):
        padding = hidden(b, _kept(b, scores), scores, -np.inf)
        bias = padding if bias is None else b.emit(AddOp(bias, padding))
    if bias is None and left is not None:  # a window may be beyond the last key
        bias = b.like(0.0, scores)
    if bias is None:
        return None, window.apply(b, scores, scores)
    bias = window.apply(b, bias, scores)
    return bias, b.emit(AddOp(scores, bias))


def _mask(b: NodeBuilder, scores: SSAValue, heads: Heads) -> SSAValue:
    """The mask as a bias of the scores."""
    mask, element = beside_scores(b, b.value(3), scores, heads), tensor_of(scores).element_type
    kind = tensor_of(mask).element_type
    if kind not in (i1, element):
        raise Opaque(f"Attention of {element} with a mask of {kind}")
    return hidden(b, mask, scores, -np.inf) if kind == i1 else mask


def _lengths(b: NodeBuilder, scores: SSAValue) -> SSAValue:
    """`nonpad_kv_seqlen`: how many keys each batch has, i64 [batch]."""
    lengths, batch = b.value(6), shape_of(scores)[0]
    if tensor_of(lengths).element_type != i64 or shape_of(lengths) != (batch,):
        found = format_shape(shape_of(lengths))
        raise Opaque(f"Attention of scores {format_shape(shape_of(scores))} with {found} lengths")
    return lengths


def _kept(b: NodeBuilder, scores: SSAValue) -> SSAValue:
    """Which keys are not padding: [batch, 1.., keys]."""
    shape = shape_of(scores)
    lengths = reshaped(b, _lengths(b, scores), (shape[0], *(1,) * (len(shape) - 1)))
    return b.emit(LessOp(places(b, shape[-1], i64), lengths))


def _place_from_end(b: NodeBuilder, scores: SSAValue, heads: Heads) -> SSAValue:
    """The place of the first query; the last query is at the last key of its batch."""
    lengths, rows = _lengths(b, scores), 1 if heads.are_rows else shape_of(scores)[-2]
    return b.emit(SubtractOp(lengths, number_of(b, rows, i64)))


ROWS: dict[tuple[str, str], Row] = {("", "Attention"): Row((23, 24, 25), _attention)}
"""Domain and operator -> its row."""
