"""NumPy's universal functions without an own op: formulas of a few ops on traced values.

    np.floor_divide(x, y)     from fmod, a division and choices
    np.isnan(i), of integers  i != i

The operands have the types that NumPy resolves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from snippets_mlir.dialects.builtin.dtypes import is_float
from snippets_mlir.dialects.snippets.arithmetic import DivideOp
from snippets_mlir.frontends.numpy.arrays import TracedArray, fn


def _floor_divide(x: TracedArray, y: TracedArray) -> TracedArray:
    """The largest integral value not above x / y; of integers 0 for y = 0."""
    rest = fn.fmod(x, y)
    if x.dtype.kind == "u":
        return _divided(x, y)
    moved = (rest != 0) & ((rest < 0) != (y < 0))
    if x.dtype.kind == "i":
        return fn.where(moved, _divided(x, y) - 1, _divided(x, y))
    exact = (x - rest) / y
    quotient = fn.where(moved, exact - 1, exact)
    floor = fn.floor(quotient)
    floor = fn.where(quotient - floor > 0.5, floor + 1, floor)
    ratio = x / y
    floor = fn.where(quotient == 0, fn.copysign(quotient * 0, ratio), floor)
    return fn.where(y == 0, ratio, floor)


def _divided(x: TracedArray, y: TracedArray) -> TracedArray:
    """The op of division, of integers rounded towards zero."""
    return TracedArray(x.within, x.within.add(DivideOp(x.value, y.value)))


def _fmax(x: TracedArray, y: TracedArray) -> TracedArray:
    if not is_float(x.dtype):
        return fn.maximum(x, y)
    return fn.where(fn.isnan(x), y, fn.where(fn.isnan(y), x, fn.maximum(x, y)))


def _fmin(x: TracedArray, y: TracedArray) -> TracedArray:
    if not is_float(x.dtype):
        return fn.minimum(x, y)
    return fn.where(fn.isnan(x), y, fn.where(fn.isnan(y), x, fn.minimum(x, y)))


def _hypot(x: TracedArray, y: TracedArray) -> TracedArray:
    x, y = fn.absolute(x), fn.absolute(y)
    large, small = fn.maximum(x, y), fn.minimum(x, y)
    ratio = fn.where(large == 0, 0 * large, small / fn.where(large == 0, large + 1, large))
    finite = large * fn.sqrt(1 + ratio * ratio)
    return fn.where(fn.isinf(x) | fn.isinf(y), np.inf, finite)


def _logaddexp(x: TracedArray, y: TracedArray) -> TracedArray:
    """log(exp(x) + exp(y)) from the larger operand; x + log 2 for equal ones, also infinite."""
    apart = fn.log1p(fn.exp(-fn.absolute(x - y)))
    return fn.where(x == y, x + np.log(2), fn.maximum(x, y) + apart)


def _logaddexp2(x: TracedArray, y: TracedArray) -> TracedArray:
    """The same in base 2."""
    apart = fn.log2(1 + fn.exp2(-fn.absolute(x - y)))
    return fn.where(x == y, x + 1, fn.maximum(x, y) + apart)


def _heaviside(x: TracedArray, y: TracedArray) -> TracedArray:
    """0 below 0, `y` at 0, 1 above it, NaN of NaN."""
    return fn.where(x == 0, y, fn.where(fn.isnan(x), x, x > 0))


def _mixed(compare: np.ufunc, below: bool) -> Callable[[TracedArray, TracedArray], TracedArray]:
    """A comparison of int64 and uint64, exact: a negative number is below all unsigned ones."""

    def function(x: TracedArray, y: TracedArray) -> TracedArray:
        signed = x if x.dtype.kind == "i" else y
        as_unsigned: Any = compare(x.astype("u8"), y.astype("u8"))
        # `below`: the result of the comparison if the first operand is lower.
        told = below if signed is x else compare in (np.greater, np.greater_equal, np.not_equal)
        return fn.where(signed < 0, told, as_unsigned)

    return function


MIXED: Mapping[np.ufunc, Callable[[TracedArray, TracedArray], TracedArray]] = {
    np.equal: _mixed(np.equal, False),
    np.greater: _mixed(np.greater, False),
    np.greater_equal: _mixed(np.greater_equal, False),
    np.less: _mixed(np.less, True),
    np.less_equal: _mixed(np.less_equal, True),
    np.not_equal: _mixed(np.not_equal, True),
}
"""Comparisons, of operands that have no common type."""

OF_WHOLE: Mapping[np.ufunc, Callable[[TracedArray], TracedArray]] = {
    np.ceil: lambda x: x,
    np.floor: lambda x: x,
    np.isfinite: lambda x: x == x,
    np.isinf: lambda x: x != x,
    np.isnan: lambda x: x != x,
    np.trunc: lambda x: x,
}
"""Functions of integers and bools that are ops of floats only."""

_OF_ONE: dict[str, Callable[[TracedArray], Any]] = {
    "conjugate": lambda x: x,
    "deg2rad": lambda x: x * (np.pi / 180),
    "degrees": lambda x: x * (180 / np.pi),
    "fabs": lambda x: fn.absolute(x),
    "positive": lambda x: x,
    "rad2deg": lambda x: x * (180 / np.pi),
    "radians": lambda x: x * (np.pi / 180),
    "reciprocal": lambda x: 1 / x if is_float(x.dtype) else _divided(x * 0 + 1, x),
    "square": lambda x: x * x,
}
_OF_TWO: dict[str, Callable[[TracedArray, TracedArray], Any]] = {
    "float_power": lambda x, y: fn.power(x, y),
    "floor_divide": _floor_divide,
    "fmax": _fmax,
    "fmin": _fmin,
    "heaviside": _heaviside,
    "hypot": _hypot,
    "logaddexp": _logaddexp,
    "logaddexp2": _logaddexp2,
}
FORMULAS: Mapping[str, Callable[..., Any]] = {**_OF_ONE, **_OF_TWO}
"""Functions without an op, on operands of the resolved types."""


def divmod_of(x: Any, y: Any) -> tuple[TracedArray, TracedArray]:
    """`np.divmod`: the quotient rounded down, and the remainder of it."""
    return fn.floor_divide(x, y), fn.remainder(x, y)


def modf(x: TracedArray) -> tuple[TracedArray, TracedArray]:
    """`np.modf`: the part after the point with the sign of `x`, and the integral part."""
    x = x if is_float(x.dtype) else fn.rint(x)
    whole = fn.trunc(x)
    rest = fn.where(fn.isinf(x), 0, x - whole)
    return fn.copysign(rest, x), whole


SEVERAL: Mapping[np.ufunc, Callable[..., tuple[TracedArray, ...]]] = {
    np.divmod: divmod_of,
    np.modf: modf,
}
"""Universal functions with several results."""
