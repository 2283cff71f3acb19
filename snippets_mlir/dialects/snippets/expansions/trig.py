"""Sine, cosine, tangent by argument reduction with 2/pi modulo 4, and the inverse functions.

x * 2/pi = k + f, |f| <= 1/2. For x = M 2^e with an integer M, multiples of 4 in 2^e * 2/pi only add
multiples of 4 to the product, so a table over e holds what is left of 2^e * 2/pi, in words whose
products with M are exact (M. Payne and R. Hanek). So every float up to the largest is reduced
without a branch. f32 is computed in f64, whose products with words of 29 bits are exact.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from snippets_mlir.dialects.snippets.expansions.builder import MathBuilder, V
from snippets_mlir.dialects.snippets.expansions.coefficients_f64 import (
    COS_F64,
    COS_FAST,
    SIN_F64,
    SIN_FAST,
)
from snippets_mlir.dialects.snippets.expansions.primitives import (
    fast_two_sum,
    format_of,
    horner,
    mac,
    sign_bit,
    two_product,
    two_sum,
)

Attrs = Mapping[str, float | str]

_HALF_PI = (float.fromhex("0x1.921fb54442d18p+0"), float.fromhex("0x1.1a62633145c07p-54"))
_PRECISION = 1300


@cache
def two_over_pi() -> int:
    """2/pi * 2^1300, rounded, from Machin's pi = 16 atan(1/5) - 4 atan(1/239)."""
    one = 1 << (_PRECISION + 64)

    def atan_of_inverse(n: int) -> int:
        total, term, k = 0, one // n, 0
        while term:
            total += (-term if k % 2 else term) // (2 * k + 1)
            term //= n * n
            k += 1
        return total

    pi = 16 * atan_of_inverse(5) - 4 * atan_of_inverse(239)
    return (2 << (_PRECISION + _PRECISION + 64)) // pi


def _words(value: int, exponent: int, bits: Sequence[int]) -> list[float]:
    """value * 2^exponent as a sum of floats of at most the given numbers of bits."""
    words: list[float] = []
    for count in bits:
        drop = max(abs(value).bit_length() - count, 0)
        word = ((value + (1 << drop >> 1)) >> drop) << drop
        words.append(_ldexp(word, exponent))
        value -= word
    return words


def _ldexp(value: int, exponent: int) -> float:
    drop = max(abs(value).bit_length() - 53, 0)
    return float(value >> drop) * 2.0 ** (exponent + drop)


@cache
def reduction_table(element: str) -> tuple[tuple[float, ...], ...]:
    """Columns of words of 2^e * 2/pi modulo 4, one row for each exponent.

    f32: row i is for floats with the biased exponent 150 + i (row 0 also for all smaller ones), to
    be multiplied by the float; 29 and 53 bits. f64: row 0 is for |x| < 2^52, to be multiplied by
    x; row i for the biased exponent 1074 + i, to be multiplied by the significand in [2^52, 2^53);
    four words.
    """
    rows: list[list[float]] = []
    f32 = element == "f32"
    bits = (29, 53) if f32 else (53, 53, 53, 53)
    for e in range(105 if f32 else 973):
        # Row e is for floats that are multiples of 2^unit.
        unit = e if f32 else e - 1
        modulus = 1 << (_PRECISION + 2 - max(unit, 0))
        value = two_over_pi() % modulus
        if value > modulus // 2 and unit > 2:
            value -= modulus
        rows.append(_words(value, -_PRECISION + (0 if f32 else max(unit, 0)), bits))
    return tuple(zip(*rows, strict=True))


def _quadrant(b: MathBuilder[V], k: V) -> V:
    """The integer k as bits of a float whose low bits hold it."""
    return b.as_int(b.add(k, b.constant(format_of(b).magic)))


def _reduce_f32(b: MathBuilder[V], x: V) -> tuple[V, V]:
    """(quadrant, r) in f64 with |x| = k pi/2 + r, for an f32 x >= 0."""
    d = b.f64()
    row = b.wide_int(b.isub(b.iashr(b.as_int(x), 23), b.integer(150)))
    first, second = (d.lookup(column, row) for column in reduction_table("f32"))
    wide = b.widen(x)
    p = d.mul(wide, first)
    k = d.round_even(d.fma(wide, second, p))
    f = d.fma(wide, second, d.sub(p, k))
    return _quadrant(d, k), d.mul(f, d.constant(_HALF_PI[0]))


