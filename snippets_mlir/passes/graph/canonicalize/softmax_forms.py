"""Find the sums of softmaxes that are written out as single ops.

    %m = snippets.reduce_max %x {axes = array<i64: 1>, keep_dims} : .. -> tensor<4x1xf32>
    %d = snippets.subtract %x, %m
    %e = snippets.exp %d
    %s = snippets.reduce_sum %e {axes = array<i64: 1>, keep_dims} : .. -> tensor<4x1xf32>

The maximum may be broadcast and reshaped before the subtraction, if each row gets its own one.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import SSAValue

from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.snippets.arithmetic import SubtractOp
from snippets_mlir.dialects.snippets.conversion import BroadcastLikeOp, ReshapeOp
from snippets_mlir.dialects.snippets.elementary import ExpOp
from snippets_mlir.dialects.snippets.internal import ReduceMaxnumOp
from snippets_mlir.dialects.snippets.reduction import (
    ReduceMaxOp,
    ReduceOp,
    ReduceSumOp,
    reduced_shape,
)
from snippets_mlir.dialects.snippets.shapes import DYNAMIC


@dataclass(frozen=True)
class SoftmaxSum:
    """The sum of exp(x - max(x)), with the maximum along the axes of the sum."""

    largest: ReduceMaxOp | ReduceMaxnumOp
    distance: SubtractOp
    exponential: ExpOp
    total: ReduceSumOp


def softmax_sum(value: SSAValue) -> SoftmaxSum | None:
    """The parts of the sum `value` of a softmax; None for any other value."""
    total = value.owner
    if not isinstance(total, ReduceSumOp):
        return None
    exponential = total.operand.owner
    if not isinstance(exponential, ExpOp):
        return None
    distance = exponential.operand.owner
    if not isinstance(distance, SubtractOp) or distance.lhs.type != distance.result.type:
        return None
    spread = of_rows(distance.rhs, total)
    largest = None if spread is None else spread.owner
    if not isinstance(largest, ReduceMaxOp | ReduceMaxnumOp):
        return None
    if largest.operand != distance.lhs or largest.axes != total.axes:
        return None
    return SoftmaxSum(largest, distance, exponential, total)


def unshaped(value: SSAValue) -> SSAValue:
    """`value` before it was reshaped; its elements are in the same order."""
    while isinstance(value.owner, ReshapeOp):
        value = value.owner.operand
    return value


def of_rows(value: SSAValue, reduction: ReduceOp) -> SSAValue | None:
    """The value before `value` is reshaped and broadcast along the axes of `reduction`.

    None if `value` is not one element for all elements that `reduction` combines, or if dims of
    unknown size do not tell.
    """
    while isinstance(value.owner, BroadcastLikeOp):
        value = value.owner.operand
    shape = shape_of(value)
    kept = reduced_shape(shape_of(reduction.operand), reduction.axes, keep_dims=True)
    source = unshaped(value)
    if source is not value and kept.count(DYNAMIC) > 1:
        return None
    return source if (1,) * (len(kept) - len(shape)) + shape == kept else None
