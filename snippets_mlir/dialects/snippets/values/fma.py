"""a * b + c rounded once, for every float type.

f16, bf16, f32: the product is exact in float64; the sum is rounded to odd, so that only the last
rounding counts (Boldo and Melquiond, "Emulation of a FMA and correctly rounded sums", 2008). f64:
the same paper's algorithm on error-free transformations, and exact fractions for operands whose
intermediate values could overflow or underflow.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from snippets_mlir.dialects.builtin.dtypes import Array, round_to

_SPLIT = 134217729.0  # 2^27 + 1
_LARGEST, _SMALLEST = 2.0**480, 2.0**-400


def _two_sum(a: Array, b: Array) -> tuple[Array, Array]:
    """The rounded sum s of a and b, and e with s + e = a + b exactly (Knuth)."""
    total = a + b
    virtual = total - a
    return total, (a - (total - virtual)) + (b - virtual)


def _split(a: Array) -> tuple[Array, Array]:
    scaled = _SPLIT * a
    high = scaled - (scaled - a)
    return high, a - high


def _two_product(a: Array, b: Array) -> tuple[Array, Array]:
    """The rounded product p of a and b, and e with p + e = a * b exactly (Dekker)."""
    product = a * b
    (ah, al), (bh, bl) = _split(a), _split(b)
    return product, al * bl - (((product - ah * bh) - al * bh) - ah * bl)


def _sum_to_odd(a: Array, b: Array) -> Array:
    """The sum of two float64, rounded to odd."""
    total, error = _two_sum(a, b)
    if not error.any():
        return total
    even = (np.asarray(total).view(np.uint64) & np.uint64(1)) == 0
    adjust = even & np.isfinite(total) & np.isfinite(error) & (error != 0)
    toward = np.nextafter(total, np.copysign(np.inf, error))
    return np.asarray(np.where(adjust, toward, total))


def _fma_exact(a: float, b: float, c: float) -> float:
    """The fma of finite numbers by fractions."""
    value = Fraction(a) * Fraction(b) + Fraction(c)
    if not value:
        return a * b + c if a == 0 or b == 0 else 0.0
    try:
        return value.numerator / value.denominator
    except OverflowError:
        return np.inf if value > 0 else -np.inf


def _fma64(a: Array, b: Array, c: Array) -> Array:
    a, b, c = np.broadcast_arrays(a, b, c)
    finite = np.isfinite(a) & np.isfinite(b)
    # With an infinite or NaN factor, the sum with c follows IEEE 754; else an infinite or NaN c is
    # the result.
    result = np.array(np.where(finite, c, a * b + c))
    safe = finite & np.isfinite(c)
    for factor in (a, b, c):
        size = np.abs(factor)
        safe &= (size == 0) | ((size >= _SMALLEST) & (size <= _LARGEST))
    zero = safe & ((a == 0) | (b == 0))
    result[zero] = a[zero] * b[zero] + c[zero]
    safe &= ~zero
    high, low = _two_product(a[safe], b[safe])
    top, rest = _two_sum(c[safe], low)
    total, error = _two_sum(high, top)
    result[safe] = total + _sum_to_odd(rest, error)
    hard = finite & np.isfinite(c) & ~safe & ~zero
    exact = map(_fma_exact, a[hard].tolist(), b[hard].tolist(), c[hard].tolist())
    result[hard] = np.fromiter(exact, np.float64, int(np.count_nonzero(hard)))
    return result


def fma(a: Array, b: Array, c: Array) -> Array:
    """The value a * b + c rounded once; the arrays have one float dtype and broadcast."""
    if a.dtype == np.float64:
        return _fma64(a, b, c)
    wide = [x.astype(np.float64) for x in (a, b, c)]
    return round_to(_sum_to_odd(np.asarray(wide[0] * wide[1]), wide[2]), a.dtype)