def _reduce_f64(b: MathBuilder[V], x: V) -> tuple[V, V, V]:
    """(quadrant, r, low) with x = k pi/2 + r + low, for x >= 0."""
    bits = b.as_int(x)
    row = b.isub(b.iashr(bits, 52), b.integer(1074))
    significand = b.ior(b.iand(bits, b.integer((1 << 52) - 1)), b.integer((1023 + 52) << 52))
    finite = b.select(b.igt(row, b.integer(0)), b.as_float(significand), x)
    # inf - inf is NaN, and NaN stays.
    m = b.add(finite, b.sub(x, x))
    words = [b.lookup(column, row) for column in reduction_table("f64")]
    (p1, e1), (p2, e2), (p3, e3) = (two_product(b, m, w) for w in words[:3])
    quarter = b.round_even(b.mul(p1, b.constant(0.25)))
    r1 = b.fma(quarter, b.constant(-4.0), p1)
    total, rest1 = two_sum(b, r1, e1)
    total, rest2 = two_sum(b, total, p2)
    k = b.round_even(total)
    f = b.sub(total, k)
    low = mac(b, m, words[3], e3)
    for term in (rest1, rest2, e2, p3):
        f, error = two_sum(b, f, term)
        low = b.add(low, error)
    f, low = fast_two_sum(b, f, low)
    high, low_word = (b.constant(c) for c in _HALF_PI)
    r = b.mul(f, high)
    r_low = mac(b, low, high, mac(b, f, low_word, b.fma(f, high, b.neg(r))))
    return _quadrant(b, k), r, r_low


def _sin_cos_fast(d: MathBuilder[V], r: V) -> tuple[V, V]:
    """Sine and cosine of |r| <= pi/4 in f64, to about 33 bits."""
    u = d.mul(r, r)
    sine = mac(d, d.mul(r, u), horner(d, u, SIN_FAST), r)
    return sine, horner(d, u, (1.0, -0.5, *COS_FAST))


def _sin_cos(b: MathBuilder[V], r: V, low: V) -> tuple[V, V]:
    """Sine and cosine of r + low, |r| <= pi/4, in f64."""
    u = b.mul(r, r)
    half = b.mul(u, b.constant(0.5))
    one = b.constant(1.0)
    near = b.sub(one, half)
    cubic = b.mul(b.mul(r, u), horner(b, u, SIN_F64))
    sine = b.add(r, mac(b, low, near, cubic))
    quartic = mac(b, b.mul(u, u), horner(b, u, COS_F64), b.neg(b.mul(r, low)))
    cosine = b.add(near, b.add(b.sub(b.sub(one, near), half), quartic))
    return sine, cosine


def _parts(b: MathBuilder[V], x: V) -> tuple[MathBuilder[V], V, V, V]:
    """(builder of f64, quadrant, sin r, cos r) of |x|."""
    if b.element == "f32":
        d = b.f64()
        quadrant, r = _reduce_f32(b, b.abs(x))
        return d, quadrant, *_sin_cos_fast(d, r)
    quadrant, r, low = _reduce_f64(b, b.abs(x))
    return b, quadrant, *_sin_cos(b, r, low)


def _is_odd(d: MathBuilder[V], quadrant: V) -> V:
    return d.ieq(d.iand(quadrant, d.integer(1)), d.integer(1))


def _flip(b: MathBuilder[V], value: V, sign: V) -> V:
    """`value` with its sign bit flipped where `sign`, an integer, has the sign bit set."""
    return b.as_float(b.ixor(b.as_int(value), sign))


def _upper_half(d: MathBuilder[V], quadrant: V) -> V:
    """The sign bit where bit 1 of the quadrant is set."""
    return d.iand(d.ishl(quadrant, 62), d.integer(format_of(d).sign))


def _tiny(b: MathBuilder[V], x: V, result: V) -> V:
    """x where the function is x to all bits (f64; f32 has no need), else `result`."""
    if b.element == "f32":
        return result
    return b.select(b.lt(b.abs(x), b.constant(2.0**-27)), x, result)


def _to_element(b: MathBuilder[V], value: V) -> V:
    return b.narrow(value) if b.element == "f32" else value


def sin(b: MathBuilder[V], operands: Sequence[V], _attrs: Attrs) -> V:
    """The sine of x in radians."""
    (x,) = operands
    d, quadrant, sine, cosine = _parts(b, x)
    value = d.select(_is_odd(d, quadrant), cosine, sine)
    value = _to_element(b, _flip(d, value, _upper_half(d, quadrant)))
    return _tiny(b, x, _flip(b, value, sign_bit(b, x)))


def cos(b: MathBuilder[V], operands: Sequence[V], _attrs: Attrs) -> V:
    """The cosine of x in radians."""
    d, quadrant, sine, cosine = _parts(b, operands[0])
    value = d.select(_is_odd(d, quadrant), sine, cosine)
    sign = _upper_half(d, d.iadd(quadrant, d.integer(1)))
    return _to_element(b, _flip(d, value, sign))


def tan(b: MathBuilder[V], operands: Sequence[V], _attrs: Attrs) -> V:
    """Tangent: sin r / cos r, or -cos r / sin r in odd quadrants."""
    (x,) = operands
    d, quadrant, sine, cosine = _parts(b, x)
    odd = _is_odd(d, quadrant)
    above = d.select(odd, d.neg(cosine), sine)
    value = _to_element(b, d.div(above, d.select(odd, sine, cosine)))
    return _tiny(b, x, _flip(b, value, sign_bit(b, x)))
