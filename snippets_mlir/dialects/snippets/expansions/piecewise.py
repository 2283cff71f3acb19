"""Exact functions of floats: selections, rounding and predicates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from snippets_mlir.dialects.snippets.expansions.builder import MathBuilder, V
from snippets_mlir.dialects.snippets.expansions.primitives import (
    at_least,
    at_most,
    format_of,
    infinity,
    sign_bit,
    with_sign,
)

Attrs = Mapping[str, float | str]


def rsqrt(b: MathBuilder[V], operands: Sequence[V], _attrs: Attrs) -> V:
    """1 / sqrt(x)."""
    return b.div(b.constant(1.0), b.sqrt(operands[0]))


def relu(b: MathBuilder[V], operands: Sequence[V], _attrs: Attrs) -> V:
    """+0.0 where x <= 0 (also for -0.0), else x (also NaN)."""
    (x,) = operands
    zero = b.constant(0.0)
    return b.select(b.le(x, zero), zero, x)


def leaky_relu(b: MathBuilder[V], operands: Sequence[V], attrs: Attrs) -> V:
    """x, or alpha * x below 0."""
    return prelu(b, (operands[0], b.constant(float(attrs["alpha"]))), attrs)


def prelu(b: MathBuilder[V], operands: Sequence[V], _attrs: Attrs) -> V:
    """lhs, or lhs * rhs below 0."""
    x, slope = operands
    return b.select(b.lt(x, b.constant(0.0)), b.mul(x, slope), x)


def clamp(b: MathBuilder[V], operands: Sequence[V], attrs: Attrs) -> V:
    """Raised to `min`, then lowered to `max`."""
    return at_most(b, at_least(b, operands[0], float(attrs["min"])), float(attrs["max"]))


def sign(b: MathBuilder[V], operands: Sequence[V], _attrs: Attrs) -> V:
    """-1, +0 or 1; NaN stays."""
    (x,) = operands
    zero, one = b.constant(0.0), b.constant(1.0)
    rest = b.select(b.lt(x, zero), b.constant(-1.0), b.abs(x))
    return b.select(b.gt(x, zero), one, rest)


def round_half_away(b: MathBuilder[V], operands: Sequence[V], _attrs: Attrs) -> V:
    """The truncated value, moved one away from zero if at least a half was cut off."""
    (x,) = operands
    t = b.trunc(x)
    one = b.as_float(b.ior(sign_bit(b, x), b.integer(format_of(b).one)))
    cut = b.abs(b.sub(x, t))
    return b.select(b.ge(cut, b.constant(0.5)), b.add(t, one), t)


def squared_difference(b: MathBuilder[V], operands: Sequence[V], _attrs: Attrs) -> V:
    """(lhs - rhs)^2."""
    d = b.sub(operands[0], operands[1])
    return b.mul(d, d)


def is_nan(b: MathBuilder[V], operands: Sequence[V], _attrs: Attrs) -> V:
    """Whether x is NaN."""
    return b.ne(operands[0], operands[0])


def is_inf(b: MathBuilder[V], operands: Sequence[V], _attrs: Attrs) -> V:
    """Whether x is infinite."""
    return b.eq(b.abs(operands[0]), infinity(b))


def is_finite(b: MathBuilder[V], operands: Sequence[V], _attrs: Attrs) -> V:
    """Whether x is finite."""
    return b.lt(b.abs(operands[0]), infinity(b))


def copysign(b: MathBuilder[V], operands: Sequence[V], _attrs: Attrs) -> V:
    """The magnitude of lhs with the sign bit of rhs."""
    x, y = operands
    return with_sign(b, b.abs(x), y)


def signbit(b: MathBuilder[V], operands: Sequence[V], _attrs: Attrs) -> V:
    """Whether the sign bit is set."""
    return b.ilt(b.as_int(operands[0]), b.integer(0))


def nextafter(b: MathBuilder[V], operands: Sequence[V], _attrs: Attrs) -> V:
    """The float after lhs towards rhs; floats of one sign are ordered as their bits."""
    x, y = operands
    zero = b.constant(0.0)
    inwards = b.mask_xor(b.lt(x, y), b.gt(x, zero))
    step = b.select(inwards, b.integer(-1), b.integer(1))
    smallest = b.ior(sign_bit(b, y), b.integer(1))
    bits = b.select(b.eq(x, zero), smallest, b.iadd(b.as_int(x), step))
    result = b.select(b.eq(x, y), y, b.as_float(bits))
    return b.select(b.mask_or(b.ne(x, x), b.ne(y, y)), b.add(x, y), result)
