"""Convert reductions of StableHLO to the `snippets` dialect.

    %1 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1]
         : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>     -> snippets.reduce_sum {axes = [1]}

The names of the reductions are in their records. A neutral initial value (0 of a sum) is dropped;
another one is combined with the result. On i1, `or` is a maximum and `and` a minimum of unsigned
integers: for no elements, the maximum is 0 (false), and the minimum is not.
Reductions combine their elements in another order, so sums and products of floats round
differently. Refused: several inputs, and regions of more than one op or of other ops.
"""

from __future__ import annotations

from typing import NamedTuple, cast

from typing_extensions import override
from xdsl.dialects.builtin import IntegerType, Signedness, i1
from xdsl.ir import Attribute
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.builtin.integers import integers_of
from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.conversion import ConvertTruncationOp
from snippets_mlir.dialects.snippets.reduction import ReduceMaxOp, ReduceMinOp, ReduceOp
from snippets_mlir.dialects.stablehlo import reduction
from snippets_mlir.dialects.stablehlo.names import record_for
from snippets_mlir.passes.graph.stablehlo.builder import (
    Replacement,
    in_a_function,
    of_known_elements,
    splat_of,
)
from snippets_mlir.passes.patterns import Pattern


class Reduction(NamedTuple):
    """A reduction as an op of `snippets`.

    Attributes:
        op: the reduction.
        combine: the elementwise op that adds the initial value; None for a neutral one.
    """

    op: type[ReduceOp]
    combine: type[ComputeOp] | None


def of_one_input(op: reduction.ReduceOp) -> bool:
    """It reduces one input to one result."""
    return len(op.results) == 1


def neutral(kind: str, element: Attribute) -> float:
    """The sum, prod, max or min of no elements: the neutral initial value."""
    if kind in ("sum", "prod"):
        return 0 if kind == "sum" else 1
    if (integers := integers_of(element)) is None:
        return -float("inf") if kind == "max" else float("inf")
    return integers.smallest if kind == "max" else integers.largest


class Reduce(Pattern[reduction.ReduceOp, Reduction]):
    """A reduction by one op is the `snippets` reduction with its name."""

    name = "reduce"
    ops = (reduction.ReduceOp,)
    conditions = (in_a_function, of_known_elements, of_one_input)

    def match(self, op: reduction.ReduceOp) -> Reduction | None:
        """The reduction, and whether the initial value counts."""
        element = tensor_of(op.results[0]).element_type
        combiner = op.combiner
        if element == i1 or combiner is None:
            return None
        record, elementwise = record_for(op), record_for(combiner)
        if record is None or elementwise is None:
            return None
        found = cast("type[ReduceOp]", record.op)
        is_neutral = splat_of(op.init_values[0]) == neutral(found.ACCUMULATOR, element)
        return Reduction(found, None if is_neutral else elementwise.op)

    @override
    def rewrite(self, op: reduction.ReduceOp, match: Reduction, rewriter: PatternRewriter) -> None:
        build = Replacement(op, rewriter)
        value = build.add(match.op(op.inputs[0], op.axes))
        if match.combine is not None:
            value = build.apply(match.combine, value, op.init_values[0])
        build.replace(value)


class ReduceBools(Pattern[reduction.ReduceOp, type[ReduceOp]]):
    """`or` of i1 is the maximum of unsigned integers, `and` the minimum."""

    name = "reduce-bools"
    ops = (reduction.ReduceOp,)
    conditions = (in_a_function, of_one_input)

    def match(self, op: reduction.ReduceOp) -> type[ReduceOp] | None:
        """The reduction of integers, for a neutral initial value."""
        combiner = op.combiner
        if combiner is None or tensor_of(op.results[0]).element_type != i1:
            return None
        init = splat_of(op.init_values[0])
        if combiner.name == "stablehlo.or" and init == 0:
            return ReduceMaxOp
        return ReduceMinOp if combiner.name == "stablehlo.and" and init else None

    @override
    def rewrite(
        self, op: reduction.ReduceOp, match: type[ReduceOp], rewriter: PatternRewriter
    ) -> None:
        build = Replacement(op, rewriter)
        unsigned = IntegerType(32, Signedness.UNSIGNED)
        numbers = build.add(ConvertTruncationOp(op.inputs[0], unsigned))
        build.replace(build.add(match(numbers, op.axes)))


RULES = (Reduce, ReduceBools)
