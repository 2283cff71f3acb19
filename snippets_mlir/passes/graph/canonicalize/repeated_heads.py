"""The products whose right operands repeat heads, for `snippets-group-heads`.

    %0 = snippets.broadcast %x        2x2x1x7x4 to 2x2x3x7x4
    %k = snippets.reshape %0          2x2x3x7x4 to 2x6x7x4, three times each head

An attention of which one product alone is of groups would be no kernel: reshapes of its scores
would be between its products.
"""

from __future__ import annotations

from typing import NamedTuple

from xdsl.ir import Operation, SSAValue

from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.snippets.conversion import BroadcastOp, ReshapeOp
from snippets_mlir.dialects.snippets.layout import TransposeOp
from snippets_mlir.dialects.snippets.product import MatMulOp
from snippets_mlir.dialects.snippets.shapes import DYNAMIC
from snippets_mlir.passes.building.graph import OpBuilder
from snippets_mlir.passes.graph.paths import products_of_scores
from snippets_mlir.support.walking import ops_inside


class Repeated(NamedTuple):
    """A value that repeats each part of one of its dims.

    Attributes:
        source: what is repeated, without the new dim.
        dim: whose parts are repeated.
        times: how often each part is there.
    """

    source: SSAValue
    dim: int
    times: int


class Groups(NamedTuple):
    """The right operand of a product, of which groups of heads share parts.

    Attributes:
        repeated: what is repeated before it is transposed.
        order: the dims of the repeated value in the order of the right operand.
        place: the dim of the heads in the right operand.
        heads: of keys.
        one_row: whether each head has one row, so that a group is a matrix.
    """

    repeated: Repeated
    order: tuple[int, ...]
    place: int
    heads: int
    one_row: bool


def repeated_parts(value: SSAValue, build: OpBuilder | None = None) -> Repeated | None:
    """How `value` repeats the parts of a dim; `build` inserts a view of what it repeats."""
    merge = value.owner
    spread = merge.operand.owner if isinstance(merge, ReshapeOp) else None
    if not isinstance(spread, BroadcastOp):
        return None
    source, whole, merged = map(shape_of, (spread.operand, spread.result, value))
    source = (1,) * (len(whole) - len(source)) + source
    if DYNAMIC in (*source, *whole) or len(whole) != len(merged) + 1:
        return None
    dims = [dim for dim, size in enumerate(whole) if size != source[dim]]
    count = whole[dims[0]] if len(dims) == 1 else None
    if not isinstance(count, int) or count == 0 or dims[0] == 0 or source[dims[0]] != 1:
        return None
    dim, rest = dims[0] - 1, whole[dims[0] + 1 :]
    if (*whole[:dim], whole[dim] * count, *rest) != merged:
        return None
    shape, before = (*whole[: dim + 1], *rest), spread.operand.owner
    if isinstance(before, ReshapeOp) and shape_of(before.operand) == shape:
        return Repeated(before.operand, dim, count)
    viewed = spread.operand if build is None else build.reshape(spread.operand, shape)
    return Repeated(viewed, dim, count)


def without_transpose(value: SSAValue) -> tuple[SSAValue, tuple[int, ...]]:
    """What `value` is a transpose of, and its permutation; itself if it is none."""
    op = value.owner
    if isinstance(op, TransposeOp):
        return op.operand, tuple(op.permutation)
    return value, tuple(range(len(shape_of(value))))


def groups_of(op: MatMulOp) -> Groups | None:
    """The groups of the right operand of a product, if the left one has all heads."""
    value, order = without_transpose(op.rhs)
    found, left, right = repeated_parts(value), shape_of(op.lhs), shape_of(op.rhs)
    if found is None or len(left) != len(right) or DYNAMIC in left:
        return None
    place, heads = order.index(found.dim), shape_of(value)[found.dim]
    if place >= len(right) - 2 or left[place] != heads or not isinstance(heads, int):
        return None
    one_row = place == len(left) - 3 and op.transpose_a is None and left[-2] == 1
    return Groups(found, order, place, heads // found.times, one_row)


def grouped(root: Operation) -> frozenset[MatMulOp]:
    """The products of groups: of an attention both, or none."""
    products = [op for op in ops_inside(root) if isinstance(op, MatMulOp)]
    found = {op for op in products if groups_of(op) is not None}
    for second in products if found else ():
        firsts = products_of_scores(second)
        if firsts and not (second in found and any(first in found for first in firsts)):
            found -= {second, *firsts}
    return frozenset(found)
