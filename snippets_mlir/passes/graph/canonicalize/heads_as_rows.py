"""Make rows of the heads that share keys, in attentions with one row for each head.

    %s = snippets.matmul %q, %k {transpose_b}         3x2x2x1x4 by 1x2x2x7x4 to 3x2x2x1x7
    %p = snippets.softmax %s {axis = 4}
    %o = snippets.matmul %p, %v                       3x2x2x1x7 by 1x2x2x7x5 to 3x2x2x1x5

becomes

    %r = snippets.transpose %q [3, 1, 2, 0, 4]        3x2x2x1x4 to 1x2x2x3x4
    %s = snippets.matmul %r, %k {transpose_b}         1x2x2x3x4 by 1x2x2x7x4 to 1x2x2x3x7
    %p = snippets.softmax %s {axis = 4}
    %t = snippets.matmul %p, %v                       1x2x2x3x7 by 1x2x2x7x5 to 1x2x2x3x5
    %o = snippets.transpose %t [3, 1, 2, 0, 4]        1x2x2x3x5 to 3x2x2x1x5

Each matrix of keys is read once, and not for each head. Masks have one number for all heads, and
stay.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.analysis.graph.products import LEAST_ROWS
from snippets_mlir.dialects.builtin.dims import Shape
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of, tensor_type
from snippets_mlir.dialects.snippets.layout import TransposeOp
from snippets_mlir.dialects.snippets.normalization import SoftmaxOp
from snippets_mlir.dialects.snippets.product import DIAGONAL, MatMulOp
from snippets_mlir.passes.building.graph import OpBuilder, not_skipped, outside_of_subgraphs
from snippets_mlir.passes.graph.canonicalize.snippets_move_elementwise_up import keeps_rows
from snippets_mlir.passes.graph.paths import products_of_scores, readers, sources
from snippets_mlir.passes.patterns import Pattern
from snippets_mlir.support.walking import ops_of


class Rows(NamedTuple):
    """The ops from the first product to before the second one, and the order of the new dims."""

    ops: Sequence[Operation]
    order: Sequence[int]


def _aligned(value: SSAValue, rank: int) -> Shape:
    shape = shape_of(value)
    return (*(1,) * (rank - len(shape)), *shape)


def _heads(product: MatMulOp) -> int | None:
    """The one dim of several matrices of one row along which the right operand is broadcast."""
    left, rank = shape_of(product.lhs), len(shape_of(product.result))
    right = _aligned(product.rhs, rank)
    if len(left) != rank or rank < 3 or product.transpose_a is not None or left[-2] != 1:
        return None
    found = [dim for dim in range(rank - 2) if right[dim] == 1 != left[dim]]
    size = left[found[0]] if len(found) == 1 else None
    return found[0] if isinstance(size, int) and size >= LEAST_ROWS else None


def _turned(build: OpBuilder, value: SSAValue, order: Sequence[int]) -> SSAValue:
    before = value.owner
    if isinstance(before, TransposeOp):
        value, order = before.operand, [before.permutation[dim] for dim in order]
    return value if list(order) == sorted(order) else build.add(TransposeOp(value, order))


class HeadsAsRows(Pattern[MatMulOp, Rows]):
    """An attention with one row for each of several heads that share keys has a row for each."""

    name = "heads-as-rows"
    ops = (MatMulOp,)
    conditions = (outside_of_subgraphs, not_skipped)

    def match(self, op: MatMulOp) -> Rows | None:
        """The attention of which `op` is the second product."""
        if (heads := _heads(op)) is None:
            return None
        firsts = products_of_scores(op)
        if len(firsts) != 1 or _heads(firsts[0]) != heads:
            return None
        block, shape = op.parent, shape_of(op.lhs)
        assert block is not None
        among = sources(op.lhs, block, MatMulOp)
        found = {firsts[0], *readers(firsts[0].result, among - {firsts[0]})}
        inside = [other for other in ops_of(block) if other in found]
        for other in inside:
            (result,) = other.results
            if shape_of(result) != shape or any(
                use.operation not in found and use.operation is not op for use in result.uses
            ):
                return None
            if isinstance(other, MatMulOp):
                continue
            masks = [value for value in other.operands if value.owner not in found]
            one = all(_aligned(value, len(shape))[heads] == 1 for value in masks)
            along = not isinstance(other, SoftmaxOp) or other.axis == len(shape) - 1
            if not (keeps_rows(other) and not_skipped(other) and one and along):
                return None
        order = [*range(len(shape))]
        order[heads], order[-2] = order[-2], order[heads]
        return Rows(inside, order)

    def rewrite(self, op: MatMulOp, match: Rows, rewriter: PatternRewriter) -> None:
        """Each op in the new dims, at its place."""
        values: dict[SSAValue, SSAValue] = {}
        for other in match.ops:
            build, (result,) = OpBuilder(other, rewriter), other.results
            operands = [values.get(value, value) for value in other.operands]
            if isinstance(other, MatMulOp):
                operands[0] = _turned(build, other.lhs, match.order)
            shape = [shape_of(result)[dim] for dim in match.order]
            moved = type(other).create(
                operands=operands,
                result_types=[tensor_type(tensor_of(result).element_type, shape)],
                properties=other.properties,
                attributes={n: attr for n, attr in other.attributes.items() if n != DIAGONAL},
            )
            values[result] = build.add(moved)
        build = OpBuilder(op, rewriter)
        new = build.add(MatMulOp(values[op.lhs], op.rhs, *op.transposes))
        build.replace(build.add(TransposeOp(new, match.order)))
        for other in reversed(match.ops):
            rewriter.erase(other)
