"""The inverse of the error function, from the percentage points of the normal distribution.

    erfinv(x) = Phi^-1((1 + x) / 2) / sqrt(2)

Up to |x| = 0.85 this is x (sqrt(pi) / 2 + x^2 R), where R is a quotient of polynomials of x^2 and
small compared to the first term. Beyond it Phi^-1 is a quotient of polynomials of r = sqrt(-log p),
where p = (1 - |x|) / 2 is exact. The coefficients follow from those of M. J. Wichura, "Algorithm AS
241: The Percentage Points of the Normal Distribution", Applied Statistics 37 (1988).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from snippets_mlir.dialects.snippets.expansions.builder import MathBuilder, V
from snippets_mlir.dialects.snippets.expansions.log import log
from snippets_mlir.dialects.snippets.expansions.primitives import (
    horner,
    infinity,
    mac,
    nan,
    with_sign,
)

# Numerators and denominators, lowest power first: of 0.180625 - x^2 / 4, r - 1.6 and r - 5.
_NEAR = (
    0.4308725067326411,
    15.63593794597782,
    208.44676576752852,
    1257.013421588575,
    3409.938408912868,
    3579.3486184530307,
    936.1916930614162,
)
_NEAR_BELOW = (
    1.0,
    42.31333070160091,
    687.1870074920579,
    5394.196021424751,
    21213.794301586597,
    39307.89580009271,
    28729.085735721943,
    5226.495278852854,
)
_FAR = (
    1.4234371107496835,
    4.630337846156546,
    5.769497221460691,
    3.6478483247632045,
    1.2704582524523684,
    0.2417807251774506,
    0.022723844989269184,
    0.0007745450142783414,
)
_FAR_BELOW = (
    1.0,
    2.053191626637759,
    1.6763848301838038,
    0.6897673349851,
    0.14810397642748008,
    0.015198666563616457,
    0.0005475938084995345,
    1.0507500716444169e-09,
)
_END = (
    6.657904643501103,
    5.463784911164114,
    1.7848265399172913,
    0.29656057182850487,
    0.026532189526576124,
    0.0012426609473880784,
    2.7115555687434876e-05,
    2.0103343992922881e-07,
)
_END_BELOW = (
    1.0,
    0.599832206555888,
    0.1369298809227358,
    0.014875361290850615,
    0.0007868691311456133,
    1.8463183175100548e-05,
    1.421511758316446e-07,
    2.0442631033899397e-15,
)
_MIDDLE, _LIMIT = 0.180625, 0.85
# sqrt(pi) / 2 of the near quotient (within 2^-55), in two words.
_SLOPE = (float.fromhex("0x1.c5bf891b4ef6bp-1"), float.fromhex("-0x1.67220532c7d18p-56"))


def _scaled(coefficients: Sequence[float], factor: float) -> tuple[float, ...]:
    """The factor in the coefficients is a rounding less than a product of the result."""
    return tuple(c * factor for c in coefficients)


_ERFINV_FAR, _ERFINV_END = (_scaled(c, math.sqrt(0.5)) for c in (_FAR, _END))


def erfinv(b: MathBuilder[V], operands: Sequence[V], _attrs: Mapping[str, float | str]) -> V:
    """The inverse of erf; f32 in f64."""
    (x,) = operands
    return b.narrow(_erfinv_f64(b.f64(), b.widen(x))) if b.element == "f32" else _erfinv_f64(b, x)


def _erfinv_f64(b: MathBuilder[V], x: V) -> V:
    size = b.abs(x)
    square = b.mul(size, size)
    s = mac(b, square, b.constant(-0.25), b.constant(_MIDDLE))
    curve = b.mul(square, b.div(horner(b, s, _NEAR), horner(b, s, _NEAR_BELOW)))
    slope, low = _SLOPE
    near = b.fma(size, b.constant(slope), b.mul(size, b.add(curve, b.constant(low))))
    one = b.constant(1.0)
    end = b.select(b.eq(size, one), infinity(b), nan(b))
    inside = b.select(b.le(size, b.constant(_LIMIT)), near, _tail(b, size))
    return with_sign(b, b.select(b.lt(size, one), inside, end), x)


def _tail(b: MathBuilder[V], size: V) -> V:
    """-Phi^-1(p) / sqrt(2), p = (1 - size) / 2, for 0.85 < size < 1."""
    p = b.mul(b.sub(b.constant(1.0), size), b.constant(0.5))
    r = b.sqrt(b.neg(log(b, (p,), {})))
    far, end = b.sub(r, b.constant(1.6)), b.sub(r, b.constant(5.0))
    last = b.gt(r, b.constant(5.0))
    top = b.select(last, horner(b, end, _ERFINV_END), horner(b, far, _ERFINV_FAR))
    below = b.select(last, horner(b, end, _END_BELOW), horner(b, far, _FAR_BELOW))
    return b.div(top, below)
