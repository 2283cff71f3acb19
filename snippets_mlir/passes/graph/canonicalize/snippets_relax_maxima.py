"""Let the maximum of a softmax ignore NaN; the sum is still NaN.

    %m = snippets.reduce_max %x {axes = array<i64: 1>, keep_dims} : .. -> tensor<4x1xf32>
    %d = snippets.subtract %x, %m
    %e = snippets.exp %d
    %s = snippets.reduce_sum %e {axes = array<i64: 1>, keep_dims} : .. -> tensor<4x1xf32>
    %y = snippets.divide %e, %s

becomes the same with `%m = snippets.reduce_maxnum %x`. A maximum that keeps NaN and tells 0.0 from
-0.0 takes five instructions on x86; one that need not takes one. If an element of a row is NaN,
then its distance to any maximum, its exponential, and the sum are NaN too. So a result that follows
from the sum is NaN in the whole row either way. Either of two zeros will do: exp(0.0) = exp(-0.0),
and if a row has both, the sum is at least 2 and its logarithm is not 0. Exact: a NaN may be any
NaN.

Fires on a `reduce_max` of floats in a subgraph if every path from it to a result goes through such
a sum, that is, if

* H1: the maximum is read by `x - max(x)` of such sums, or is added to the logarithm of one
  (logsumexp);
* H2: that distance is read by the exponential, or by `distance - log(sum)` (log_softmax);
* H3: the exponential is read by the sum, or divided by it.

A maximum that the subgraph also returns stays, and so does one that any other op reads.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from typing_extensions import override
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.snippets.arithmetic import AddOp, DivideOp, SubtractOp
from snippets_mlir.dialects.snippets.conversion import BroadcastLikeOp, ReshapeOp
from snippets_mlir.dialects.snippets.elementary import ExpOp, LogOp
from snippets_mlir.dialects.snippets.internal import ReduceMaxnumOp
from snippets_mlir.dialects.snippets.reduction import ReduceMaxOp, ReduceSumOp
from snippets_mlir.passes.building.graph import is_skipped, not_skipped
from snippets_mlir.passes.graph.canonicalize.softmax_forms import (
    SoftmaxSum,
    of_rows,
    softmax_sum,
    unshaped,
)
from snippets_mlir.passes.graph.graph_passes import SubgraphPatternPass
from snippets_mlir.passes.patterns import Pattern


def _readers(value: SSAValue) -> Iterator[Operation]:
    """The readers of `value`, through broadcasts and reshapes."""
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


def _hide(
    hides: Callable[[Operation, SoftmaxSum], bool],
    ops: Sequence[SubtractOp | ExpOp],
    forms: Sequence[SoftmaxSum],
) -> bool:
    """Whether a law holds for all readers of `ops`, with one form for each op."""
    readers = (use.operation for op in ops for use in op.result.uses)
    return all(any(hides(reader, form) for form in forms) for reader in readers)


def sums_of(largest: ReduceMaxOp) -> list[SoftmaxSum]:
    """The sums of exp of distances to a maximum."""
    distances = (op for op in _readers(largest.result) if isinstance(op, SubtractOp))
    exponentials = (use.operation for op in distances for use in op.result.uses)
    totals = (use.operation for op in exponentials for v in op.results for use in v.uses)
    forms = (softmax_sum(op.result) for op in totals if isinstance(op, ReduceSumOp))
    return [f for f in forms if f and f.largest is largest and not is_skipped(f.total)]


class RelaxMaximum(Pattern[ReduceMaxOp, type[ReduceMaxnumOp]]):
    """A maximum may ignore NaN if the sums make all results that depend on it NaN."""

    name = "relax-maximum"
    ops = (ReduceMaxOp,)
    conditions = (not_skipped,)

    def match(self, op: ReduceMaxOp) -> type[ReduceMaxnumOp] | None:
        """The maximum that need not keep NaN, if H1 to H3 hold."""
        forms = sums_of(op)
        hidden = (
            forms
            and all(any(_hides_maximum(r, f) for f in forms) for r in _readers(op.result))
            and _hide(_hides_distance, [f.distance for f in forms], forms)
            and _hide(_hides_exponential, [f.exponential for f in forms], forms)
        )
        return ReduceMaxnumOp if hidden else None

    @override
    def rewrite(
        self, op: ReduceMaxOp, match: type[ReduceMaxnumOp], rewriter: PatternRewriter
    ) -> None:
        new = match.create(
            operands=[op.operand],
            result_types=[op.result.type],
            properties=dict(op.properties),
            attributes=dict(op.attributes),
        )
        new.location = op.location
        rewriter.replace(op, new)


@dataclass(frozen=True)
class SnippetsRelaxMaximaPass(SubgraphPatternPass):
    """Let the maximum of a softmax ignore NaN."""

    name = "snippets-relax-maxima"
    PATTERNS = (RelaxMaximum,)
