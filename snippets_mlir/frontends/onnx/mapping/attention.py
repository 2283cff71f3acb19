"""Attention of ONNX, and onnxruntime's MultiHeadAttention, as products with a softmax between them.

    Attention(q, k, v, mask)   %s = snippets.matmul %q, %k {transpose_b}
                               %0 = snippets.multiply %s, %scale
                               %1 = snippets.add %0, %mask
                               %p = snippets.softmax %1 {axis = 3}
                               %y = snippets.matmul %p, %v

Inputs of rank 3 have their heads in the last dim: they are reshaped and transposed, and so is the
result. Where several heads of queries share one of keys and values, a dim for them comes after that
of the keys' heads, and keys and values are broadcast along it. A mask of truth values adds 0 or
-inf, so a NaN stays; a row that a mask or window of ONNX's Attention hides completely is 0.
`is_causal` and windows compare the places of queries and keys, which are constants. Without a mask
they select the scores: a hidden key does not count, even where its score is NaN.

Opaque: a cache (`past_key`, `nonpad_kv_seqlen`, keys and values as outputs), scores as an output, a
softmax of another precision, packed inputs, masks of other types or lengths, and causal masks of
sizes that are not known. Source: the operators' definitions in ONNX, and docs/ContribOperators.md
of onnxruntime.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from xdsl.dialects.builtin import i1
from xdsl.ir import SSAValue

from snippets_mlir.dialects.builtin.dims import Dim, Size, divided, product
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.onnx.types import ELEMENT_TYPES
from snippets_mlir.dialects.snippets.arithmetic import AddOp, DivideOp, MultiplyOp
from snippets_mlir.dialects.snippets.comparison import EqualOp, GreaterOp, LessEqualOp
from snippets_mlir.dialects.snippets.conversion import SelectOp
from snippets_mlir.dialects.snippets.hyperbolic import TanhOp
from snippets_mlir.dialects.snippets.layout import TransposeOp
from snippets_mlir.dialects.snippets.normalization import SoftmaxOp
from snippets_mlir.dialects.snippets.reduction import ReduceMaxOp
from snippets_mlir.dialects.snippets.shapes import DYNAMIC, format_shape
from snippets_mlir.frontends.onnx.mapping.layout import reshaped
from snippets_mlir.frontends.onnx.node import NodeBuilder, Opaque, Row

MICROSOFT = "com.microsoft"
PADDING = -10000.0
"""What onnxruntime's operators add to the scores of padding, unless the node says it."""


@dataclass(frozen=True)
class _Heads:
    """How many heads there are: `own` of queries for each of the `shared` ones of keys."""

    shared: Dim
    own: Dim

    @property
    def of_queries(self) -> tuple[Dim, ...]:
        """The dims of the heads of queries and results."""
        return (self.shared,) if self.own == 1 else (self.shared, self.own)

    @property
    def of_keys(self) -> tuple[Dim, ...]:
        """The dims of the heads of keys and values."""
        return (self.shared,) if self.own == 1 else (self.shared, 1)


def _by_head(b: NodeBuilder, x: SSAValue, heads: tuple[Dim, ...]) -> SSAValue:
    """[batch, heads.., rows, columns] of an input of rank 4, or of [batch, rows, hidden]."""
    shape = shape_of(x)
    if len(shape) == 4:
        return x if len(heads) == 1 else reshaped(b, x, (shape[0], *heads, *shape[2:]))
    columns = divided(shape[2], product(heads)) if shape[2] != DYNAMIC else None
    if columns is None or columns[1]:
        found = f"{b.node.op_type} of {format_shape(shape)} with {product(heads)} heads"
        raise Opaque(f"{found}: their width is not known, or they are not equal")
    parts = reshaped(b, x, (*shape[:2], *heads, columns[0]))
    rank = len(heads) + 3
    return b.emit(TransposeOp(parts, (0, *range(2, rank - 1), 1, rank - 1)))


def _joined(b: NodeBuilder, y: SSAValue, heads: tuple[Dim, ...], *, rank: int) -> SSAValue:
    """The result [batch, heads.., rows, columns] as the operator of such inputs has it."""
    shape = shape_of(y)
    if rank == len(shape):
        return y
    if rank == 4:
        return reshaped(b, y, (shape[0], product(heads), *shape[-2:]))
    last = len(shape) - 1
    y = b.emit(TransposeOp(y, (0, last - 1, *range(1, last - 1), last)))
    return reshaped(b, y, (shape[0], shape[-2], product((*heads, shape[-1]))))


def _number_of_heads(b: NodeBuilder, x: SSAValue, attribute: str) -> int:
    """The heads of an input: those of its shape for rank 4, of an attribute for rank 3."""
    shape = shape_of(x)
    if len(shape) not in (3, 4):
        raise Opaque(f"{b.node.op_type} of an input of rank {len(shape)}")
    found = shape[1] if len(shape) == 4 else b.flag(attribute)
    if isinstance(found, Size) or found < 1:
        raise Opaque(f"{b.node.op_type} of a number of heads that is not known")
    return found


