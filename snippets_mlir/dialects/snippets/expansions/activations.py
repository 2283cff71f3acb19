"""Activation functions of one value: sigmoid, swish, softplus, mish, hswish and the like.

Functions of the form x * s(x) with a small s for negative x are computed as

    max(x, 0) - |x| * s(-|x|)

The second term is one quotient, scaled so that nothing under- or overflows before the last
operation. Results keep their bits down to the subnormals. `positive_part` in place of the maximum
also gives -0.0 its sign, and NaN at -inf (inf * 0).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from snippets_mlir.dialects.snippets.expansions.builder import MathBuilder, V
from snippets_mlir.dialects.snippets.expansions.coefficients_f32 import LOG1P_F32
from snippets_mlir.dialects.snippets.expansions.coefficients_f64 import LOG1P_F64
from snippets_mlir.dialects.snippets.expansions.exp import (
    exp_fast_f64,
    exp_plus,
    polynomial,
    power_of_two,
    reduced,
    two_powers,
)
from snippets_mlir.dialects.snippets.expansions.primitives import (
    at_least,
    at_most,
    format_of,
    horner,
    infinity,
    mac,
    positive_part,
    sign_bit,
    two_product,
)

Attrs = Mapping[str, float | str]

# e^|x| where sigmoid is 0 or 1, and the scale that keeps it finite.
_SIGMOID = {"f32": (105.0, 75), "f64": (746.5, 537)}
# The scale that keeps e^|x| finite where |x| e^-|x| is not 0.
GATE_SCALE = {"f32": 40, "f64": 160}
_SWISH_LIMIT = {"f32": 109.0, "f64": 753.0}


def _one_plus_exp(b: MathBuilder[V], z: V, scale: int, low: V | None = None) -> V:
    """2^-scale (1 + e^(z + low)) for z >= 0."""
    bits, r = reduced(b, z, format_of(b).bias - scale, low=low)
    return exp_plus(b, power_of_two(b, bits), r, b.constant(2.0**-scale))


def sigmoid(b: MathBuilder[V], operands: Sequence[V], _attrs: Attrs) -> V:
    """s = 1 / (1 + e^|x|), both sides scaled by a power of two, or 1 - s."""
    (x,) = operands
    limit, scale = _SIGMOID[b.element]
    below = _one_plus_exp(b, at_most(b, b.abs(x), limit), scale)
    small = b.div(b.constant(2.0**-scale), below)
    return b.select(b.lt(x, b.constant(0.0)), small, b.sub(b.constant(1.0), small))


def gate(b: MathBuilder[V], base: V, a: V, z: V, low: V | None = None) -> V:
    """base - a / (1 + e^(z + low)) for z >= 0, where e^z may exceed the largest float."""
    scale = GATE_SCALE[b.element]
    quotient = b.div(a, _one_plus_exp(b, z, scale, low))
    return mac(b, quotient, b.constant(-(2.0**-scale)), base)


def swish(b: MathBuilder[V], operands: Sequence[V], attrs: Attrs) -> V:
    """x / (1 + e^(-beta x))."""
    (x,) = operands
    beta = float(attrs.get("beta", 1.0))
    if beta != 1.0:
        return _swish_f32(b, x, beta) if b.element == "f32" else _swish_f64(b, x, beta)
    a = at_most(b, b.abs(x), _SWISH_LIMIT[b.element])
    return gate(b, positive_part(b, x), a, a)


def _swish_f32(b: MathBuilder[V], x: V, beta: float) -> V:
    """In f64, where beta * x is exact."""
    d = b.f64()
    wide = b.widen(x)
    z = d.neg(d.mul(b.widen(b.constant(beta)), wide))
    e = exp_fast_f64(d, at_least(d, at_most(d, z, 700.0), -700.0))
    e = d.select(d.gt(z, d.constant(700.0)), infinity(d), e)
    return b.narrow(d.div(wide, d.add(d.constant(1.0), e)))


def _swish_f64(b: MathBuilder[V], x: V, beta: float) -> V:
    """base + t s(-|z|), z = beta x with its rounding error, s by two powers of two."""
    factor = b.constant(beta)
    zero = b.constant(0.0)
    z, low = two_product(b, factor, x)
    positive = b.gt(z, zero)
    base = b.select(positive, x, b.mul(x, zero))
    t = b.select(positive, b.neg(x), x)
    low = b.select(positive, b.neg(low), low)
    z = b.neg(b.abs(z))
    # Below the limit the term is 0. Where a tiny beta lets x be huge the limit is lower, and 2^-60
    # moves from the exponential to t.
    limit = b.constant(-1410.0)
    scale_x = abs(beta) < 1e-250
    huge = b.gt(b.abs(t), b.constant(2.0**900)) if scale_x else positive
    if scale_x:
        limit = b.select(huge, b.constant(-1450.0), limit)
    vanishes = b.le(z, limit)
    low = b.select(vanishes, zero, low)
    bits, r = reduced(b, b.select(vanishes, limit, z), 2 * format_of(b).bias, low=low)
    if scale_x:
        bits = b.select(huge, b.iadd(bits, b.integer(60)), bits)
        t = b.select(huge, b.mul(t, b.constant(2.0**-60)), t)
    t = b.select(vanishes, b.as_float(sign_bit(b, x)), t)
    p = horner(b, r, polynomial(b))
    first, second = two_powers(b, bits)
    part = b.mul(p, first)
    below = mac(b, part, second, b.constant(1.0))
    return mac(b, b.div(b.mul(t, part), below), second, base)


def softplus(b: MathBuilder[V], operands: Sequence[V], _attrs: Attrs) -> V:
    """max(x, 0) + log1p(e^-a), a = |x|; log1p = 2 atanh(t / 2) with t = 1 / (e^a + 1/2).

    t is scaled like sigmoid, with 5/4 on both sides, which keeps its divisor from just above a
    power of two where t is just below one; the remainder of the division corrects it.
    """
    (x,) = operands
    zero = b.constant(0.0)
    limit, scale = _SIGMOID[b.element]
    bits, r = reduced(b, at_most(b, b.abs(x), limit), format_of(b).bias - scale)
    unit = 1.25 * 2.0**-scale
    half = b.constant(0.5 * unit)
    below = exp_plus(b, power_of_two(b, bits), r, half, factor=1.25)
    t = b.div(b.constant(unit), below)
    rest = b.mul(b.fma(b.neg(t), below, b.constant(unit)), b.constant(1 / unit))
    v = b.mul(t, t)
    rest = mac(b, v, horner(b, v, LOG1P_F32 if b.element == "f32" else LOG1P_F64), rest)
    tail = mac(b, t, rest, b.select(b.gt(x, zero), x, zero))
    return b.add(t, tail)


# Above this, mish(-a) is 0, and mish(a) is a.
_MISH_LIMIT = {"f32": 112.0, "f64": 755.0}


def mish(b: MathBuilder[V], operands: Sequence[V], _attrs: Attrs) -> V:
    """x n / (n + 2), n = e^x (e^x + 2), with a = |x| and e = e^a >= 1.

    x > 0: a - a / (e^2 / 2 + e + 1). x < 0: -a / (e + h), h = (1 + e) / (1 + 2 e).
    """
    (x,) = operands
    a = at_most(b, b.abs(x), _MISH_LIMIT[b.element])
    scale = GATE_SCALE[b.element]
    unit, one, half = b.constant(2.0**-scale), b.constant(1.0), b.constant(0.5)
    bits, r = reduced(b, a, format_of(b).bias - scale)
    s = power_of_two(b, bits)
    e = b.mul(b.mul(s, horner(b, r, polynomial(b))), b.constant(2.0**scale))
    above = mac(b, mac(b, e, half, one), e, one)
    h = b.div(half, mac(b, e, b.constant(2.0), one))
    h = mac(b, h, unit, b.constant(0.5 * 2.0**-scale))
    below = exp_plus(b, s, r, h, most=0.9375)
    below = b.select(b.gt(x, b.constant(0.0)), b.mul(above, unit), below)
    return mac(b, b.div(a, below), b.neg(unit), positive_part(b, x))


def softsign(b: MathBuilder[V], operands: Sequence[V], _attrs: Attrs) -> V:
    """x / (1 + |x|)."""
    (x,) = operands
    return b.div(x, b.add(b.constant(1.0), b.abs(x)))


def hsigmoid(b: MathBuilder[V], operands: Sequence[V], _attrs: Attrs) -> V:
    """min(max(x + 3, 0), 6) / 6."""
    (x,) = operands
    y = at_most(b, at_least(b, b.add(x, b.constant(3.0)), 0.0), 6.0)
    return b.div(y, b.constant(6.0))


def hswish(b: MathBuilder[V], operands: Sequence[V], attrs: Attrs) -> V:
    """x * hsigmoid(x)."""
    return b.mul(operands[0], hsigmoid(b, operands, attrs))
