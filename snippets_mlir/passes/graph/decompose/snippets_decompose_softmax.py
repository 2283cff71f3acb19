"""Decompose softmax and log_softmax into reductions and elementwise ops.

    %1 = snippets.softmax %0 {axis = 1 : i64} : tensor<4x8xf32>

becomes

    %2 = snippets.reduce_max %0 {axes = array<i64: 1>, keep_dims} : .. -> tensor<4x1xf32>
    %3 = snippets.subtract %0, %2
    %4 = snippets.exp %3
    %5 = snippets.reduce_sum %4 {axes = array<i64: 1>, keep_dims} : .. -> tensor<4x1xf32>
    %1 = snippets.divide %4, %5

and `log_softmax` ends in `%3 - log(%5)`. The guide multiplies by the reciprocal here. This pass is
exact, and `snippets-share-reciprocals` does that later. If an axis has a NaN, an inf or nothing but
-inf, all its results are NaN, as in NumPy and onnxruntime. An empty axis has nothing to compute.
Dims may be unknown. 16-bit floats are converted to f32 and back, because the op computes in f32.
Ops marked `snippets.skipped` stay. Exact. Source: the guide's SoftmaxDecomposition.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from typing_extensions import override

from snippets_mlir.dialects.snippets.normalization import LogSoftmaxOp, SoftmaxOp
from snippets_mlir.passes.building.formulas import Formula, Term, exp, log, max_, sum_, widened
from snippets_mlir.passes.building.graph import OpBuilder
from snippets_mlir.passes.graph.graph_passes import FormulaPass


def softmax(x: Term, axes: Sequence[int]) -> Term:
    """exp(x) divided by its sum."""
    e = exp(x - max_(x, axes))
    return e / sum_(e, axes)


def log_softmax(x: Term, axes: Sequence[int]) -> Term:
    """The logarithm of the softmax, as a difference: no quotient can underflow."""
    d = x - max_(x, axes)
    return d - log(sum_(exp(d), axes))


class Softmax(Formula[SoftmaxOp, Any]):
    """`e / sum(e)`, where `e = exp(x - max(x))`."""

    name = "softmax"
    ops = (SoftmaxOp,)

    @override
    def formula(self, op: SoftmaxOp, match: Any, build: OpBuilder) -> Term:
        return softmax(widened(Term(op.x, build)), op.normalized_dims())


class LogSoftmax(Formula[LogSoftmaxOp, Any]):
    """`d - log(sum(exp(d)))`, where `d = x - max(x)`."""

    name = "log-softmax"
    ops = (LogSoftmaxOp,)

    @override
    def formula(self, op: LogSoftmaxOp, match: Any, build: OpBuilder) -> Term:
        return log_softmax(widened(Term(op.x, build)), op.normalized_dims())


@dataclass(frozen=True)
class SnippetsDecomposeSoftmaxPass(FormulaPass):
    """Decompose softmax and log_softmax into reductions and elementwise ops."""

    name = "snippets-decompose-softmax"
    PATTERNS = (Softmax, LogSoftmax)
