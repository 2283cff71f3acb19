"""What the expansions for f64 are compared with: formulas in mpmath, and for which they are.

Swish and elu with attributes have a name each; see `CASES` in `math_accuracy.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from importlib import import_module
from typing import Any

# mpmath has no types.
mpmath: Any = import_module("mpmath")
mp = mpmath.mp


def _finite(f: Callable[[Any], Any], minus: Any, plus: Any) -> Callable[[Any], Any]:
    """f with its values at the infinities, NaN for NaN."""

    def g(x: Any) -> Any:
        if mpmath.isnan(x):
            return mp.nan
        if mpmath.isinf(x):
            return plus if x > 0 else minus
        return f(x)

    return g


def _near_zero(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """f with f(x) = x + O(x^3) where mpmath might cancel."""
    return lambda x: x if abs(x) < mpmath.mpf(10) ** -25 else f(x)


def _inside(f: Callable[[Any], Any], low: float, high: float) -> Callable[[Any], Any]:
    """f on [low, high], else NaN."""
    return lambda x: f(x) if low <= x <= high else mp.nan


def _mp_sigmoid(x: Any) -> Any:
    return 1 / (1 + mp.exp(-x))


def _mp_atanh(x: Any) -> Any:
    if abs(x) == 1:
        return mp.inf * x
    return (mpmath.log1p(x) - mpmath.log1p(-x)) / 2


def _mp_asinh(x: Any) -> Any:
    a = abs(x)
    return mpmath.sign(x) * mpmath.log1p(a + a * a / (1 + mp.sqrt(a * a + 1)))


def _mp_swish(beta: float) -> Callable[[Any], Any]:
    plus, minus = (mp.inf, mp.nan) if beta > 0 else (mp.nan, -mp.inf)
    return _finite(lambda x: x * _mp_sigmoid(beta * x), minus, plus)


def _mp_elu(alpha: float) -> Callable[[Any], Any]:
    return _finite(lambda x: x if x > 0 else alpha * mp.expm1(x), -mpmath.mpf(alpha), mp.inf)


def _mp_gelu_tanh(x: Any) -> Any:
    u = mp.sqrt(2 / mp.pi) * (x + mpmath.mpf("0.044715") * x**3)
    return x * _mp_sigmoid(2 * u)


def _mp_mish(x: Any) -> Any:
    e = mp.exp(x)
    n = e * (e + 2)
    return x * n / (n + 2)


def _mp_gelu(x: Any) -> Any:
    # erfc of a huge argument takes long, and is 0 or 2.
    if abs(x) > 60:
        return x if x > 0 else mpmath.mpf(0)
    return x * mp.erfc(-x / mp.sqrt(2)) / 2


def _mp_erfc(x: Any) -> Any:
    # As above.
    if abs(x) > 40:
        return _ZERO if x > 0 else mpmath.mpf(2)
    return mp.erfc(x)


def _mp_erfinv(x: Any) -> Any:
    """The first term of the series for a tiny x."""
    return x * mp.sqrt(mp.pi) / 2 if abs(x) < 1e-35 else mp.erfinv(x)


def _mp_lgamma(x: Any) -> Any:
    """By reflection for negative x, where mpmath's own is complex."""
    if x <= 0 and x == mp.floor(x):
        return mp.inf
    if x > 0:
        return mp.loggamma(x)
    return mp.log(mp.pi / abs(x * mpmath.sinpi(x))) - mp.loggamma(-x)


def _mp_digamma(x: Any) -> Any:
    if x == 0:
        return -mp.inf
    if x < 0 and x == mp.floor(x):
        return mp.nan
    return mp.digamma(x) if abs(x) > 1e-30 else -1 / x - mp.euler


def _mp_hsigmoid(x: Any) -> Any:
    return min(max(x + 3, mpmath.mpf(0)), mpmath.mpf(6)) / 6


def _mp_log(x: Any) -> Any:
    if x == 0:
        return -mp.inf
    return mp.log(x) if x > 0 else mp.nan


def _mp_log_to(base: int) -> Callable[[Any], Any]:
    return lambda x: _mp_log(x) / mp.log(base)


def _mp_log1p(x: Any) -> Any:
    if x == -1:
        return -mp.inf
    return mpmath.log1p(x) if x > -1 else mp.nan


def _mp_cbrt(x: Any) -> Any:
    return mpmath.sign(x) * mp.cbrt(abs(x))


def _mp_softplus(x: Any) -> Any:
    return max(x, mpmath.mpf(0)) + mpmath.log1p(mp.exp(-abs(x)))


def _mp_power(x: Any, y: Any) -> Any:
    """Finite arguments, x != 0; special values are tested by name."""
    if y == 0 or x == 1:
        return mpmath.mpf(1)
    if x > 0:
        return mp.exp(y * mp.log(x))
    if y != mp.floor(y):
        return mp.nan
    result = mp.exp(y * mp.log(-x))
    return -result if mp.floor(y / 2) * 2 != y else result


