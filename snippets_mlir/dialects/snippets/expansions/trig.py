"""Sine, cosine and tangent: subtract a multiple of pi/2, then evaluate polynomials.

    x = k pi/2 + r, |r| <= pi/4          sin x = sin r, cos r, -sin r, -cos r for k = 0, 1, 2, 3 ...

Small arguments need pi/2 in three words (W. Cody and W. Waite): a fused multiply-add subtracts the
first product of k exactly. So sine and cosine of f32 are computed in f32. Tangent of f32, whose
quotient would add to the error of r, and machines without that instruction use f64 and the first
row of the table in `payne_hanek.py`. Large arguments use the whole table, in code that kernels skip
if no lane of a vector is large.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic

from snippets_mlir.dialects.snippets.expansions.builder import MathBuilder, V
from snippets_mlir.dialects.snippets.expansions.coefficients_f32 import COS_F32, SIN_F32
from snippets_mlir.dialects.snippets.expansions.coefficients_f64 import (
    COS_F64,
    COS_FAST,
    SIN_F64,
    SIN_FAST,
)
from snippets_mlir.dialects.snippets.expansions.payne_hanek import (
    HALF_PI,
    reduce_f32,
    reduce_f64,
    reduce_small_f32,
)
from snippets_mlir.dialects.snippets.expansions.primitives import (
    format_of,
    horner,
    mac,
    sign_bit,
    two_product,
    two_sum,
)

Attrs = Mapping[str, float | str]

_TWO_OVER_PI = float.fromhex("0x1.45f306dc9c883p-1")
_WORDS_F32 = tuple(map(float.fromhex, ("0x1.921fb6p+0", "-0x1.777a5cp-25", "-0x1.ee59dap-50")))
_WORDS_F64 = (*HALF_PI, float.fromhex("-0x1.f1976b7ed8fbcp-110"))

# The largest argument of each method, as bits. f32: k times the third word of pi/2, and its
# rounding errors, are below any r; f32 in f64: the end of the table's first row; f64: the error of
# k pi/2 in three words is below half a unit of any r.
_SMALL_F32 = 0x48000000  # 2^17
_SMALL_WIDE = 0x4B800000  # 2^24
_SMALL_F64 = 0x41D0000000000000  # 2^30


@dataclass(frozen=True)
class _Reduced(Generic[V]):
    """Sine and cosine of r.

    Attributes:
        d: the builder of the values: the builder of x, or a builder for f64.
        quadrant: an integer with the low bits of k.
    """

    d: MathBuilder[V]
    quadrant: V
    sine: V
    cosine: V


_Finish = Callable[[MathBuilder[V], V, _Reduced[V]], V]


def _sin_cos_fast(d: MathBuilder[V], r: V) -> tuple[V, V]:
    """Sine and cosine of |r| <= pi/4: in f32, or in f64 to about 33 bits."""
    sines, cosines = (SIN_F32, COS_F32) if d.element == "f32" else (SIN_FAST, COS_FAST)
    u = d.mul(r, r)
    sine = mac(d, d.mul(r, u), horner(d, u, sines), r)
    return sine, horner(d, u, (1.0, -0.5, *cosines))


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


def _multiple(b: MathBuilder[V], x: V) -> tuple[V, V]:
    """k, the nearest integer to x * 2/pi (either on a tie), and its low bits."""
    magic = b.constant(format_of(b).magic)
    with_magic = mac(b, x, b.constant(_TWO_OVER_PI), magic)
    return b.sub(with_magic, magic), b.as_int(with_magic)


def _small_f32(b: MathBuilder[V], x: V) -> _Reduced[V]:
    """r in f32, with two rounding errors of half a unit."""
    k, quadrant = _multiple(b, x)
    r = x
    for word in _WORDS_F32:
        r = b.fma(k, b.constant(-word), r)
    return _Reduced(b, quadrant, *_sin_cos_fast(b, r))


def _small_f64(b: MathBuilder[V], x: V) -> _Reduced[V]:
    """r in two words: the product of k with the second word of pi/2 also has two words."""
    first, second, third = (b.constant(-word) for word in _WORDS_F64)
    k, quadrant = _multiple(b, x)
    product, error = two_product(b, k, second)
    r, low = two_sum(b, b.fma(k, first, x), product)
    low = b.add(low, mac(b, k, third, error))
    return _Reduced(b, quadrant, *_sin_cos(b, r, low))


def _small(b: MathBuilder[V], x: V, wide: bool) -> _Reduced[V]:
    """Reduce by three words of pi/2; f32 in f64 if `wide`."""
    if b.element == "f64":
        return _small_f64(b, x)
    if not wide:
        return _small_f32(b, x)
    d = b.f64()
    quadrant, r = reduce_small_f32(b, x)
    return _Reduced(d, quadrant, *_sin_cos_fast(d, r))


def _any_size(b: MathBuilder[V], x: V) -> _Reduced[V]:
    """Reduce by the table; f32 in f64."""
    if b.element == "f32":
        d = b.f64()
        quadrant, r = reduce_f32(b, x)
        return _Reduced(d, quadrant, *_sin_cos_fast(d, r))
    quadrant, r, low = reduce_f64(b, x)
    return _Reduced(b, quadrant, *_sin_cos(b, r, low))


def _by_size(b: MathBuilder[V], x: V, finish: _Finish[V], *, wide: bool = False) -> V:
    """The result of `finish` for |x|, reduced according to its size; NaN and inf count as large."""
    a = b.abs(x)
    if not b.branches:
        return finish(b, x, _any_size(b, a))
    wide = wide or not b.fma_is_fast
    small = _SMALL_F64 if b.element == "f64" else _SMALL_WIDE if wide else _SMALL_F32
    large = b.igt(b.as_int(a), b.integer(small - 1))
    return b.rare(
        large,
        lambda: finish(b, x, _any_size(b, a)),
        finish(b, x, _small(b, a, wide)),
    )


def _is_odd(d: MathBuilder[V], quadrant: V) -> V:
    return d.ieq(d.iand(quadrant, d.integer(1)), d.integer(1))


def _flip(b: MathBuilder[V], value: V, sign: V) -> V:
    """`value` with its sign bit flipped where `sign`, an integer, has the sign bit set."""
    return b.as_float(b.ixor(b.as_int(value), sign))


def _upper_half(d: MathBuilder[V], quadrant: V) -> V:
    """The sign bit where bit 1 of the quadrant is set."""
    places = 30 if d.element == "f32" else 62
    return d.iand(d.ishl(quadrant, places), d.integer(format_of(d).sign))


def _tiny(b: MathBuilder[V], x: V, result: V) -> V:
    """x if the function equals x in all bits (f64; f32 does not need this), else `result`."""
    if b.element == "f32":
        return result
    return b.select(b.lt(b.abs(x), b.constant(2.0**-27)), x, result)


def _to_element(b: MathBuilder[V], of: _Reduced[V], value: V) -> V:
    return b.narrow(value) if b.element != of.d.element else value


def _sine(b: MathBuilder[V], x: V, of: _Reduced[V]) -> V:
    d = of.d
    value = d.select(_is_odd(d, of.quadrant), of.cosine, of.sine)
    value = _to_element(b, of, _flip(d, value, _upper_half(d, of.quadrant)))
    return _tiny(b, x, _flip(b, value, sign_bit(b, x)))


def _cosine(b: MathBuilder[V], _: V, of: _Reduced[V]) -> V:
    d = of.d
    value = d.select(_is_odd(d, of.quadrant), of.sine, of.cosine)
    sign = _upper_half(d, d.iadd(of.quadrant, d.integer(1)))
    return _to_element(b, of, _flip(d, value, sign))


def _tangent(b: MathBuilder[V], x: V, of: _Reduced[V]) -> V:
    d = of.d
    odd = _is_odd(d, of.quadrant)
    above = d.select(odd, d.neg(of.cosine), of.sine)
    value = _to_element(b, of, d.div(above, d.select(odd, of.sine, of.cosine)))
    return _tiny(b, x, _flip(b, value, sign_bit(b, x)))


def sin(b: MathBuilder[V], operands: Sequence[V], _attrs: Attrs) -> V:
    """The sine of x in radians."""
    return _by_size(b, operands[0], _sine)


def cos(b: MathBuilder[V], operands: Sequence[V], _attrs: Attrs) -> V:
    """The cosine of x in radians."""
    return _by_size(b, operands[0], _cosine)


def tan(b: MathBuilder[V], operands: Sequence[V], _attrs: Attrs) -> V:
    """Tangent: sin r / cos r, or -cos r / sin r in odd quadrants."""
    return _by_size(b, operands[0], _tangent, wide=True)
