"""Accuracy of the compiled unary float32 functions over every input there is.

    python benchmarks/exhaustive.py [OP ...] [--stride N] [--processes N] [--markdown FILE]

Each function's kernel runs over the 2^32 bit patterns of float32, or every N-th of them, in chunks
on all CPUs, and is compared with the float64 formulas of `test/support/math_oracles.py`. Printed
are the largest error in units in the last place, the input where it occurs, what mpmath says about
the error there, and the results at special values. Exit code 1 when a special value is wrong or an
error is above the bound of 2 ULP that all functions keep.

A unit in the last place is the spacing of float32 at the exact result; a wrong infinity, NaN or
sign of zero counts as infinitely wrong. float64 formulas are right to about 1e-7 units of float32.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

import snippets_mlir

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "test" / "support"))
from math_oracles import FLOAT64, MPMATH, mpmath

Array = np.ndarray[Any, np.dtype[Any]]

CHUNK = 1 << 20
PATTERNS = 1 << 32
BOUND = 2.0

_ALPHA = float(np.float32(0.01))


def _round_away(x: Array) -> Array:
    return np.copysign(np.floor(np.abs(x) + 0.5), x)


def _sign(x: Array) -> Array:
    return np.sign(x) + 0.0


EXACT: dict[str, Callable[[Array], Array]] = {
    "abs": np.abs,
    "ceiling": np.ceil,
    "clamp": lambda x: np.where(x < -1, -1, np.where(x > 1, 1, x)),
    "floor": np.floor,
    "leaky_relu": lambda x: np.where(x < 0, _ALPHA * x, x),
    "negative": np.negative,
    "relu": lambda x: np.where(np.isnan(x), x, np.where(x > 0, x, 0.0)),
    "round": np.round,
    "round_away": _round_away,
    "sign": _sign,
    "sqrt": np.sqrt,
}
"""Functions with at most one rounding, which math_oracles.py leaves out."""

FORMS: dict[str, tuple[str, str]] = {
    "clamp": ("clamp", "min = -1.0 : f64, max = 1.0 : f64"),
    "cube": ("power_static", "exponent = 3.0 : f64"),
    "elu": ("elu", "alpha = 1.0 : f64"),
    "elu_alpha": ("elu", "alpha = 0.7 : f64"),
    "fourth_power": ("power_static", "exponent = 4.0 : f64"),
    "gelu_tanh": ("gelu", 'approximation = "tanh"'),
    "inverse_root": ("power_static", "exponent = -0.5 : f64"),
    "inverse_square": ("power_static", "exponent = -2.0 : f64"),
    "leaky_relu": ("leaky_relu", "alpha = 0.01 : f64"),
    "root": ("power_static", "exponent = 0.5 : f64"),
    "round_away": ("round", 'mode = "half_away"'),
    "swish_beta": ("swish", "beta = 1.7 : f64"),
    "swish_minus": ("swish", "beta = -0.3 : f64"),
    "swish_tiny": ("swish", "beta = 1.0e-37 : f64"),
}
"""Op and attributes of the names that are not ops without attributes."""

NAMES = tuple(sorted((FLOAT64.keys() - {"power"}) | EXACT.keys()))

SPECIAL = {
    "0": 0.0, "-0": -0.0, "inf": np.inf, "-inf": -np.inf, "NaN": np.nan, "1": 1.0, "-1": -1.0,
    "smallest": 2.0**-149, "-smallest": -(2.0**-149), "largest": float(np.finfo(np.float32).max),
    "-largest": -float(np.finfo(np.float32).max),
}  # fmt: skip


def program(name: str, count: int) -> str:
    """The function on `count` numbers, as MLIR."""
    op, attributes = FORMS.get(name, (name, ""))
    tensor = f"tensor<{count}xf32>"
    properties = f" <{{{attributes}}}>" if attributes else ""
    return (
        f"func.func @main(%x: {tensor}) -> {tensor} {{\n"
        f'  %y = "snippets.{op}"(%x){properties} : ({tensor}) -> {tensor}\n'
        f"  func.return %y : {tensor}\n}}\n"
    )


@cache
def kernel(name: str, count: int = CHUNK) -> Callable[..., Any]:
    """The compiled function, on one thread."""
    return snippets_mlir.compile(program(name, count), num_threads=1, fallback="error")


def oracle(name: str, x: Array) -> Array:
    """The exact values in float64, of float32 arguments."""
    function = EXACT.get(name) or FLOAT64[name]
    with np.errstate(all="ignore"):
        return np.asarray(function(x.astype(np.float64)))


def errors(got: Array, exact: Array) -> Array:
    """Units in the last place between float32 results and float64 values."""
    info = np.finfo(np.float32)
    with np.errstate(all="ignore"):
        rounded = exact.astype(np.float32)
        magnitude = np.clip(np.abs(exact), float(info.tiny), float(info.max))
        unit = np.ldexp(1.0, np.frexp(magnitude)[1] - 1 - info.nmant)
        # An infinity is one step after the largest finite float32.
        wide = got.astype(np.float64)
        wide = np.where(np.isinf(wide), np.copysign(2.0**128, wide), wide)
        limit = np.where(np.isinf(exact), np.copysign(2.0**128, exact), exact)
        error = np.abs(wide - limit) / unit
    both_nan = np.isnan(got) & np.isnan(exact)
    sign = (got == 0) & (rounded == 0) & (np.signbit(got) != np.signbit(exact))
    wrong = (np.isnan(got) != np.isnan(exact)) | sign
    # An infinity where the exact value is clearly finite, and the other way round.
    wrong |= np.isinf(got) & (np.abs(exact) < float(info.max) * (1 - 2.0**-20))
    wrong |= np.isinf(exact) & np.isfinite(got)
    wrong |= np.isinf(got) & (np.signbit(got) != np.signbit(exact))
    # Overflow: both round to the same infinity.
    error = np.where(both_nan | (np.isinf(got) & (got == rounded)), 0.0, error)
    return np.where(wrong, np.inf, error)


@dataclass(frozen=True)
class Worst:
    """The largest error of a range of bit patterns, and where."""

    error: float
    bits: int
    inputs: int


def check_chunk(task: tuple[str, int, int]) -> Worst:
    """Compare CHUNK patterns from `start` in steps of `stride`; those above 2^32 do not count."""
    name, start, stride = task
    patterns = np.arange(start, start + CHUNK * stride, stride, dtype=np.uint64)
    count = int(np.searchsorted(patterns, PATTERNS))
    x = patterns.astype(np.uint32).view(np.float32)
    got: Array = np.asarray(kernel(name)(x))
    found = errors(got[:count], oracle(name, x[:count]))
    at = int(np.argmax(found))
    return Worst(float(found[at]), int(patterns[at]), count)


def mpmath_error(name: str, bits: int) -> float | None:
    """The error at one input with 60 digits; None where the result or the exact value is special,
    or no formula is known.
    """
    x = np.full(CHUNK, bits, np.uint32).view(np.float32)
    got = float(np.asarray(kernel(name)(x))[0])
    if name not in MPMATH or name.startswith(("elu_", "swish_")) or not np.isfinite(got):
        return None
    with mpmath.workdps(60):
        exact: Any = MPMATH[name](mpmath.mpf(float(x[0])))
        if not mpmath.isfinite(exact) or exact == 0:
            return None
        exponent = max(int(mpmath.floor(mpmath.log(abs(exact), 2))), -126)
        return float(abs(mpmath.mpf(got) - exact) / mpmath.mpf(2) ** (exponent - 23))


def specials(name: str) -> tuple[list[str], list[str]]:
    """The results at `SPECIAL` as text, and what is wrong with them."""
    x = np.array(list(SPECIAL.values()), np.float32)
    got: Array = np.asarray(kernel(name, len(x))(x))
    exact = oracle(name, x)
    found = errors(got, exact)
    wrong = [
        f"{name}({label}) is {value}, expected {right}"
        for label, value, right, error in zip(SPECIAL, got, exact, found, strict=True)
        if error > BOUND
    ]
    return [_text(value) for value in got], wrong


def _text(value: float) -> str:
    return "NaN" if np.isnan(value) else f"{value:.7g}"


@dataclass(frozen=True)
class Row:
    """What was found for one function."""

    name: str
    worst: Worst
    confirmed: float | None
    special: list[str]
    wrong: list[str]
    seconds: float

    def cells(self) -> list[str]:
        """The line of the first table."""
        x = np.array([self.worst.bits], np.uint32).view(np.float32)[0]
        exact = "" if self.confirmed is None else f"{self.confirmed:.4f}"
        return [
            f"`{self.name}`",
            f"{self.worst.error:.4f}",
            exact,
            f"{x:.9g}",
            f"0x{self.worst.bits:08x}",
            f"{self.seconds:.0f}",
        ]


HEAD = ["function", "largest error, ULP", "by mpmath", "at", "bits", "seconds"]


def line(cells: Sequence[str]) -> str:
    """A line of a Markdown table."""
    return f"| {' | '.join(cells)} |"


def tables(rows: Sequence[Row]) -> str:
    """Both tables as Markdown."""
    first = [line(HEAD), line(["---"] * len(HEAD)), *(line(row.cells()) for row in rows)]
    head = ["x", *SPECIAL]
    second = [line(head), line(["---"] * len(head))]
    second += [line([f"`{row.name}`", *row.special]) for row in rows]
    return "\n".join([*first, "", *second, ""])


def main(arguments: Sequence[str] | None = None) -> int:
    """Check the functions named, or all."""
    parser = argparse.ArgumentParser(description="Accuracy of the unary float32 functions.")
    parser.add_argument("ops", nargs="*", metavar="OP", help=", ".join(NAMES))
    parser.add_argument("--stride", type=int, default=1, help="take every N-th input")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--markdown", type=Path, help="write the tables here too")
    options = parser.parse_args(arguments)
    if options.stride < 1:
        parser.error("--stride: expected 1 or more")
    unknown = set(options.ops) - set(NAMES)
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(NAMES)}")
    rows: list[Row] = []
    print(line(HEAD), line(["---"] * len(HEAD)), sep="\n", flush=True)
    with get_context("spawn").Pool(options.processes) as pool:
        for name in options.ops or NAMES:
            start = time.perf_counter()
            starts = range(0, PATTERNS, CHUNK * options.stride)
            tasks = [(name, first, options.stride) for first in starts]
            found = list(pool.imap_unordered(check_chunk, tasks))
            worst = max(found, key=lambda one: (one.error, -one.bits))
            total = sum(one.inputs for one in found)
            if total != -(-PATTERNS // options.stride):
                raise RuntimeError(f"{name}: {total} inputs checked")
            confirmed = mpmath_error(name, worst.bits)
            special, wrong = specials(name)
            seconds = time.perf_counter() - start
            rows.append(Row(name, worst, confirmed, special, wrong, seconds))
            print(line(rows[-1].cells()), flush=True)
    print("", *tables(rows).split("\n\n")[1:], sep="\n")
    bad = [text for row in rows for text in row.wrong]
    bad += [f"{row.name}: error above {BOUND} ULP" for row in rows if row.worst.error > BOUND]
    for text in bad:
        print(text)
    if options.markdown:
        options.markdown.write_text(tables(rows), encoding="utf-8")
    return int(bool(bad))


if __name__ == "__main__":
    sys.exit(main())
