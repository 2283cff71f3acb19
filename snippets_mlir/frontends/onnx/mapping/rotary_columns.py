"""The columns of heads that a rotary embedding rotates by the angles of their rows.

    halves    %0 = snippets.slice %x     columns 0 to n of each head
              %1 = snippets.slice %x     columns n to 2n
              %a = %0 * %cos - %1 * %sin
              %b = %0 * %sin + %1 * %cos
              %y = snippets.concat %a, %b, the columns that stay
    pairs     the same with columns 2i and 2i + 1: slices of a last dim of size 2

Cosines and sines have a dim of size 1 for heads, so all heads read them. The ids already have this
dim: the result of a gather goes into the kernel of its readers without a view between them.
"""

from __future__ import annotations

from typing import NamedTuple

from xdsl.ir import SSAValue

from snippets_mlir.dialects.builtin.dims import Dim, Size, divided, product
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.snippets.arithmetic import AddOp, MultiplyOp, SubtractOp
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.concatenation import ConcatOp
from snippets_mlir.dialects.snippets.conversion import ReshapeOp
from snippets_mlir.dialects.snippets.gathering import GatherOp
from snippets_mlir.dialects.snippets.layout import with_ones
from snippets_mlir.dialects.snippets.shapes import DYNAMIC, format_shape, is_static
from snippets_mlir.dialects.snippets.slicing import SliceOp
from snippets_mlir.frontends.onnx.mapping.layout import reshaped
from snippets_mlir.frontends.onnx.node import NodeBuilder, Opaque


class Caches(NamedTuple):
    """Cosines and sines: a row for each id, or without ids for each row of the input.

    Attributes:
        cos: [rows, half of the columns that are turned], or [batch, rows, half ..].
        sin: as `cos`.
        ids: the rows to take: i64 [batch or 1, rows of the input].
    """

    cos: SSAValue
    sin: SSAValue
    ids: SSAValue | None = None


def embedded(b: NodeBuilder, x: SSAValue, caches: Caches) -> SSAValue:
    """The input with the first columns of each head turned.

    Args:
        b: the node.
        x: [batch, rows, hidden], or [batch, heads, rows, columns].
        caches: those of the columns that are turned.
    """
    shape, width = shape_of(x), _width(b, x, caches)
    turned = b.flag("rotary_embedding_dim") or width
    if turned % 2 or not 0 < turned <= width or shape_of(caches.cos)[-1] != turned // 2:
        found = f"{turned} of {width} columns"
        raise Opaque(
            f"{b.node.op_type} of {found} with caches {format_shape(shape_of(caches.cos))}"
        )
    axis = 1 if len(shape) == 4 else 2
    if len(shape) == 3:
        x = reshaped(b, x, (*shape[:2], _heads(b, x, width), width))
    interleaved = b.flag("interleaved")
    if interleaved not in (0, 1):
        raise Opaque(f"{b.node.op_type} whose interleaved is {interleaved}")
    caches = _beside_heads(b, caches, axis, interleaved=bool(interleaved))
    turn = _turned_pairs if interleaved else _turned_halves
    return reshaped(b, _with_the_others(b, x, turn(b, x, turned, caches)), shape)


def _width(b: NodeBuilder, x: SSAValue, caches: Caches) -> int:
    """The columns of a head."""
    shape, heads = shape_of(x), b.flag("num_heads")
    width: Dim = shape[-1]
    if len(shape) == 3:
        if heads > 0:
            parts = divided(width, heads) if width != DYNAMIC else None
            width = DYNAMIC if parts is None or parts[1] else parts[0]
        else:  # onnxruntime's own operator may have none
            width = product((2, shape_of(caches.cos)[-1])) if b.node.domain else DYNAMIC
    if isinstance(width, Size) or width < 1:
        raise Opaque(f"{b.node.op_type} of {format_shape(shape)}: no known number of equal heads")
    return width


