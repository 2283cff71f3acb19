"""The functions that `fit_polynomials.py` fits: what the start of a series leaves, or a ratio."""

from __future__ import annotations

from typing import Any

import mpmath
from fitting import Function
from mpmath import mp, mpf

GELU_MIDDLE = 0.328125
"""What is taken off the function of `GELU_F32`."""


def odd_tail(f: Function, c3: Any, c5: Any) -> Function:
    """(f(x) - x) / x^3 as a function of u = x^2."""

    def g(u: Any) -> Any:
        x = mp.sqrt(u)
        return (f(x) - x) / x**3 if u > mpf(10) ** -12 else c3 + c5 * u

    return g


def exp_tail(r: Any) -> Any:
    """(e^r - 1 - r) / r^2."""
    return (mp.exp(r) - 1 - r) / r**2 if abs(r) > mpf(10) ** -15 else mpf(1) / 2 + r / 6


def log_tail(f: Any) -> Any:
    """(log(1 + f) - f + f^2 / 2) / f^3."""
    if abs(f) < mpf(10) ** -12:
        return mpf(1) / 3 - f / 4
    return (mp.log1p(f) - f + f * f / 2) / f**3


def atanh_tail(start: int) -> Function:
    """sum over k >= start of z^(k - start) / (2 k + 1): the tail of atanh(s) / s with z = s^2."""
    return lambda z: mpmath.nsum(lambda k: z ** (k - start) / (2 * k + 1), [start, start + 45])


def log1p_tail(v: Any) -> Any:
    """(log1p(e) / t - 1) / t^2 of v = t^2, t = e / (1 + e / 2)."""
    return atanh_tail(1)(v / 4) / 4


def cos_tail(u: Any) -> Any:
    """(cos x - 1 + u / 2) / u^2 of u = x^2."""
    if u < mpf(10) ** -12:
        return mpf(1) / 24 - u / 720
    return (mp.cos(mp.sqrt(u)) - 1 + u / 2) / u**2


def erf_ratio(u: Any) -> Any:
    """erf(x) / x - 1 of u = x^2."""
    x = mp.sqrt(u)
    return mp.erf(x) / x - 1 if u > mpf(10) ** -30 else 2 / mp.sqrt(mp.pi) - 1


def erf_far(t: Any) -> Any:
    """erf(2.5625 + t)."""
    return mp.erf(t + mpf("2.5625"))


def phi_slope(u: Any) -> Any:
    """(Phi(-a) - 1/2) / a of u = a^2."""
    return -(1 + erf_ratio(u / 2)) / mp.sqrt(8)


def mills(a: Any) -> Any:
    """M(a) = e^(-a^2 / 2) / (sqrt(2 pi) Phi(-a)), Phi the normal distribution function."""
    return mp.exp(-a * a / 2) / (mp.sqrt(2 * mp.pi) * mp.erfc(a / mp.sqrt(2)) / 2)


def mills_rest(a: Any) -> Any:
    """M(a) - a."""
    return mills(a) - a


def phi(a: Any) -> Any:
    """Phi(-a), the normal distribution function."""
    return mp.erfc(a / mp.sqrt(2)) / 2


def logit_phi(u: Any) -> Any:
    """log(Phi(a) / Phi(-a)) / a of u = a^2."""
    a = mp.sqrt(u)
    return mp.log((1 - phi(a)) / phi(a)) / a


def gelu_rest(a: Any) -> Any:
    """a e^(a^2 / 2) Phi(-a) - GELU_MIDDLE."""
    return a / (mp.sqrt(2 * mp.pi) * mills(a)) - GELU_MIDDLE


def scaled_erfc(x: Any) -> Any:
    """erfc(x) e^(x^2)."""
    return mp.exp(x * x) * mp.erfc(x)
