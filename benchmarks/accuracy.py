"""Errors of the compiled unary float32 functions over ranges of their inputs.

A range of bit patterns goes through the float32 kernel in chunks that stay in cache, and through
the float64 kernel of the same op, whose own error is below 1e-8 units of float32; the results are
compared by a few operations on whole chunks. A chunk with a special value that is not the same in
both, or with an error larger than any before, is checked again by `errors`, element by element.
Functions with at most one rounding are compared with NumPy's.

A unit in the last place is the spacing of float32 at the exact result, 2^-149 among the subnormals;
a wrong infinity, NaN or sign of zero counts as infinitely wrong.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import snippets_mlir

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "test" / "support"))
from math_mpmath import MPMATH, mpmath
from math_oracles import FLOAT64

Array = np.ndarray[Any, np.dtype[Any]]

CHUNK = 1 << 14
PATTERNS = 1 << 32

_ALPHA = float(np.float32(0.01))
_LARGEST = float(np.finfo(np.float32).max)
_SMALLEST_NORMAL = float(np.finfo(np.float32).tiny)
_EXPONENT = np.int64(0x7FF << 52)
_UPPER = int(sys.byteorder == "little")


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
"""Functions with at most one rounding, which math_oracles.py and math_mpmath.py leave out."""


def _number(attribute: str, value: float) -> str:
    """An attribute that is a float32, so that the float64 kernel has the same value."""
    return f"{attribute} = {float(np.float32(value))!r} : f64"


FORMS: dict[str, tuple[str, str]] = {
    "clamp": ("clamp", "min = -1.0 : f64, max = 1.0 : f64"),
    "cube": ("power_static", "exponent = 3.0 : f64"),
    "elu": ("elu", "alpha = 1.0 : f64"),
    "elu_alpha": ("elu", _number("alpha", 0.7)),
    "fourth_power": ("power_static", "exponent = 4.0 : f64"),
    "gelu_tanh": ("gelu", 'approximation = "tanh"'),
    "inverse_root": ("power_static", "exponent = -0.5 : f64"),
    "inverse_square": ("power_static", "exponent = -2.0 : f64"),
    "leaky_relu": ("leaky_relu", "alpha = 0.01 : f64"),
    "root": ("power_static", "exponent = 0.5 : f64"),
    "round_away": ("round", 'mode = "half_away"'),
    "swish_beta": ("swish", _number("beta", 1.7)),
    "swish_minus": ("swish", _number("beta", -0.3)),
    "swish_tiny": ("swish", _number("beta", 1e-37)),
}
"""Op and attributes of the names that are not ops without attributes."""

NAMES = tuple(sorted((FLOAT64.keys() - {"power"}) | EXACT.keys()))


def program(name: str, count: int, element: str = "f32") -> str:
    """The function on `count` numbers, as MLIR."""
    op, attributes = FORMS.get(name, (name, ""))
    tensor = f"tensor<{count}x{element}>"
    properties = f" <{{{attributes}}}>" if attributes else ""
    return (
        f"func.func @main(%x: {tensor}) -> {tensor} {{\n"
        f'  %y = "snippets.{op}"(%x){properties} : ({tensor}) -> {tensor}\n'
        f"  func.return %y : {tensor}\n}}\n"
    )


@cache
def kernel(name: str, count: int = CHUNK, element: str = "f32") -> Callable[..., Any]:
    """The compiled function, on one thread."""
    source = program(name, count, element)
    return snippets_mlir.compile(source, num_threads=1, fallback="error")


def oracle(name: str, x: Array) -> Array:
    """Values in float64 of float32 arguments, by NumPy."""
    function = EXACT.get(name) or FLOAT64[name]
    with np.errstate(all="ignore"):
        return np.asarray(function(x.astype(np.float64)))


def errors(got: Array, exact: Array) -> Array:
    """Units in the last place between float32 results and float64 values."""
    info = np.finfo(np.float32)
    with np.errstate(all="ignore"):
        rounded = exact.astype(np.float32)
        magnitude = np.clip(np.abs(exact), _SMALLEST_NORMAL, _LARGEST)
        unit = np.ldexp(1.0, np.frexp(magnitude)[1] - 1 - info.nmant)
        # An infinity is one step after the largest finite float32.
        wide = got.astype(np.float64)
        wide = np.where(np.isinf(wide), np.copysign(2.0**128, wide), wide)
        limit = np.where(np.isinf(exact), np.copysign(2.0**128, exact), exact)
        error = np.abs(wide - limit) / unit
    both_nan = np.isnan(got) & np.isnan(exact)
    sign = (got == 0) & (rounded == 0) & (np.signbit(got) != np.signbit(exact))
    wrong = (np.isnan(got) != np.isnan(exact)) | sign
    # An infinity where the exact value is clearly finite, or the reverse.
    wrong |= np.isinf(got) & (np.abs(exact) < _LARGEST * (1 - 2.0**-20))
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

    def with_other(self, other: Worst) -> Worst:
        """The larger of two errors; the smaller pattern if they are equal."""
        first = max(self, other, key=lambda one: (one.error, -one.bits))
        return Worst(first.error, first.bits, self.inputs + other.inputs)


class Scan:
    """Compares chunks of one function; reuses its arrays."""

    def __init__(self, name: str, stride: int) -> None:
        self.name = name
        self.stride = stride
        self.steps = (np.arange(CHUNK, dtype=np.uint64) * stride).astype(np.uint32)
        self.function = kernel(name)
        self.reference = None if name in EXACT else kernel(name, element="f64")
        self.got = np.empty(CHUNK, np.float32)
        self.wide, self.exact, self.difference, self.unit = np.empty((4, CHUNK))
        self.bits, self.signs = np.empty(CHUNK, np.uint32), np.empty(CHUNK, np.int32)

    def chunk(self, first: int) -> float:
        """The largest error of CHUNK patterns; NaN when it needs a closer look."""
        np.add(self.steps, np.uint32(first), out=self.bits)
        x = self.bits.view(np.float32)
        self.function(x, out=self.got)
        np.copyto(self.wide, x)
        if self.reference is None:
            self.exact[:] = EXACT[self.name](self.wide)
        else:
            self.reference(self.wide, out=self.exact)
        np.copyto(self.difference, self.got)
        np.bitwise_and(self.exact.view(np.int64), _EXPONENT, out=self.unit.view(np.int64))
        np.maximum(self.unit, _SMALLEST_NORMAL, out=self.unit)
        error = self._largest()
        if not np.isfinite(error):
            # An infinity is one step after the largest finite float32.
            np.copyto(self.difference, self.got)
            np.clip(self.difference, -(2.0**128), 2.0**128, out=self.difference)
            np.minimum(self.unit, 2.0**127, out=self.unit)
            np.clip(self.exact, -(2.0**128), 2.0**128, out=self.wide)
            error = self._largest(self.wide)
        # The signs are in the upper halves.
        high = self.exact.view(np.int32)[_UPPER::2]
        np.bitwise_xor(self.got.view(np.int32), high, out=self.signs)
        if np.isnan(error) or self.signs.min() < 0:
            all_nan = np.isnan(self.got).all() and np.isnan(self.exact).all()
            return 0.0 if all_nan else np.nan
        return error

    def _largest(self, exact: Array | None = None) -> float:
        """The largest difference to the exact values, in units."""
        exact = self.exact if exact is None else exact
        np.subtract(self.difference, exact, out=self.difference)
        np.divide(self.difference, self.unit, out=self.difference)
        return float(max(self.difference.max(), -self.difference.min())) * 2.0**23

    def range(self, start: int, stop: int) -> Worst:
        """Patterns from `start`, below `stop`."""
        worst = Worst(0.0, start, 0)
        with np.errstate(all="ignore"):
            for first in range(start, stop, CHUNK * self.stride):
                count = min(CHUNK, -(-(stop - first) // self.stride))
                error = self.chunk(first)
                if error > worst.error or np.isnan(error) or count < CHUNK:
                    found = errors(self.got[:count], self.exact[:count])
                    at = int(np.argmax(found))
                    closer = Worst(float(found[at]), first + at * self.stride, count)
                else:
                    closer = Worst(0.0, first, count)
                worst = worst.with_other(closer)
        return worst


@cache
def scan_of(name: str, stride: int) -> Scan:
    """One for each function and process."""
    return Scan(name, stride)


def check_range(task: tuple[str, int, int, int]) -> Worst:
    """`Scan.range` for a pool of processes: (name, start, stop, stride)."""
    name, start, stop, stride = task
    return scan_of(name, stride).range(start, stop)


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
