"""What the expansions for f32 are compared with: formulas in float64; `math_mpmath.py` has f64's.

Swish and elu with attributes have a name each; see `CASES` in `math_accuracy.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from math_mpmath import MPMATH, mpmath

Array = np.ndarray[Any, np.dtype[Any]]

# Attributes are rounded to the element type before use.
ALPHA_F32, BETA_F32, MINUS_F32, TINY_F32 = (float(np.float32(v)) for v in (0.7, 1.7, -0.3, 1e-37))


def _each(f: Callable[[float], float]) -> Callable[[Array], Array]:
    def g(x: Array) -> Array:
        return np.fromiter(map(f, x.tolist()), np.float64, x.size)

    return g


_ERF, _ERFC = _each(math.erf), _each(math.erfc)


def _sigmoid(x: Array) -> Array:
    e = np.exp(-np.abs(x))
    return np.where(x < 0, e / (1 + e), 1 / (1 + e))


def _gated(x: Array, s: Array) -> Array:
    return x * s


def _swish(beta: float) -> Callable[[Array], Array]:
    return lambda x: _gated(x, _sigmoid(beta * x))


def _hsigmoid(x: Array) -> Array:
    return np.minimum(np.maximum(x + 3, 0), 6) / 6


def _mish(x: Array) -> Array:
    e = np.exp(np.minimum(x, 60))
    n = e * (e + 2)
    return x * (n / (n + 2))


def _gelu_tanh(x: Array) -> Array:
    return _gated(x, _sigmoid(2 * math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)))


def _elu(alpha: float) -> Callable[[Array], Array]:
    return lambda x: np.where(x < 0, alpha * np.expm1(np.minimum(x, 0)), x)


def _gelu(x: Array) -> Array:
    return _gated(x, 0.5 * _ERFC(-x / math.sqrt(2)))


def _hswish(x: Array) -> Array:
    return x * _hsigmoid(x)


def _rsqrt(x: Array) -> Array:
    return 1 / np.sqrt(x)


def _softplus(x: Array) -> Array:
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def _softsign(x: Array) -> Array:
    return x / (1 + np.abs(x))


def _erfinv(x: Array) -> Array:
    """By Newton's iteration from 0, which stays below the root: erf is concave there."""
    size = np.abs(x)
    scale = 2 / math.sqrt(math.pi)
    result = np.where(size < 1, size / scale, np.where(size == 1, np.inf, np.nan))
    steps = (size > 1e-8) & (size < 1)
    t = size[steps]
    y = np.zeros_like(t)
    for _ in range(25):
        missing = np.where(t < 0.5, t - _ERF(y), _ERFC(y) - (1 - t))
        y = y + missing / (scale * np.exp(-y * y))
    result[steps] = y
    return np.copysign(result, x)


def _to_the(exponent: float) -> Callable[[Array], Array]:
    # A whole array of exponents: for a single 0.5 NumPy takes the square root.
    return lambda x: np.power(x, np.full_like(x, exponent))


def _lgamma(x: Array) -> Array:
    def one(v: float) -> float:
        if not math.isfinite(v) or v == 0 or (v < 0 and v == math.floor(v)):
            return abs(v) if v else math.inf
        return math.lgamma(v) if abs(v) < 1e300 else math.inf

    return np.where(
        np.isfinite(x), _each(one)(np.where((x < 0) & (x == np.floor(x)), 0, x)), abs(x)
    )


def _digamma(x: Array) -> Array:
    """By Stirling's series after steps to 12, reflected for negative x; near a zero by mpmath."""
    mirrored = np.where(x > 0, x, 1 - x)
    y, steps = mirrored.copy(), np.zeros_like(x)
    with np.errstate(all="ignore"):
        for _ in range(12):
            steps = np.where(y < 12, steps + 1 / y, steps)
            y = np.where(y < 12, y + 1, y)
        terms = np.zeros_like(y)
        for number in (-1 / 12, 691 / 32760, -1 / 132, 1 / 240, -1 / 252, 1 / 120, -1 / 12):
            terms = (terms + number) / (y * y)
        positive = np.log(y) - 0.5 / y + terms - steps
        reflected = np.where(x > 0, 0, np.pi / np.tan(np.pi * (x - np.rint(x))))
        result = np.where(x > 0, positive, positive - reflected)
        result = np.where((x < 0) & (x == np.floor(x)), np.nan, result)
        result = np.where(x == 0, np.copysign(np.inf, -x), result)
        size = np.maximum(np.abs(positive), np.abs(reflected)) + np.abs(steps)
        near = ~np.isfinite(x) | (np.abs(result) < 1e-2 * size)
    result[near] = [float(MPMATH["digamma"](mpmath.mpf(v))) for v in x[near].tolist()]
    return result


FLOAT64: dict[str, Callable[..., Array]] = {
    "acos": np.arccos,
    "acosh": np.arccosh,
    "asin": np.arcsin,
    "asinh": np.arcsinh,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "atanh": np.arctanh,
    "cbrt": np.cbrt,
    "cos": np.cos,
    "cosh": np.cosh,
    "cube": _to_the(3.0),
    "digamma": _digamma,
    "elu": _elu(1.0),
    "elu_alpha": _elu(ALPHA_F32),
    "erf": _ERF,
    "erfc": _ERFC,
    "erfinv": _erfinv,
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "fourth_power": _to_the(4.0),
    "gelu": _gelu,
    "gelu_tanh": _gelu_tanh,
    "hsigmoid": _hsigmoid,
    "hswish": _hswish,
    "inverse_root": _to_the(-0.5),
    "inverse_square": _to_the(-2.0),
    "lgamma": _lgamma,
    "log": np.log,
    "log10": np.log10,
    "log1p": np.log1p,
    "log2": np.log2,
    "mish": _mish,
    "power": np.power,
    "root": _to_the(0.5),
    "rsqrt": _rsqrt,
    "sigmoid": _sigmoid,
    "sin": np.sin,
    "sinh": np.sinh,
    "softplus": _softplus,
    "softsign": _softsign,
    "swish": _swish(1.0),
    "swish_beta": _swish(BETA_F32),
    "swish_minus": _swish(MINUS_F32),
    "swish_tiny": _swish(TINY_F32),
    "tan": np.tan,
    "tanh": np.tanh,
}


def names() -> Iterable[str]:
    """The names that have both oracles."""
    return FLOAT64.keys() & MPMATH.keys()
