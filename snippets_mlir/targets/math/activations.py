"""Activation functions of one value: sigmoid, swish, gelu, softplus, mish, hswish and the like.

Those of the form x * s(x) with a small s for negative x are computed as

    max(x, 0) - |x| * s(-|x|)

whose second term is one quotient, scaled so that nothing under- or overflows before the last
operation: results keep their bits down to the subnormals. `positive_part` in place of the maximum
also gives -0.0 its sign, and NaN at -inf (inf * 0).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from snippets_mlir.targets.math.builder import MathBuilder, V
from snippets_mlir.targets.math.coefficients import (
    LOG1P_F32,
    LOG1P_F64,
    MILLS_F32,
    MILLS_F32_BELOW,
    MILLS_F64,
    MILLS_F64_BELOW,
    PHI_F32,
    PHI_F64,
)
from snippets_mlir.targets.math.exp import (
    exp_fast_f64,
    exp_negative,
    polynomial,
    polynomial_minus_one,
    power_of_two,
    reduced,
    two_powers,
)
from snippets_mlir.targets.math.primitives import (
    at_least,
    at_most,
    format_of,
    horner,
    infinity,
    mac,
    nan,
    positive_part,
    sign_bit,
    two_product,
    two_sum,
    with_sign,
)

Attrs = Mapping[str, float | str]

# Limits and scale of sigmoid: 0 below, 1 above; 2^-scale keeps both exponents in range.
_SIGMOID = {"f32": (-105.0, 18.0, 75), "f64": (-746.5, 38.0, 537)}
# The scale that keeps e^|x| finite where |x| e^-|x| is not 0.
_GATE_SCALE = {"f32": 40, "f64": 160}
_SWISH_LIMIT = {"f32": 109.0, "f64": 753.0}
_GELU_TANH_LIMIT = {"f32": 11.0, "f64": 22.0}
_GELU_ERF_LIMIT = {"f32": 14.5, "f64": 39.0}


def sigmoid(b: MathBuilder[V], operands: Sequence[V], _attrs: Attrs) -> V:
    """1 / (1 + e^-x) as p / (p + 2^-n), e^x = 2^n p, both scaled by a power of two."""
    low, high, scale = _SIGMOID[b.element]
    x = at_least(b, at_most(b, operands[0], high), low)
    bits, r = reduced(b, x, format_of(b).bias - scale, step=-1.0)
    p = horner(b, r, polynomial(b, factor=2.0**-scale))
    return b.div(p, b.add(p, power_of_two(b, bits)))


def _gate(b: MathBuilder[V], base: V, minus: V, z: V, low: V | None) -> V:
    """base + minus / (1 + e^z) for z >= 0, where e^z may exceed the largest float."""
    scale = _GATE_SCALE[b.element]
    bits, r = reduced(b, z, format_of(b).bias - scale, low=low)
    p = horner(b, r, polynomial(b, step=-1.0))
    factor = b.constant(2.0**-scale)
    below = mac(b, p, factor, power_of_two(b, bits))
    return mac(b, b.div(b.mul(minus, p), below), factor, base)


def swish(b: MathBuilder[V], operands: Sequence[V], attrs: Attrs) -> V:
    """x / (1 + e^(-beta x))."""
    (x,) = operands
    beta = float(attrs.get("beta", 1.0))
    if beta != 1.0:
        return _swish_f32(b, x, beta) if b.element == "f32" else _swish_f64(b, x, beta)
    a = at_most(b, b.abs(x), _SWISH_LIMIT[b.element])
    return _gate(b, positive_part(b, x), b.neg(a), a, None)


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


def gelu(b: MathBuilder[V], operands: Sequence[V], attrs: Attrs) -> V:
    """x Phi(x), or its approximation by tanh."""
    (x,) = operands
    return _gelu_tanh(b, x) if attrs.get("approximation", "erf") == "tanh" else _gelu_erf(b, x)


# 1 / sqrt(2 pi) as c (1 + d).
_DENSITY = {
    "f32": (float.fromhex("0x1.988454p-2"), float.fromhex("-0x1.e821f2p-26")),
    "f64": (float.fromhex("0x1.9884533d43651p-2"), float.fromhex("-0x1.201b8c07f2c3fp-54")),
}


def _gelu_erf(b: MathBuilder[V], x: V) -> V:
    """max(x, 0) - a Phi(-a), a = |x|, Phi(-a) = e^(-a^2 / 2) / (sqrt(2 pi) (a + P(a) / Q(a))).

    As a quotient: a Q e^(-a^2 / 2) / (sqrt(2 pi) (a Q + P)); errors of Q cancel where a is large.
    For a < 1/2, Phi(-a) = 1/2 + a G(a^2).
    """
    above, under = (
        (MILLS_F32, MILLS_F32_BELOW) if b.element == "f32" else (MILLS_F64, MILLS_F64_BELOW)
    )
    a = at_most(b, b.abs(x), _GELU_ERF_LIMIT[b.element])
    square, low = two_product(b, a, a)
    scale = _GATE_SCALE[b.element]
    bits, r = reduced(b, square, format_of(b).bias - scale, low=low, step=0.5)
    density, more = _DENSITY[b.element]
    q = horner(b, a, under)
    top = b.mul(a, q)
    below = b.mul(b.add(top, horner(b, a, above)), power_of_two(b, bits))
    top = mac(b, top, polynomial_minus_one(b, r, -0.5, more), top)
    large = b.mul(b.div(top, below), b.constant(density * 2.0**-scale))
    slope = horner(b, square, PHI_F32 if b.element == "f32" else PHI_F64)
    small = b.mul(a, mac(b, a, slope, b.constant(0.5)))
    term = b.select(b.lt(a, b.constant(0.5)), small, large)
    return b.sub(positive_part(b, x), term)


# 2 sqrt(2 / pi) and 0.044715 times it, in two words for each type.
_TANH_CONSTANTS = {
    "f32": (
        (float.fromhex("0x1.988454p+0"), float.fromhex("-0x1.857936p-25")),
        (float.fromhex("0x1.2444f2p-4"), float.fromhex("0x1.49b16ap-29")),
    ),
    "f64": (
        (float.fromhex("0x1.9884533d43651p+0"), float.fromhex("-0x1.cbc0d30ebfd15p-54")),
        (float.fromhex("0x1.2444f2a4d8b4bp-4"), float.fromhex("-0x1.6c843a29d1c70p-61")),
    ),
}


def _gelu_tanh(b: MathBuilder[V], x: V) -> V:
    """x / (1 + e^-2u), u = sqrt(2 / pi) (x + 0.044715 x^3): 2u is computed as a double word."""
    (linear, linear_low), (cubic, cubic_low) = _TANH_CONSTANTS[b.element]
    a = at_most(b, b.abs(x), _GELU_TANH_LIMIT[b.element])
    square, square_low = two_product(b, a, a)
    term, term_low = two_product(b, square, b.constant(cubic))
    term_low = mac(b, square_low, b.constant(cubic), term_low)
    term_low = mac(b, square, b.constant(cubic_low), term_low)
    slope, slope_low = two_sum(b, b.constant(linear), term)
    slope_low = b.add(b.add(slope_low, term_low), b.constant(linear_low))
    z, low = two_product(b, a, slope)
    low = mac(b, a, slope_low, low)
    return _gate(b, positive_part(b, x), b.neg(a), z, low)


def softplus(b: MathBuilder[V], operands: Sequence[V], _attrs: Attrs) -> V:
    """max(x, 0) + log1p(e), e = e^-|x|; log1p(e) = 2 atanh(t / 2) with t = e / (1 + e / 2)."""
    (x,) = operands
    zero, half = b.constant(0.0), b.constant(0.5)
    e = exp_negative(b, b.neg(b.abs(x)))
    t = b.div(e, mac(b, e, half, b.constant(1.0)))
    v = b.mul(t, t)
    q = horner(b, v, LOG1P_F32 if b.element == "f32" else LOG1P_F64)
    log = mac(b, b.mul(t, v), q, t)
    return b.add(b.select(b.gt(x, zero), x, zero), log)


# Above these, mish(x) rounds to x.
_MISH_LIMIT = {"f32": (-112.0, 20.0), "f64": (-755.0, 40.0)}


def mish(b: MathBuilder[V], operands: Sequence[V], _attrs: Attrs) -> V:
    """x n / (n + 2), n = e^x (e^x + 2), as c - c f with c close to the result and e^x = p s t.

    x >= 0: c = x, f = 2 / (n + 2). x < 0: c = x p s, f = e^x (e^x + 1) / (n + 2), and the power of
    two t at the end.
    """
    low, high = _MISH_LIMIT[b.element]
    x = at_least(b, operands[0], low)
    bits, r = reduced(b, at_most(b, x, high), 2 * format_of(b).bias)
    first, second = two_powers(b, bits)
    part = b.mul(horner(b, r, polynomial(b)), first)
    e = b.mul(part, second)
    two = b.constant(2.0)
    below = mac(b, e, b.add(e, two), two)
    negative = b.lt(x, b.constant(0.0))
    close = b.select(negative, b.mul(x, part), x)
    f = b.div(b.select(negative, mac(b, e, e, e), two), below)
    result = b.sub(close, b.mul(close, f)) if not b.fma_is_fast else b.fma(b.neg(close), f, close)
    result = b.mul(result, b.select(negative, second, b.constant(1.0)))
    result = with_sign(b, b.select(b.gt(x, b.constant(high)), x, result), x)
    return b.select(b.eq(operands[0], b.constant(-math.inf)), nan(b), result)


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
