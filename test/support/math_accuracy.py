"""Measures the expansions of math against wider arithmetic, in units in the last place.

    PYTHONPATH=.:test/support python -m math_accuracy --count 2000000 --count-f64 50000 [OP ...]

prints the table of docs/math.md: the largest error of each expansion and its number of operations.
f32 is compared with float64 formulas, f64 with mpmath.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from math_mpmath import MPMATH, SMALLEST_UNITS, mpmath
from math_numpy_builder import Array, NumpyMathBuilder
from math_oracles import FLOAT64
from math_samples import samples
from op_families import EXPANSIONS

from snippets_mlir.dialects.snippets.record import Expansion

Attrs = Mapping[str, float | str]


@dataclass(frozen=True)
class Case:
    """An expansion with attributes, under the name of its oracle."""

    name: str
    op: str
    attrs: Attrs


CASES = (
    *(
        Case(name, name, {})
        for name in (
            "acos acosh asin asinh atan atan2 atanh cbrt cos cosh digamma erf erfc erfinv exp exp2 "
            "expm1 gelu hsigmoid hswish lgamma log log10 log1p log2 mish power rsqrt sigmoid sin "
            "sinh softplus softsign swish tan tanh"
        ).split()
    ),
    Case("gelu_tanh", "gelu", {"approximation": "tanh"}),
    Case("elu", "elu", {"alpha": 1.0}),
    Case("elu_alpha", "elu", {"alpha": 0.7}),
    Case("inverse_square", "power_static", {"exponent": -2.0}),
    Case("inverse_root", "power_static", {"exponent": -0.5}),
    Case("root", "power_static", {"exponent": 0.5}),
    Case("cube", "power_static", {"exponent": 3.0}),
    Case("fourth_power", "power_static", {"exponent": 4.0}),
    Case("swish_beta", "swish", {"beta": 1.7}),
    Case("swish_minus", "swish", {"beta": -0.3}),
    Case("swish_tiny", "swish", {"beta": 1e-37}),
)


def evaluate(
    case: Case,
    inputs: Sequence[Array],
    *,
    fma: bool = True,
    permutes: bool = False,
    branches: bool = True,
    counts: dict[str, int] | None = None,
) -> Array:
    """The expansion's value; arrays of float32 or float64."""
    element = "f32" if inputs[0].dtype == np.float32 else "f64"
    builder = NumpyMathBuilder(
        element, counts, fma_is_fast=fma, permutes=permutes, branches=branches
    )
    with np.errstate(all="ignore"):
        return EXPANSIONS[case.op].function(builder, inputs, case.attrs)


def ulp(exact: Array, dtype: Any) -> Array:
    """The spacing of `dtype` at |exact|, as float64."""
    info = np.finfo(dtype)
    bits = info.nmant
    magnitude = np.clip(np.abs(exact), info.tiny, info.max).astype(np.float64)
    return np.ldexp(1.0, np.frexp(magnitude)[1] - 1 - bits)


def errors_f32(
    case: Case, inputs: Sequence[Array], *, fma: bool = True, permutes: bool = False
) -> Array:
    """Error of each result in units in the last place; infinite where it is of the wrong kind."""
    got = evaluate(case, inputs, fma=fma, permutes=permutes)
    with np.errstate(all="ignore"):
        exact = np.asarray(FLOAT64[case.name](*(x.astype(np.float64) for x in inputs)))
        rounded = exact.astype(np.float32)
        wide = got.astype(np.float64)
        error = np.abs(wide - exact) / ulp(exact, np.float32)
    same = (np.isnan(got) & np.isnan(rounded)) | (got == rounded)
    error = np.where(same, np.where(np.isfinite(error) & np.isfinite(wide), error, 0), error)
    wrong = (np.isnan(got) != np.isnan(rounded)) | (
        (got == 0) & (rounded == 0) & (np.signbit(got) != np.signbit(exact))
    )
    # An infinity is one step after the largest finite float.
    top = float(np.finfo(np.float32).max)
    edge = np.isinf(got) & np.isfinite(exact) & (np.abs(exact) > top * (1 - 2**-22))
    error = np.where(edge & ~same, (np.ldexp(1.0, 128) - np.abs(exact)) / np.ldexp(1.0, 104), error)
    return np.where(wrong | np.isnan(error), np.inf, error)


