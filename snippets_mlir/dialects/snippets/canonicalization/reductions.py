"""Reductions that combine nothing, because the reduced dims have size 1.

    %1 = snippets.reduce_max %0 {axes = array<i64: 1>} :
         (tensor<4x1x8xf32>) -> tensor<4x8xf32>                         -> snippets.reshape %0
    %2 = snippets.reduce_sum %0 {axes = array<i64: 1>, keep_dims} :
         (tensor<4x1x8xf32>) -> tensor<4x1x8xf32>                       -> snippets.add %0, 0.0
    %3 = snippets.reduce_max %0 {axes = array<i64: 1, 2>, keep_dims} :
         (tensor<4x1x8xf32>) -> tensor<4x1x1xf32>                       -> axes = array<i64: 2>

A float sum or mean starts at 0.0, which turns -0.0 into 0.0: that addition stays. (Reductions of
integers and of max, min and prod with the operand's type fold; so do those over no elements.)
Exact for every value. Dynamic dims count as larger than 1.
"""

from __future__ import annotations

from xdsl.dialects.builtin import AnyFloat, DenseArrayBase, FloatAttr, i64
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.snippets.arithmetic import AddOp
from snippets_mlir.dialects.snippets.base import FLOAT, ComputeOp, kind_of
from snippets_mlir.dialects.snippets.canonicalization.layouts import is_reshapable
from snippets_mlir.dialects.snippets.constants import ScalarOp
from snippets_mlir.dialects.snippets.conversion import ReshapeOp
from snippets_mlir.dialects.snippets.reduction import (
    ReduceMeanOp,
    ReduceOp,
    ReduceSumOp,
    combines_elements,
)
from snippets_mlir.dialects.snippets.rules.match import in_linear_ir


def combines_nothing(op: ReduceOp) -> bool:
    """Whether every element of the result is one element of the operand, or 0.0 + it."""
    shape = shape_of(op.operand)
    return combines_elements(op) and all(shape[axis] == 1 for axis in op.axes)


def adds_zero(op: ReduceOp) -> bool:
    """Whether combining one element changes it: a float sum turns -0.0 into 0.0."""
    element = tensor_of(op.operand).element_type
    return isinstance(op, ReduceSumOp | ReduceMeanOp) and kind_of(element) == FLOAT


class ReduceOfOnes(RewritePattern):
    """A reduction over dims of size 1 is a reshape, of `x + 0.0` for sums of floats."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        """Replace `op` when it combines nothing."""
        assert isinstance(op, ReduceOp)
        if in_linear_ir(op) or not (new_ops := self._plan(op)):
            return
        for new_op in new_ops:
            new_op.location = op.location
            if isinstance(new_op, ComputeOp):
                new_op.attributes = dict(op.attributes)
        rewriter.replace(op, new_ops)

    def _plan(self, op: ReduceOp) -> list[Operation]:
        """The ops that replace `op`, not yet inserted; none to keep it."""
        reshapes = shape_of(op.operand) != shape_of(op.result)
        if not combines_nothing(op) or (reshapes and not is_reshapable(shape_of(op.result))):
            return []
        new_ops: list[Operation] = []
        value: SSAValue = op.operand
        if adds_zero(op):
            new_ops += _plus_zero(value)
            value = new_ops[-1].results[0]
        if reshapes:
            new_ops.append(ReshapeOp.create(operands=[value], result_types=[op.result.type]))
        return new_ops


def _plus_zero(value: SSAValue) -> list[Operation]:
    element = tensor_of(value).element_type
    assert isinstance(element, AnyFloat)
    zero = ScalarOp(FloatAttr(0.0, element))
    return [zero, AddOp.create(operands=[value, zero.result], result_types=[value.type])]


class DropAxesOfOnes(RewritePattern):
    """A reduction that keeps its dims need not run over dims of size 1."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        """Remove the dims of size 1 if others remain."""
        assert isinstance(op, ReduceOp)
        shape = shape_of(op.operand)
        axes = [axis for axis in op.axes if shape[axis] != 1]
        if in_linear_ir(op) or not op.keeps_dims or len(axes) in (0, len(op.axes)):
            return
        new_op = type(op).create(
            operands=[op.operand],
            result_types=[op.result.type],
            properties={**op.properties, "axes": DenseArrayBase.from_list(i64, axes)},
            attributes=dict(op.attributes),
        )
        new_op.location = op.location
        rewriter.replace(op, new_op)
