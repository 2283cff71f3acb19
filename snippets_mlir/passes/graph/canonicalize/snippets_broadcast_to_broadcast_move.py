"""Keep only the broadcasts in subgraphs that a kernel has to perform.

    %1 = snippets.broadcast %0 : (tensor<4x1xf32>) -> tensor<4x8xf32>      becomes
    %1 = snippets.broadcast_move %0 : (tensor<4x1xf32>) -> tensor<4x8xf32>

    %1 = snippets.broadcast %0 : (tensor<1x8xf32>) -> tensor<4x8xf32>
    %2 = snippets.add %1, %x : tensor<4x8xf32>                             becomes
    %2 = snippets.add %0, %x : (tensor<1x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>

A broadcast of the last dim spreads one element over a vector. A broadcast of other dims only
repeats addresses, and every op does that by itself; it is kept if it is yielded or if a user gets
its shape from it. Source: the guide's BroadcastToMoveBroadcast.
"""

from dataclasses import dataclass

from typing_extensions import override
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.builtin.dims import Shape
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.conversion import BroadcastOp
from snippets_mlir.dialects.snippets.internal import BroadcastMoveOp
from snippets_mlir.dialects.snippets.shapes import broadcast_shapes
from snippets_mlir.dialects.snippets.whole_tensor import WholeTensorOp
from snippets_mlir.passes.graph.graph_passes import SubgraphPatternPass
from snippets_mlir.passes.patterns import Pattern


def _broadcasts_by_itself(op: BroadcastOp, user: Operation) -> bool:
    """Whether `user` has the same result shape if it reads the operand of `op`."""
    if not isinstance(user, ComputeOp) or isinstance(user, WholeTensorOp):
        return False
    if len(user.operands) == 1:
        return False
    shapes = [shape_of(op.operand if value is op.result else value) for value in user.operands]
    return broadcast_shapes(*shapes) == shape_of(user.results[0])


def last_dim_changes(op: BroadcastOp) -> bool:
    """One element is spread over a vector."""
    source, target = shape_of(op.operand), shape_of(op.result)
    return (source[-1] if source else 1) != (target[-1] if target else 1)


def readers_broadcast(op: BroadcastOp) -> bool:
    """Its readers have the same result shape without it."""
    return all(_broadcasts_by_itself(op, use.operation) for use in op.result.uses)


class SpreadLastDim(Pattern[BroadcastOp, Shape]):
    """A broadcast of the last dim is a `broadcast_move`."""

    name = "spread-last-dim"
    ops = (BroadcastOp,)
    conditions = (last_dim_changes,)

    @override
    def match(self, op: BroadcastOp) -> Shape:
        return shape_of(op.result)

    @override
    def rewrite(self, op: BroadcastOp, match: Shape, rewriter: PatternRewriter) -> None:
        move = BroadcastMoveOp(op.operand, match)
        move.location = op.location
        rewriter.replace(op, move)


class RepeatOuterDims(Pattern[BroadcastOp, SSAValue]):
    """A broadcast of other dims is replaced by its operand: every op repeats addresses itself."""

    name = "repeat-outer-dims"
    ops = (BroadcastOp,)
    conditions = (readers_broadcast,)

    @override
    def match(self, op: BroadcastOp) -> SSAValue:
        return op.operand

    @override
    def rewrite(self, op: BroadcastOp, match: SSAValue, rewriter: PatternRewriter) -> None:
        rewriter.replace_all_uses_with(op.result, match)
        rewriter.erase(op)


@dataclass(frozen=True)
class SnippetsBroadcastToBroadcastMovePass(SubgraphPatternPass):
    """Make broadcasts of the last dim explicit moves and drop the others."""

    name = "snippets-broadcast-to-broadcast-move"
    PATTERNS = (SpreadLastDim, RepeatOuterDims)
