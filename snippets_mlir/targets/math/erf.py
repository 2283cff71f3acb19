"""The error function."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from snippets_mlir.targets.math.builder import MathBuilder, V
from snippets_mlir.targets.math.coefficients import (
    ERF_F32,
    ERF_F32_BELOW,
    ERF_F64,
    ERFC_F64,
    ERFC_F64_BELOW,
)
from snippets_mlir.targets.math.exp import polynomial, power_of_two, reduced
from snippets_mlir.targets.math.primitives import (
    at_least,
    at_most,
    format_of,
    horner,
    mac,
    two_product,
    with_sign,
)

_LIMIT = {"f32": 3.92, "f64": 6.0}


def erf(b: MathBuilder[V], operands: Sequence[V], _attrs: Mapping[str, float | str]) -> V:
    """f32: x P(x^2) / Q(x^2), 1 beyond 3.92. f64: x + x P(x^2) for |x| < 1, else
    1 - e^(-x^2) R(|x|) with a rational function R.
    """
    limit = _LIMIT[b.element]
    (x,) = operands
    if b.element == "f32":
        x = at_least(b, at_most(b, x, limit), -limit)
        u = b.mul(x, x)
        return b.div(b.mul(x, horner(b, u, ERF_F32)), horner(b, u, ERF_F32_BELOW))
    one = b.constant(1.0)
    a = at_most(b, b.abs(x), limit)
    square, low = two_product(b, a, a)
    small = mac(b, x, horner(b, square, ERF_F64), x)
    bits, r = reduced(b, square, format_of(b).bias, low=low, step=-1.0)
    # The low bits of `bits` hold bias + n with e^(-x^2) = 2^n e^(-r).
    e = b.mul(horner(b, r, polynomial(b, step=-1.0)), power_of_two(b, bits))
    rest = b.div(b.mul(e, horner(b, a, ERFC_F64)), horner(b, a, ERFC_F64_BELOW))
    return b.select(b.lt(a, one), small, with_sign(b, b.sub(one, rest), x))
