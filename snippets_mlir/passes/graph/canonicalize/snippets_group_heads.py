"""Multiply heads that share keys in groups, where the keys are repeated for each head.

    %0 = snippets.broadcast %x                        2x2x1x7x4 to 2x2x3x7x4
    %k = snippets.reshape %0                          2x2x3x7x4 to 2x6x7x4
    %s = snippets.matmul %q, %k {transpose_b}         2x6x9x4 by 2x6x7x4

becomes

    %1 = snippets.reshape %q                          2x6x9x4 to 2x2x3x9x4
    %2 = snippets.matmul %1, %x {transpose_b}         2x2x3x9x4 by 2x2x1x7x4
    %s = snippets.reshape %2                          2x2x3x9x7 to 2x6x9x7

Exports of PyTorch repeat keys and values before the products of an attention (Unsqueeze, Expand,
Reshape). The repeated array has several times the size of the keys, and a kernel of its own writes
it. The product reads the keys in place, once for a group where each head has one row:

    %s = snippets.matmul %q, %k {transpose_b}         2x6x1x4 by 2x6x7x4

becomes

    %1 = snippets.reshape %q                          2x6x1x4 to 2x2x3x4
    %2 = snippets.matmul %1, %3 {transpose_b}         2x2x3x4 by 2x2x7x4
    %s = snippets.reshape %2                          2x2x3x7 to 2x6x1x7

A transpose between the repeated keys and the product, or before them, stays one transpose. The
transpose of a result whose heads are merged becomes one of its groups, which a kernel writes:

    %1 = snippets.reshape %r                          2x2x3x9x5 to 2x6x9x5
    %2 = snippets.transpose %1 [0, 2, 1, 3]           2x6x9x5 to 2x9x6x5

becomes

    %1 = snippets.transpose %r [0, 3, 1, 2, 4]        2x2x3x9x5 to 2x9x2x3x5
    %2 = snippets.reshape %1                          2x9x2x3x5 to 2x9x6x5

`snippets-move-elementwise-up` then moves the ops between the two products of an attention before
the reshape. Exact: each element is a sum of the same products in the same order.

Leaves repeated left operands, dims that are repeated as a whole (`[k0, k1, k0, k1]`), repeated rows
or columns, other operands that broadcast along the heads, and unknown dims. Ours.
"""

# No annotations from __future__: xDSL reads the options of passes from these.

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import ClassVar, NamedTuple

from typing_extensions import override
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.builtin.dims import Shape
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.snippets.conversion import BroadcastOp, ReshapeOp
from snippets_mlir.dialects.snippets.layout import TransposeOp
from snippets_mlir.dialects.snippets.product import MatMulOp
from snippets_mlir.dialects.snippets.shapes import DYNAMIC
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.building.graph import OpBuilder, not_skipped, outside_of_subgraphs
from snippets_mlir.passes.graph.canonicalize.snippets_move_elementwise_up import follows_product
from snippets_mlir.passes.graph.canonicalize.snippets_reshape_first import Parts, parts_of
from snippets_mlir.passes.graph.canonicalize.turned_results import erase_unread
from snippets_mlir.passes.patterns import Pattern, PatternPass


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


def _repeated(value: SSAValue, build: OpBuilder | None = None) -> Repeated | None:
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
    if not isinstance(count, int) or dims[0] == 0 or source[dims[0]] != 1:
        return None
    dim, rest = dims[0] - 1, whole[dims[0] + 1 :]
    if (*whole[:dim], whole[dim] * count, *rest) != merged:
        return None
    shape, before = (*whole[: dim + 1], *rest), spread.operand.owner
    if isinstance(before, ReshapeOp) and shape_of(before.operand) == shape:
        return Repeated(before.operand, dim, count)
    viewed = spread.operand if build is None else build.reshape(spread.operand, shape)
    return Repeated(viewed, dim, count)


def _without_transpose(value: SSAValue) -> tuple[SSAValue, tuple[int, ...]]:
    """What `value` is a transpose of, and its permutation; itself if it is none."""
    op = value.owner
    if isinstance(op, TransposeOp):
        return op.operand, tuple(op.permutation)
    return value, tuple(range(len(shape_of(value))))


def _transposed(build: OpBuilder, value: SSAValue, order: Sequence[int]) -> SSAValue:
    if list(order) == sorted(order):
        return value
    return build.add(TransposeOp(value, order))


