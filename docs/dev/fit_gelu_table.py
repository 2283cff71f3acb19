"""Fit the table of gelu: `gelu_table.py` and `gelu_columns.py` of the expansions.

    cd snippets_mlir/dialects/snippets/expansions
    python ../../../../docs/dev/fit_gelu_table.py table > gelu_table.py
    python ../../../../docs/dev/fit_gelu_table.py columns > gelu_columns.py

Needs mpmath. Over each of the intervals that the leading bits of a + OFFSET tell apart, H(a) =
a e^(a^2 / 2) Phi(-a) is a polynomial of a - c with the least relative error. c is near the middle
of the interval, where H(c) is nearly a float (S. Gal's accurate tables), so that the constant term
is exact; the other coefficients are rounded one by one, those that follow fitted to what is left.
In the first interval c and the constant term are 0. Stderr shows the largest error.
"""

from __future__ import annotations

import sys
from typing import Any, TypeAlias

import mpmath
import numpy as np
from mpmath import mp, mpf

OFFSET = float(np.float32(1.045))
DEGREE = 5
LIMIT = 14.5
ROW_SHIFT = 20
ROWS = 32
MAGIC = 1.5 * 2.0**23 + 127
SCALE = 30

Row: TypeAlias = tuple[float, float, list[float], float]
"""Anchor, bias and scaled coefficients of an interval, and its error."""


def ratio(a: Any) -> Any:
    """H(a) / a."""
    exact = mpf(float(a))
    return mp.exp(exact * exact / 2) * mp.erfc(exact / mp.sqrt(2)) / 2


def bits_of(x: float) -> int:
    """The bits of a float32 that tell its interval."""
    return int(np.float32(x).view(np.uint32) >> ROW_SHIFT)


def least(rows: Any, values: Any, weights: Any) -> Any:
    """Coefficients with the least weighted error, by C. L. Lawson's weights."""
    shares = np.full(len(values), 1 / len(values))
    best: tuple[float, Any] = (np.inf, None)
    for _ in range(60):
        root = np.sqrt(shares) * weights
        found = np.linalg.lstsq(rows * root[:, None], values * root, rcond=None)[0]
        error = np.abs((rows @ found - values) * weights)
        if error.max() < best[0]:
            best = (float(error.max()), found)
        shares = shares * error / (shares * error).sum()
    return best[1]


def anchor(low: float, high: float) -> float:
    """A float near the middle whose H is nearly a float."""
    middle, step = (low + high) / 2, (high - low) / 4096

    def badness(k: int) -> float:
        a = np.float32(middle + k * step)
        exact = mpf(float(a)) * ratio(a)
        return abs(float((mpf(float(np.float32(float(exact)))) - exact) / exact)) + abs(k) * 2e-11

    return float(np.float32(middle + min(range(-80, 81), key=badness) * step))


def fit(low: float, high: float, at: float) -> tuple[float, list[float]]:
    """The largest relative error over an interval, and the coefficients for its anchor."""
    count, first = 60, low == 0
    ks = np.arange(count)
    xs = (low + high) / 2 + (high - low) / 2 * np.cos(np.pi * (2 * ks + 1) / (2 * count))
    values = np.array([float(ratio(x) * (1 if first else x)) for x in xs])
    weights, d = 1 / values, xs - at
    size = high if first else (high - low) / 2
    degree = DEGREE - first
    found: list[float] = []
    rest = values.copy()
    for j in range(degree + 1):
        if j == 0 and not first:
            c = float(np.float32(float(mpf(at) * ratio(at))))
        else:
            rows = np.array([d**j * (d / size) ** i for i in range(degree + 1 - j)]).T
            c = float(np.float32(least(rows / size**j, rest, weights)[0] / size**j))
        found.append(c)
        rest = rest - c * d**j
    return float(np.abs(rest * weights).max()), [0.0] * first + found


def interval(leading: int) -> tuple[float, float]:
    """The smallest and the largest a of an interval."""
    low, high = (
        float(np.uint32(b << ROW_SHIFT).view(np.float32)) - OFFSET for b in (leading, leading + 1)
    )
    return max(low, 0.0), min(high, LIMIT)


def row(leading: int) -> Row:
    """The row of an interval."""
    low, high = interval(leading)
    at = 0.0 if low == 0 else anchor(low, high)
    error, coefficients = fit(low, high, at)
    scale = 0 if low == 0 else SCALE
    return at, MAGIC + scale, [-c * 2.0**-scale for c in coefficients], error


def _tuple(numbers: list[float], indent: str) -> str:
    lines = "".join(f"{indent}    {float(np.float32(x))!r},\n" for x in numbers)
    return f"(\n{lines}{indent})"


def print_table(rows: list[Row]) -> None:
    """Print the module with where intervals are."""
    print('"""gelu of f32 by intervals of a = |x|; made by docs/dev/fit_gelu_table.py.\n')
    print("Row i is of the interval where the leading bits of a + OFFSET, a float, end with i.")
    print(f'"""\n\nOFFSET = {OFFSET!r}\n')
    print(f"# How far these bits are shifted down.\nROW_SHIFT = {ROW_SHIFT}\n")
    print(f"# Where a polynomial has its origin.\nANCHORS = {_tuple([r[0] for r in rows], '')}\n")
    print("# 1.5 * 2^23, the bias of exponents, and the power of two that a row is scaled by.")
    print(f"BIASES = {_tuple([r[1] for r in rows], '')}")


def print_columns(rows: list[Row]) -> None:
    """Print the module with the polynomials."""
    made = "made by docs/dev/fit_gelu_table.py"
    print(f'"""Coefficients for the rows of `gelu_table.py`; {made}."""\n')
    print("# Coefficients of -a e^(a^2 / 2) Phi(-a), scaled, the constant ones first.\nCOLUMNS = (")
    for j in range(DEGREE + 1):
        print(f"    {_tuple([r[2][j] for r in rows], '    ')},")
    print(")")


def main() -> None:
    """Print the module that the command line names."""
    if sys.argv[1:] not in (["table"], ["columns"]):
        sys.exit("expected table or columns")
    mpmath.mp.dps = 30
    leading = range(bits_of(OFFSET), bits_of(OFFSET + LIMIT) + 1)
    rows = {b % ROWS: row(b) for b in leading}
    print(f"largest relative error {max(r[3] for r in rows.values()):.2e}", file=sys.stderr)
    ordered = [rows[i] for i in range(ROWS)]
    if sys.argv[1] == "table":
        print_table(ordered)
    else:
        print_columns(ordered)


if __name__ == "__main__":
    main()
