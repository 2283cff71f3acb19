"""Arc sine, arc cosine, arc tangent, and the angle of a point, by odd polynomials."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from snippets_mlir.dialects.snippets.expansions.builder import MathBuilder, V
from snippets_mlir.dialects.snippets.expansions.coefficients_f32 import ASIN_F32, ATAN_F32
from snippets_mlir.dialects.snippets.expansions.coefficients_f64 import ASIN_F64, ATAN_F64
from snippets_mlir.dialects.snippets.expansions.primitives import (
    horner,
    infinity,
    mac,
    nan,
    with_sign,
)

Attrs = Mapping[str, float | str]

# pi/2 and pi/4 in two words.
_HALF_PI = {
    "f32": (float.fromhex("0x1.921fb6p+0"), float.fromhex("-0x1.777a5cp-25")),
    "f64": (float.fromhex("0x1.921fb54442d18p+0"), float.fromhex("0x1.1a62633145c07p-54")),
}
# pi minus its nearest f64.
_PI_LOW = float.fromhex("0x1.1a62633145c07p-53")


def _asin_cubic(b: MathBuilder[V], x: V, square: V) -> V:
    """Arc sine of x minus x, for |x| <= 1/2."""
    p = horner(b, square, ASIN_F32 if b.element == "f32" else ASIN_F64)
    return b.mul(b.mul(x, square), p)


def _folded(b: MathBuilder[V], x: V) -> tuple[V, V, V]:
    """Whether |x| > 1/2, then y and y^2: y = sqrt((1 - |x|) / 2) where it is, else x."""
    half = b.constant(0.5)
    a = b.abs(x)
    large = b.gt(a, half)
    z = b.mul(b.sub(b.constant(1.0), a), half)
    return large, b.select(large, b.sqrt(z), x), b.select(large, z, b.mul(x, x))


def asin(b: MathBuilder[V], operands: Sequence[V], _attrs: Attrs) -> V:
    """Arc sine, by the half-angle formula pi/2 - 2 asin y, y = sqrt((1 - |x|) / 2), beyond 1/2."""
    (x,) = operands
    large, y, square = _folded(b, x)
    rest = _asin_cubic(b, y, square)
    high, low = (b.constant(c) for c in _HALF_PI[b.element])
    outer = b.sub(high, b.sub(b.add(y, y), b.sub(low, b.add(rest, rest))))
    return b.select(large, with_sign(b, outer, x), b.add(y, rest))


def acos(b: MathBuilder[V], operands: Sequence[V], _attrs: Attrs) -> V:
    """Arc cosine: 2 asin y for x > 1/2, y = sqrt((1 - |x|) / 2), and pi - 2 asin y for x < -1/2."""
    (x,) = operands
    large, y, square = _folded(b, x)
    rest = _asin_cubic(b, y, square)
    high, low = _HALF_PI[b.element]
    inner = b.sub(b.constant(high), b.sub(y, b.sub(b.constant(low), rest)))
    twice = b.add(b.add(y, y), b.add(rest, rest))
    left = b.sub(b.constant(2 * high), b.sub(twice, b.constant(2 * low)))
    outer = b.select(b.lt(x, b.constant(0.0)), left, twice)
    return b.select(large, outer, inner)


def atan(b: MathBuilder[V], operands: Sequence[V], _attrs: Attrs) -> V:
    """Arc tangent of a = |x|; beyond 1, pi/2 plus that of -1 / a. f64 has a third range."""
    if b.element == "f64":
        return _atan_f64(b, operands[0])
    (x,) = operands
    high, low = _HALF_PI["f32"]
    zero, one = b.constant(0.0), b.constant(1.0)
    a = b.abs(x)
    large = b.gt(a, one)
    t = b.div(b.select(large, b.constant(-1.0), a), b.select(large, a, one))
    u = b.mul(t, t)
    cubic = mac(b, b.mul(t, u), horner(b, u, ATAN_F32), b.select(large, b.constant(low), zero))
    return with_sign(b, b.add(b.select(large, b.constant(high), zero), b.add(t, cubic)), x)


def _atan_f64(b: MathBuilder[V], x: V) -> V:
    """Arc tangent of t, plus pi/4 with t = (a - 1) / (a + 1) or pi/2 with t = -1 / a, a = |x|."""
    high, low = _HALF_PI["f64"]
    zero, one = b.constant(0.0), b.constant(1.0)
    a = b.abs(x)
    middle = b.gt(a, b.constant(0.41421356))
    large = b.gt(a, b.constant(2.4142135))
    top = b.select(large, b.constant(-1.0), b.select(middle, b.sub(a, one), a))
    below = b.select(large, a, b.select(middle, b.add(a, one), one))
    base = b.select(large, b.constant(high), b.select(middle, b.constant(high / 2), zero))
    rest = b.select(large, b.constant(low), b.select(middle, b.constant(low / 2), zero))
    t = b.div(top, below)
    u = b.mul(t, t)
    cubic = mac(b, b.mul(t, u), horner(b, u, ATAN_F64), rest)
    return with_sign(b, b.add(base, b.add(t, cubic)), x)


def _angle(b: MathBuilder[V], y: V, x: V) -> V:
    """atan2 in f64: the arc tangent of the smaller over the larger, in the right octant."""
    zero, one = b.constant(0.0), b.constant(1.0)
    ay, ax = b.abs(y), b.abs(x)
    steep = b.gt(ay, ax)
    top, below = b.select(steep, ax, ay), b.select(steep, ay, ax)
    ratio = b.div(top, below)
    ratio = b.select(b.eq(top, infinity(b)), one, b.select(b.eq(below, zero), zero, ratio))
    angle = atan(b, (ratio,), {})
    left = b.ilt(b.as_int(x), b.integer(0))
    angle = b.select(b.mask_xor(steep, left), b.neg(angle), angle)
    high, low = (
        b.select(steep, b.constant(part / 2), b.select(left, b.constant(part), zero))
        for part in (math.pi, _PI_LOW)
    )
    angle = b.add(high, b.add(angle, low))
    known = b.mask_and(b.eq(x, x), b.eq(y, y))
    return b.select(known, with_sign(b, angle, y), nan(b))


def atan2(b: MathBuilder[V], operands: Sequence[V], _attrs: Attrs) -> V:
    """The angle between the first axis and the point (x, y)."""
    y, x = operands
    if b.element == "f32":
        return b.narrow(_angle(b.f64(), b.widen(y), b.widen(x)))
    return _angle(b, y, x)
