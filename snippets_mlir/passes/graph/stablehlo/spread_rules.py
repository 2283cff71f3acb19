"""Recognise functions that frameworks write as several ops of StableHLO.

    1 / (1 + exp(-x))                        -> snippets.sigmoid
    x * sigmoid(x)                           -> snippets.swish
    (0.5 * x) * erfc(-x * sqrt(0.5))         -> snippets.gelu
    e / sum(e), e = exp(x - max(x))          -> snippets.softmax
    x and true                               -> x

The last is how `jax.nn.dot_product_attention` begins a mask: the truth values have the size of the
scores, so that the mask would, too.

Only the last op is still of StableHLO: the root of the match; the ops before it are already of
`snippets`. Constants are compared at the precision of the element type. Each recognised function
computes what the ops compute, with fewer roundings. An op with other readers stays for them.
"""

from __future__ import annotations

from math import sqrt
from typing import ClassVar

from typing_extensions import override
from xdsl.dialects.builtin import i1
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.snippets.activations import SigmoidOp
from snippets_mlir.dialects.snippets.arithmetic import AddOp, MultiplyOp, SubtractOp
from snippets_mlir.dialects.snippets.conversion import BroadcastOp, ReshapeOp
from snippets_mlir.dialects.snippets.elementary import ErfcOp, ExpOp
from snippets_mlir.dialects.snippets.gates import GeluOp, SwishOp
from snippets_mlir.dialects.snippets.layout import TransposeOp
from snippets_mlir.dialects.snippets.normalization import SoftmaxOp
from snippets_mlir.dialects.snippets.reduction import ReduceMaxOp, ReduceOp, ReduceSumOp
from snippets_mlir.dialects.snippets.signs import NegativeOp
from snippets_mlir.dialects.stablehlo.elementwise import StableElementwiseOp
from snippets_mlir.passes.graph.stablehlo.builder import Replacement, in_a_function, splat_of
from snippets_mlir.passes.graph.stablehlo.matching import (
    both_ways,
    is_constant,
    made_by,
    of_floats,
)
from snippets_mlir.passes.patterns import Pattern


class _Divide(Pattern[StableElementwiseOp, SSAValue]):
    ops: ClassVar = (StableElementwiseOp,)
    conditions = (in_a_function, of_floats)


class Sigmoid(_Divide):
    """`1 / (1 + exp(-x))` is `sigmoid(x)`."""

    name = "sigmoid"

    @override
    def match(self, op: StableElementwiseOp) -> SSAValue | None:
        if op.name != "stablehlo.divide" or not is_constant(op.inputs[0], 1):
            return None
        if (total := made_by(op.inputs[1], AddOp)) is None:
            return None
        for one, power in both_ways(total):
            exp = made_by(power, ExpOp)
            inner = None if exp is None else made_by(exp.operand, NegativeOp)
            if is_constant(one, 1) and inner is not None and inner.operand.type == op.result.type:
                return inner.operand
        return None

    @override
    def rewrite(self, op: StableElementwiseOp, match: SSAValue, rewriter: PatternRewriter) -> None:
        build = Replacement(op, rewriter)
        build.replace(build.apply(SigmoidOp, match))


class Swish(_Divide):
    """`x * sigmoid(x)` is `swish(x)`."""

    name = "swish"

    @override
    def match(self, op: StableElementwiseOp) -> SSAValue | None:
        if op.name != "stablehlo.multiply":
            return None
        for x, gate in both_ways(op):
            sigmoid = made_by(gate, SigmoidOp)
            if sigmoid is not None and sigmoid.operand is x:
                return x
        return None

    @override
    def rewrite(self, op: StableElementwiseOp, match: SSAValue, rewriter: PatternRewriter) -> None:
        build = Replacement(op, rewriter)
        build.replace(build.add(SwishOp(match)))