def _right(build: OpBuilder, groups: Groups) -> SSAValue:
    """The keys once for each group: a dim of 1 after the heads, if the rows are not the group."""
    base, inner = _without_transpose(groups.repeated.source)
    order = [inner[dim] for dim in groups.order]
    if groups.one_row:
        return _transposed(build, base, order)
    with_one = build.reshape(base, (1, *shape_of(base)))
    moved = [dim + 1 for dim in order]
    return build.add(
        TransposeOp(with_one, [*moved[: groups.place + 1], 0, *moved[groups.place + 1 :]])
    )


def _left_shape(shape: Shape, groups: Groups) -> Shape:
    place, count = groups.place, groups.repeated.times
    if groups.one_row:
        return (*shape[:place], groups.heads, count, shape[-1])
    return (*shape[:place], groups.heads, count, *shape[place + 1 :])


class GroupedProduct(Pattern[MatMulOp, Groups]):
    """A product with repeated matrices is a product of groups."""

    name = "grouped-product"
    ops = (MatMulOp,)
    conditions = (outside_of_subgraphs, not_skipped)

    def match(self, op: MatMulOp) -> Groups | None:
        """The groups of its right operand, if the left one has all heads."""
        value, order = _without_transpose(op.rhs)
        found, left, right = _repeated(value), shape_of(op.lhs), shape_of(op.rhs)
        if found is None or len(left) != len(right) or DYNAMIC in left:
            return None
        place, heads = order.index(found.dim), shape_of(value)[found.dim]
        if place >= len(right) - 2 or left[place] != heads or not isinstance(heads, int):
            return None
        one_row = place == len(left) - 3 and op.transpose_a is None and left[-2] == 1
        return Groups(found, order, place, heads // found.times, one_row)

    @override
    def rewrite(self, op: MatMulOp, match: Groups, rewriter: PatternRewriter) -> None:
        """Multiply groups, and view the result as all heads."""
        build = OpBuilder(op, rewriter)
        value, _ = _without_transpose(op.rhs)
        found = _repeated(value, build)
        assert found is not None
        left = build.reshape(op.lhs, _left_shape(shape_of(op.lhs), match))
        right = _right(build, match._replace(repeated=found))
        new, old = build.add(MatMulOp(left, right, *op.transposes)), op.rhs
        build.replace(build.reshape(new, shape_of(op.result)))
        erase_unread(old, rewriter)


def alone_after_a_view_of_a_product(op: TransposeOp) -> bool:
    """Nothing else reads the operand, a reshape of what comes from a product."""
    view = op.operand.owner
    return (
        isinstance(view, ReshapeOp) and op.operand.has_one_use() and follows_product(view.operand)
    )


class MergedHeads(Pattern[TransposeOp, Parts]):
    """The transpose of merged heads is the transpose of their groups, merged."""

    name = "merged-heads"
    ops = (TransposeOp,)
    conditions = (outside_of_subgraphs, not_skipped, alone_after_a_view_of_a_product)

    def match(self, op: TransposeOp) -> Parts | None:
        """The dims of the product for each dim of the transpose's operand."""
        view = op.operand.owner
        assert isinstance(view, ReshapeOp)
        shapes = shape_of(op.operand), shape_of(view.operand)
        parts = None if DYNAMIC in (*shapes[0], *shapes[1]) else parts_of(*shapes)
        merges = parts is not None and any(len(part) > 1 for part in parts)
        return parts if merges and op.permutation[-1] == len(op.permutation) - 1 else None

    @override
    def rewrite(self, op: TransposeOp, match: Parts, rewriter: PatternRewriter) -> None:
        build, view = OpBuilder(op, rewriter), op.operand.owner
        assert isinstance(view, ReshapeOp)
        starts = [0, *accumulate(map(len, match))]
        order = [starts[dim] + part for dim in op.permutation for part in range(len(match[dim]))]
        turned = _transposed(build, view.operand, order)
        build.replace(build.reshape(turned, shape_of(op.result)))
        rewriter.erase(view)


@dataclass(frozen=True)
class SnippetsGroupHeadsPass(PatternPass):
    """Multiply heads that share keys in groups."""

    name = "snippets-group-heads"
    STAGES: ClassVar[Stages] = Stages(("graph",))
    MIXES_CLASSES: ClassVar[bool] = False
    PATTERNS = (GroupedProduct, MergedHeads)