def _scaled(b: NodeBuilder, q: SSAValue, k: SSAValue, scale: float | None) -> SSAValue:
    """The scores: products of queries and keys times `scale`, or that of their width."""
    width = shape_of(q)[-1]
    if scale is None:
        if isinstance(width, Size) or width < 1:
            raise Opaque(f"{b.node.op_type} of heads of a width that is not known")
        scale = 1 / sqrt(width)
    scores = b.product(q, k, transpose_b=True)
    return scores if scale == 1 else b.emit(MultiplyOp(scores, b.like(scale, scores)))


def _weighted(b: NodeBuilder, scores: SSAValue, v: SSAValue) -> SSAValue:
    """The softmax of the scores times the values."""
    return b.product(b.emit(SoftmaxOp(scores, len(shape_of(scores)) - 1)), v)


def _zero_where_hidden(b: NodeBuilder, result: SSAValue, bias: SSAValue) -> SSAValue:
    """0 in the rows whose scores have -inf added for every key."""
    greatest = b.emit(ReduceMaxOp(bias, [len(shape_of(bias)) - 1], keep_dims=True))
    hidden = b.emit(EqualOp(greatest, b.like(-np.inf, bias)))
    return b.emit(SelectOp(hidden, b.like(0.0, result), result))


def _beside_scores(
    b: NodeBuilder, mask: SSAValue, scores: SSAValue, heads: tuple[Dim, ...]
) -> SSAValue:
    """A mask that broadcasts to [batch, heads of queries, rows, keys], for scores of these dims."""
    shape, keys = shape_of(mask), shape_of(scores)[-1]
    if len(shape) > 4 or shape[-1:] != (keys,) or keys == DYNAMIC:
        found = f"{b.node.op_type} of scores {format_shape(shape_of(scores))}"
        raise Opaque(f"{found} with a mask {format_shape(shape)}, which has other columns")
    if len(shape) < 3 or len(heads) == 1:
        return mask
    own = heads if shape[-3] == product(heads) else (1, 1) if shape[-3] == 1 else None
    if own is None:
        raise Opaque(f"{b.node.op_type} with a mask {format_shape(shape)} of other heads")
    return reshaped(b, mask, (*shape[:-3], *own, *shape[-2:]))


def _hidden(b: NodeBuilder, kept: SSAValue, scores: SSAValue, number: float) -> SSAValue:
    """What a mask of truth values adds: 0 where it is true, else `number`."""
    return b.emit(SelectOp(kept, b.like(0.0, scores), b.like(number, scores)))


def _windowed(
    b: NodeBuilder, x: SSAValue, scores: SSAValue, left: int | None, right: int | None
) -> SSAValue:
    """-inf, but `x` for keys from `left` places before that of the query to `right` after it."""
    if left is None and right is None:
        return x
    rows, keys = shape_of(scores)[-2:]
    if isinstance(rows, Size) or isinstance(keys, Size) or DYNAMIC in (rows, keys):
        raise Opaque(f"a causal {b.node.op_type} of sizes that are not known")
    row, key = np.arange(rows, dtype=np.int32)[:, None], np.arange(keys, dtype=np.int32)
    bounds = [(key, row + np.int32(right))] if right is not None else []
    bounds += [(row - np.int32(left), key)] if left is not None else []
    for least, greatest in bounds:
        kept = b.emit(LessEqualOp(b.constant(least), b.constant(greatest)))
        x = b.emit(SelectOp(kept, x, b.like(-np.inf, scores)))
    return x


