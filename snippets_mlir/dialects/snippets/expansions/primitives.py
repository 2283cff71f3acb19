"""Steps that many expansions share: polynomials, double-word arithmetic, signs and limits.

A double word is an unevaluated sum `high + low` with `|low|` at most half a unit in the last place
of `high`; its arithmetic is T. J. Dekker's and D. E. Knuth's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from snippets_mlir.dialects.snippets.expansions.builder import MathBuilder, V


@dataclass(frozen=True)
class Format:
    """Facts of a floating-point format.

    Attributes:
        mantissa: number of stored fraction bits.
        bias: bias of the exponent.
        magic: 1.5 * 2^mantissa; adding it rounds to an integer, which the low bits then hold.
        magic_bits: the bits of `magic`.
        sign: the sign bit, as a signed integer.
        one: the bits of 1.0.
        root_half: the bits of sqrt(1/2).
        ln2: ln 2 as (high, low) with a fused multiply-add.
        ln2_parts: ln 2 in parts whose products with any exponent are exact.
        smallest_normal: 2^(1 - bias).
    """

    mantissa: int
    bias: int
    magic: float
    magic_bits: int
    sign: int
    one: int
    root_half: int
    ln2: tuple[float, float]
    ln2_parts: tuple[float, ...]
    smallest_normal: float


FORMATS = {
    "f32": Format(
        mantissa=23,
        bias=127,
        magic=1.5 * 2.0**23,
        magic_bits=0x4B400000,
        sign=-(2**31),
        one=0x3F800000,
        root_half=0x3F3504F3,
        ln2=(float.fromhex("0x1.62e430p-1"), float.fromhex("-0x1.05c610p-29")),
        ln2_parts=(
            float.fromhex("0x1.62e8p-1"),
            float.fromhex("-0x1.e808p-16"),
            float.fromhex("-0x1.718432p-35"),
        ),
        smallest_normal=2.0**-126,
    ),
    "f64": Format(
        mantissa=52,
        bias=1023,
        magic=1.5 * 2.0**52,
        magic_bits=0x4338000000000000,
        sign=-(2**63),
        one=0x3FF0000000000000,
        root_half=0x3FE6A09E667F3BCD,
        ln2=(float.fromhex("0x1.62e42fefa39efp-1"), float.fromhex("0x1.abc9e3b39803fp-56")),
        ln2_parts=(
            float.fromhex("0x1.62e42fefa4p-1"),
            float.fromhex("-0x1.8432a1b0e2p-43"),
            float.fromhex("-0x1.8cff81a12a17ep-85"),
        ),
        smallest_normal=2.0**-1022,
    ),
}


def format_of(b: MathBuilder[V]) -> Format:
    """The format of the builder's elements."""
    return FORMATS[b.element]


def mac(b: MathBuilder[V], x: V, y: V, z: V) -> V:
    """x * y + z, if the rounding of the product does not matter."""
    return b.fma(x, y, z) if b.fma_is_fast else b.add(b.mul(x, y), z)


def horner(b: MathBuilder[V], x: V, coefficients: Sequence[float]) -> V:
    """The polynomial with these coefficients, lowest power first."""
    value = b.constant(coefficients[-1])
    for c in reversed(coefficients[:-1]):
        value = mac(b, x, value, b.constant(c))
    return value


def estrin(b: MathBuilder[V], x: V, coefficients: Sequence[float]) -> V:
    """The same, by pairs of coefficients as a polynomial in x^2: one operation more, and a chain
    that is half as long (G. Estrin).
    """
    square = b.mul(x, x)
    constants = [b.constant(c) for c in coefficients]
    pairs = [
        mac(b, x, high, low) for low, high in zip(constants[::2], constants[1::2], strict=False)
    ]
    pairs += constants[2 * len(pairs) :]
    value = pairs[-1]
    for pair in reversed(pairs[:-1]):
        value = mac(b, square, value, pair)
    return value


def two_sum(b: MathBuilder[V], x: V, y: V) -> tuple[V, V]:
    """x + y as a double word."""
    high = b.add(x, y)
    other = b.sub(high, x)
    low = b.add(b.sub(x, b.sub(high, other)), b.sub(y, other))
    return high, low


def fast_two_sum(b: MathBuilder[V], x: V, y: V) -> tuple[V, V]:
    """x + y as a double word for |x| >= |y| or x = 0."""
    high = b.add(x, y)
    return high, b.sub(y, b.sub(high, x))


def two_product(b: MathBuilder[V], x: V, y: V) -> tuple[V, V]:
    """x * y as a double word, if neither part underflows."""
    high = b.mul(x, y)
    return high, b.fma(x, y, b.neg(high))


def at_most(b: MathBuilder[V], x: V, limit: float) -> V:
    """x, or `limit` if x is greater; NaN stays."""
    c = b.constant(limit)
    return b.select(b.gt(x, c), c, x)


def at_least(b: MathBuilder[V], x: V, limit: float) -> V:
    """x, or `limit` if x is less; NaN stays."""
    c = b.constant(limit)
    return b.select(b.lt(x, c), c, x)


def sign_bit(b: MathBuilder[V], x: V) -> V:
    """The sign bit of x as an integer, the other bits clear."""
    return b.iand(b.as_int(x), b.integer(format_of(b).sign))


def with_sign(b: MathBuilder[V], magnitude: V, x: V) -> V:
    """`magnitude` with the sign of x; its sign bit is clear, or equal to the sign bit of x."""
    return b.as_float(b.ior(b.as_int(magnitude), sign_bit(b, x)))


def nan(b: MathBuilder[V]) -> V:
    """A quiet NaN in every lane."""
    return b.constant(math.nan)


def infinity(b: MathBuilder[V]) -> V:
    """Positive infinity in every lane."""
    return b.constant(math.inf)


def positive_part(b: MathBuilder[V], x: V) -> V:
    """x above 0, else x * 0: a zero of x's sign, and NaN for -inf and NaN."""
    zero = b.constant(0.0)
    return b.select(b.le(x, zero), b.mul(x, zero), x)
