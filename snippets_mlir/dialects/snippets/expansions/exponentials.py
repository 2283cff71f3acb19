"""Exponentials, logarithms and cube roots from the polynomials of e^x and log x.

f32 computes in f64 and rounds once, or in f32 if that is exact enough. f64 uses double words if one
word is not enough.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from snippets_mlir.dialects.snippets.expansions.builder import MathBuilder, V
from snippets_mlir.dialects.snippets.expansions.exp import (
    LIMITS,
    MINUS_ONE,
    exp,
    exp_fast_f64,
    expm1_parts,
    polynomial,
    two_powers,
)
from snippets_mlir.dialects.snippets.expansions.log import (
    finish,
    log1p_f64,
    log_double_word,
    log_f32,
    log_f64,
    normal,
)
from snippets_mlir.dialects.snippets.expansions.primitives import (
    at_least,
    at_most,
    format_of,
    infinity,
    mac,
    with_sign,
)

Attrs = Mapping[str, float | str]

# Beyond these, 2^x is 0 or infinite.
_EXP2_LIMITS = {"f32": (-151.0, 129.0), "f64": (-1076.0, 1025.0)}
# 1 / ln 2 and 1 / ln 10 in two words.
_LOG2_E = (float.fromhex("0x1.71547652b82fep+0"), float.fromhex("0x1.777d0ffda0d24p-56"))
_LOG10_E = (float.fromhex("0x1.bcb7b1526e50ep-2"), float.fromhex("0x1.95355baaafad3p-57"))


def exp2(b: MathBuilder[V], operands: Sequence[V], _attrs: Attrs) -> V:
    """2^x = 2^n e^(r ln 2), n = round(x), r = x - n."""
    f = format_of(b)
    low, high = _EXP2_LIMITS[b.element]
    x = at_least(b, at_most(b, operands[0], high), low)
    magic = b.constant(f.magic + 2 * f.bias)
    t = b.add(x, magic)
    r = b.sub(x, b.sub(t, magic))
    value = b.constant(0.0)
    for c in reversed(polynomial(b, step=math.log(2))):
        value = mac(b, r, value, b.constant(c))
    first, second = two_powers(b, b.as_int(t))
    return b.mul(b.mul(value, first), second)


def expm1(b: MathBuilder[V], operands: Sequence[V], _attrs: Attrs) -> V:
    """e^x - 1; as e^x if the 1 is below its precision; zeros are kept."""
    (x,) = operands
    if b.element == "f32":
        limited = at_least(b, at_most(b, x, LIMITS["f32"][1]), MINUS_ONE["f32"])
        half = expm1_parts(b, limited, halved=True)
        tiny = b.lt(b.abs(x), b.constant(2.0**-25))
        return b.select(tiny, x, b.add(half, half))
    near = expm1_parts(b, at_least(b, at_most(b, x, 50.0), -40.0))
    result = b.select(b.gt(x, b.constant(50.0)), exp(b, operands, {}), near)
    return b.select(b.eq(x, b.constant(0.0)), x, result)


def _log_scaled(b: MathBuilder[V], x: V, scale: tuple[float, float]) -> V:
    if b.element == "f32":
        d = b.f64()
        wide = b.widen(x)
        log = d.mul(log_f64(d, wide, fast=True), d.constant(scale[0]))
        return b.narrow(finish(d, wide, log))
    u, offset = normal(b, x)
    high, low = log_double_word(b, u, offset)
    factor = b.constant(scale[0])
    product = b.mul(high, factor)
    rest = mac(b, high, b.constant(scale[1]), b.fma(high, factor, b.neg(product)))
    return finish(b, x, b.add(product, mac(b, low, factor, rest)))


def log2(b: MathBuilder[V], operands: Sequence[V], _attrs: Attrs) -> V:
    """Logarithm to base 2; powers of two are exact."""
    return _log_scaled(b, operands[0], _LOG2_E)


def log10(b: MathBuilder[V], operands: Sequence[V], _attrs: Attrs) -> V:
    """Logarithm to base 10, as log x times 1 / ln 10."""
    return _log_scaled(b, operands[0], _LOG10_E)


def log1p(b: MathBuilder[V], operands: Sequence[V], _attrs: Attrs) -> V:
    """log(1 + x); zeros are kept."""
    (x,) = operands
    one = b.constant(1.0)
    u = b.add(x, one)
    if b.element == "f32":
        # The error of u = 1 + x: exact below 2^24; above, it is less than a unit of u and does not
        # affect log.
        result = log_f32(b, u, correction=b.sub(x, b.sub(u, one)))
    else:
        result = log1p_f64(b, x)
    return b.select(b.eq(x, b.constant(0.0)), x, finish(b, u, result))


def _root_guess(d: MathBuilder[V], a: V) -> V:
    """The cube root of normal finite a > 0 in f64 to about 40 bits."""
    return exp_fast_f64(d, d.mul(log_f64(d, a, fast=True), d.constant(1 / 3)))


def cbrt(b: MathBuilder[V], operands: Sequence[V], _attrs: Attrs) -> V:
    """e^(log|x| / 3) with the sign of x; f64 with one step of Newton in double words."""
    (x,) = operands
    a = b.abs(x)
    if b.element == "f32":
        d = b.f64()
        root = b.narrow(_root_guess(d, b.widen(a)))
    else:
        small = b.lt(a, b.constant(2.0**-900))
        u = b.select(small, b.mul(a, b.constant(2.0**300)), a)
        y = _root_guess(b, u)
        square = b.mul(y, y)
        error = b.fma(y, y, b.neg(square))
        rest = mac(b, error, y, b.fma(square, y, b.neg(u)))
        root = b.sub(y, b.div(rest, b.mul(square, b.constant(3.0))))
        root = b.select(small, b.mul(root, b.constant(2.0**-100)), root)
    usual = b.mask_and(b.gt(a, b.constant(0.0)), b.lt(a, infinity(b)))
    return with_sign(b, b.select(usual, root, a), x)
