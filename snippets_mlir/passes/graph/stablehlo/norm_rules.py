"""Recognise normalizations that frameworks write as means.

    d = x - mean(x);  d * rsqrt(mean(d * d) + epsilon)     -> snippets.layer_norm
    x * rsqrt(mean(x * x) + epsilon)                       -> snippets.rms_norm
    layer_norm(x) * scale                                  -> snippets.layer_norm %x, %scale
    layer_norm(x, scale) + bias                            -> snippets.layer_norm %x, %scale, %bias

over the last dims. A mean is a sum divided by the number of elements, or times its reciprocal. The
root may be a divisor, and the scale may be multiplied by the root first. The variance may also be
`mean(x * x) - mean(x) * mean(x)`, clamped at 0, and be selected by a condition on constants. Only
the last op is still of StableHLO: the root of the match; the ops before it are already of
`snippets`. Each recognised function computes what the ops compute, with fewer roundings. Refused:
other divisors, means of other values or over other dims, and scales and biases that differ from row
to row.
"""

from __future__ import annotations

from typing import ClassVar, NamedTuple

from typing_extensions import override
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.snippets.arithmetic import AddOp, MultiplyOp
from snippets_mlir.dialects.snippets.conversion import BroadcastOp
from snippets_mlir.dialects.snippets.normalization import LayerNormOp, RmsNormOp
from snippets_mlir.dialects.stablehlo.elementwise import StableElementwiseOp
from snippets_mlir.passes.graph.stablehlo.builder import Replacement, in_a_function, splat_of
from snippets_mlir.passes.graph.stablehlo.matching import both_ways, made_by, of_floats
from snippets_mlir.passes.graph.stablehlo.norm_matching import (
    Mean,
    centred,
    mean_of,
    quotients,
    square_of,
    variance_of,
)
from snippets_mlir.passes.patterns import Pattern

Norm = LayerNormOp | RmsNormOp


def is_parameter(value: SSAValue, norm: Norm) -> bool:
    """Whether a scale or bias is the same for all rows that `norm` normalizes."""
    shape, rank = shape_of(value), len(shape_of(norm.x))
    sizes = (1,) * (rank - len(shape)) + tuple(shape)
    rows, row = sizes[: norm.axis], sizes[norm.axis :]
    return all(size == 1 for size in rows) and any(size != 1 for size in row)


def source_of(value: SSAValue) -> SSAValue:
    """`value` without its broadcasts."""
    while isinstance(value.owner, BroadcastOp):
        value = value.owner.operand
    return value


def with_parameter(norm: Norm, parameter: SSAValue) -> Norm:
    """`norm` with one parameter more, not yet inserted."""
    return type(norm).create(
        operands=[*norm.operands, source_of(parameter)],
        result_types=[norm.result.type],
        properties=dict(norm.properties),
    )


class Found(NamedTuple):
    """A normalization without parameters, and its factor."""

    op: type[Norm]
    mean: Mean
    epsilon: float
    scale: SSAValue | None


class Normalization(Pattern[StableElementwiseOp, Found]):
    """A quotient by the root of a mean of squares is `layer_norm` or `rms_norm`."""

    name = "normalization"
    ops: ClassVar = (StableElementwiseOp,)
    conditions = (in_a_function, of_floats)

    @override
    def match(self, op: StableElementwiseOp) -> Found | None:
        for top, radicand, scale in quotients(op):
            total = made_by(radicand, AddOp)
            for squares, constant in () if total is None else both_ways(total):
                epsilon = splat_of(constant)
                if epsilon is None or top.type != op.result.type:
                    continue
                if (mean := centred(top)) is not None and variance_of(squares) == mean:
                    return Found(LayerNormOp, mean, float(epsilon), scale)
                mean = mean_of(squares)
                if mean is not None and square_of(mean.of) is top:
                    return Found(RmsNormOp, Mean(top, mean.axis), float(epsilon), scale)
        return None

    @override
    def rewrite(self, op: StableElementwiseOp, match: Found, rewriter: PatternRewriter) -> None:
        build, (x, axis) = Replacement(op, rewriter), match.mean
        norm = (
            LayerNormOp(x, None, None, axis, match.epsilon)
            if match.op is LayerNormOp
            else RmsNormOp(x, None, axis, match.epsilon)
        )
        if match.scale is None:
            build.replace(build.add(norm))
        elif is_parameter(source_of(match.scale), norm):
            build.replace(build.add(with_parameter(norm, match.scale)))
        else:
            build.replace(build.apply(MultiplyOp, build.add(norm), source_of(match.scale)))


class NormalizationParameter(Pattern[StableElementwiseOp, "tuple[Norm, SSAValue]"]):
    """A factor of a normalization is its scale, and a term added to a scaled one is its bias."""

    name = "normalization-parameter"
    ops: ClassVar = (StableElementwiseOp,)
    conditions = (in_a_function, of_floats)

    def match(self, op: StableElementwiseOp) -> tuple[Norm, SSAValue] | None:
        """The normalization, which has no other reader, and the parameter."""
        expected = {"stablehlo.multiply": 0, "stablehlo.add": 1}.get(op.name)
        for value, parameter in () if expected is None else both_ways(op):
            norm = value.owner
            if not isinstance(norm, LayerNormOp | RmsNormOp) or not value.has_one_use():
                continue
            takes = isinstance(norm, LayerNormOp) or not expected
            if (
                takes
                and len(norm.parameters) == expected
                and is_parameter(source_of(parameter), norm)
            ):
                return norm, parameter
        return None

    @override
    def rewrite(
        self,
        op: StableElementwiseOp,
        match: tuple[Norm, SSAValue],
        rewriter: PatternRewriter,
    ) -> None:
        build = Replacement(op, rewriter)
        build.replace(build.add(with_parameter(*match)))


RULES = (Normalization, NormalizationParameter)
