"""e^x: n = round(x / ln 2), r = x - n ln 2, and e^x = 2^n (1 + r + r^2 E(r)).

n comes from adding 1.5 * 2^mantissa, so its integer is in the low bits of that sum. Results that
may be subnormal are multiplied by two powers of two; only the second multiplication can round.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from snippets_mlir.dialects.snippets.expansions.builder import MathBuilder, V
from snippets_mlir.dialects.snippets.expansions.coefficients_f32 import EXP_F32, EXP_WIDE_F32
from snippets_mlir.dialects.snippets.expansions.coefficients_f64 import EXP_F64, EXP_FAST
from snippets_mlir.dialects.snippets.expansions.primitives import (
    at_least,
    at_most,
    format_of,
    horner,
    mac,
)

LOG2_E = 1 / math.log(2)

# Beyond these, e^x is 0 or infinite.
LIMITS = {"f32": (-104.5, 89.0), "f64": (-746.0, 710.0)}


def reduced(
    b: MathBuilder[V], x: V, bias: int, *, low: V | None = None, step: float = 1.0
) -> tuple[V, V]:
    """(bits, r) with step * (x + low) = n ln 2 + step * r, |step * r| at most about ln 2 / 2.

    The low bits of `bits` hold n + bias; `step` is a power of two, or its negative.
    """
    f = format_of(b)
    magic = b.constant(f.magic + bias)
    t = mac(b, x, b.constant(abs(step) * LOG2_E * math.copysign(1, step)), magic)
    n = b.sub(t, magic)
    *parts, last = (b.constant(-part / step) for part in (f.ln2 if b.fma_is_fast else f.ln2_parts))
    for part in parts:
        x = mac(b, n, part, x)
    if low is None:
        return b.as_int(t), mac(b, n, last, x)
    return b.as_int(t), b.add(x, mac(b, n, last, low))


def tail(b: MathBuilder[V]) -> Sequence[float]:
    """Coefficients of E for the builder's type."""
    return EXP_F32 if b.element == "f32" else EXP_F64


def polynomial(b: MathBuilder[V], *, factor: float = 1.0, step: float = 1.0) -> tuple[float, ...]:
    """Coefficients of factor * e^(step * r)."""
    return tuple(c * factor * step**k for k, c in enumerate((1.0, 1.0, *tail(b))))


def polynomial_minus_one(b: MathBuilder[V], r: V, step: float) -> V:
    """e^(step * r) - 1 for the small r of `reduced`."""
    factors = (1.0, *tail(b))
    return b.mul(r, horner(b, r, tuple(c * step ** (k + 1) for k, c in enumerate(factors))))


def power_of_two(b: MathBuilder[V], bits: V) -> V:
    """2^(n - bias) where the low bits of `bits` hold n."""
    return b.as_float(b.ishl(bits, format_of(b).mantissa))


def two_powers(b: MathBuilder[V], bits: V) -> tuple[V, V]:
    """Two powers of two whose product is 2^(n - 2 bias) where the low bits of `bits` hold n."""
    half = b.iashr(bits, 1)
    return power_of_two(b, half), power_of_two(b, b.isub(bits, half))


def exp_scaled(b: MathBuilder[V], x: V, low: V | None = None, shift: int = 0) -> V:
    """2^shift * e^(x + low) for x within `LIMITS` (or NaN)."""
    bits, r = reduced(b, x, 2 * format_of(b).bias + shift, low=low)
    first, second = two_powers(b, bits)
    return b.mul(b.mul(horner(b, r, polynomial(b)), first), second)


def exp(b: MathBuilder[V], operands: Sequence[V], _attrs: Mapping[str, float | str]) -> V:
    """e^x. f32: x = 2 n ln 2 + r with |r| up to ln 2, and e^x = e^r 2^n 2^n.

    If e^x is 0, as for elements masked in an attention, e^0 is computed instead: a product that
    underflows takes 150 cycles on Intel's processors.
    """
    low, high = LIMITS[b.element]
    zero = b.constant(0.0)
    x = at_most(b, operands[0], high)
    is_zero = b.lt(x, b.constant(low))
    return b.select(is_zero, zero, _exp(b, b.select(is_zero, zero, x)))


def _exp(b: MathBuilder[V], x: V) -> V:
    """e^x for x within `LIMITS` (or NaN)."""
    if b.element == "f64" or not b.fma_is_fast:
        return exp_scaled(b, x)
    bits, r = reduced(b, x, format_of(b).bias, step=0.5)
    power = power_of_two(b, bits)
    return b.mul(b.mul(horner(b, r, (1.0, 1.0, *EXP_WIDE_F32)), power), power)


def exp_plus(
    b: MathBuilder[V],
    s: V,
    r: V,
    addend: V,
    *,
    factor: float = 1.0,
    step: float = 1.0,
    most: float = 1.125,
) -> V:
    """factor * s * e^(step * r) + addend for a power of two s and the small r of `reduced`.

    With m = e^(step * r) - most it is most * s + (s m + addend). Products with s are exact, and
    where s is at least the addend, the inner sum is small beside the outer one, and its rounding
    with it: the error is little more than that of one rounding.
    """
    rest = horner(b, r, (factor * (1 - most), *polynomial(b, factor=factor, step=step)[1:]))
    return mac(b, s, b.constant(factor * most), mac(b, s, rest, addend))


def exp_fast_f64(b: MathBuilder[V], x: V) -> V:
    """e^x in f64 to 36 bits, |x| < 700 or NaN: for results that are rounded to f32."""
    bits, r = reduced(b, x, format_of(b).bias)
    return b.mul(horner(b, r, (1.0, 1.0, *EXP_FAST)), power_of_two(b, bits))


def expm1_parts(b: MathBuilder[V], x: V, step: float = 1.0, *, halved: bool = False) -> V:
    """e^(step * x) - 1 for step * x in about [-88, 88] (f32) or [-708, 708] (f64), or NaN.

    2^n (r + r^2 E(r)) + (2^n - 1). The sign of a zero is not kept. With `halved` it is half the
    value, which stays finite slightly longer.
    """
    bits, r = reduced(b, x, format_of(b).bias - halved, step=step)
    coefficients = tuple(c * step ** (k + 2) for k, c in enumerate(tail(b)))
    square = b.mul(r, r)
    first = r if step == 1.0 else b.mul(r, b.constant(step))
    q = mac(b, square, horner(b, r, coefficients), first)
    s = power_of_two(b, bits)
    return mac(b, s, q, b.sub(s, b.constant(0.5 if halved else 1.0)))


MINUS_ONE = {"f32": -20.0, "f64": -40.0}
"""Below these, e^x - 1 rounds to -1."""


def elu(b: MathBuilder[V], operands: Sequence[V], attrs: Mapping[str, float | str]) -> V:
    """x if x > 0, else alpha * (e^x - 1)."""
    (x,) = operands
    below = expm1_parts(b, at_least(b, x, MINUS_ONE[b.element]))
    alpha = float(attrs["alpha"])
    if alpha != 1.0:
        below = b.mul(below, b.constant(alpha))
    return b.select(b.lt(x, b.constant(0.0)), below, x)
