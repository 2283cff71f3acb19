"""Canonicalization of `vector`: two moves of the same kind become one.

    %1 = vector.transpose %0, [1, 0, 2] : ...
    %2 = vector.transpose %1, [2, 0, 1] : ...        -> vector.transpose %0, [2, 1, 0]

`vector.broadcast` and `vector.shape_cast` are treated the same way. Moves that cancel, and moves of
constants, fold (`dialects/vector/lanes.py`). The inner op stays until it is unused.
"""

from __future__ import annotations

from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from snippets_mlir.dialects.vector.lanes import integers_in
from snippets_mlir.dialects.vector.shapes import BroadcastOp, ShapeCastOp, TransposeOp


def composed(op: Operation) -> Operation | None:
    """One op for `op` and its operand, a move of the same kind; None if they do not compose."""
    inner = op.operands[0].owner if op.operands else None
    if not isinstance(inner, Operation) or inner.name != op.name:
        return None
    if isinstance(op, TransposeOp):
        first = integers_in(inner.properties["permutation"])
        return TransposeOp(inner.operands[0], [first[d] for d in integers_in(op.permutation)])
    type = op.results[0].type
    if isinstance(op, ShapeCastOp):
        return ShapeCastOp(inner.operands[0], type)
    if isinstance(op, BroadcastOp):
        return BroadcastOp(inner.operands[0], op.vector.type)
    return None


class ComposeMoves(RewritePattern):
    """Composes a move with the move that makes its operand."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        """Replace `op` by one op on the operand of the inner op."""
        new = composed(op)
        if new is not None:
            new.attributes.update(op.attributes)
            new.location = op.location
            rewriter.replace(op, new)


COMPOSED_MOVES: tuple[RewritePattern, ...] = (ComposeMoves(),)
