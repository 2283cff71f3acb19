"""Rewrites that depend on types or attributes: chains of one kind of op, division by 2^k.

* convert_B(convert_A(x)) = convert_B(x) if A keeps every value (`is_lossless`), or if both drop
  high bits of integers.
* reshape(reshape(x)), broadcast(broadcast(x)), bitcast(bitcast(x)): the last one alone.
* clamp(clamp(x)) with the same bounds: the inner one.
* x / 2^k = x * 2^-k on floats if 2^-k is a normal number: both are the same real number, rounded
  once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from math import frexp, isfinite

from xdsl.dialects.builtin import (
    AnyFloat,
    BFloat16Type,
    DenseIntOrFPElementsAttr,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from snippets_mlir.dialects.builtin.integers import integers_of
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.snippets.arithmetic import DivideOp, MultiplyOp
from snippets_mlir.dialects.snippets.base import BOOL, FLOAT, INTEGER, kind_of
from snippets_mlir.dialects.snippets.clamps import ClampOp
from snippets_mlir.dialects.snippets.constants import ConstantOp, ScalarOp
from snippets_mlir.dialects.snippets.conversion import (
    ConvertSaturationOp,
    ConvertTruncationOp,
)
from snippets_mlir.dialects.snippets.internal import BitcastOp
from snippets_mlir.dialects.snippets.rules.match import dense_constant, in_linear_ir, splat_value
from snippets_mlir.dialects.snippets.shapes import is_static

_SIGNIFICAND: dict[type[Attribute], int] = {
    BFloat16Type: 8,
    Float16Type: 11,
    Float32Type: 24,
    Float64Type: 53,
}
_MIN_EXPONENT: dict[type[Attribute], int] = {
    BFloat16Type: -126,
    Float16Type: -14,
    Float32Type: -126,
    Float64Type: -1022,
}
_WIDER_FLOATS: dict[type[Attribute], tuple[type[Attribute], ...]] = {
    BFloat16Type: (Float32Type, Float64Type),
    Float16Type: (Float32Type, Float64Type),
    Float32Type: (Float64Type,),
}


def is_lossless(source: Attribute, target: Attribute) -> bool:
    """Whether converting `source` to `target` keeps every value, NaN and zeros included."""
    if source == target or kind_of(source) == BOOL:
        return kind_of(target) is not None
    integers, others = integers_of(source), integers_of(target)
    if integers is None:
        return type(target) in _WIDER_FLOATS.get(type(source), ())
    if others is None:
        digits = integers.width - (not integers.unsigned)
        return digits <= _SIGNIFICAND.get(type(target), 0)
    inside = others.smallest <= integers.smallest and integers.largest <= others.largest
    return inside and kind_of(target) == INTEGER


def _drops_high_bits(op: Operation) -> bool:
    if not isinstance(op, ConvertTruncationOp):
        return False
    source, target = (integers_of(tensor_of(v).element_type) for v in (op.operand, op.result))
    return source is not None and target is not None and 1 < target.width <= source.width


def skips_middle(inner: Operation, outer: Operation) -> bool:
    """Whether `outer` applied directly to the operand of `inner` gives the same value."""
    if _drops_high_bits(inner) and _drops_high_bits(outer):
        return True
    first = tensor_of(inner.operands[0]).element_type
    middle, last = (tensor_of(op.results[0]).element_type for op in (inner, outer))
    if not is_lossless(first, middle):
        return False
    # An integer that went through a float is out of range, where an integer loses high bits.
    through_float = (kind_of(first), kind_of(middle), kind_of(last)) == (INTEGER, FLOAT, INTEGER)
    keeps = isinstance(outer, ConvertSaturationOp) or is_lossless(first, last)
    return keeps or not through_float


class _Chain(RewritePattern, ABC):
    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        """Replace `op` if `holds` allows it."""
        if in_linear_ir(op) or not op.operands:
            return
        inner = op.operands[0].owner
        if not isinstance(inner, Operation) or in_linear_ir(inner) or not self.holds(inner, op):
            return
        new_op = type(op).create(
            operands=[inner.operands[0]],
            result_types=[op.results[0].type],
            properties=dict(op.properties),
            attributes=dict(op.attributes),
        )
        new_op.location = op.location
        rewriter.replace(op, new_op)

    @abstractmethod
    def holds(self, inner: Operation, outer: Operation) -> bool:
        """Whether the inner op can be removed."""


class SkipMiddleConversion(_Chain):
    """convert_B(convert_A(x)) = convert_B(x)."""

    def holds(self, inner: Operation, outer: Operation) -> bool:
        """Whether A keeps every value, or both drop high bits."""
        conversions = (ConvertTruncationOp, ConvertSaturationOp)
        return isinstance(inner, conversions) and skips_middle(inner, outer)


class SkipInnerView(_Chain):
    """reshape(reshape(x)), broadcast(broadcast(x)) and bitcast(bitcast(x)) become the outer op
    alone.
    """

    def holds(self, inner: Operation, outer: Operation) -> bool:
        """Whether both are the same op, with static shapes unless the op keeps them."""
        if type(inner) is not type(outer):
            return False
        return isinstance(outer, BitcastOp) or all(
            is_static(shape_of(v)) for v in (*inner.operands, *outer.results)
        )


class SkipInnerClamp(_Chain):
    """clamp(clamp(x)) with the same bounds is one clamp: it is idempotent, also for min > max."""

    def holds(self, inner: Operation, outer: Operation) -> bool:
        """Whether both are clamps with equal bounds."""
        return isinstance(inner, ClampOp) and inner.properties == outer.properties


def reciprocal_of_power_of_two(value: float, element: Attribute) -> float | None:
    """1 / value when value is +-2^k and 2^-k is a normal number of the type, else None."""
    mantissa, exponent = frexp(value)
    smallest = _MIN_EXPONENT.get(type(element))
    if smallest is None or not isfinite(value) or abs(mantissa) != 0.5:
        return None
    # value = +-2^(exponent - 1); its reciprocal is 2^(1 - exponent).
    return 1.0 / value if smallest <= 1 - exponent <= 1 - smallest else None


class MultiplyByReciprocal(RewritePattern):
    """x / 2^k = x * 2^-k."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        """Replace a division by a constant whose elements are all the same power of two."""
        assert isinstance(op, DivideOp)
        factor = self._plan(op)
        if factor is None:
            return
        product = MultiplyOp.create(
            operands=[op.lhs, factor.results[0]],
            result_types=[op.result.type],
            attributes=dict(op.attributes),
        )
        factor.location = product.location = op.location
        rewriter.replace(op, [factor, product])

    def _plan(self, op: DivideOp) -> Operation | None:
        """The constant to multiply by, not yet inserted."""
        if in_linear_ir(op) or (attr := dense_constant(op.rhs)) is None:
            return None
        element, value = attr.get_element_type(), splat_value(attr)
        if kind_of(element) != FLOAT or value is None or abs(value) == 1.0:
            return None
        reciprocal = reciprocal_of_power_of_two(value, element)
        return None if reciprocal is None else self._constant(op.rhs, attr, reciprocal)

    @staticmethod
    def _constant(
        old: SSAValue, attr: DenseIntOrFPElementsAttr[AnyFloat], value: float
    ) -> Operation:
        if isinstance(old.owner, ScalarOp):
            return ScalarOp(FloatAttr(value, attr.get_element_type()))
        return ConstantOp(DenseIntOrFPElementsAttr.from_list(attr.type, [value]))
