"""Logarithms: x = 2^k m with m in [sqrt(1/2), sqrt 2), log x = k ln 2 + log m.

f32: log(1 + f) = f - f^2 / 2 + f^3 L(f). f64: with s = f / (2 + f) and z = s^2,
log(1 + f) = 2 atanh s = 2 s (1 + z A(z)) = f - s (f - 2 z A(z)).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from snippets_mlir.dialects.snippets.expansions.builder import MathBuilder, V
from snippets_mlir.dialects.snippets.expansions.coefficients_f32 import LOG_F32
from snippets_mlir.dialects.snippets.expansions.coefficients_f64 import LOG_DD, LOG_F64, LOG_FAST
from snippets_mlir.dialects.snippets.expansions.primitives import (
    fast_two_sum,
    format_of,
    horner,
    infinity,
    mac,
    nan,
    two_sum,
)


def exponent_and_fraction(b: MathBuilder[V], u: V, offset: V | None = None) -> tuple[V, V]:
    """(k, f) as floats with u = 2^k (1 + f), f in [sqrt(1/2) - 1, sqrt 2 - 1), for normal u > 0.

    `offset`, an integer, is added to k alone.
    """
    f = format_of(b)
    bits = b.as_int(u)
    k = b.iashr(b.isub(bits, b.integer(f.root_half)), f.mantissa)
    fraction = b.sub(b.as_float(b.isub(bits, b.ishl(k, f.mantissa))), b.constant(1.0))
    if offset is not None:
        k = b.iadd(k, offset)
    if b.element == "f32":
        return b.to_float(k), fraction
    # A conversion of i64 is slow on many machines; the integer in the low bits of a float is not.
    near = b.as_float(b.iadd(k, b.integer(f.magic_bits)))
    return b.sub(near, b.constant(f.magic)), fraction


def normal(b: MathBuilder[V], x: V) -> tuple[V, V]:
    """x, or x scaled up if it is subnormal, and the integer that corrects its exponent."""
    f = format_of(b)
    shift = f.mantissa + 2
    small = b.lt(x, b.constant(f.smallest_normal))
    u = b.select(small, b.mul(x, b.constant(2.0**shift)), x)
    return u, b.select(small, b.integer(-shift), b.integer(0))


def finish(b: MathBuilder[V], x: V, result: V) -> V:
    """`result` for finite x > 0, and the special values of log for every other x."""
    zero = b.constant(0.0)
    other = b.select(b.eq(x, zero), b.constant(-math.inf), nan(b))
    result = b.select(b.gt(x, zero), result, other)
    return b.select(b.eq(x, infinity(b)), infinity(b), result)


def log(b: MathBuilder[V], operands: Sequence[V], _attrs: Mapping[str, float | str]) -> V:
    """Natural logarithm, as k ln 2 plus the logarithm of 1 + f, for x = 2^k (1 + f)."""
    (x,) = operands
    u, offset = normal(b, x)
    if b.element == "f64":
        return finish(b, x, log_f64(b, u, offset=offset))
    return finish(b, x, log_f32(b, u, offset=offset))


def _ln2(b: MathBuilder[V]) -> tuple[float, float]:
    """ln 2 in two words; products of the first with an exponent are exact."""
    parts = format_of(b).ln2_parts
    return parts[0], parts[1] + parts[2]


def log_f32(b: MathBuilder[V], u: V, *, correction: V | None = None, offset: V | None = None) -> V:
    """offset ln 2 + log(u + correction) in f32 for normal finite u > 0, |correction| <= ulp(u)."""
    high, low = _ln2(b)
    k, f = exponent_and_fraction(b, u, offset)
    inner = mac(b, f, horner(b, f, LOG_F32), b.constant(-0.5))
    rest = b.mul(k, b.constant(low))
    if correction is not None:
        rest = b.add(rest, b.div(correction, u))
    rest = mac(b, b.mul(f, f), inner, rest)
    return mac(b, k, b.constant(high), b.add(rest, f))


def log_f64(
    b: MathBuilder[V],
    u: V,
    *,
    correction: V | None = None,
    offset: V | None = None,
    fast: bool = False,
) -> V:
    """offset ln 2 + log(u + correction) in f64 for normal finite u > 0, |correction| <= ulp(u).

    `fast` gives about 46 bits, for results that are rounded to f32.
    """
    high, low = _ln2(b)
    k, f = exponent_and_fraction(b, u, offset)
    s = b.div(f, b.add(f, b.constant(2.0)))
    z = b.mul(s, s)
    a = horner(b, z, LOG_FAST if fast else LOG_F64)
    inner = b.sub(f, b.mul(b.add(z, z), a))
    rest = b.mul(k, b.constant(low))
    if correction is not None:
        rest = b.add(rest, b.div(correction, u))
    return mac(b, k, b.constant(high), b.sub(f, mac(b, s, inner, b.neg(rest))))


def log1p_f64(b: MathBuilder[V], y: V, low: V | None = None, *, fast: bool = False) -> V:
    """log(1 + y + low) in f64 for finite y >= 0."""
    u, error = two_sum(b, b.constant(1.0), y)
    if low is not None:
        error = b.add(error, low)
    return log_f64(b, u, correction=error, fast=fast)


def log_double_word(b: MathBuilder[V], u: V, offset: V) -> tuple[V, V]:
    """offset ln 2 + log u for normal finite u > 0, as a double word of about 64 bits.

    2 s (1 + w) with s = f / (2 + f) and w = z / 3 + z^2 A(z) in double words.
    """
    f64 = format_of(b)
    k, f = exponent_and_fraction(b, u, offset)
    g, g_low = two_sum(b, f, b.constant(2.0))
    s = b.div(f, g)
    s_low = b.div(b.sub(b.fma(b.neg(s), g, f), b.mul(s, g_low)), g)
    z = b.mul(s, s)
    z_low = b.fma(b.add(s, s), s_low, b.fma(s, s, b.neg(z)))
    third, third_low = b.constant(1 / 3), b.constant(float.fromhex("0x1.5555555555555p-56"))
    w = b.mul(z, third)
    w_low = b.fma(z, third, b.neg(w))
    w_low = mac(b, z, third_low, mac(b, z_low, third, w_low))
    w, error = fast_two_sum(b, w, b.mul(b.mul(z, z), horner(b, z, LOG_DD)))
    w_low = b.add(w_low, error)
    t, t_low = b.add(s, s), b.add(s_low, s_low)
    p = b.mul(t, w)
    p_low = mac(b, t_low, w, mac(b, t, w_low, b.fma(t, w, b.neg(p))))
    high, error = fast_two_sum(b, t, p)
    low = b.add(b.add(error, p_low), t_low)
    first, middle, last = f64.ln2_parts
    total, error = fast_two_sum(b, b.mul(k, b.constant(first)), high)
    rest = mac(b, k, b.constant(last), b.add(error, low))
    return fast_two_sum(b, *_add(b, total, b.mul(k, b.constant(middle)), rest))


def _add(b: MathBuilder[V], total: V, term: V, rest: V) -> tuple[V, V]:
    """total + term + rest as a high and a low part."""
    high, error = fast_two_sum(b, total, term)
    return high, b.add(error, rest)
