"""Functions of Phi, the normal distribution function: gelu, its approximation by tanh, and erfc.

Gelu and the approximation are computed as

    max(x, 0) - a Phi(-a), a = |x|

so that results keep their bits down to the subnormals, also for negative x. a Phi(-a) is e^(-a^2 /
2) H(a) with an H that varies little, and a^2 in two words. H is a quotient of polynomials. If one
instruction can look up a vector of numbers in a table, H is a polynomial whose coefficients depend
on the interval of a.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from snippets_mlir.dialects.snippets.expansions.activations import GATE_SCALE, gate
from snippets_mlir.dialects.snippets.expansions.builder import MathBuilder, V
from snippets_mlir.dialects.snippets.expansions.coefficients_f32 import EXP_F32, PHI_F32
from snippets_mlir.dialects.snippets.expansions.coefficients_f64 import ERF_F64, PHI_F64
from snippets_mlir.dialects.snippets.expansions.exp import (
    LOG2_E,
    polynomial_minus_one,
    power_of_two,
    reduced,
)
from snippets_mlir.dialects.snippets.expansions.gelu_columns import COLUMNS
from snippets_mlir.dialects.snippets.expansions.gelu_table import ANCHORS, BIASES, OFFSET, ROW_SHIFT
from snippets_mlir.dialects.snippets.expansions.primitives import (
    at_most,
    estrin,
    format_of,
    horner,
    mac,
    positive_part,
    two_product,
    two_sum,
)
from snippets_mlir.dialects.snippets.expansions.rationals import (
    GELU_F32,
    GELU_F32_BELOW,
    MILLS_F64,
    MILLS_F64_BELOW,
)

Attrs = Mapping[str, float | str]

_TANH_LIMIT = {"f32": 11.0, "f64": 22.0}
_ERF_LIMIT = {"f32": 14.5, "f64": 39.0}


def gelu(b: MathBuilder[V], operands: Sequence[V], attrs: Attrs) -> V:
    """x Phi(x), or its approximation by tanh."""
    (x,) = operands
    return _tanh_form(b, x) if attrs.get("approximation", "erf") == "tanh" else _erf_form(b, x)


# 1 / sqrt(2 pi) as c (1 + d), in f64.
_DENSITY = (float.fromhex("0x1.9884533d43651p-2"), float.fromhex("-0x1.201b8c07f2c3fp-54"))
# The approximate value of H = a e^(a^2 / 2) Phi(-a), and the limit from which f32 uses it.
_MIDDLE, _SMALL = 0.328125, 0.71875


def _erf_form(b: MathBuilder[V], x: V) -> V:
    """max(x, 0) - a Phi(-a), a = |x|, with a^2 in two words; near 0, Phi(-a) = 1/2 + a G(a^2)."""
    f32 = b.element == "f32"
    a = at_most(b, b.abs(x), _ERF_LIMIT[b.element])
    if f32 and b.permutes:
        return _by_table(b, x, a)
    square, low = two_product(b, a, a)
    large = (_tail_f32 if f32 else _tail_f64)(b, a, square, low)
    small = b.mul(a, mac(b, a, horner(b, square, PHI_F32 if f32 else PHI_F64), b.constant(0.5)))
    near = b.lt(a, b.constant(_SMALL if f32 else 0.5))
    return b.sub(positive_part(b, x), b.select(near, small, large))


def _by_table(b: MathBuilder[V], x: V, a: V) -> V:
    """max(x, 0) - e^(-a^2 / 2) H(a), H a polynomial of a - c for the interval around c of a.

    The leading bits of a + `OFFSET` select the interval. H(c) is nearly a float, and (1 + m) H = H
    + m H is rounded once. Numbers of all intervals but the first are scaled by a power of two,
    which `BIASES` removes: in the first interval a may be too small for scaling, in the last the
    power of two is too small without it.
    """
    row = b.iashr(b.as_int(b.add(a, b.constant(OFFSET))), ROW_SHIFT)
    magic = b.lookup(BIASES, row, wraps=True)
    square = b.mul(a, a)
    t = b.fma(square, b.constant(-0.5 * LOG2_E), magic)
    n = b.sub(magic, t)
    high, low = format_of(b).ln2
    rest = b.fma(n, b.constant(2 * low), b.fma(b.neg(a), a, square))
    r = b.add(b.fma(n, b.constant(2 * high), b.neg(square)), rest)
    second = tuple(c * 0.5 ** (k + 2) for k, c in enumerate(EXP_F32))
    half = b.mul(r, b.constant(0.5))
    m = b.fma(b.mul(r, r), estrin(b, r, second), half)
    d = b.sub(a, b.lookup(ANCHORS, row, wraps=True))
    h = b.lookup(COLUMNS[-1], row, wraps=True)
    for column in reversed(COLUMNS[:-1]):
        h = b.fma(h, d, b.lookup(column, row, wraps=True))
    h = b.fma(m, h, h)
    return b.fma(h, power_of_two(b, b.as_int(t)), positive_part(b, x))


def _tail_f32(b: MathBuilder[V], a: V, square: V, low: V) -> V:
    """a Phi(-a) = e^(-a^2 / 2) H, H = c + P(a) / Q(a) with P / Q small: (1 + m) H without rounding
    H first is c + (P / Q + m H). Numbers but m are scaled by a power of two.
    """
    scale = GATE_SCALE["f32"]
    bits, r = reduced(b, square, format_of(b).bias + scale, low=low, step=-0.5)
    middle = b.constant(_MIDDLE * 2.0**-scale)
    top = horner(b, a, tuple(c * 2.0**-scale for c in GELU_F32))
    rest = b.div(top, horner(b, a, GELU_F32_BELOW))
    rest = mac(b, polynomial_minus_one(b, r, -0.5), b.add(middle, rest), rest)
    return b.mul(b.add(middle, rest), power_of_two(b, bits))


def _tail_f64(b: MathBuilder[V], a: V, square: V, low: V) -> V:
    """a Phi(-a) = a e^(-a^2 / 2) / (sqrt(2 pi) (a + P(a) / Q(a))).

    As a quotient: a Q e^(-a^2 / 2) / (sqrt(2 pi) (a Q + P)); errors of Q cancel for large a.
    """
    scale = GATE_SCALE["f64"]
    bits, r = reduced(b, square, format_of(b).bias - scale, low=low, step=0.5)
    density, more = _DENSITY
    top = b.mul(a, horner(b, a, MILLS_F64_BELOW))
    below = b.mul(b.add(top, horner(b, a, MILLS_F64)), power_of_two(b, bits))
    top = mac(b, top, b.add(polynomial_minus_one(b, r, -0.5), b.constant(more)), top)
    return b.mul(b.div(top, below), b.constant(density * 2.0**-scale))


# 2 sqrt(2 / pi) and 0.044715 times it, in two words for each type.
_TANH_CONSTANTS = {
    "f32": (
        (float.fromhex("0x1.988454p+0"), float.fromhex("-0x1.857936p-25")),
        (float.fromhex("0x1.2444f2p-4"), float.fromhex("0x1.49b16ap-29")),
    ),
    "f64": (
        (float.fromhex("0x1.9884533d43651p+0"), float.fromhex("-0x1.cbc0d30ebfd15p-54")),
        (float.fromhex("0x1.2444f2a4d8b4bp-4"), float.fromhex("-0x1.6c843a29d1c70p-61")),
    ),
}


def _tanh_form(b: MathBuilder[V], x: V) -> V:
    """x / (1 + e^-2u), u = sqrt(2 / pi) (x + 0.044715 x^3): 2u is computed as a double word."""
    (linear, linear_low), (cubic, cubic_low) = _TANH_CONSTANTS[b.element]
    a = at_most(b, b.abs(x), _TANH_LIMIT[b.element])
    square, square_low = two_product(b, a, a)
    term, term_low = two_product(b, square, b.constant(cubic))
    term_low = mac(b, square_low, b.constant(cubic), term_low)
    term_low = mac(b, square, b.constant(cubic_low), term_low)
    slope, slope_low = two_sum(b, b.constant(linear), term)
    slope_low = b.add(b.add(slope_low, term_low), b.constant(linear_low))
    z, low = two_product(b, a, slope)
    low = mac(b, a, slope_low, low)
    return gate(b, positive_part(b, x), a, z, low)


# Beyond this, erfc is 0 or 2.
_ERFC_LIMIT = 27.5


def erfc(b: MathBuilder[V], operands: Sequence[V], _attrs: Attrs) -> V:
    """2 Phi(-a) with a = sqrt(2) |x|, from 2 for x < 0; near 0, 1 - erf x. f32 in f64."""
    (x,) = operands
    return b.narrow(_erfc_f64(b.f64(), b.widen(x))) if b.element == "f32" else _erfc_f64(b, x)


def _erfc_f64(b: MathBuilder[V], x: V) -> V:
    size = at_most(b, b.abs(x), _ERFC_LIMIT)
    square, low = two_product(b, size, size)
    near = b.sub(b.constant(1.0), mac(b, x, horner(b, square, ERF_F64), x))
    scale = GATE_SCALE["f64"]
    bits, r = reduced(b, square, format_of(b).bias - scale, low=low)
    density, more = _DENSITY
    a = b.mul(size, b.constant(math.sqrt(2.0)))
    top = horner(b, a, MILLS_F64_BELOW)
    below = b.mul(mac(b, a, top, horner(b, a, MILLS_F64)), power_of_two(b, bits))
    top = mac(b, top, b.add(polynomial_minus_one(b, r, -1.0), b.constant(more)), top)
    far = b.mul(b.div(top, below), b.constant(density * 2.0 ** (1 - scale)))
    far = b.select(b.lt(x, b.constant(0.0)), b.sub(b.constant(2.0), far), far)
    return b.select(b.lt(size, b.constant(0.5)), near, far)
