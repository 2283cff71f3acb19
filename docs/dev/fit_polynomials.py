"""Fit the polynomials and rational functions of the expansions.

    cd snippets_mlir/dialects/snippets/expansions
    python ../../../../docs/dev/fit_polynomials.py f32 > coefficients_f32.py
    python ../../../../docs/dev/fit_polynomials.py f64 > coefficients_f64.py
    python ../../../../docs/dev/fit_polynomials.py rationals > rationals.py

Needs mpmath; `fitting.py` says how they are fitted. Stderr shows each fit's error.
"""

from __future__ import annotations

import sys
from typing import Any

import mpmath
import numpy as np
from fitting import Function, error_of, evaluate, exact_ratio, minimax, polynomial, rational
from mpmath import mp, mpf


def _odd_tail(f: Function, c3: Any, c5: Any) -> Function:
    """(f(x) - x) / x^3 as a function of u = x^2."""

    def g(u: Any) -> Any:
        x = mp.sqrt(u)
        return (f(x) - x) / x**3 if u > mpf(10) ** -12 else c3 + c5 * u

    return g


def _exp_tail(r: Any) -> Any:
    return (mp.exp(r) - 1 - r) / r**2 if abs(r) > mpf(10) ** -15 else mpf(1) / 2 + r / 6


def _log_tail(f: Any) -> Any:
    if abs(f) < mpf(10) ** -12:
        return mpf(1) / 3 - f / 4
    return (mp.log1p(f) - f + f * f / 2) / f**3


def _atanh_tail(start: int) -> Function:
    """sum over k >= start of z^(k - start) / (2 k + 1): the tail of atanh(s) / s with z = s^2."""
    return lambda z: mpmath.nsum(lambda k: z ** (k - start) / (2 * k + 1), [start, start + 45])


def _log1p_tail(v: Any) -> Any:
    return _atanh_tail(1)(v / 4) / 4


def _cos_tail(u: Any) -> Any:
    if u < mpf(10) ** -12:
        return mpf(1) / 24 - u / 720
    return (mp.cos(mp.sqrt(u)) - 1 + u / 2) / u**2


def _erf_ratio(u: Any) -> Any:
    x = mp.sqrt(u)
    return mp.erf(x) / x - 1 if u > mpf(10) ** -30 else 2 / mp.sqrt(mp.pi) - 1


def _erf_far(t: Any) -> Any:
    return mp.erf(t + mpf("2.5625"))


def _phi_slope(u: Any) -> Any:
    return -(1 + _erf_ratio(u / 2)) / mp.sqrt(8)


def _mills(a: Any) -> Any:
    """M(a) = e^(-a^2 / 2) / (sqrt(2 pi) Phi(-a)), Phi the normal distribution function."""
    return mp.exp(-a * a / 2) / (mp.sqrt(2 * mp.pi) * mp.erfc(a / mp.sqrt(2)) / 2)


def _mills_rest(a: Any) -> Any:
    return _mills(a) - a


def _phi(a: Any) -> Any:
    return mp.erfc(a / mp.sqrt(2)) / 2


def _logit_phi(u: Any) -> Any:
    a = mp.sqrt(u)
    return mp.log((1 - _phi(a)) / _phi(a)) / a


def _gelu_rest(a: Any) -> Any:
    return a / (mp.sqrt(2 * mp.pi) * _mills(a)) - GELU_MIDDLE


def _scaled_erfc(x: Any) -> Any:
    return mp.exp(x * x) * mp.erfc(x)


GELU_MIDDLE = 0.328125
LN2_HALF = 0.34657359027997264 * 1.001
SQRT_HALF, SQRT_TWO = 0.70710678, 1.41421357
ATANH_Z = 0.0294372516 * 1.001
QUARTER_PI_SQUARED = 0.61685027506808491 * 1.001
TAN_PI_8 = 0.41421356237 * 1.0001

