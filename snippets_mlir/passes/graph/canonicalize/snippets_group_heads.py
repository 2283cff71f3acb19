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
it. The product reads the keys in place, once for a group of three heads or more with one row each:

    %s = snippets.matmul %q, %k {transpose_b}         2x6x1x4 by 2x6x7x4

becomes

    %1 = snippets.reshape %q                          2x6x1x4 to 2x2x3x4
    %2 = snippets.matmul %1, %3 {transpose_b}         2x2x3x4 by 2x2x7x4
    %s = snippets.reshape %2                          2x2x3x7 to 2x6x1x7

A transpose between the repeated keys and the product, or before them, stays one transpose, also
between reshapes that merge batches and heads, and split them again. A scale of the keys or queries
becomes one of the groups, for `snippets-pull-scales`:

    %1 = snippets.multiply %k, %c                     2x6x4x7, transposed keys
    %s = snippets.matmul %q, %1                       2x6x9x4 by 2x6x4x7

becomes

    %1 = snippets.multiply %2, %c                     2x2x1x4x7
    %3 = snippets.matmul %4, %1                       2x2x3x9x4 by 2x2x1x4x7

Each element of a factor is multiplied by the same number as before. The transpose of a result whose
heads are merged becomes one of its groups, which a kernel writes:

    %1 = snippets.reshape %r                          2x2x3x9x5 to 2x6x9x5
    %2 = snippets.transpose %1 [0, 2, 1, 3]           2x6x9x5 to 2x9x6x5

becomes

    %1 = snippets.transpose %r [0, 3, 1, 2, 4]        2x2x3x9x5 to 2x9x2x3x5
    %2 = snippets.reshape %1                          2x9x2x3x5 to 2x9x6x5

`snippets-move-elementwise-up` then moves the ops between the two products of an attention before
the reshape. Each element is a sum of the same products; kernels may add them in another order.

Leaves repeated left operands, dims that are repeated as a whole (`[k0, k1, k0, k1]`), repeated rows
or columns, scales for each column or with other readers, other operands that broadcast along the
heads, unknown dims, and no heads at all; also attentions of which one product alone could be
grouped, because they would be no kernel any more. Ours.
"""

# No annotations from __future__: xDSL reads the options of passes from these.

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import ClassVar

from typing_extensions import override
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.builtin.dims import Shape
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.snippets.conversion import ReshapeOp
from snippets_mlir.dialects.snippets.layout import TransposeOp
from snippets_mlir.dialects.snippets.product import MatMulOp
from snippets_mlir.dialects.snippets.shapes import DYNAMIC
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.building.graph import OpBuilder, not_skipped, outside_of_subgraphs
from snippets_mlir.passes.graph.canonicalize.repeated_heads import (
    Groups,
    Scale,
    grouped,
    groups_of,
    is_scale,
    repeated_parts,
    view_of_repeated,
    without_transpose,
)
from snippets_mlir.passes.graph.canonicalize.snippets_move_elementwise_up import follows_product
from snippets_mlir.passes.graph.canonicalize.snippets_reshape_first import Parts, parts_of
from snippets_mlir.passes.graph.canonicalize.turned_results import erase_unread
from snippets_mlir.passes.patterns import Pattern, PatternPass


def _transposed(build: OpBuilder, value: SSAValue, order: Sequence[int]) -> SSAValue:
    if list(order) == sorted(order):
        return value
    return build.add(TransposeOp(value, order))


def _right(build: OpBuilder, groups: Groups) -> SSAValue:
    """The keys once for each group: a dim of 1 after the heads, if the rows are not the group."""
    base, inner = without_transpose(groups.repeated.source)
    order = [None if dim is None else inner[dim] for dim in groups.order]
    left = sorted(dim for dim in order if dim is not None)
    order = [None if dim is None else left.index(dim) for dim in order]
    if not groups.one_row:
        order.insert(groups.place + 1, None)
    ones, sizes = order.count(None), shape_of(base)
    if ones or len(left) < len(sizes):
        base = build.reshape(base, (*(1,) * ones, *(sizes[dim] for dim in left)))
    added = iter(range(ones))
    return _transposed(build, base, [next(added) if d is None else d + ones for d in order])


def _scaled(build: OpBuilder, value: SSAValue, scales: Sequence[Scale]) -> SSAValue:
    """A value with the scales of another one, of which the last one is first."""
    for scale in reversed(scales):
        value = build.add(type(scale)(value, scale.rhs))
    return value


def _left(build: OpBuilder, value: SSAValue, groups: Groups) -> SSAValue:
    """The queries in groups; a scale of all is one of the groups, right before the product."""
    scales: list[Scale] = []
    while is_scale(scale := value.owner):
        scales.append(scale)
        value = scale.lhs
    grouped_ = build.reshape(value, _left_shape(shape_of(value), groups))
    return _scaled(build, grouped_, scales)


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

    def __init__(self, products: frozenset[MatMulOp]) -> None:
        super().__init__()
        self._products = products

    def match(self, op: MatMulOp) -> Groups | None:
        """The groups of its right operand."""
        return groups_of(op) if op in self._products else None

    @override
    def rewrite(self, op: MatMulOp, match: Groups, rewriter: PatternRewriter) -> None:
        """Multiply groups, and view the result as all heads."""
        build = OpBuilder(op, rewriter)
        viewed = view_of_repeated(op.rhs)
        assert viewed is not None
        found = repeated_parts(viewed[0].value, build)
        assert found is not None
        left = _left(build, op.lhs, match)
        right = _scaled(build, _right(build, match._replace(repeated=found)), match.scales)
        new, old = build.add(MatMulOp(left, right, *op.transposes)), (op.lhs, op.rhs)
        build.replace(build.reshape(new, shape_of(op.result)))
        for value in dict.fromkeys(old):
            erase_unread(value, rewriter)


def alone_after_a_view_of_a_product(op: TransposeOp) -> bool:
    """The operand is a reshape of a value that comes from a product, and has no other reader."""
    view = op.operand.owner
    return (
        isinstance(view, ReshapeOp) and op.operand.has_one_use() and follows_product(view.operand)
    )


class MergedHeads(Pattern[TransposeOp, Parts]):
    """The transpose of merged heads is the transpose of their groups, merged."""

    name = "merged-heads"
    ops = (TransposeOp,)
    conditions = (outside_of_subgraphs, not_skipped, alone_after_a_view_of_a_product)

    def __init__(self, _: frozenset[MatMulOp]) -> None:
        super().__init__()

    def match(self, op: TransposeOp) -> Parts | None:
        """The dims of the product for each dim of the transpose's operand."""
        view = op.operand.owner
        assert isinstance(view, ReshapeOp)
        shapes = shape_of(op.operand), shape_of(view.operand)
        parts = None if DYNAMIC in (*shapes[0], *shapes[1]) else parts_of(*shapes)
        merges = parts is not None and any(len(part) > 1 for part in parts)
        return parts if merges and op.keeps_last_dim else None

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

    @override
    def facts(self, root: Operation) -> tuple[frozenset[MatMulOp]]:
        """The products that become products of groups."""
        return (grouped(root),)
