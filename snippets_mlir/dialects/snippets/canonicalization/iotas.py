"""The canonical form of iotas: numbers along their dim, repeated along the others.

    %0 = snippets.iota {dim = 0 : i64} : tensor<4x8xi32>

becomes

    %1 = snippets.iota {dim = 0 : i64} : tensor<4x1xi32>
    %0 = snippets.broadcast %1 : (tensor<4x1xi32>) -> tensor<4x8xi32>

so that the folded constant has each number only once. Exact.
"""

from __future__ import annotations

from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of, tensor_type
from snippets_mlir.dialects.snippets.conversion import BroadcastOp
from snippets_mlir.dialects.snippets.iota import IotaOp


class RepeatIota(RewritePattern):
    """iota(shape) = broadcast(iota(shape with 1 beside the dim))."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        """Replace an iota that repeats its numbers."""
        if not isinstance(op, IotaOp):
            return
        shape = shape_of(op.result)
        places = tuple(size if dim == op.dim else 1 for dim, size in enumerate(shape))
        if places == tuple(shape):
            return
        numbers = IotaOp(tensor_type(tensor_of(op.result).element_type, places), op.dim)
        repeated = BroadcastOp(numbers, shape)
        numbers.location = repeated.location = op.location
        rewriter.replace(op, [numbers, repeated])
