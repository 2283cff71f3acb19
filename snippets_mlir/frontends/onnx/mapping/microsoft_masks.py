"""Terms that onnxruntime's attentions add to their scores: a bias, and a padding mask."""

from __future__ import annotations

from xdsl.dialects.builtin import i32
from xdsl.ir import SSAValue

from snippets_mlir.dialects.builtin.dims import Size
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.snippets.comparison import GreaterOp, LessEqualOp, LessOp
from snippets_mlir.dialects.snippets.logic import LogicalAndOp
from snippets_mlir.dialects.snippets.shapes import DYNAMIC, format_shape
from snippets_mlir.dialects.snippets.slicing import SliceOp
from snippets_mlir.frontends.onnx.mapping.attention_parts import Heads, beside_scores, hidden
from snippets_mlir.frontends.onnx.mapping.attention_places import places
from snippets_mlir.frontends.onnx.mapping.layout import reshaped
from snippets_mlir.frontends.onnx.node import NodeBuilder, Opaque

PADDING = -10000.0
"""The bias of scores of padding, unless the node has its own."""


def bias_of_scores(b: NodeBuilder, index: int, scores: SSAValue) -> SSAValue:
    """The bias of the scores, [batch or 1, heads or 1, rows, keys]."""
    added, shape = b.value(index), shape_of(scores)
    found = shape_of(added)
    if (
        len(found) != 4
        or found[2] != shape[2]
        or any(found[i] not in (1, shape[i]) for i in (0, 1))
    ):
        words = f"{format_shape(shape)} with a bias {format_shape(found)}"
        raise Opaque(f"{b.node.op_type} of scores {words}")
    return beside_scores(b, added, scores, Heads(shape[1], 1))


def padding_of(b: NodeBuilder, index: int, scores: SSAValue) -> SSAValue | None:
    """The term that the padding mask adds to the scores, None if it is the same for all keys."""
    mask, (batch, _, rows, keys) = b.value(index), shape_of(scores)
    shape = shape_of(mask)
    found = f"{b.node.op_type} of scores {format_shape(shape_of(scores))}"
    if tensor_of(mask).element_type != i32:
        raise Opaque(f"{found} with padding of {tensor_of(mask).element_type}")
    number = b.number("mask_filter_value", PADDING)
    if len(shape) == 1:
        kept = _kept_by_places(b, mask, scores)
    elif keys != DYNAMIC and shape in ((batch, keys), (batch, rows, keys)):
        kept = b.emit(GreaterOp(mask, b.like(0, mask)))
        kept = reshaped(b, kept, (batch, *(1,) * (4 - len(shape)), *shape[1:]))
    elif b.node.op_type == "Attention" and shape in ((batch, 1), (1, 1)):
        return None
    else:
        raise Opaque(f"{found} with padding as {format_shape(shape)}")
    return hidden(b, kept, scores, number)


def _kept_by_places(b: NodeBuilder, mask: SSAValue, scores: SSAValue) -> SSAValue:
    """Which keys are before the end of their batch, and not before its start: [batch, 1, 1, keys].

    The ends come first in the mask. MultiHeadAttention has other numbers after them.
    """
    batch, keys = shape_of(scores)[0], shape_of(scores)[-1]
    (count,) = shape_of(mask)
    if isinstance(batch, Size) or batch == DYNAMIC:
        raise Opaque(f"{b.node.op_type} with ends of keys for a batch that is not known")
    attention = b.node.op_type == "Attention"
    with_starts = attention and count == 2 * batch and count != batch
    if count != batch and not with_starts and (attention or count != 3 * batch + 2):
        found = f"{b.node.op_type} of scores {format_shape(shape_of(scores))}"
        raise Opaque(f"{found} with padding as {count}")

    numbers = reshaped(b, mask, (count, 1, 1, 1))

    def part(start: int) -> SSAValue:
        if count == batch:
            return numbers
        return b.emit(SliceOp(numbers, (start, 0, 0, 0), (batch, 1, 1, 1), (1,) * 4))

    place = places(b, keys, i32)
    kept = b.emit(LessOp(place, part(0)))
    if not with_starts:
        return kept
    return b.emit(LogicalAndOp(kept, b.emit(LessEqualOp(part(batch), place))))
