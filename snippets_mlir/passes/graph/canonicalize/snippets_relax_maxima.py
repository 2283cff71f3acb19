"""Let the maximum of a softmax pass over NaN, which comes back through the sum.

    %m = snippets.reduce_max %x {axes = array<i64: 1>, keep_dims} : .. -> tensor<4x1xf32>
    %d = snippets.subtract %x, %m
    %e = snippets.exp %d
    %s = snippets.reduce_sum %e {axes = array<i64: 1>, keep_dims} : .. -> tensor<4x1xf32>
    %y = snippets.divide %e, %s

becomes the same with `%m = snippets.reduce_maxnum %x`. A maximum that keeps NaN and tells 0.0 from
-0.0 is five instructions on x86, one that need not is one. If an element of a row is NaN, so is
its distance to any maximum, its exponential, and the sum: a result that follows from the sum is
NaN in the whole row either way. Of two zeros either will do: exp(0.0) = exp(-0.0), and where both
stand in a row the sum is 2 or more and its logarithm is not 0. Exact: a NaN may be any NaN.

It fires on a `reduce_max` of floats in a subgraph when every way from it to a result leads through
such a sum, that is, when

* H1: the maximum is read by `x - max(x)` of such sums, or is added to the logarithm of one
  (logsumexp);
* H2: that distance is read by the exponential, or by `distance - log(sum)` (log_softmax);
* H3: the exponential is read by the sum, or divided by it.

A maximum that the subgraph also returns stays as it is, and so does one that anything else reads.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.snippets.arithmetic import AddOp, DivideOp, SubtractOp
from snippets_mlir.dialects.snippets.conversion import BroadcastLikeOp, ReshapeOp
from snippets_mlir.dialects.snippets.elementary import LogOp
from snippets_mlir.dialects.snippets.internal import ReduceMaxnumOp
from snippets_mlir.dialects.snippets.reduction import ReduceMaxOp, ReduceSumOp
from snippets_mlir.dialects.snippets.subgraph import SubgraphOp
from snippets_mlir.passes.building.graph import computing_ops, is_skipped
from snippets_mlir.passes.graph.canonicalize.softmax_forms import (
    SoftmaxSum,
    of_rows,
    softmax_sum,
    unshaped,
)


def _readers(value: SSAValue) -> Iterator[Operation]:
    """The ops that read `value`, behind those that spread or reshape it."""
    for use in value.uses:
        if isinstance(use.operation, ReshapeOp | BroadcastLikeOp):
            yield from _readers(use.operation.results[0])
        else:
            yield use.operation


def _is_logarithm(value: SSAValue | None, form: SoftmaxSum) -> bool:
    """Whether `value` is the logarithm of the sum."""
    if value is None or not isinstance(value.owner, LogOp):
        return False
    return unshaped(value.owner.operand) == form.total.result


def _hides_maximum(reader: Operation, form: SoftmaxSum) -> bool:
    """H1 for one reader of the maximum."""
    if reader is form.distance:
        return True
    if not isinstance(reader, AddOp) or shape_of(reader.lhs) != shape_of(reader.rhs):
        return False
    one, other = unshaped(reader.lhs), unshaped(reader.rhs)
    largest = form.largest.result
    return (one == largest and _is_logarithm(other, form)) or (
        other == largest and _is_logarithm(one, form)
    )


def _hides_distance(reader: Operation, form: SoftmaxSum) -> bool:
    """H2 for one reader of the distance to the maximum."""
    if reader is form.exponential:
        return True
    if not isinstance(reader, SubtractOp) or reader.lhs != form.distance.result:
        return False
    return _is_logarithm(of_rows(reader.rhs, form.total), form)


def _hides_exponential(reader: Operation, form: SoftmaxSum) -> bool:
    """H3 for one reader of the exponential."""
    if reader is form.total:
        return True
    if not isinstance(reader, DivideOp) or reader.lhs != form.exponential.result:
        return False
    return of_rows(reader.rhs, form.total) == form.total.result


def _plan(largest: ReduceMaxOp, forms: Sequence[SoftmaxSum]) -> bool:
    """Whether only results that are NaN with the sums of `forms` follow from `largest`."""
    return (
        all(any(_hides_maximum(r, f) for f in forms) for r in _readers(largest.result))
        and all(
            any(_hides_distance(use.operation, g) for g in forms)
            for f in forms
            for use in f.distance.result.uses
        )
        and all(
            any(_hides_exponential(use.operation, g) for g in forms)
            for f in forms
            for use in f.exponential.result.uses
        )
    )


def _apply(largest: ReduceMaxOp) -> None:
    new = ReduceMaxnumOp.create(
        operands=[largest.operand],
        result_types=[largest.result.type],
        properties=dict(largest.properties),
        attributes=dict(largest.attributes),
    )
    new.location = largest.location
    Rewriter.replace_op(largest, new)


@dataclass(frozen=True)
class SnippetsRelaxMaximaPass(ModulePass):
    """Let the maximum of a softmax pass over NaN."""

    name = "snippets-relax-maxima"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the maxima of every subgraph."""
        for subgraph in [o for o in op.walk() if isinstance(o, SubgraphOp)]:
            found: dict[ReduceMaxOp, list[SoftmaxSum]] = {}
            for inner in computing_ops(subgraph.block):
                form = softmax_sum(inner.result) if isinstance(inner, ReduceSumOp) else None
                if form is not None and isinstance(form.largest, ReduceMaxOp):
                    found.setdefault(form.largest, []).append(form)
            for largest, forms in found.items():
                if not is_skipped(largest) and _plan(largest, forms):
                    _apply(largest)
