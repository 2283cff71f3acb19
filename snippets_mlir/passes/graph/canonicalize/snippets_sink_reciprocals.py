"""Divide the rows of an attention's result by their sums, instead of the rows of its softmax.

    %e = snippets.exp %d : tensor<128x512xf32>
    %s = snippets.reduce_sum %e {axes = array<i64: 1>, keep_dims} : .. -> tensor<128x1xf32>
    %r = snippets.divide 1.0, %s
    %p = snippets.multiply %e, %r : (tensor<128x512xf32>, tensor<128x1xf32>) -> tensor<128x512xf32>
    %y = snippets.matmul %p, %v : (tensor<128x512xf32>, tensor<512x64xf32>) -> tensor<128x64xf32>

becomes

    %z = snippets.matmul %e, %v : (tensor<128x512xf32>, tensor<512x64xf32>) -> tensor<128x64xf32>
    %y = snippets.multiply %z, %r : (tensor<128x64xf32>, tensor<128x1xf32>) -> tensor<128x64xf32>

This saves a pass over the scores and a row of exponentials in memory, for one product for each
vector of the register tile. Fires on a product of f32 or f64 in a subgraph if

* N1: its left operand is not transposed, and has rows;
* N2: that operand is the exponentials of a softmax along the sum, times the reciprocals of their
  sums, and nothing else reads it;
* N3: it has at least as many terms as columns, if both are known.

The exponentials are at most 1, and their sum is between 1 and the number of keys K, or NaN. So each
element is within the same bound as before (`REASSOCIATES`); NaN and infinities come through both
forms. A sum overflows in this form alone if elements of `%v` exceed the largest number divided by
K. 16-bit floats, whose range is smaller, keep their form. Source: the order of online softmax.
"""

from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import FloatAttr, f32, f64
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.builtin.dims import Size
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.snippets.arithmetic import DivideOp, MultiplyOp
from snippets_mlir.dialects.snippets.constants import ScalarOp
from snippets_mlir.dialects.snippets.product import MatMulOp
from snippets_mlir.dialects.snippets.shapes import DYNAMIC
from snippets_mlir.passes.building.graph import OpBuilder, not_skipped
from snippets_mlir.passes.effects import REASSOCIATES, Effect
from snippets_mlir.passes.graph.canonicalize.softmax_forms import softmax_sum
from snippets_mlir.passes.graph.graph_passes import SubgraphPatternPass
from snippets_mlir.passes.patterns import Pattern


@dataclass(frozen=True)
class Scaled:
    """The left operand of a product: exponentials, and the reciprocals of their row sums."""

    op: MultiplyOp
    exponentials: SSAValue
    reciprocals: SSAValue


def f32_or_f64(op: MatMulOp) -> bool:
    """Other floats overflow earlier."""
    return tensor_of(op.result).element_type in (f32, f64)


def rows_in_place(op: MatMulOp) -> bool:
    """N1."""
    return op.transpose_a is None and len(shape_of(op.lhs)) >= 2


def no_more_columns_than_terms(op: MatMulOp) -> bool:
    """N3."""
    terms, columns = shape_of(op.lhs)[-1], shape_of(op.result)[-1]
    if isinstance(terms, Size) or isinstance(columns, Size) or DYNAMIC in (terms, columns):
        return True
    return columns <= terms


def _are_reciprocals(value: SSAValue, exponentials: SSAValue) -> bool:
    """Whether `value` is 1 divided by the row sums of `exponentials`."""
    op = value.owner
    if not isinstance(op, DivideOp) or not isinstance(one := op.lhs.owner, ScalarOp):
        return False
    if not isinstance(one.value, FloatAttr) or one.value.value.data != 1.0:
        return False
    form = softmax_sum(op.rhs)
    if form is None or form.exponential.result != exponentials:
        return False
    rank = len(shape_of(exponentials))
    return form.total.axes == (rank - 1,) and len(shape_of(value)) == rank


class SoftmaxTimes(Pattern[MatMulOp, Scaled]):
    """`(e * r) v` is `(e v) * r`, where r has one number for each row."""

    name = "softmax-times"
    ops = (MatMulOp,)
    conditions = (not_skipped, f32_or_f64, rows_in_place, no_more_columns_than_terms)

    def match(self, op: MatMulOp) -> Scaled | None:
        """The exponentials and the reciprocals (N2)."""
        scaled = op.lhs.owner
        if not isinstance(scaled, MultiplyOp) or not op.lhs.has_one_use():
            return None
        pairs = ((scaled.lhs, scaled.rhs), (scaled.rhs, scaled.lhs))
        found = (Scaled(scaled, e, r) for e, r in pairs if _are_reciprocals(r, e))
        return next(found, None)

    def rewrite(self, op: MatMulOp, match: Scaled, rewriter: PatternRewriter) -> None:
        """Multiply the result; the scaled exponentials are erased."""
        build = OpBuilder(op, rewriter)
        product = build.add(op.clone({op.lhs: match.exponentials}))
        build.replace(build.add(MultiplyOp(product, match.reciprocals)))
        rewriter.erase(match.op)


@dataclass(frozen=True)
class SnippetsSinkReciprocalsPass(SubgraphPatternPass):
    """Divide the results of attentions by the sums of the softmax."""

    name = "snippets-sink-reciprocals"
    EFFECT: ClassVar[Effect] = REASSOCIATES
    PATTERNS = (SoftmaxTimes,)
