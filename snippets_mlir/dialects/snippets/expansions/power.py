"""x^y for floats, with C's special values; constant exponents that need no logarithm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from snippets_mlir.dialects.snippets.expansions.builder import MathBuilder, V
from snippets_mlir.dialects.snippets.expansions.exp import LIMITS, exp_fast_f64, exp_scaled
from snippets_mlir.dialects.snippets.expansions.log import log_double_word, log_f64, normal
from snippets_mlir.dialects.snippets.expansions.primitives import (
    at_least,
    at_most,
    infinity,
    mac,
    nan,
    sign_bit,
)


def _log_edges(b: MathBuilder[V], a: V, log: V) -> V:
    """`log` for finite a > 0, -inf for 0 and a itself for infinity and NaN."""
    log = b.select(b.eq(a, b.constant(0.0)), b.neg(infinity(b)), log)
    return b.select(b.lt(a, infinity(b)), log, a)


def _magnitude_f32(b: MathBuilder[V], a: V, y: V) -> V:
    """|x|^y in f64 rounded to f32."""
    d = b.f64()
    wide = b.widen(a)
    log = _log_edges(d, wide, log_f64(d, wide, fast=True))
    z = d.mul(b.widen(y), log)
    return b.narrow(exp_fast_f64(d, at_least(d, at_most(d, z, 110.0), -110.0)))


def _magnitude_f64(b: MathBuilder[V], a: V, y: V) -> V:
    """e^(y log |x|) with logarithm and product in double words."""
    u, offset = normal(b, a)
    log, log_low = log_double_word(b, u, offset)
    log = _log_edges(b, a, log)
    z = b.mul(y, log)
    low = mac(b, y, log_low, b.fma(y, log, b.neg(z)))
    # If z is out of range or not finite, the low word has no meaning.
    known = b.lt(b.abs(z), b.constant(800.0))
    low = b.select(known, low, b.constant(0.0))
    below, above = LIMITS["f64"]
    return exp_scaled(b, at_least(b, at_most(b, z, above), below), low)


def power(b: MathBuilder[V], operands: Sequence[V], _attrs: Mapping[str, float | str]) -> V:
    """x^y as C's pow."""
    x, y = operands
    zero, one, half = b.constant(0.0), b.constant(1.0), b.constant(0.5)
    a = b.abs(x)
    magnitude = _magnitude_f32(b, a, y) if b.element == "f32" else _magnitude_f64(b, a, y)
    # 1^y and (-1)^(+-inf): the product reads 0 * inf.
    magnitude = b.select(b.mask_and(b.eq(a, one), b.eq(y, y)), one, magnitude)
    integral = b.eq(b.floor(y), y)
    halved = b.mul(y, half)
    odd = b.mask_and(integral, b.ne(b.floor(halved), halved))
    sign = b.select(odd, sign_bit(b, x), b.integer(0))
    result = b.as_float(b.ior(b.as_int(magnitude), sign))
    # A negative finite base has no power with a fractional exponent.
    finite = b.lt(a, infinity(b))
    undefined = b.mask_and(b.mask_and(b.lt(x, zero), finite), b.mask_not(integral))
    result = b.select(undefined, nan(b), result)
    return b.select(b.mask_or(b.eq(x, one), b.eq(y, zero)), one, result)


def _square_root(b: MathBuilder[V], x: V, inverse: bool) -> V:
    """x^0.5 or x^-0.5: as the root, but +-0 is +0 and -inf is +inf before the inversion."""
    root = b.sqrt(b.add(x, b.constant(0.0)))
    lowest = b.eq(x, b.neg(infinity(b)))
    if inverse:
        return b.select(lowest, b.constant(0.0), b.div(b.constant(1.0), root))
    return b.select(lowest, infinity(b), root)


def _product(b: MathBuilder[V], x: V, exponent: int) -> V:
    """x^exponent by squaring, exponent >= 1."""
    half = x if exponent < 4 else _product(b, x, exponent // 2)
    if exponent == 1:
        return x
    square = b.mul(half, half)
    return b.mul(square, x) if exponent % 2 else square


STATIC_EXPONENTS = (-2.0, -1.0, -0.5, 0.5, 2.0, 3.0, 4.0)
"""Exponents for which a few products, a root or a division stay within 3 units."""


def power_static(b: MathBuilder[V], operands: Sequence[V], attrs: Mapping[str, float | str]) -> V:
    """x^exponent; exponents outside of `STATIC_EXPONENTS` go through `power`.

    If an intermediate product overflows or underflows, so does the result. For negative exponents
    the inverse is multiplied, because the inverse of an overflowed product is 0 while the result is
    subnormal.
    """
    (x,) = operands
    exponent = float(attrs["exponent"])
    if exponent not in STATIC_EXPONENTS:
        return power(b, (x, b.constant(exponent)), {})
    if abs(exponent) == 0.5:
        return _square_root(b, x, inverse=exponent < 0)
    if exponent < 0:
        x = b.div(b.constant(1.0), x)
    return _product(b, x, int(abs(exponent)))


def power_integer(b: MathBuilder[V], operands: Sequence[V], _attrs: Mapping[str, float | str]) -> V:
    """x^n; the operands are x, n rounded to a float of the builder, and n as an integer of it."""
    x, rounded, exact = operands
    magnitude = power(b, (b.abs(x), rounded), {})
    odd = b.ieq(b.iand(exact, b.integer(1)), b.integer(1))
    sign = b.select(odd, sign_bit(b, x), b.integer(0))
    return b.as_float(b.ior(b.as_int(magnitude), sign))
