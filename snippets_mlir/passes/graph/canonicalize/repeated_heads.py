"""The products whose right operands repeat heads, for `snippets-group-heads`.

    %0 = snippets.broadcast %x        2x2x1x7x4 to 2x2x3x7x4
    %k = snippets.reshape %0          2x2x3x7x4 to 2x6x7x4, three times each head

Transposes, scales, and reshapes that merge whole dims or split them again may be between the
repeated keys and the product: PyTorch's exports transpose the keys of an attention between two
reshapes, and scale them then.

An attention of which one product alone is of groups would be no kernel: reshapes of its scores
would be between its products.
"""

from __future__ import annotations

from itertools import accumulate
from typing import NamedTuple, TypeGuard

from xdsl.ir import Block, Operation, SSAValue

from snippets_mlir.analysis.engine.nodes import scalar_of
from snippets_mlir.analysis.graph.products import LEAST_ROWS
from snippets_mlir.dialects.builtin.dims import Shape
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.snippets.arithmetic import DivideOp, MultiplyOp
from snippets_mlir.dialects.snippets.conversion import BroadcastOp, ReshapeOp
from snippets_mlir.dialects.snippets.layout import TransposeOp
from snippets_mlir.dialects.snippets.product import MatMulOp
from snippets_mlir.dialects.snippets.shapes import DYNAMIC
from snippets_mlir.passes.building.graph import OpBuilder, is_skipped
from snippets_mlir.passes.graph.canonicalize.snippets_reshape_first import Parts, parts_of
from snippets_mlir.passes.graph.paths import products_of_scores
from snippets_mlir.support.walking import ops_inside

Scale = MultiplyOp | DivideOp


class Repeated(NamedTuple):
    """A value that repeats each part of one of its dims.

    Attributes:
        source: the repeated value, without the new dim.
        dim: whose parts are repeated.
        times: how often each part is there.
        shape: of the repeated value, of which reshapes may merge dims, also with ones.
    """

    source: SSAValue
    dim: int
    times: int
    shape: Shape


class View(NamedTuple):
    """A value that is made of a repeated one by reshapes, transposes and scales.

    Attributes:
        value: the operand of the view.
        dims: for each dim of the view, the dim of the repeated value; None for a one.
        scales: the products and quotients with a number, the last one first.
    """

    value: SSAValue
    dims: tuple[int | None, ...]
    scales: tuple[Scale, ...]


class Groups(NamedTuple):
    """The right operand of a product, of which groups of heads share parts.

    Attributes:
        repeated: the repeated value, before it is transposed.
        order: for each dim of the right operand, the dim of the repeated value; None for a one.
        place: the dim of the heads in the right operand.
        heads: of keys.
        one_row: whether each head has one row, so that a group of `LEAST_ROWS` or more is a matrix.
        scales: of the right operand, the last one first.
    """

    repeated: Repeated
    order: tuple[int | None, ...]
    place: int
    heads: int
    one_row: bool
    scales: tuple[Scale, ...]


def repeated_parts(value: SSAValue, build: OpBuilder | None = None) -> Repeated | None:
    """How `value` repeats the parts of a dim; `build` inserts a view of the source."""
    spread = value.owner
    while isinstance(spread, ReshapeOp):
        spread = spread.operand.owner
    if not isinstance(spread, BroadcastOp):
        return None
    source, whole, merged = map(shape_of, (spread.operand, spread.result, value))
    source = (1,) * (len(whole) - len(source)) + source
    if DYNAMIC in (*source, *whole, *merged):
        return None
    dims = [dim for dim, size in enumerate(whole) if size != source[dim]]
    count = whole[dims[0]] if len(dims) == 1 else None
    if not isinstance(count, int) or count == 0 or dims[0] == 0 or source[dims[0]] != 1:
        return None
    dim, rest = dims[0] - 1, whole[dims[0] + 1 :]
    repeated = (*whole[:dim], whole[dim] * count, *rest)
    if merged != repeated and parts_of(merged, repeated) is None:
        return None
    shape, before = (*whole[: dim + 1], *rest), spread.operand.owner
    if isinstance(before, ReshapeOp) and shape_of(before.operand) == shape:
        return Repeated(before.operand, dim, count, repeated)
    viewed = spread.operand if build is None else build.reshape(spread.operand, shape)
    return Repeated(viewed, dim, count, repeated)


