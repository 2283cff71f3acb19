"""2/pi modulo 4 for every exponent: the table for M. Payne and R. Hanek's argument reduction.

x * 2/pi = k + f, |f| <= 1/2. For x = M 2^e with an integer M, multiples of 4 in 2^e * 2/pi only add
multiples of 4 to the product. A table over e therefore holds the rest of 2^e * 2/pi, in words whose
products with M are exact. So every float up to the largest is reduced without a branch. f32 is
computed in f64, where products with words of 29 bits are exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from snippets_mlir.dialects.snippets.expansions.builder import MathBuilder, V
from snippets_mlir.dialects.snippets.expansions.primitives import (
    fast_two_sum,
    format_of,
    mac,
    two_product,
    two_sum,
)

HALF_PI = (float.fromhex("0x1.921fb54442d18p+0"), float.fromhex("0x1.1a62633145c07p-54"))
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


def quadrant_of(b: MathBuilder[V], k: V) -> V:
    """The integer k as bits of a float whose low bits hold it."""
    return b.as_int(b.add(k, b.constant(format_of(b).magic)))


def reduce_small_f32(b: MathBuilder[V], x: V) -> tuple[V, V]:
    """`reduce_f32` for x < 2^24, where the first row holds; without fused multiply-adds the second
    product rounds, below the bits of f32.
    """
    d = b.f64()
    first, second = (d.constant(column[0]) for column in reduction_table("f32"))
    wide = b.widen(x)
    p = d.mul(wide, first)
    k = d.round_even(mac(d, wide, second, p))
    f = mac(d, wide, second, d.sub(p, k))
    return quadrant_of(d, k), d.mul(f, d.constant(HALF_PI[0]))


def reduce_f32(b: MathBuilder[V], x: V) -> tuple[V, V]:
    """(quadrant, r) in f64 with |x| = k pi/2 + r, for an f32 x >= 0."""
    d = b.f64()
    row = b.wide_int(b.isub(b.iashr(b.as_int(x), 23), b.integer(150)))
    first, second = (d.lookup(column, row) for column in reduction_table("f32"))
    wide = b.widen(x)
    p = d.mul(wide, first)
    k = d.round_even(d.fma(wide, second, p))
    f = d.fma(wide, second, d.sub(p, k))
    return quadrant_of(d, k), d.mul(f, d.constant(HALF_PI[0]))


def reduce_f64(b: MathBuilder[V], x: V) -> tuple[V, V, V]:
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
    high, low_word = (b.constant(c) for c in HALF_PI)
    r = b.mul(f, high)
    r_low = mac(b, low, high, mac(b, f, low_word, b.fma(f, high, b.neg(r))))
    return quadrant_of(b, k), r, r_low
