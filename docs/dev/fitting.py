"""Fitting polynomials and rational functions, for `fit_polynomials.py`.

Polynomials interpolate at Chebyshev points, which is within a factor of about two of the best
polynomial, or minimise a weighted error; rational functions minimise the relative error over
Chebyshev points by least squares, linearised with the denominator of the round before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
from mpmath import mp, mpf

mp.dps = 70

Function = Callable[[Any], Any]


def evaluate(coefficients: list[Any], x: Any) -> Any:
    """The polynomial with these coefficients, lowest power first."""
    value = mpf(0)
    for c in reversed(coefficients):
        value = value * x + c
    return value


def points(low: Any, high: Any, count: int) -> list[Any]:
    """Chebyshev points of an interval."""
    half, middle = (high - low) / 2, (high + low) / 2
    return [middle + half * mp.cos(mp.pi * (2 * k + 1) / (2 * count)) for k in range(count)]


def polynomial(f: Function, low: float, high: float, degree: int) -> list[Any]:
    """Coefficients, lowest first, of the interpolant at Chebyshev points."""
    xs = points(mpf(low), mpf(high), degree + 1)
    rows = mpmath.matrix([[x**j for j in range(degree + 1)] for x in xs])
    return list(mpmath.lu_solve(rows, mpmath.matrix([f(x) for x in xs])))


def minimax(f: Function, weight: Function, low: float, high: float, degree: int) -> list[float]:
    """Coefficients, lowest first, with the least weighted error, by C. L. Lawson's weights."""
    xs = points(mpf(low), mpf(high), 400)
    values = np.array([float(f(x)) for x in xs])
    weights = np.array([float(weight(x)) for x in xs])
    rows = np.array([[float(x) ** k for k in range(degree + 1)] for x in xs])
    shares = np.full(len(xs), 1 / len(xs))
    best: tuple[float, list[float]] = (np.inf, [])
    for _ in range(120):
        root = np.sqrt(shares) * weights
        q, r = np.linalg.qr(rows * root[:, None])
        c = np.linalg.solve(r, q.T @ (values * root))
        error = np.abs((rows @ c - values) * weights)
        best = min(best, (float(error.max()), c.tolist()))
        shares = shares * error / (shares * error).sum()
    return best[1]


def rational(
    f: Function, scale: Function, low: float, high: float, top: int, bottom: int, warp: float
) -> tuple[list[Any], list[Any]]:
    """Numerator and denominator (constant term 1) with the least error relative to `scale`.

    Points are dense near `low` by `warp`.
    """
    shift = mpf(warp)
    span = (mpf(high) - low) / (mpf(high) - low + shift)
    ts = points(mpf(0), span, 6 * (top + bottom + 1))
    xs = [low + shift * t / (1 - t) for t in ts]
    values = [f(x) for x in xs]
    wanted = [1 / scale(x) for x in xs]
    weights = wanted
    numerator: list[Any] = []
    denominator: list[Any] = []
    for _ in range(6):
        rows = [
            [w * x**j for j in range(top + 1)] + [-w * v * x**j for j in range(1, bottom + 1)]
            for w, v, x in zip(weights, values, xs, strict=True)
        ]
        right = [w * v for w, v in zip(weights, values, strict=True)]
        solution, _residual = mpmath.qr_solve(mpmath.matrix(rows), mpmath.matrix(right))
        numerator = list(solution[: top + 1])
        denominator = [mpf(1), *solution[top + 1 :]]
        weights = [1 / (v * evaluate(denominator, x)) for v, x in zip(values, xs, strict=True)]
    return numerator, denominator


def error_of(f: Function, g: Function, scale: Function, low: float, high: float) -> float:
    """The largest difference of two functions, in units of a third."""
    xs = [low + (mpf(high) - low) * (mpf(k) + mpf("0.37")) / 400 for k in range(400)]
    return float(max(abs(g(x) - f(x)) / abs(scale(x)) for x in xs))


def exact_ratio(p: list[Any], q: list[Any], kind: str, index: int) -> tuple[list[Any], list[Any]]:
    """Both scaled so that rounding changes the ratio of their coefficients at `index` least."""
    digits = 24 if kind == "f32" else 53
    ratio = p[index] / q[index]

    def rounding(k: int) -> Any:
        exact = ratio * (2**digits - k)
        return abs(mp.nint(exact) / exact - 1)

    best = min(range(4000), key=rounding)
    factor = mpf(2**digits - best) / 2 ** (digits - 1) / q[index]
    return [c * factor for c in p], [c * factor for c in q]
