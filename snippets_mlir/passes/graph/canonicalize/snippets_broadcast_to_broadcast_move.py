"""Make the broadcasts in subgraphs those that a kernel performs.

    %1 = snippets.broadcast %0 : (tensor<4x1xf32>) -> tensor<4x8xf32>      becomes
    %1 = snippets.broadcast_move %0 : (tensor<4x1xf32>) -> tensor<4x8xf32>

    %1 = snippets.broadcast %0 : (tensor<1x8xf32>) -> tensor<4x8xf32>
    %2 = snippets.add %1, %x : tensor<4x8xf32>                             becomes
    %2 = snippets.add %0, %x : (tensor<1x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>

A broadcast of the last dim spreads one element over a vector; one of other dims only repeats
addresses, and every op does that by itself. The latter is kept where it is yielded or where it
gives a user its shape. Source: the guide's BroadcastToMoveBroadcast (reference 1.3).
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.conversion import BroadcastOp
from snippets_mlir.dialects.snippets.internal import BroadcastMoveOp
from snippets_mlir.dialects.snippets.shapes import broadcast_shapes
from snippets_mlir.dialects.snippets.subgraph import SubgraphOp
from snippets_mlir.dialects.snippets.whole_tensor import WholeTensorOp


def _last_dim_changes(op: BroadcastOp) -> bool:
    source, target = shape_of(op.operand), shape_of(op.result)
    return (source[-1] if source else 1) != (target[-1] if target else 1)


def _broadcasts_by_itself(op: BroadcastOp, user: Operation) -> bool:
    """Whether `user` has the same result shape when it reads the operand of `op`."""
    if not isinstance(user, ComputeOp) or isinstance(user, WholeTensorOp):
        return False
    if len(user.operands) == 1:
        return False
    shapes = [shape_of(op.operand if value is op.result else value) for value in user.operands]
    return broadcast_shapes(*shapes) == shape_of(user.results[0])


def _apply(op: BroadcastOp) -> None:
    if _last_dim_changes(op):
        move = BroadcastMoveOp(op.operand, shape_of(op.result))
        move.location = op.location
        Rewriter.replace_op(op, move)
    elif all(_broadcasts_by_itself(op, use.operation) for use in op.result.uses):
        op.result.replace_all_uses_with(op.operand)
        Rewriter.erase_op(op)


@dataclass(frozen=True)
class SnippetsBroadcastToBroadcastMovePass(ModulePass):
    """Make broadcasts of the last dim explicit moves and drop the others."""

    name = "snippets-broadcast-to-broadcast-move"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the broadcasts of every subgraph."""
        for subgraph in [o for o in op.walk() if isinstance(o, SubgraphOp)]:
            for inner in list(subgraph.block.ops):
                if isinstance(inner, BroadcastOp):
                    _apply(inner)
