"""Hyperbolic functions and their inverses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from snippets_mlir.dialects.snippets.expansions.builder import MathBuilder, V
from snippets_mlir.dialects.snippets.expansions.coefficients_f32 import SINH_F32, TANH_F32
from snippets_mlir.dialects.snippets.expansions.coefficients_f64 import ASINH_F64, SINH_F64
from snippets_mlir.dialects.snippets.expansions.exp import (
    exp_plus,
    exp_scaled,
    expm1_parts,
    power_of_two,
    reduced,
)
from snippets_mlir.dialects.snippets.expansions.log import log1p_f64, log_f64
from snippets_mlir.dialects.snippets.expansions.primitives import (
    at_most,
    fast_two_sum,
    format_of,
    horner,
    infinity,
    mac,
    nan,
    two_product,
    two_sum,
    with_sign,
)

Attrs = Mapping[str, float | str]

# Beyond these, sinh and cosh are infinite.
_OVERFLOW = {"f32": 91.0, "f64": 712.0}
_TANH_LIMIT = {"f32": 10.0, "f64": 20.0}


def _half_exp(b: MathBuilder[V], x: V) -> tuple[V, V]:
    """e^|x| / 2 and e^-|x| / 2."""
    h = exp_scaled(b, at_most(b, b.abs(x), _OVERFLOW[b.element]), shift=-1)
    return h, b.div(b.constant(0.25), h)


def sinh(b: MathBuilder[V], operands: Sequence[V], _attrs: Attrs) -> V:
    """x + x^3 S(x^2) for |x| < 1, else (e^|x| - e^-|x|) / 2 with the sign of x."""
    (x,) = operands
    grow, shrink = _half_exp(b, x)
    u = b.mul(x, x)
    p = horner(b, u, SINH_F32 if b.element == "f32" else SINH_F64)
    small = mac(b, b.mul(x, u), p, x)
    large = with_sign(b, b.sub(grow, shrink), x)
    return b.select(b.lt(b.abs(x), b.constant(1.0)), small, large)


def cosh(b: MathBuilder[V], operands: Sequence[V], _attrs: Attrs) -> V:
    """(e^|x| + e^-|x|) / 2."""
    return b.add(*_half_exp(b, operands[0]))


def tanh(b: MathBuilder[V], operands: Sequence[V], _attrs: Attrs) -> V:
    """The sign of x with the tanh of a = |x|.

    f32: a + a^3 T(a^2) for a < 0.55, else 1 - 1 / (1/2 + e^2a / 2). f64: e / (e + 2) with
    e = e^2a - 1. 1 beyond a limit.
    """
    (x,) = operands
    a = at_most(b, b.abs(x), _TANH_LIMIT[b.element])
    if b.element == "f64":
        e = expm1_parts(b, a, step=2.0)
        return with_sign(b, b.div(e, b.add(e, b.constant(2.0))), x)
    u = b.mul(a, a)
    small = mac(b, b.mul(a, u), horner(b, u, TANH_F32), a)
    bits, r = reduced(b, a, format_of(b).bias - 1, step=2.0)
    one = b.constant(1.0)
    large = b.sub(one, b.div(one, exp_plus(b, power_of_two(b, bits), r, b.constant(0.5), step=2.0)))
    return with_sign(b, b.select(b.lt(a, b.constant(0.55)), small, large), x)


def _asinh_f32(b: MathBuilder[V], x: V) -> V:
    """In f64: log1p(a + a^2 / (1 + sqrt(a^2 + 1))), a = |x|."""
    d = b.f64()
    one = d.constant(1.0)
    a = d.abs(b.widen(x))
    square = d.mul(a, a)
    y = d.add(a, d.div(square, d.add(one, d.sqrt(d.add(square, one)))))
    result = log1p_f64(d, y, fast=True)
    # Infinities and NaN stay.
    result = d.select(d.lt(a, infinity(d)), result, a)
    return with_sign(b, b.narrow(result), x)


def _root(b: MathBuilder[V], value: V, error: V) -> tuple[V, V]:
    """The square root of value + error > 0 as a double word."""
    s = b.sqrt(value)
    rest = b.add(b.fma(b.neg(s), s, value), error)
    return s, b.div(rest, b.add(s, s))


def asinh(b: MathBuilder[V], operands: Sequence[V], _attrs: Attrs) -> V:
    """A polynomial for |x| < 1/2, else log(a + sqrt(a^2 + 1)) of a double word, a = |x|."""
    (x,) = operands
    if b.element == "f32":
        return _asinh_f32(b, x)
    one, zero = b.constant(1.0), b.constant(0.0)
    a = b.abs(x)
    u = b.mul(a, a)
    small = mac(b, b.mul(a, u), horner(b, u, ASINH_F64), a)
    huge = b.gt(a, b.constant(2.0**500))
    # Kept within range; the lanes of huge and infinite values are replaced.
    c = b.select(huge, one, a)
    square, square_low = two_product(b, c, c)
    value, error = two_sum(b, square, one)
    s, s_low = _root(b, value, b.add(error, square_low))
    high, low = two_sum(b, c, s)
    low = b.add(low, s_low)
    log = log_f64(
        b,
        b.select(huge, a, high),
        correction=b.select(huge, zero, low),
        offset=b.select(huge, b.integer(1), b.integer(0)),
    )
    log = b.select(b.lt(a, infinity(b)), log, a)
    return with_sign(b, b.select(b.lt(a, b.constant(0.5)), small, log), x)


def acosh(b: MathBuilder[V], operands: Sequence[V], _attrs: Attrs) -> V:
    """log1p(t + sqrt(2 t + t^2)), t = x - 1, of a double word; x is doubled if huge."""
    (x,) = operands
    f32 = b.element == "f32"
    d, wide = (b.f64(), b.widen(x)) if f32 else (b, x)
    one = d.constant(1.0)
    huge = d.gt(wide, d.constant(2.0**500))
    t = d.sub(d.select(huge, one, wide), one)
    if f32:
        y = d.add(t, d.sqrt(mac(d, t, t, d.add(t, t))))
        log = log1p_f64(d, y, fast=True)
    else:
        t_low = d.sub(d.select(huge, one, wide), d.add(t, one))
        square, square_low = two_product(d, t, t)
        value, error = fast_two_sum(d, *_larger_first(d, d.add(t, t), square))
        error = d.add(d.add(error, square_low), d.mul(d.add(t_low, t_low), d.add(t, one)))
        s, s_low = _root(d, value, error)
        s_low = d.select(d.gt(value, d.constant(0.0)), s_low, d.constant(0.0))
        y, y_low = two_sum(d, t, s)
        log = log1p_f64(d, y, d.add(y_low, d.add(s_low, t_low)))
        log = d.select(huge, log_f64(d, wide, offset=d.integer(1)), log)
    log = d.select(d.lt(wide, one), nan(d), log)
    log = d.select(d.lt(wide, infinity(d)), log, wide)
    return b.narrow(log) if f32 else log


def _larger_first(b: MathBuilder[V], x: V, y: V) -> tuple[V, V]:
    swap = b.lt(x, y)
    return b.select(swap, y, x), b.select(swap, x, y)


def atanh(b: MathBuilder[V], operands: Sequence[V], _attrs: Attrs) -> V:
    """log1p(2 a / (1 - a)) / 2, a = |x|, the quotient as a double word."""
    (x,) = operands
    f32 = b.element == "f32"
    d, a = (b.f64(), b.f64().abs(b.widen(x))) if f32 else (b, b.abs(x))
    one = d.constant(1.0)
    inside = d.lt(a, one)
    c = d.select(inside, a, d.constant(0.0))
    twice, below = d.add(c, c), d.sub(one, c)
    y = d.div(twice, below)
    if f32:
        log = log1p_f64(d, y, fast=True)
    else:
        below_low = d.sub(d.sub(one, below), c)
        rest = d.sub(d.fma(d.neg(y), below, twice), d.mul(y, below_low))
        log = log1p_f64(d, y, d.div(rest, below))
    half = d.mul(log, d.constant(0.5))
    # log1p would lose the bits of subnormals, where atanh x = x.
    half = half if f32 else d.select(d.lt(a, d.constant(2.0**-500)), a, half)
    half = d.select(inside, half, d.select(d.eq(a, one), infinity(d), nan(d)))
    return with_sign(b, b.narrow(half) if f32 else half, x)
