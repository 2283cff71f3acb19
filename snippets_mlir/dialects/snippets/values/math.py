"""Values of the functions of one float: evaluated in a wider type, rounded once.

float64 serves types of up to 32 bits; float64 itself is evaluated in `numpy.longdouble` (64 bits
of significand on x86, 113 on other Linux machines). The formulas avoid cancellation and overflow,
so that the result is within one unit in the last place:

* softplus(x) = max(x, 0) + log1p(e^-|x|)
* sigmoid(x) = 1 / (1 + e^-x) = e^x / (1 + e^x), the one whose exponential is below 1
* mish(x) = x * n / (n + 2) with n = e^x (e^x + 2)
* gelu(x) = x / 2 * erfc(-x / sqrt 2);  gelu_tanh(x) = x * sigmoid(2 u)
* erf(t) = 2 / sqrt pi * e^(-t^2) * (t + 2 t^3 / 3 + 4 t^5 / 15 + ...) for t < 2, all terms positive
* erfc(t) = e^(-t^2) / sqrt pi / (t + (1/2) / (t + 1 / (t + (3/2) / (t + ...)))) from there on
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from xdsl.ir import Operation

from snippets_mlir.dialects.builtin.dtypes import Array, round_to, widen
from snippets_mlir.dialects.snippets.unary_with_attributes import (
    EluOp,
    GeluOp,
    SwishOp,
)
from snippets_mlir.dialects.snippets.values.unary import Value, float_value

_TAIL = 2.0
_SERIES_TERMS, _FRACTION_TERMS = 52, 90


def _each(function: Callable[[float], float], x: Array) -> Array:
    """`function` of each element, in float64."""
    values = map(function, x.astype(np.float64).ravel().tolist())
    return np.fromiter(values, np.float64, x.size).reshape(x.shape)


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


def _erf(x: Array) -> Array:
    return _erf_and_complement(x)[0] if x.itemsize > 8 else _each(math.erf, x)


def _erfc(x: Array) -> Array:
    return _erf_and_complement(x)[1] if x.itemsize > 8 else _each(math.erfc, x)


def _sigmoid(x: Array) -> Array:
    small = np.exp(-np.abs(x))
    return np.where(x < 0, small, 1) / (1 + small)


def _mish(x: Array) -> Array:
    small = np.exp(-np.abs(x))
    below = small * (small + 2)
    above = 1 + 2 * small
    return x * np.where(x < 0, below / (below + 2), above / (above + 2 * small * small))


def _softplus(x: Array) -> Array:
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def _six_clamp(x: Array) -> Array:
    return np.minimum(np.maximum(x + 3, 0), 6)


def _gelu_erf(x: Array) -> Array:
    half = x.dtype.type(0.5)
    return x * half * _erfc(-x * np.sqrt(half))


def _gelu_tanh(x: Array) -> Array:
    kind = x.dtype.type
    pi = np.arctan(kind(1)) * 4
    cubic = kind(44715) / kind(1000000)
    return x * _sigmoid(2 * np.sqrt(2 / pi) * (x + cubic * x * x * x))


def _wide(function: Callable[[Array], Array]) -> Value:
    def value(op: Operation, dtype: np.dtype[Any], x: Array) -> Array:
        return round_to(np.asarray(function(widen(x))), dtype)

    return value


def _elu(op: Operation, dtype: np.dtype[Any], x: Array) -> Array:
    assert isinstance(op, EluOp)
    alpha = widen(float_value(op.alpha, dtype))
    return np.where(x > 0, x, round_to(np.asarray(alpha * np.expm1(widen(x))), dtype))


def _gelu(op: Operation, dtype: np.dtype[Any], x: Array) -> Array:
    assert isinstance(op, GeluOp)
    return _wide(_gelu_erf if op.form == "erf" else _gelu_tanh)(op, dtype, x)


def _sqrt(op: Operation, dtype: np.dtype[Any], x: Array) -> Array:
    # The hardware's root is rounded once; a root in extended precision would be rounded twice.
    return np.asarray(np.sqrt(x)) if dtype.itemsize > 2 else _wide(np.sqrt)(op, dtype, x)


def _swish(op: Operation, dtype: np.dtype[Any], x: Array) -> Array:
    assert isinstance(op, SwishOp)
    beta = widen(round_to(np.asarray(op.factor, np.float64), dtype))
    wide = widen(x)
    return round_to(np.asarray(wide * _sigmoid(beta * wide)), dtype)


MATH_VALUES: dict[str, Value] = {
    "snippets.acos": _wide(np.arccos),
    "snippets.acosh": _wide(np.arccosh),
    "snippets.asin": _wide(np.arcsin),
    "snippets.asinh": _wide(np.arcsinh),
    "snippets.atan": _wide(np.arctan),
    "snippets.atanh": _wide(np.arctanh),
    "snippets.cos": _wide(np.cos),
    "snippets.cosh": _wide(np.cosh),
    "snippets.elu": _elu,
    "snippets.erf": _wide(_erf),
    "snippets.exp": _wide(np.exp),
    "snippets.gelu": _gelu,
    "snippets.hsigmoid": _wide(lambda x: _six_clamp(x) / 6),
    "snippets.hswish": _wide(lambda x: x * _six_clamp(x) / 6),
    "snippets.log": _wide(np.log),
    "snippets.mish": _wide(_mish),
    "snippets.rsqrt": _wide(lambda x: 1 / np.sqrt(x)),
    "snippets.sigmoid": _wide(_sigmoid),
    "snippets.sin": _wide(np.sin),
    "snippets.sinh": _wide(np.sinh),
    "snippets.softplus": _wide(_softplus),
    "snippets.softsign": _wide(lambda x: x / (1 + np.abs(x))),
    "snippets.sqrt": _sqrt,
    "snippets.swish": _swish,
    "snippets.tan": _wide(np.tan),
    "snippets.tanh": _wide(np.tanh),
}