def _attention(b: NodeBuilder) -> SSAValue:
    if any(b.has(i) for i in (4, 5, 6)) or b.wants(1) or b.wants(2):
        raise Opaque("Attention with a cache of keys and values")
    if b.wants(3):
        raise Opaque("Attention with its scores as an output")
    q, k, v = (b.value(i) for i in range(3))
    element, softcap = tensor_of(q).element_type, b.number("softcap")
    precision = b.flag("softmax_precision")
    if precision and ELEMENT_TYPES.get(precision) != element:
        raise Opaque(f"Attention of {element} with a softmax of another precision")
    of_queries, of_keys, of_values = (
        _number_of_heads(b, x, name)
        for x, name in ((q, "q_num_heads"), (k, "kv_num_heads"), (v, "kv_num_heads"))
    )
    if of_keys != of_values or of_queries % of_keys:
        counts = f"{of_queries}, {of_keys} and {of_values} heads"
        raise Opaque(f"Attention of queries, keys and values of {counts}")
    heads = _Heads(of_keys, of_queries // of_keys)
    queries, keys = _by_head(b, q, heads.of_queries), _by_head(b, k, heads.of_keys)
    scale = b.number("scale") if "scale" in b.node.attributes else None
    scores = _scaled(b, queries, keys, scale)
    if softcap > 0:
        capped = b.emit(TanhOp(b.emit(DivideOp(scores, b.like(softcap, scores)))))
        scores = b.emit(MultiplyOp(capped, b.like(softcap, scores)))
    left, right = (n if (n := b.flag(f"{s}_window_size", -1)) >= 0 else None for s in _SIDES)
    if b.flag("is_causal"):
        right = 0
    bias = _mask(b, scores, heads.of_queries) if b.has(3) else None
    if bias is None and left is not None:  # a window may be beyond the last key
        bias = b.like(0.0, scores)
    if bias is None:
        scores = _windowed(b, scores, scores, left, right)
    else:
        bias = _windowed(b, bias, scores, left, right)
        scores = b.emit(AddOp(scores, bias))
    result = _weighted(b, scores, _by_head(b, v, heads.of_keys))
    if bias is not None:
        result = _zero_where_hidden(b, result, bias)
    return _joined(b, result, heads.of_queries, rank=len(shape_of(q)))


def _mask(b: NodeBuilder, scores: SSAValue, heads: tuple[Dim, ...]) -> SSAValue:
    """What the mask adds to the scores."""
    mask, element = _beside_scores(b, b.value(3), scores, heads), tensor_of(scores).element_type
    kind = tensor_of(mask).element_type
    if kind not in (i1, element):
        raise Opaque(f"Attention of {element} with a mask of {kind}")
    return _hidden(b, mask, scores, -np.inf) if kind == i1 else mask


_SIDES = ("left", "right")


def _multi_head_attention(b: NodeBuilder) -> SSAValue:
    if any(b.has(i) for i in (6, 7, 8, 9)) or any(b.wants(i) for i in (1, 2, 3)):
        raise Opaque("MultiHeadAttention with a cache, or with its scores as an output")
    if not b.has(1) or not b.has(2):
        raise Opaque("MultiHeadAttention of packed inputs")
    q, k, v = _with_bias(b, [b.value(i) for i in range(3)])
    if len(shape_of(q)) != 3 or len(shape_of(k)) not in (3, 4):
        raise Opaque("MultiHeadAttention of packed inputs")
    heads = (b.flag("num_heads"),)
    queries, keys, values = (_by_head(b, x, heads) for x in (q, k, v))
    scores = _scaled(b, queries, keys, b.number("scale") or None)
    if b.has(4):
        scores = b.emit(AddOp(scores, _padding(b, scores)))
    if b.has(5):
        scores = b.emit(AddOp(scores, _beside_scores(b, b.value(5), scores, heads)))
    if b.flag("unidirectional"):
        if shape_of(scores)[-1] != shape_of(scores)[-2]:
            raise Opaque("a causal MultiHeadAttention of other keys than queries")
        scores = _windowed(b, scores, scores, None, 0)
    return _joined(b, _weighted(b, scores, values), heads, rank=3)


def _with_bias(b: NodeBuilder, inputs: list[SSAValue]) -> list[SSAValue]:
    """Queries, keys and values with their parts of the bias; those of rank 4 get none."""
    if not b.has(3):
        return inputs
    bias = b.array(3)
    if bias is None:
        raise Opaque("MultiHeadAttention with a bias that is no small constant")
    parts: list[SSAValue] = []
    place = 0
    for x in inputs:
        hidden = shape_of(x)[-1] if len(shape_of(x)) == 3 else product(shape_of(x)[1::2])
        if isinstance(hidden, Size) or hidden < 1:
            raise Opaque("MultiHeadAttention with a bias for a width that is not known")
        part, place = bias[place : place + hidden], place + hidden
        parts.append(b.emit(AddOp(x, b.constant(part))) if len(shape_of(x)) == 3 else x)
    return parts


def _padding(b: NodeBuilder, scores: SSAValue) -> SSAValue:
    """What the mask of padding adds: integers [batch, keys] or [batch, rows, keys]."""
    mask = b.value(4)
    shape = shape_of(mask)
    if len(shape) not in (2, 3) or shape[-1] != shape_of(scores)[-1] or shape[-1] == DYNAMIC:
        raise Opaque(f"MultiHeadAttention with padding as {format_shape(shape)}")
    kept = b.emit(GreaterOp(mask, b.like(0, mask)))
    ones = (1,) * (4 - len(shape))
    kept = reshaped(b, kept, (shape[0], *ones, *shape[1:]))
    return _hidden(b, kept, scores, b.number("mask_filter_value", PADDING))


ROWS: dict[tuple[str, str], Row] = {
    ("", "Attention"): Row((23, 24, 25), _attention),
    (MICROSOFT, "MultiHeadAttention"): Row((1,), _multi_head_attention),
}
"""Domain and operator -> its row."""