def _heads(b: NodeBuilder, x: SSAValue, width: int) -> Dim:
    hidden = shape_of(x)[-1]
    parts = divided(hidden, width) if hidden != DYNAMIC else None
    if parts is None or parts[1]:
        raise Opaque(f"{b.node.op_type} of {format_shape(shape_of(x))} in heads of {width} columns")
    return parts[0]


def _with_one(b: NodeBuilder, x: SSAValue, axis: int) -> SSAValue:
    """`x` with a dim of size 1 at `axis`."""
    shape = with_ones(shape_of(x), [axis])
    return once(b, ReshapeOp(x, shape)) if is_static(shape) else reshaped(b, x, shape)


def _beside_heads(b: NodeBuilder, caches: Caches, axis: int, *, interleaved: bool) -> Caches:
    """The rows that are taken, with a dim of size 1 for heads; interleaved, with one at the end."""
    ids = None if caches.ids is None else _with_one(b, caches.ids, axis)
    found: list[SSAValue] = []
    for cache in caches[:2]:
        table = _with_one(b, cache, len(shape_of(cache))) if interleaved else cache
        found.append(_with_one(b, table, axis) if ids is None else once(b, GatherOp(table, ids, 0)))
    return Caches(*found)


def once(b: NodeBuilder, op: ComputeOp) -> SSAValue:
    """The result of `op`, or that of an equal one: each layer of a model reads the same rows."""
    for use in op.operands[0].uses:
        other = use.operation
        same = type(other) is type(op) and other.parent is not None
        if same and [*other.operands] == [*op.operands] and other.properties == op.properties:
            op.erase()
            return other.results[0]
    return b.emit(op)


def _turned_halves(b: NodeBuilder, x: SSAValue, columns: int, caches: Caches) -> SSAValue:
    """The first columns of each head, each of the first half with one of the second half."""
    half = columns // 2
    first, second = (_columns(b, x, start, half) for start in (0, half))
    return b.emit(ConcatOp(_products(b, first, second, caches), len(shape_of(x)) - 1))


def _turned_pairs(b: NodeBuilder, x: SSAValue, columns: int, caches: Caches) -> SSAValue:
    """The first columns of each head, each with its neighbour."""
    shape = (*shape_of(x)[:-1], columns)
    if shape != shape_of(x):
        x = _columns(b, x, 0, columns)
    pairs = reshaped(b, x, (*shape[:-1], columns // 2, 2))
    first, second = (_columns(b, pairs, start, 1) for start in (0, 1))
    return reshaped(b, b.emit(ConcatOp(_products(b, first, second, caches), len(shape))), shape)


def _products(b: NodeBuilder, x: SSAValue, y: SSAValue, caches: Caches) -> list[SSAValue]:
    """The real and the imaginary part of (x + iy) * (cos + i * sin)."""
    cos, sin, _ = caches
    x_cos, y_sin, x_sin, y_cos = (
        b.emit(MultiplyOp(value, cache))
        for value, cache in ((x, cos), (y, sin), (x, sin), (y, cos))
    )
    return [b.emit(SubtractOp(x_cos, y_sin)), b.emit(AddOp(x_sin, y_cos))]


def _columns(b: NodeBuilder, x: SSAValue, start: int, count: int) -> SSAValue:
    shape = shape_of(x)
    starts = (*(0 for _ in shape[:-1]), start)
    return b.emit(SliceOp(x, starts, (*shape[:-1], count), [1] * len(shape)))


def _with_the_others(b: NodeBuilder, x: SSAValue, turned: SSAValue) -> SSAValue:
    """The columns that are turned, and those of `x` after them."""
    (start, width), last = (shape_of(v)[-1] for v in (turned, x)), len(shape_of(x)) - 1
    if start == width:
        return turned
    assert isinstance(start, int)
    assert isinstance(width, int)
    return b.emit(ConcatOp([turned, _columns(b, x, start, width - start)], last))
