"""Patterns for the result of a product that has been turned around: one transpose, or none.

    %o = snippets.transpose %r [0, 2, 1]              2x9x5 to 2x5x9
    %1 = snippets.reshape %o                          2x5x9 to 2x5x1x9
    %2 = snippets.transpose %1 [3, 0, 2, 1]           2x5x1x9 to 9x2x1x5
    %3 = snippets.reshape %2                          9x2x1x5 to 9x2x5

becomes

    %3 = snippets.transpose %r [1, 0, 2]              2x9x5 to 9x2x5
"""

from __future__ import annotations

from typing_extensions import override
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.conversion import ReshapeOp
from snippets_mlir.dialects.snippets.layout import TransposeOp
from snippets_mlir.dialects.snippets.product import MatMulOp
from snippets_mlir.dialects.snippets.shapes import is_static
from snippets_mlir.passes.building.graph import OpBuilder, not_skipped, outside_of_subgraphs
from snippets_mlir.passes.graph.canonicalize.shapes_before_reshapes import differ_by_ones
from snippets_mlir.passes.graph.canonicalize.snippets_reshape_first import ReshapedTranspose
from snippets_mlir.passes.patterns import Pattern


def erase_unread(value: SSAValue, rewriter: PatternRewriter) -> None:
    """Erase the views and scales that compute `value`, as long as they have no reader."""
    op = value.owner
    if isinstance(op, Operation) and isinstance(op, ComputeOp) and value.first_use is None:
        operand = op.operands[0] if op.operands else None
        rewriter.erase(op)
        if operand is not None:
            erase_unread(operand, rewriter)


def _is_of_a_product(value: SSAValue) -> bool:
    """Whether `value` is a product, perhaps reshaped."""
    while isinstance(value.owner, ReshapeOp):
        value = value.owner.operand
    return isinstance(value.owner, MatMulOp)


def alone_after_a_transposed_product(op: TransposeOp | ReshapeOp) -> bool:
    """The operand, a transpose of a product or of its reshape, has no other reader."""
    before = op.operand.owner
    if not isinstance(before, TransposeOp) or not op.operand.has_one_use():
        return False
    return _is_of_a_product(before.operand)


def is_reshaped_or_transposed_back(op: ReshapeOp) -> bool:
    """Only a transpose reads it, or it drops the dims that an earlier reshape has added."""
    if all(isinstance(use.operation, TransposeOp) for use in op.result.uses):
        return True
    before = op.operand.owner
    inner = before.operand.owner if isinstance(before, TransposeOp) else None
    if not isinstance(inner, ReshapeOp):
        return False
    shapes = shape_of(inner.operand), shape_of(inner.result), shape_of(op.operand)
    return (
        len(shapes[0]) == len(shape_of(op.result))
        and differ_by_ones(*shapes[:2])
        and differ_by_ones(shapes[2], shape_of(op.result))
    )


class ReshapedResult(ReshapedTranspose):
    """`reshape(transpose(x))` is `transpose(reshape(x))` for a product x."""

    name = "reshaped-result"
    conditions = (
        outside_of_subgraphs,
        not_skipped,
        alone_after_a_transposed_product,
        is_reshaped_or_transposed_back,
    )


class TransposedResult(Pattern[TransposeOp, TransposeOp]):
    """Two transposes of a product are one, or none."""

    name = "transposed-result"
    ops = (TransposeOp,)
    conditions = (outside_of_subgraphs, not_skipped, alone_after_a_transposed_product)

    @override
    def match(self, op: TransposeOp) -> TransposeOp | None:
        before = op.operand.owner
        return before if isinstance(before, TransposeOp) else None

    @override
    def rewrite(self, op: TransposeOp, match: TransposeOp, rewriter: PatternRewriter) -> None:
        build = OpBuilder(op, rewriter)
        order = [match.permutation[dim] for dim in op.permutation]
        moves = order != sorted(order)
        build.replace(build.add(TransposeOp(match.operand, order)) if moves else match.operand)
        rewriter.erase(match)


class SplitResult(Pattern[ReshapeOp, SSAValue]):
    """A reshape that undoes the one before it goes."""

    name = "split-result"
    ops = (ReshapeOp,)
    conditions = (outside_of_subgraphs, not_skipped)

    def match(self, op: ReshapeOp) -> SSAValue | None:
        """The product whose dims were merged."""
        merge = op.operand.owner
        if not isinstance(merge, ReshapeOp) or merge.operand.type != op.result.type:
            return None
        turned = merge.operand.owner
        if not isinstance(turned, TransposeOp) or not is_static(shape_of(op.result)):
            return None
        return merge.operand if isinstance(turned.operand.owner, MatMulOp) else None

    def rewrite(self, op: ReshapeOp, match: SSAValue, rewriter: PatternRewriter) -> None:
        """Let the transpose stand for both."""
        before = op.operand
        rewriter.replace(op, [], [match])
        erase_unread(before, rewriter)
