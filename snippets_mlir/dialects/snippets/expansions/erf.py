"""The error function, by polynomials on pieces of its range."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from snippets_mlir.dialects.snippets.expansions.builder import MathBuilder, V
from snippets_mlir.dialects.snippets.expansions.coefficients_f32 import ERF_F32, ERF_FAR_F32
from snippets_mlir.dialects.snippets.expansions.coefficients_f64 import ERF_F64
from snippets_mlir.dialects.snippets.expansions.exp import polynomial, power_of_two, reduced
from snippets_mlir.dialects.snippets.expansions.primitives import (
    at_most,
    format_of,
    horner,
    mac,
    two_product,
    with_sign,
)
from snippets_mlir.dialects.snippets.expansions.rationals import ERFC_F64, ERFC_F64_BELOW

# Beyond these, erf rounds to 1; between them and the middle, f32 is a polynomial around 2.5625.
_LIMIT = {"f32": 3.88, "f64": 6.0}
_MIDDLE_F32, _CENTRE_F32 = 1.2, 2.5625


def erf(b: MathBuilder[V], operands: Sequence[V], _attrs: Mapping[str, float | str]) -> V:
    """x + x P(x^2) near 0; further, 1 - e^(-x^2) R(|x|) in f64 and a polynomial in f32."""
    (x,) = operands
    a = at_most(b, b.abs(x), _LIMIT[b.element])
    small, large, middle = _f32(b, x, a) if b.element == "f32" else _f64(b, x, a)
    return b.select(b.lt(a, b.constant(middle)), small, with_sign(b, large, x))


def _f32(b: MathBuilder[V], x: V, a: V) -> tuple[V, V, float]:
    """The result near 0, the result further away, and the limit between them."""
    small = mac(b, x, horner(b, b.mul(a, a), ERF_F32), x)
    large = horner(b, b.sub(a, b.constant(_CENTRE_F32)), ERF_FAR_F32)
    return small, large, _MIDDLE_F32


def _f64(b: MathBuilder[V], x: V, a: V) -> tuple[V, V, float]:
    """As `_f32`; e^(-a^2) = 2^n e^(-r) with the rounding error of a^2 in r."""
    square, low = two_product(b, a, a)
    small = mac(b, x, horner(b, square, ERF_F64), x)
    bits, r = reduced(b, square, format_of(b).bias, low=low, step=-1.0)
    e = b.mul(horner(b, r, polynomial(b, step=-1.0)), power_of_two(b, bits))
    rest = b.div(b.mul(e, horner(b, a, ERFC_F64)), horner(b, a, ERFC_F64_BELOW))
    return small, b.sub(b.constant(1.0), rest), 1.0
