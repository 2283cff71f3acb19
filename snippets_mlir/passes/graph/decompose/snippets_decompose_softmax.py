"""Write softmax and log_softmax as reductions and ops that work element by element.

    %1 = snippets.softmax %0 {axis = 1 : i64} : tensor<4x8xf32>

becomes

    %2 = snippets.reduce_max %0 {axes = array<i64: 1>, keep_dims} : .. -> tensor<4x1xf32>
    %3 = snippets.subtract %0, %2
    %4 = snippets.exp %3
    %5 = snippets.reduce_sum %4 {axes = array<i64: 1>, keep_dims} : .. -> tensor<4x1xf32>
    %1 = snippets.divide %4, %5

and `log_softmax` ends in `%3 - log(%5)`. The guide multiplies by the reciprocal here; this pass
is exact, and `snippets-share-reciprocals` does that later. A NaN, an inf or nothing but -inf along
the axis gives NaN in all its places, as in NumPy and onnxruntime; along an empty axis there is
nothing to compute. Dims may be unknown. 16-bit floats are converted to f32 and back, as the op
computes them. Ops marked `snippets.skipped` stay. Exact. Source: the guide's SoftmaxDecomposition.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from snippets_mlir.dialects.snippets.arithmetic import DivideOp, SubtractOp
from snippets_mlir.dialects.snippets.elementary import ExpOp, LogOp
from snippets_mlir.dialects.snippets.normalization import LogSoftmaxOp, SoftmaxOp
from snippets_mlir.dialects.snippets.reduction import ReduceMaxOp, ReduceSumOp
from snippets_mlir.passes.building.graph import OpBuilder, computing_ops, tensor_blocks


def _apply(op: SoftmaxOp | LogSoftmaxOp) -> None:
    builder, axes = OpBuilder(op), op.normalized_dims()
    x = builder.widened(op.x)
    largest = builder.add(ReduceMaxOp(x, axes, keep_dims=True))
    distance = builder.add(SubtractOp(x, largest))
    exponential = builder.add(ExpOp(distance))
    total = builder.add(ReduceSumOp(exponential, axes, keep_dims=True))
    if isinstance(op, SoftmaxOp):
        builder.replace(builder.add(DivideOp(exponential, total)))
    else:
        logarithm = builder.add(LogOp(total))
        builder.replace(builder.add(SubtractOp(distance, logarithm)))


@dataclass(frozen=True)
class SnippetsDecomposeSoftmaxPass(ModulePass):
    """Write softmax and log_softmax as reductions and elementwise ops."""

    name = "snippets-decompose-softmax"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the functions and the bodies of subgraphs."""
        for block in tensor_blocks(op):
            for inner in computing_ops(block):
                if isinstance(inner, SoftmaxOp | LogSoftmaxOp):
                    _apply(inner)