# name, what it is, function, low, high, degree, type of the coefficients
POLYNOMIALS: list[tuple[str, str, Function, float, float, int, str]] = [
    ("EXP_F32", "(e^r - 1 - r) / r^2", _exp_tail, -LN2_HALF, LN2_HALF, 4, "f32"),
    ("EXP_F64", "(e^r - 1 - r) / r^2", _exp_tail, -LN2_HALF, LN2_HALF, 9, "f64"),
    ("EXP_FAST", "(e^r - 1 - r) / r^2", _exp_tail, -LN2_HALF, LN2_HALF, 6, "f64"),
    (
        "LOG_F32",
        "(log(1 + f) - f + f^2 / 2) / f^3",
        _log_tail,
        SQRT_HALF - 1,
        SQRT_TWO - 1,
        7,
        "f32",
    ),
    ("LOG_F64", "atanh(s) / s - 1, over z, of z = s^2", _atanh_tail(1), 0.0, ATANH_Z, 7, "f64"),
    ("LOG_FAST", "atanh(s) / s - 1, over z, of z = s^2", _atanh_tail(1), 0.0, ATANH_Z, 5, "f64"),
    ("LOG_DD", "atanh(s) / s - 1 - z / 3, over z^2", _atanh_tail(2), 0.0, ATANH_Z, 7, "f64"),
    (
        "SIN_F64",
        "(sin x - x) / x^3 of u = x^2",
        _odd_tail(mp.sin, -mpf(1) / 6, mpf(1) / 120),
        0.0,
        QUARTER_PI_SQUARED,
        5,
        "f64",
    ),
    (
        "SIN_F32",
        "(sin x - x) / x^3 of u = x^2",
        _odd_tail(mp.sin, -mpf(1) / 6, mpf(1) / 120),
        0.0,
        QUARTER_PI_SQUARED,
        2,
        "f32",
    ),
    (
        "SIN_FAST",
        "(sin x - x) / x^3 of u = x^2",
        _odd_tail(mp.sin, -mpf(1) / 6, mpf(1) / 120),
        0.0,
        QUARTER_PI_SQUARED,
        3,
        "f64",
    ),
    ("COS_F32", "(cos x - 1 + u / 2) / u^2", _cos_tail, 0.0, QUARTER_PI_SQUARED, 2, "f32"),
    ("COS_F64", "(cos x - 1 + u / 2) / u^2", _cos_tail, 0.0, QUARTER_PI_SQUARED, 5, "f64"),
    ("COS_FAST", "(cos x - 1 + u / 2) / u^2", _cos_tail, 0.0, QUARTER_PI_SQUARED, 3, "f64"),
    (
        "ASIN_F32",
        "(asin x - x) / x^3 of u = x^2",
        _odd_tail(mp.asin, mpf(1) / 6, mpf(3) / 40),
        0.0,
        0.25,
        4,
        "f32",
    ),
    (
        "ASIN_F64",
        "(asin x - x) / x^3 of u = x^2",
        _odd_tail(mp.asin, mpf(1) / 6, mpf(3) / 40),
        0.0,
        0.25,
        12,
        "f64",
    ),
    (
        "ATAN_F64",
        "(atan x - x) / x^3 of u = x^2",
        _odd_tail(mp.atan, -mpf(1) / 3, mpf(1) / 5),
        0.0,
        TAN_PI_8**2,
        10,
        "f64",
    ),
    (
        "SINH_F32",
        "(sinh x - x) / x^3 of u = x^2",
        _odd_tail(mp.sinh, mpf(1) / 6, mpf(1) / 120),
        0.0,
        1.0,
        3,
        "f32",
    ),
    (
        "SINH_F64",
        "(sinh x - x) / x^3 of u = x^2",
        _odd_tail(mp.sinh, mpf(1) / 6, mpf(1) / 120),
        0.0,
        1.0,
        6,
        "f64",
    ),
    (
        "ASINH_F64",
        "(asinh x - x) / x^3 of u = x^2",
        _odd_tail(mp.asinh, -mpf(1) / 6, mpf(3) / 40),
        0.0,
        0.25,
        12,
        "f64",
    ),
    ("PHI_F64", "(Phi(-a) - 1/2) / a of u = a^2", _phi_slope, 0.0, 0.2501, 7, "f64"),
    ("ERF_F32", "erf(x) / x - 1 of u = x^2", _erf_ratio, 0.0, 1.441, 6, "f32"),
    ("ERF_FAR_F32", "erf(2.5625 + t)", _erf_far, -1.3635, 1.3585, 12, "f32"),
    ("ERF_F64", "erf(x) / x - 1 of u = x^2", _erf_ratio, 0.0, 1.0, 13, "f64"),
    (
        "LOG1P_F32",
        "(log1p(e) / t - 1) / t^2 of v = t^2, t = e / (1 + e / 2)",
        _log1p_tail,
        0.0,
        4.0 / 9.0 * 1.001,
        3,
        "f32",
    ),
    (
        "LOG1P_F64",
        "(log1p(e) / t - 1) / t^2 of v = t^2, t = e / (1 + e / 2)",
        _log1p_tail,
        0.0,
        4.0 / 9.0 * 1.001,
        9,
        "f64",
    ),
]