class Gelu(_Divide):
    """`(0.5 * x) * erfc(-x * sqrt(0.5))` is `gelu(x)`."""

    name = "gelu"

    @override
    def match(self, op: StableElementwiseOp) -> SSAValue | None:
        if op.name != "stablehlo.multiply":
            return None
        for half, tail in both_ways(op):
            product, erfc = made_by(half, MultiplyOp), made_by(tail, ErfcOp)
            if product is None or erfc is None:
                continue
            scaled = made_by(erfc.operand, MultiplyOp)
            if scaled is None:
                continue
            for c, x in both_ways(product):
                for minus, root in both_ways(scaled):
                    negative = made_by(minus, NegativeOp)
                    if negative is None or negative.operand is not x:
                        continue
                    if (
                        is_constant(c, 0.5)
                        and is_constant(root, sqrt(0.5))
                        and x.type == op.result.type
                    ):
                        return x
        return None

    @override
    def rewrite(self, op: StableElementwiseOp, match: SSAValue, rewriter: PatternRewriter) -> None:
        build = Replacement(op, rewriter)
        build.replace(build.add(GeluOp(match)))


class Softmax(Pattern[StableElementwiseOp, SoftmaxOp]):
    """`e / sum(e)` with `e = exp(x - max(x))` is `softmax(x)`."""

    name = "softmax"
    ops: ClassVar = (StableElementwiseOp,)
    conditions = (in_a_function, of_floats)

    @override
    def match(self, op: StableElementwiseOp) -> SoftmaxOp | None:
        if op.name != "stablehlo.divide" or not isinstance(exp := op.inputs[0].owner, ExpOp):
            return None
        total, distance = made_by(op.inputs[1], ReduceSumOp), exp.operand.owner
        if total is None or total.operand is not op.inputs[0]:
            return None
        if not isinstance(distance, SubtractOp):
            return None
        if not _one_kept_axis(total) or not _is_largest(distance, total.axes[0]):
            return None
        x = distance.lhs
        return SoftmaxOp(x, total.axes[0]) if x.type == op.result.type else None

    @override
    def rewrite(self, op: StableElementwiseOp, match: SoftmaxOp, rewriter: PatternRewriter) -> None:
        build = Replacement(op, rewriter)
        build.replace(build.add(match))


def _is_largest(distance: SubtractOp, axis: int) -> bool:
    """Whether `distance` is x - max(x), along `axis` of x.

    A `vmap` around the softmax transposes x, and its maxima without `axis` in the same way.
    """
    largest = made_by(distance.rhs, ReduceMaxOp)
    if largest is not None:
        of_x = largest.operand is distance.lhs
        return of_x and _one_kept_axis(largest) and largest.axes == (axis,)
    x, kept = distance.lhs.owner, made_by(distance.rhs, ReshapeOp)
    maxima = None if kept is None else kept.operand.owner
    if not isinstance(x, TransposeOp) or not isinstance(maxima, TransposeOp):
        return False
    *before, last = x.permutation
    largest = maxima.operand.owner
    return (
        isinstance(largest, ReduceMaxOp)
        and largest.operand is x.operand
        and (axis, last) == (len(before), len(before))
        and (largest.axes, largest.keeps_dims) == ((last,), False)
        and maxima.permutation == tuple(before)
        and shape_of(distance.rhs) == (*shape_of(maxima.result), 1)
    )


def _one_kept_axis(op: ReduceOp) -> bool:
    """Whether it reduces one dim and keeps it with size 1."""
    return op.keeps_dims and len(op.axes) == 1


class AndTrue(Pattern[StableElementwiseOp, SSAValue]):
    """`x and true` is `x`."""

    name = "and-true"
    ops: ClassVar = (StableElementwiseOp,)
    conditions = (in_a_function,)

    @override
    def match(self, op: StableElementwiseOp) -> SSAValue | None:
        if op.name != "stablehlo.and" or tensor_of(op.result).element_type != i1:
            return None
        pairs = (pair for pair in both_ways(op) if pair[0].type == op.result.type)
        return next((x for x, other in pairs if _is_true(other)), None)

    @override
    def rewrite(self, op: StableElementwiseOp, match: SSAValue, rewriter: PatternRewriter) -> None:
        rewriter.replace(op, [], [match])


def _is_true(value: SSAValue) -> bool:
    """Whether all elements of `value` are the constant true, through views."""
    while isinstance(value.owner, BroadcastOp | ReshapeOp | TransposeOp):
        value = value.owner.operand
    return bool(splat_of(value))


RULES = (Sigmoid, Swish, Gelu, Softmax, AndTrue)
