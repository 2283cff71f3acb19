"""Canonicalization of cumulative ops.

cum_sum(x) along a dim of size 1    -> x    unless it is exclusive
"""

from __future__ import annotations

from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.snippets.cumulative import CumulativeOp
from snippets_mlir.dialects.snippets.rules.match import in_linear_ir


class OneElement(RewritePattern):
    """A cumulative op over one element gives that element."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        """Replace the op by its operand."""
        if not isinstance(op, CumulativeOp) or in_linear_ir(op) or op.exclusive is not None:
            return
        if shape_of(op.operand)[op.axis] == 1:
            rewriter.replace(op, [], [op.operand])
