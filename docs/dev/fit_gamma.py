"""Fit the rational functions and polynomials of lgamma and digamma.

    cd snippets_mlir/dialects/snippets/expansions
    python ../../../../docs/dev/fit_gamma.py

prints the tables of `coefficients_gamma.py` with their errors (mpmath is needed). Between 1/2 and
4.5, lgamma and digamma without their zeros are rational functions; from 4.5 on, what is left of
Stirling's series is a polynomial in 1 / x^2. The sine of pi r is that of the reflection at negative
arguments.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
from fitting import Function, error_of, evaluate, polynomial, rational
from mpmath import mp, mpf

LOW, HIGH, NEAR_ZERO = 0.5, 4.5, 1e-7
ROOT = mpmath.findroot(mp.digamma, mpf("1.4616321449683622"))
"""The positive zero of digamma."""


def _without_zeros(x: Any) -> Any:
    """lgamma(x) / ((x - 1) (x - 2))."""
    if x in (1, 2):
        return mp.euler if x == 1 else 1 - mp.euler
    return mp.loggamma(x) / ((x - 1) * (x - 2))


def _slope(x: Any) -> Any:
    """digamma(x) / (x - its zero)."""
    return mp.digamma(x) / (x - ROOT)


def _far(z: Any) -> Any:
    """What Stirling's formula of lgamma lacks, times x; z is 1 / x^2."""
    x = 1 / mp.sqrt(z)
    formula = (x - mpf(1) / 2) * (mp.log(x) - 1) + (mp.log(2 * mp.pi) - 1) / 2
    return (mp.loggamma(x) - formula) * x


def _tail(z: Any) -> Any:
    """(log x - 1 / (2 x) - digamma(x)) x^2; z is 1 / x^2."""
    x = 1 / mp.sqrt(z)
    return (mp.log(x) - 1 / (2 * x) - mp.digamma(x)) / z


def _sine(z: Any) -> Any:
    """(sin(pi r) / (pi r) - 1) / r^2; z is r^2."""
    r = mp.sqrt(z)
    return (mp.sinpi(r) / (mp.pi * r) - 1) / z


RATIONALS: list[tuple[str, str, Function, int, float, int]] = [
    ("MIDDLE", "lgamma(x) / ((x - 1) (x - 2))", _without_zeros, 10, 0.421875, 0),
    ("SLOPE", "digamma(x) / (x - x0)", _slope, 8, 0.8125, 2),
]
"""Name, what it is, function, degrees, what is taken off, and the coefficient that becomes 1."""

POLYNOMIALS: list[tuple[str, str, Function, float, int]] = [
    ("FAR", "what Stirling's formula of lgamma lacks, times x, in 1 / x^2", _far, 1 / HIGH**2, 9),
    ("TAIL", "(log x - 1 / (2 x) - digamma(x)) x^2, in 1 / x^2", _tail, 1 / HIGH**2, 9),
    ("SINE", "(sin(pi r) / (pi r) - 1) / r^2, in r^2", _sine, 0.2501, 7),
]
"""Name, what it is, function, end of the interval, degree."""


def fitted_rational(name: str) -> tuple[list[Any], list[Any], Callable[[Any], Any]]:
    """Numerator without what is taken off, denominator, and the function that both make."""
    row = next(row for row in RATIONALS if row[0] == name)
    _, _, f, degree, taken, one = row
    p, q = rational(f, f, LOW, HIGH, degree, degree, 4.0)
    rest = [(a - mpf(taken) * b) / q[one] for a, b in zip(p, q, strict=True)]
    return rest, [c / q[one] for c in q], lambda x: evaluate(p, x) / evaluate(q, x)


def show(name: str, coefficients: list[Any]) -> None:
    """Print a table."""
    print(f"{name} = (", *(f"    {float(c)!r}," for c in coefficients), ")", sep="\n")


def main() -> None:
    """Print all tables."""
    for name, text, f, _, taken, _ in RATIONALS:
        p, q, made = fitted_rational(name)
        print(f"# {text} - {taken} on [{LOW}, {HIGH}]; error {error_of(f, made, f, LOW, HIGH):.1e}")
        show(name, p)
        show(f"{name}_BELOW", q)
    for name, text, f, high, degree in POLYNOMIALS:
        p = polynomial(f, NEAR_ZERO, high, degree)
        error = error_of(f, lambda x, p=p: evaluate(p, x), f, NEAR_ZERO, high)
        print(f"# {text}; error {error:.1e}")
        show(name, p)


if __name__ == "__main__":
    main()