def _error_f64(got: float, exact: Any, least: Any) -> float:
    if mpmath.isnan(exact) or np.isnan(got):
        return 0.0 if mpmath.isnan(exact) and np.isnan(got) else np.inf
    top = float(np.finfo(np.float64).max)
    if mpmath.isinf(exact) or np.isinf(got):
        if mpmath.isinf(exact):
            return 0.0 if got == float(exact) else np.inf
        if abs(exact) < top * (1 - 2.0**-50) or (got > 0) != (exact > 0):
            return np.inf
        return float(max((mpmath.mpf(2) ** 1024 - abs(exact)) / mpmath.mpf(2) ** 971, 0))
    if exact == 0:
        return float(abs(mpmath.mpf(got)) / mpmath.mpf(2) ** -1074)
    exponent = max(int(mpmath.floor(mpmath.log(max(abs(exact), least), 2))), -1022)
    return float(abs(mpmath.mpf(got) - exact) / mpmath.mpf(2) ** (exponent - 52))


def errors_f64(case: Case, inputs: Sequence[Array], *, fma: bool = True) -> Array:
    """Error of each result in units in the last place, by mpmath.

    mpmath has no -0.0: its error is given as 0, and it is among the special values tested by name.
    """
    seen = ~np.logical_or.reduce([(x == 0) & np.signbit(x) for x in inputs])
    got = evaluate(case, inputs, fma=fma)[seen]
    inputs = [x[seen] for x in inputs]
    oracle = MPMATH[case.name]
    with mpmath.workdps(60):
        exact = [oracle(*map(mpmath.mpf, xs)) for xs in zip(*(x.tolist() for x in inputs))]
        errors = np.zeros(seen.shape)
        least = SMALLEST_UNITS.get(case.name, lambda _: 0)
        errors[seen] = [
            _error_f64(g, e, least(x))
            for x, g, e in zip(inputs[0].tolist(), got.tolist(), exact, strict=True)
        ]
        return errors


def operations(case: Case, element: str) -> int:
    """The number of operations of the expansion, immediates not counted."""
    counts: dict[str, int] = {}
    x = np.ones(1, np.float32 if element == "f32" else np.float64)
    evaluate(case, (x, x) if case.op in ("atan2", "power") else (x,), counts=counts)
    return sum(counts.values())


def row(case: Case, count: int, count_f64: int, seed: int, *, fma: bool = True) -> list[Any]:
    """Name, largest error and its arguments for f32 and f64, operations of both."""
    cells: list[Any] = [case.name]
    checks: tuple[tuple[Callable[..., Array], Any, int], ...] = (
        (errors_f32, np.float32, count),
        (errors_f64, np.float64, count_f64),
    )
    for check, dtype, n in checks:
        inputs = samples(case.name, dtype, n, seed)
        error = check(case, inputs, fma=fma)
        worst = int(np.argmax(error))
        cells += [float(error[worst]), tuple(float(x[worst]) for x in inputs)]
    return [*cells, operations(case, "f32"), operations(case, "f64")]


def bounds(case: Case) -> Expansion:
    """The table's row of the case."""
    return EXPANSIONS[case.op]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table for the cases named, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*")
    parser.add_argument("--count", type=int, default=200_000)
    parser.add_argument("--count-f64", type=int, default=3_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--no-fma", action="store_true")
    options = parser.parse_args(arguments)
    print("| op | f32 ULP | at | f64 ULP | at | operations f32 | f64 |")
    print("|---|---|---|---|---|---|---|")
    for case in CASES:
        if options.cases and case.name not in options.cases:
            continue
        name, e32, at32, e64, at64, n32, n64 = row(
            case, options.count, options.count_f64, options.seed, fma=not options.no_fma
        )
        cells = (
            name,
            f"{e32:.2f}",
            ", ".join(f"{x:.9g}" for x in at32),
            f"{e64:.2f}",
            ", ".join(f"{x:.17g}" for x in at64),
            str(n32),
            str(n64),
        )
        print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