# name, what it is, function, weight of the error, low, high, degree; coefficients of type f32
MINIMAX: list[tuple[str, str, Function, Function, float, float, int]] = [
    (
        "EXP_WIDE_F32",
        "(e^r - 1 - r) / r^2",
        _exp_tail,
        lambda r: r * r / mp.exp(r),
        -2 * LN2_HALF,
        2 * LN2_HALF,
        5,
    ),
    (
        "EXP_SHORT_F32",
        "(e^r - 1 - r) / r^2",
        _exp_tail,
        lambda r: r * r / mp.exp(r),
        -LN2_HALF,
        LN2_HALF,
        3,
    ),
    (
        "LOGIT_PHI_F32",
        "log(Phi(a) / Phi(-a)) / a of u = a^2",
        _logit_phi,
        lambda u: mp.sqrt(u) * _phi(mp.sqrt(u)) * (1 - _phi(mp.sqrt(u))),
        1e-6,
        36.0,
        6,
    ),
    (
        "ATAN_F32",
        "(atan x - x) / x^3 of u = x^2",
        _odd_tail(mp.atan, -mpf(1) / 3, mpf(1) / 5),
        lambda u: u * mp.sqrt(u) / mp.atan(mp.sqrt(u)),
        1e-9,
        1.0,
        7,
    ),
    (
        "TANH_F32",
        "(tanh x - x) / x^3 of u = x^2",
        _odd_tail(mp.tanh, -mpf(1) / 3, mpf(2) / 15),
        lambda u: u * mp.sqrt(u) / mp.tanh(mp.sqrt(u)),
        1e-9,
        0.3136,
        3,
    ),
    (
        "PHI_F32",
        "(Phi(-a) - 1/2) / a of u = a^2",
        _phi_slope,
        lambda u: 2 * mp.sqrt(u) / mp.erfc(mp.sqrt(u / 2)),
        1e-9,
        0.5184,
        4,
    ),
]

RATIONALS: list[tuple[str, str, Function, Function, float, float, int, int, float, str]] = [
    (
        "GELU_F32",
        "a e^(a^2 / 2) Phi(-a) - 0.328125",
        _gelu_rest,
        lambda a: _gelu_rest(a) + GELU_MIDDLE,
        0.7,
        14.5,
        5,
        5,
        1.5,
        "f32",
    ),
    ("MILLS_F64", "M(a) - a", _mills_rest, _mills, 0.0, 39.0, 10, 11, 1.0, "f64"),
    ("ERFC_F64", "erfc(x) e^(x^2)", _scaled_erfc, _scaled_erfc, 0.95, 6.1, 7, 8, 1.5, "f64"),
]


def _row(coefficients: list[Any], kind: str) -> str:
    numbers = [
        repr(float(np.float32(float(c))) if kind == "f32" else float(c)) for c in coefficients
    ]
    return "(\n" + "".join(f"    {n},\n" for n in numbers) + ")"


def fitted(kind: str) -> list[tuple[str, str, list[tuple[str, list[Any]]]]]:
    """The polynomials for a type, or the rationals: comment, error, and the tables by name."""
    found: list[tuple[str, str, list[tuple[str, list[Any]]]]] = []
    for name, what, f, low, high, degree, own in POLYNOMIALS:
        if own == kind:
            c = polynomial(f, low, high, degree)
            error = error_of(f, lambda x, c=c: evaluate(c, x), f, low, high)
            comment = f"{what}; [{low:.6g}, {high:.6g}]; relative error {error:.1e}"
            found.append((comment, f"{error:.2e}", [(name, c)]))
    for name, what, f, weight, low, high, degree in MINIMAX if kind == "f32" else ():
        c = minimax(f, weight, low, high, degree)
        error = error_of(
            lambda x, f=f, w=weight: f(x) * w(x),
            lambda x, c=c, w=weight: evaluate(c, x) * w(x),
            lambda _x: 1,
            low,
            high,
        )
        comment = f"{what}; [{low:.6g}, {high:.6g}]; relative error of the result {error:.1e}"
        found.append((comment, f"{error:.2e}", [(name, c)]))
    for name, what, f, scale, low, high, top, bottom, warp, own in (
        RATIONALS if kind == "rationals" else ()
    ):
        p, q = rational(f, scale, low, high, top, bottom, warp)
        # GELU_F32 is nearly the ratio of its last coefficients over most of its range.
        p, q = exact_ratio(p, q, own, -1 if name == "GELU_F32" else 0)
        error = error_of(
            f,
            lambda x, p=p, q=q: evaluate(p, x) / evaluate(q, x),
            scale,
            low,
            high,
        )
        comment = f"{what}; [{low:.6g}, {high:.6g}]; relative error {error:.1e}"
        found.append((comment, f"{error:.2e}", [(name, p), (f"{name}_BELOW", q)]))
    return found


TEXTS = {
    "f32": "Coefficients for f32",
    "f64": "Coefficients for f64",
    "rationals": "Coefficients of rational functions",
}


def main() -> None:
    """Print the module that the command line names."""
    if len(sys.argv) != 2 or sys.argv[1] not in TEXTS:
        sys.exit(f"expected one of {', '.join(TEXTS)}")
    kind = sys.argv[1]
    print(f'"""{TEXTS[kind]}, lowest power first; made by docs/dev/fit_polynomials.py."""')
    for comment, error, rows in fitted(kind):
        print(f"{rows[0][0]}: {error}", file=sys.stderr)
        print(f"\n# {comment}")
        for name, coefficients in rows:
            print(f"{name} = {_row(coefficients, 'f32' if '_F32' in name else 'f64')}")


if __name__ == "__main__":
    main()
