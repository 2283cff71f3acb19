"""Parts of ONNX's and onnxruntime's Attention operators: heads, scores, masks, caches.

    queries [batch, heads, rows, width]        %s = snippets.matmul %q, %k {transpose_b}
    keys    [batch, heads, keys, width]        %0 = snippets.multiply %s, %scale
    values  [batch, heads, keys, columns]      %y = snippets.matmul %p, %v
    cache   [batch, heads, past, width]        %k = snippets.concat %past, %new {axis = 2}

Inputs of rank 3 have their heads in the last dim: they are reshaped and transposed, and so is the
result. If several heads of queries share one head of keys and values, a dim for them comes after
the dim of the keys' heads, and keys and values are broadcast along it. Three or more such heads
with one row each, as for a token of a decoder, are rows of one matrix, which reads the keys once:

    queries [batch, heads of keys, heads for each of them, width]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from xdsl.dialects.builtin import i32, i64
from xdsl.ir import SSAValue

from snippets_mlir.dialects.builtin.dims import Dim, Size, divided, known_less, product
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.builtin.size_facts import sum_of
from snippets_mlir.dialects.snippets.arithmetic import AddOp, MultiplyOp
from snippets_mlir.dialects.snippets.comparison import LessEqualOp
from snippets_mlir.dialects.snippets.concatenation import ConcatOp
from snippets_mlir.dialects.snippets.layout import TransposeOp
from snippets_mlir.dialects.snippets.normalization import SoftmaxOp
from snippets_mlir.dialects.snippets.selection import SelectOp
from snippets_mlir.dialects.snippets.shapes import DYNAMIC, format_shape
from snippets_mlir.frontends.onnx.mapping.attention_places import places
from snippets_mlir.frontends.onnx.mapping.layout import reshaped
from snippets_mlir.frontends.onnx.node import NodeBuilder, Opaque


@dataclass(frozen=True)
class Heads:
    """The numbers of heads: `own` heads of queries for each of the `shared` heads of keys.

    Attributes:
        are_rows: whether each head has one row, so that `own` takes the place of the rows.
    """

    shared: Dim
    own: Dim
    are_rows: bool = False

    @property
    def of_queries(self) -> tuple[Dim, ...]:
        """The dims of the heads of queries and results."""
        return (self.shared,) if self.own == 1 else (self.shared, self.own)

    @property
    def of_keys(self) -> tuple[Dim, ...]:
        """The dims of the heads of keys and values."""
        return (self.shared,) if self.own == 1 or self.are_rows else (self.shared, 1)


def by_head(b: NodeBuilder, x: SSAValue, heads: tuple[Dim, ...]) -> SSAValue:
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


def joined(b: NodeBuilder, y: SSAValue, heads: tuple[Dim, ...], *, rank: int) -> SSAValue:
    """The result [batch, heads.., rows, columns] in the layout of the inputs."""
    shape = shape_of(y)
    if rank == len(shape):
        return y
    if rank == 4:
        return reshaped(b, y, (shape[0], product(heads), *shape[-2:]))
    last = len(shape) - 1
    y = b.emit(TransposeOp(y, (0, last - 1, *range(1, last - 1), last)))
    return reshaped(b, y, (shape[0], shape[-2], product((*heads, shape[-1]))))


def after_cache(b: NodeBuilder, past: SSAValue, new: SSAValue) -> SSAValue:
    """A cache of keys or values followed by the new ones, both [batch, heads, keys, width].

    Raises:
        Opaque: they differ in another dim, or have different types.
    """
    before, shape = shape_of(past), shape_of(new)
    known = len(before) == len(shape) == 4
    if not known or any(before[dim] != shape[dim] for dim in (0, 1, 3)):
        found = f"{format_shape(before)} before {format_shape(shape)}"
        raise Opaque(f"{b.node.op_type} with a cache {found}")
    element = tensor_of(new).element_type
    if tensor_of(past).element_type != element:
        raise Opaque(f"{b.node.op_type} of {element} with a cache of other elements")
    return b.emit(ConcatOp([past, new], 2))


def scaled_scores(b: NodeBuilder, q: SSAValue, k: SSAValue, scale: float | None) -> SSAValue:
    """The scores: products of queries and keys times `scale`, or the scale of their width."""
    width = shape_of(q)[-1]
    if scale is None:
        if isinstance(width, Size) or width < 1:
            raise Opaque(f"{b.node.op_type} of heads of a width that is not known")
        scale = 1 / sqrt(width)
    scores = b.product(q, k, transpose_b=True)
    return scores if scale == 1 else b.emit(MultiplyOp(scores, b.like(scale, scores)))


def weighted(b: NodeBuilder, scores: SSAValue, v: SSAValue) -> SSAValue:
    """The softmax of the scores times the values."""
    return b.product(b.emit(SoftmaxOp(scores, len(shape_of(scores)) - 1)), v)


def beside_scores(b: NodeBuilder, mask: SSAValue, scores: SSAValue, heads: Heads) -> SSAValue:
    """A mask that broadcasts to [batch, heads of queries, rows, keys], for scores of these dims.

    Raises:
        Opaque: it has other columns, or other heads.
    """
    shape, keys = shape_of(mask), shape_of(scores)[-1]
    if len(shape) > 4 or shape[-1:] != (keys,) or keys == DYNAMIC:
        found = f"{b.node.op_type} of scores {format_shape(shape_of(scores))}"
        raise Opaque(f"{found} with a mask {format_shape(shape)}, which has other columns")
    dims = heads.of_queries
    if len(shape) < 3 or len(dims) == 1:
        return mask
    own = dims if shape[-3] == product(dims) else (1, 1) if shape[-3] == 1 else None
    if own is None:
        raise Opaque(f"{b.node.op_type} with a mask {format_shape(shape)} of other heads")
    return reshaped(b, mask, (*shape[:-3], *own, *shape[-1 if heads.are_rows else -2 :]))


def hidden(b: NodeBuilder, kept: SSAValue, scores: SSAValue, number: float) -> SSAValue:
    """The term of a mask of truth values: 0 where it is true, else `number`."""
    return b.emit(SelectOp(kept, b.like(0.0, scores), b.like(number, scores)))


@dataclass(frozen=True)
class Window:
    """Which keys a query sees: from `left` places before its own to `right` after it.

    Attributes:
        left: None for all before it.
        right: None for all after it; 0 where attention is causal.
        first: the place of the first query: how many keys the cache has, or 0; or those numbers,
            i64 [batch].
        rows: the number of queries; None for that of the scores' rows.
    """

    left: int | None
    right: int | None
    first: Dim | SSAValue = 0
    rows: Dim | None = None

    def apply(
        self, b: NodeBuilder, x: SSAValue, scores: SSAValue, number: float = -np.inf
    ) -> SSAValue:
        """`x` for the keys that a query sees, `number` for others.

        Raises:
            Opaque: nothing is known about the size of rows, keys or the cache.
        """
        rows, keys = shape_of(scores)[-2:]
        rows = rows if self.rows is None else self.rows
        if (self.left is None and self.right is None) or (self.left is None and self._sees(keys)):
            return x
        # Counted from 1 on, as `places` counts numbers that the call decides.
        element = i64 if isinstance(self.first, SSAValue) else i32
        if isinstance(self.first, SSAValue):
            batch = (shape_of(self.first)[0], *(1,) * (len(shape_of(scores)) - 1))
            row = places(b, rows, element, 1, column=True)
            own = b.emit(AddOp(reshaped(b, self.first, batch), row))
        else:
            own = places(b, rows, element, sum_of((self.first, 1)), column=True)
        bounds: list[tuple[SSAValue, SSAValue]] = []
        if self.right is not None:
            bounds.append((places(b, keys, element, 1 - self.right), own))
        if self.left is not None:
            bounds.append((own, places(b, keys, element, 1 + self.left)))
        for least, greatest in bounds:
            kept = b.emit(LessEqualOp(least, greatest))
            x = b.emit(SelectOp(kept, x, b.like(number, scores)))
        return x

    def _sees(self, keys: Dim) -> bool:
        """Whether the first query, and so each, sees the last key: one row after a cache does."""
        if isinstance(self.first, SSAValue) or DYNAMIC in (keys, self.first):
            return False
        assert self.right is not None
        return known_less(sum_of((self.first, self.right, 1)), keys) is False


def columns_of(b: NodeBuilder, index: int, widths: Sequence[Dim]) -> list[SSAValue]:
    """The parts of a constant input with these numbers of columns.

    Raises:
        Opaque: it is not a constant, or has other columns.
    """
    shape = shape_of(b.value(index))
    total = product(shape[-1:])
    if any(isinstance(w, Size) or w < 1 for w in widths) or sum_of(widths) != total:
        found = f"{format_shape(shape)} for {', '.join(map(str, widths))} columns"
        raise Opaque(f"{b.node.op_type} with {found} in input {index}")
    parts: list[SSAValue] = []
    start = 0
    for width in widths:
        assert isinstance(width, int)
        part = b.columns(index, start, start + width)
        if part is None:
            raise Opaque(f"{b.node.op_type} whose input {index} is no constant")
        parts.append(part)
        start += width
    return parts
