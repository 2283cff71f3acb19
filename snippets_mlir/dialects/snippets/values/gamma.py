"""The logarithm of |gamma| and its derivative, in the precision of the array.

It uses the formulas of `expansions/gamma.py`, whose coefficients are exact to the last bit of f64.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from snippets_mlir.dialects.builtin.dtypes import Array
from snippets_mlir.dialects.snippets.expansions import coefficients_gamma as tables


def _polynomial(x: Array, coefficients: Sequence[float]) -> Array:
    value = np.full_like(x, coefficients[-1])
    for c in reversed(coefficients[:-1]):
        value = value * x + x.dtype.type(c)
    return value


def _shifted(a: Array, limit: float) -> tuple[Array, Array, Array]:
    """Whether a < limit; a, or a + 1 there; and that less 1, exact."""
    small = a < limit
    return small, np.where(small, a + 1, a), np.where(small, a, a - 1)


def _fraction(a: Array) -> Array:
    """`a` less the nearest integer."""
    return a - np.rint(a)


def _sine(r: Array) -> Array:
    """sin(pi r) / pi for |r| <= 1/2."""
    return r + r * r * r * _polynomial(r * r, tables.SINE)


def lgamma(x: Array) -> Array:
    """log |gamma(x)|, element by element: inf at poles and infinities."""
    with np.errstate(all="ignore"):
        a = np.abs(x)
        small, shifted, above = _shifted(a, tables.SMALL)
        below = _polynomial(shifted, tables.MIDDLE_BELOW)
        quotient = _polynomial(shifted, tables.MIDDLE) / below + tables.MIDDLE_FROM
        middle = (above * (above - 1) + 0.0) * quotient
        rest = _polynomial(1 / (a * a), tables.FAR) / a + x.dtype.type(tables.HALF_LOG)
        far = (a - 0.5) * (np.log(a) - 1) + rest
        body = np.where(a < tables.FAR_FROM, middle, far)
        sine = np.abs(_sine(_fraction(a)))
        size = np.where(small, sine, a * sine)
        negative = np.where((size == 0) | np.isinf(a), np.inf, -(np.log(size) + body))
        return np.where(x < 0, negative, np.where(small, middle - np.log(a), body)).astype(x.dtype)


def digamma(x: Array) -> Array:
    """The derivative of log |gamma(x)|, element by element: NaN at negative integers."""
    with np.errstate(all="ignore"):
        a = np.abs(x)
        small, shifted, above = _shifted(a, tables.SMALL_SLOPE)
        high, low = map(x.dtype.type, tables.ZERO)
        below = _polynomial(shifted, tables.SLOPE_BELOW)
        quotient = _polynomial(shifted, tables.SLOPE) / below + tables.SLOPE_FROM
        middle = ((above - high) - low) * quotient
        square = 1 / (a * a)
        far = np.log(a) - (0.5 / a + square * _polynomial(square, tables.TAIL))
        body = np.where(a < tables.FAR_FROM, middle, far)
        r = _fraction(a)
        pi = 4 * np.arctan(x.dtype.type(1))
        cotangent = pi * _sine(0.5 - np.abs(r)) / _sine(r)
        negative = np.where(small, body, body + 1 / a) + cotangent
        negative = np.where(r == 0, np.nan, negative)
        return np.where(x < 0, negative, np.where(small, middle - 1 / x, body)).astype(x.dtype)