def _mp_to_the(exponent: float) -> Callable[[Any], Any]:
    """x^exponent with C's values at zero and the infinities."""

    def g(x: Any) -> Any:
        if x == 0:
            return mp.inf if exponent < 0 else _ZERO
        return _mp_power(x, mpmath.mpf(exponent))

    odd = exponent % 2 == 1
    minus = (-mp.inf if odd else mp.inf) if exponent > 0 else _ZERO
    return _finite(g, minus, mp.inf if exponent > 0 else _ZERO)


def _mp_rsqrt(x: Any) -> Any:
    if x == 0:
        return mp.inf
    return 1 / mp.sqrt(x) if x > 0 else mp.nan


_ZERO, _ONE = mpmath.mpf(0), mpmath.mpf(1)

MPMATH: dict[str, Callable[..., Any]] = {
    "acos": _inside(mp.acos, -1, 1),
    "acosh": _finite(_inside(mp.acosh, 1, mp.inf), mp.nan, mp.inf),
    "asin": _inside(_near_zero(mp.asin), -1, 1),
    "asinh": _finite(_near_zero(_mp_asinh), -mp.inf, mp.inf),
    "atan": _near_zero(mp.atan),
    "atan2": mp.atan2,
    "atanh": _inside(_near_zero(_mp_atanh), -1, 1),
    "cbrt": _finite(_mp_cbrt, -mp.inf, mp.inf),
    "cos": _finite(mp.cos, mp.nan, mp.nan),
    "cosh": _finite(mp.cosh, mp.inf, mp.inf),
    "cube": _mp_to_the(3.0),
    "digamma": _finite(_mp_digamma, mp.nan, mp.inf),
    "elu": _mp_elu(1.0),
    "elu_alpha": _mp_elu(0.7),
    "erf": _finite(lambda x: mpmath.sign(x) if abs(x) > 20 else mp.erf(x), -_ONE, _ONE),
    "erfc": _finite(_mp_erfc, mpmath.mpf(2), _ZERO),
    "erfinv": _finite(_inside(_mp_erfinv, -1, 1), mp.nan, mp.nan),
    "exp": _finite(mp.exp, _ZERO, mp.inf),
    "exp2": _finite(lambda x: mpmath.mpf(2) ** x, _ZERO, mp.inf),
    "expm1": _finite(mpmath.expm1, -_ONE, mp.inf),
    "fourth_power": _mp_to_the(4.0),
    "gelu": _finite(_mp_gelu, mp.nan, mp.inf),
    "gelu_tanh": _finite(_mp_gelu_tanh, mp.nan, mp.inf),
    "hsigmoid": _finite(_mp_hsigmoid, _ZERO, _ONE),
    "hswish": _finite(lambda x: x * _mp_hsigmoid(x), mp.nan, mp.inf),
    "inverse_root": _mp_to_the(-0.5),
    "inverse_square": _mp_to_the(-2.0),
    "lgamma": _finite(_mp_lgamma, mp.inf, mp.inf),
    "log": _finite(_mp_log, mp.nan, mp.inf),
    "log10": _finite(_mp_log_to(10), mp.nan, mp.inf),
    "log1p": _finite(_mp_log1p, mp.nan, mp.inf),
    "log2": _finite(_mp_log_to(2), mp.nan, mp.inf),
    "mish": _finite(_mp_mish, mp.nan, mp.inf),
    "power": _mp_power,
    "root": _mp_to_the(0.5),
    "rsqrt": _finite(_mp_rsqrt, mp.nan, _ZERO),
    "sigmoid": _finite(_mp_sigmoid, _ZERO, _ONE),
    "sin": _finite(_near_zero(mp.sin), mp.nan, mp.nan),
    "sinh": _finite(_near_zero(mp.sinh), -mp.inf, mp.inf),
    "softplus": _finite(_mp_softplus, _ZERO, mp.inf),
    "softsign": _finite(lambda x: x / (1 + abs(x)), mp.nan, mp.nan),
    "swish": _mp_swish(1.0),
    "swish_beta": _mp_swish(1.7),
    "swish_minus": _mp_swish(-0.3),
    "swish_tiny": _mp_swish(1e-37),
    "tan": _finite(_near_zero(mp.tan), mp.nan, mp.nan),
    "tanh": _finite(_near_zero(mp.tanh), -_ONE, _ONE),
}

# Errors of f64 near zeros that are no zeros of a factor: units are at least those of this.
SMALLEST_UNITS: dict[str, Callable[[float], Any]] = {
    "digamma": lambda x: max(2.0, math.log(-x)) if x < 0 else 0.0,
    "lgamma": lambda x: max(1.0, mp.loggamma(-x)) if x < -2 else 0.0,
}
