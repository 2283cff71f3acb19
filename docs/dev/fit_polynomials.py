"""Fit the polynomials and rational functions of the expansions.

    cd snippets_mlir/dialects/snippets/expansions
    python ../../../../docs/dev/fit_polynomials.py f32 > coefficients_f32.py
    python ../../../../docs/dev/fit_polynomials.py f64 > coefficients_f64.py
    python ../../../../docs/dev/fit_polynomials.py rationals > rationals.py

Needs mpmath; `fits.py` has what is fitted, and `fitting.py` says how. Stderr shows each fit's
error.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from fits import MINIMAX, POLYNOMIALS, RATIONALS
from fitting import error_of, evaluate, exact_ratio, minimax, polynomial, rational


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
