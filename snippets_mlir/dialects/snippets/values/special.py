"""The error function, its complement and its inverse, to the full precision of the array.

* erf(t) = 2 / sqrt pi * e^(-t^2) * (t + 2 t^3 / 3 + 4 t^5 / 15 + ...) for t < 2, all terms positive
* erfc(t) = e^(-t^2) / sqrt pi / (t + (1/2) / (t + 1 / (t + (3/2) / (t + ...)))) from there on
* erfinv by E. Halley's iteration on erf and erfc
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from snippets_mlir.dialects.builtin.dtypes import Array

_TAIL = 2.0
_SERIES_TERMS, _FRACTION_TERMS = 52, 90


def each(function: Callable[[float], float], x: Array) -> Array:
    """`function` of each element, computed in float64, in the dtype of `x`."""
    values = map(function, x.astype(np.float64).ravel().tolist())
    return np.fromiter(values, np.float64, x.size).reshape(x.shape).astype(x.dtype)


def _exp_minus_square(t: Array) -> Array:
    """e^(-t^2) without the error of rounding t^2."""
    high = t.astype(np.float32).astype(t.dtype)
    low = t - high
    return np.exp(-high * high) * np.exp(-low * (t + high))


def _root_of_pi(x: Array) -> Array:
    return np.sqrt(np.arctan(x.dtype.type(1)) * 4)


def _erf_near(t: Array) -> Array:
    """The error function for 0 <= t < 2, by its series."""
    total = term = t
    for k in range(1, _SERIES_TERMS):
        term = term * (2 * t * t) / (2 * k + 1)
        total = total + term
    return 2 / _root_of_pi(t) * _exp_minus_square(t) * total


def _erfc_far(t: Array) -> Array:
    """The complement for finite t >= 2, by its continued fraction (0 long before t = 200)."""
    t = np.minimum(t, 200)
    fraction = t
    for k in range(_FRACTION_TERMS, 0, -1):
        fraction = t + (t.dtype.type(k) / 2) / fraction
    return _exp_minus_square(t) / (_root_of_pi(t) * fraction)


def _erf_and_complement(x: Array) -> tuple[Array, Array]:
    """`erf(x)` and `erfc(x)` of a longdouble array, both to its full precision."""
    x = np.asarray(x)
    size = np.abs(x)
    near, far = size < _TAIL, (size >= _TAIL) & np.isfinite(size)
    erf = np.where(np.isnan(x), x, np.ones_like(x))
    erfc = np.where(np.isnan(x), x, np.zeros_like(x))
    erf[near] = _erf_near(size[near])
    erfc[near] = 1 - erf[near]
    erfc[far] = _erfc_far(size[far])
    erf[far] = 1 - erfc[far]
    return np.copysign(erf, x), np.where(x < 0, 1 + erf, erfc)


def erf(x: Array) -> Array:
    """erf x, element by element, in the precision of `x`."""
    return _erf_and_complement(x)[0] if x.itemsize > 8 else each(math.erf, x)


def erfc(x: Array) -> Array:
    """erfc x = 1 - erf x, element by element, without cancellation for large x."""
    return _erf_and_complement(x)[1] if x.itemsize > 8 else each(math.erfc, x)


_HALLEY_STEPS = 5


def erfinv(x: Array) -> Array:
    """The inverse of erf, element by element: +-inf at +-1, NaN beyond."""
    size = np.abs(x)
    result = np.where(size == 1, np.inf, np.nan).astype(x.dtype)
    inside = size < 1
    result[inside] = _erfinv_inside(size[inside])
    return np.copysign(result, x)


def _erfinv_inside(t: Array) -> Array:
    """The inverse for 0 <= t < 1; for large t from 1 - t, so that nothing cancels."""
    slope = 2 / _root_of_pi(t)
    log = np.log1p(-t * t)
    middle = 4.33 + log / 2
    y = np.where(t < 0.25, t / slope, np.sqrt(np.sqrt(middle * middle - log / 0.147) - middle))
    for _ in range(_HALLEY_STEPS):
        error = np.where(t < 0.5, erf(y) - t, (1 - t) - erfc(y))
        y = y - error / (slope * _exp_minus_square(y) + y * error)
    return y
