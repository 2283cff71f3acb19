"""The logarithm of |gamma| and its derivative, in f64; f32 in f64.

    lgamma(x)  = (x - 1) (x - 2) R(x)                      1/2 <= x < 9/2
               = (x - 1/2) (log x - 1) + c + W(1/x^2) / x  from there on (J. Stirling)
    digamma(x) = (x - x0) R(x),   log x - 1 / (2 x) - W(1/x^2) / x^2

R is a quotient of polynomials, x0 digamma's positive zero, so the zeros of positive x are exact.
Below 1/2 and 3/4 they follow from x + 1, whose factors x and x - 1 are not rounded:

    lgamma(x) = lgamma(x + 1) - log x          digamma(x) = digamma(x + 1) - 1 / x

and for x = -a < 0, with the distance r of a from the nearest integer, which is exact, by Euler's
reflection:

    lgamma(x)  = -log(a |sin(pi r)| / pi) - lgamma(a)
    digamma(x) = digamma(a) + 1 / a + pi cot(pi r)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic

from snippets_mlir.dialects.snippets.expansions.builder import MathBuilder, V
from snippets_mlir.dialects.snippets.expansions.coefficients_gamma import (
    FAR,
    FAR_FROM,
    HALF_LOG,
    MIDDLE,
    MIDDLE_BELOW,
    MIDDLE_FROM,
    SINE,
    SLOPE,
    SLOPE_BELOW,
    SLOPE_FROM,
    SMALL,
    SMALL_SLOPE,
    TAIL,
    ZERO,
)
from snippets_mlir.dialects.snippets.expansions.log import log
from snippets_mlir.dialects.snippets.expansions.primitives import horner, infinity, mac, nan

Attrs = Mapping[str, float | str]


def lgamma(b: MathBuilder[V], operands: Sequence[V], _attrs: Attrs) -> V:
    """log |gamma(x)|; f32 in f64."""
    return _in_f64(b, operands[0], _lgamma)


def digamma(b: MathBuilder[V], operands: Sequence[V], _attrs: Attrs) -> V:
    """The derivative of log |gamma(x)|; f32 in f64."""
    return _in_f64(b, operands[0], _digamma)


def _in_f64(b: MathBuilder[V], x: V, function: Callable[[MathBuilder[V], V], V]) -> V:
    return b.narrow(function(b.f64(), b.widen(x))) if b.element == "f32" else function(b, x)


@dataclass(frozen=True)
class _Argument(Generic[V]):
    """a = |x|, or a + 1 where a is small.

    Attributes:
        size: a.
        small: whether a is below the limit.
        shifted: a or a + 1, rounded.
        above: `shifted` minus 1, exact.
    """

    size: V
    small: V
    shifted: V
    above: V


def _argument(b: MathBuilder[V], x: V, limit: float) -> _Argument[V]:
    size, one = b.abs(x), b.constant(1.0)
    small = b.lt(size, b.constant(limit))
    shifted = b.select(small, b.add(size, one), size)
    return _Argument(size, small, shifted, b.select(small, size, b.sub(size, one)))


def _quotient(
    b: MathBuilder[V], x: V, top: Sequence[float], below: Sequence[float], start: float
) -> V:
    """start + top / below, where the quotient and therefore its rounding errors are small."""
    return b.add(b.div(horner(b, x, top), horner(b, x, below)), b.constant(start))


def _fraction(b: MathBuilder[V], size: V) -> V:
    """`size` less the nearest integer, exact; NaN for infinity."""
    return b.sub(size, b.round_even(size))


def _sine(b: MathBuilder[V], r: V) -> V:
    """sin(pi r) / pi for |r| <= 1/2."""
    square = b.mul(r, r)
    return mac(b, b.mul(r, square), horner(b, square, SINE), r)


def _lgamma(b: MathBuilder[V], x: V) -> V:
    a, one = _argument(b, x, SMALL), b.constant(1.0)
    quotient = _quotient(b, a.shifted, MIDDLE, MIDDLE_BELOW, MIDDLE_FROM)
    # t^2 - t with one rounding: 0.0 at both zeros, where a product is -0.0 at one.
    middle = b.mul(b.fma(a.above, a.above, b.neg(a.above)), quotient)
    logarithm = log(b, (a.size,), {})
    inverse = b.div(one, a.size)
    rest = mac(b, horner(b, b.mul(inverse, inverse), FAR), inverse, b.constant(HALF_LOG))
    far = mac(b, b.sub(a.size, b.constant(0.5)), b.sub(logarithm, one), rest)
    body = b.select(b.lt(a.size, b.constant(FAR_FROM)), middle, far)

    def negative() -> V:
        sine = b.abs(_sine(b, _fraction(b, a.size)))
        size = b.select(a.small, sine, b.mul(a.size, sine))
        value = b.neg(b.add(log(b, (size,), {}), body))
        # A pole; beyond the largest fraction all are, and the body may be infinite.
        pole = b.mask_or(b.eq(size, b.constant(0.0)), b.eq(a.size, infinity(b)))
        return b.select(pole, infinity(b), value)

    positive = b.select(a.small, b.sub(middle, logarithm), body)
    return b.rare(b.lt(x, b.constant(0.0)), negative, positive)


def _digamma(b: MathBuilder[V], x: V) -> V:
    a, one = _argument(b, x, SMALL_SLOPE), b.constant(1.0)
    quotient = _quotient(b, a.shifted, SLOPE, SLOPE_BELOW, SLOPE_FROM)
    high, low = ZERO
    middle = b.mul(b.sub(b.sub(a.above, b.constant(high)), b.constant(low)), quotient)
    # Of x, not of a: digamma(-0.0) is inf.
    inverse = b.div(one, x)
    square = b.mul(inverse, inverse)
    half = b.mul(b.abs(inverse), b.constant(0.5))
    far = b.sub(log(b, (a.size,), {}), mac(b, square, horner(b, square, TAIL), half))
    body = b.select(b.lt(a.size, b.constant(FAR_FROM)), middle, far)

    def negative() -> V:
        r = _fraction(b, a.size)
        cosine = b.mul(_sine(b, b.sub(b.constant(0.5), b.abs(r))), b.constant(math.pi))
        cotangent = b.div(cosine, _sine(b, r))
        value = b.add(b.select(a.small, body, b.sub(body, inverse)), cotangent)
        return b.select(b.eq(r, b.constant(0.0)), nan(b), value)

    positive = b.select(a.small, b.sub(middle, inverse), body)
    return b.rare(b.lt(x, b.constant(0.0)), negative, positive)