def without_transpose(value: SSAValue) -> tuple[SSAValue, tuple[int, ...]]:
    """The operand of a transpose, and the permutation; any other value itself."""
    op = value.owner
    if isinstance(op, TransposeOp):
        return op.operand, tuple(op.permutation)
    return value, tuple(range(len(shape_of(value))))


def is_scale(op: Operation | Block) -> TypeGuard[Scale]:
    """Whether an op with one reader multiplies a value by a constant number, or divides it."""
    if not isinstance(op, MultiplyOp | DivideOp) or op.result.type != op.lhs.type or is_skipped(op):
        return False
    number = shape_of(op.rhs)
    return len(number) < 3 and scalar_of(op.rhs) is not None and op.result.has_one_use()


def view_of_repeated(value: SSAValue) -> tuple[View, Repeated] | None:
    """How `value` is made of a value that repeats the parts of a dim."""
    sizes = shape_of(value)
    held: list[list[int]] = [[dim] for dim in range(len(sizes))]  # dims of the view in each dim
    scales: list[Scale] = []
    while (found := repeated_parts(value)) is None:
        op = value.owner
        if isinstance(op, TransposeOp):
            held = [held[op.permutation.index(dim)] for dim in range(len(held))]
            value = op.operand
        elif isinstance(op, ReshapeOp) and (parts := _split(op.operand, value)) is not None:
            held = [[dim for place in part for dim in held[place]] for part in parts]
            value = op.operand
        elif is_scale(op):
            scales.append(op)
            value = op.lhs
        else:
            return None
    parts = parts_of(shape_of(value), found.shape)
    assert parts is not None
    dims: list[int | None] = [None] * len(sizes)
    for inside, places in zip(held, _places(parts), strict=True):
        own = [dim for dim in inside if sizes[dim] != 1]
        theirs = [dim for dim in places if found.shape[dim] != 1]
        if [sizes[dim] for dim in own] != [found.shape[dim] for dim in theirs]:
            return None
        for dim, place in zip(own, theirs, strict=True):
            dims[dim] = place
    return View(value, tuple(dims), tuple(scales)), found


def _split(before: SSAValue, after: SSAValue) -> list[list[int]] | None:
    """The dims after a reshape for each dim before it; None if it mixes some."""
    shapes = shape_of(before), shape_of(after)
    parts = None if DYNAMIC in (*shapes[0], *shapes[1]) else parts_of(*shapes)
    return None if parts is None else _places(parts)


def _places(parts: Parts) -> list[list[int]]:
    starts = [0, *accumulate(map(len, parts))]
    return [[*range(start, start + len(part))] for start, part in zip(starts, parts, strict=False)]


def groups_of(op: MatMulOp) -> Groups | None:
    """The groups of the right operand of a product, if the left one has all heads."""
    left, right = shape_of(op.lhs), shape_of(op.rhs)
    if len(left) != len(right) or DYNAMIC in left:
        return None
    if (viewed := view_of_repeated(op.rhs)) is None:
        return None
    view, found = viewed
    place, heads = view.dims.index(found.dim), found.shape[found.dim]
    if place >= len(right) - 2 or left[place] != heads or not isinstance(heads, int):
        return None
    one_row = place == len(left) - 3 and op.transpose_a is None and left[-2] == 1
    one_row = one_row and found.times >= LEAST_ROWS
    return Groups(found, view.dims, place, heads // found.times, one_row, view.scales)


def grouped(root: Operation) -> frozenset[MatMulOp]:
    """The products of groups: of an attention both, or none."""
    products = [op for op in ops_inside(root) if isinstance(op, MatMulOp)]
    found = {op for op in products if groups_of(op) is not None}
    for second in products if found else ():
        firsts = products_of_scores(second)
        if firsts and not (second in found and any(first in found for first in firsts)):
            found -= {second, *firsts}
    return frozenset(found)
