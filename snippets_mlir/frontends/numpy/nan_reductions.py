"""NumPy's reductions that ignore NaN: reductions of an array in which NaN is replaced.

    np.nansum(x, 1)    x where it is a number, 0 elsewhere; its sum
    np.nanmean(x, 1)   the mean with `where`
    np.nanmax(x, 1)    -inf in place of NaN; NaN where there is no number

For integers and bools they are the plain reductions.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from snippets_mlir.dialects.builtin.dtypes import is_float
from snippets_mlir.frontends.numpy.arrays import TracedArray, fn
from snippets_mlir.frontends.numpy.trace import refuse


def _numbers(a: TracedArray) -> TracedArray:
    return ~fn.isnan(a)


def _filled(function: Any, fill: float) -> Callable[..., TracedArray]:
    """`function` of the array with `fill`, the identity, in place of NaN."""

    def of(a: TracedArray, axis: Any = None, dtype: Any = None, **options: Any) -> TracedArray:
        if is_float(a.dtype):
            a = fn.where(fn.isnan(a), a.dtype.type(fill), a)
        return function(a, axis=axis, dtype=dtype, **options)

    return of


def _extreme(function: Any, fill: float) -> Callable[..., TracedArray]:
    def of(a: TracedArray, axis: Any = None, keepdims: bool = False) -> TracedArray:
        if not is_float(a.dtype):
            return function(a, axis=axis, keepdims=keepdims)
        found = function(fn.where(fn.isnan(a), a.dtype.type(fill), a), axis=axis, keepdims=keepdims)
        none = fn.all(fn.isnan(a), axis=axis, keepdims=keepdims)
        return fn.where(none, a.dtype.type(np.nan), found)

    return of


def _moment(function: Any) -> Callable[..., TracedArray]:
    """The moment of the numbers alone."""

    def of(
        a: TracedArray,
        axis: Any = None,
        dtype: Any = None,
        *,
        keepdims: bool = False,
        ddof: int = 0,
    ) -> TracedArray:
        options: dict[str, Any] = {"dtype": dtype, "keepdims": keepdims}
        if ddof:
            options["ddof"] = ddof
        if is_float(a.dtype):
            if dtype is not None and not is_float(np.dtype(dtype)):
                refuse(f"a nan function of floats gives floats, found dtype {np.dtype(dtype)}")
            options["where"] = _numbers(a)
        return function(a, axis=axis, **options)

    return of


def _spread(function: Any) -> Callable[..., TracedArray]:
    """Variance or deviation; NaN if there are at most `ddof` numbers."""

    def of(
        a: TracedArray,
        axis: Any = None,
        dtype: Any = None,
        *,
        ddof: int = 0,
        keepdims: bool = False,
    ) -> TracedArray:
        found = _moment(function)(a, axis, dtype, ddof=ddof, keepdims=keepdims)
        if not is_float(a.dtype):
            return found
        count = fn.count_nonzero(_numbers(a), axis=axis, keepdims=keepdims)
        return fn.where(count > ddof, found, found.dtype.type(np.nan))

    return of


def _nan_to_num(
    x: TracedArray,
    copy: bool = True,
    nan: float = 0.0,
    posinf: float | None = None,
    neginf: float | None = None,
) -> TracedArray:
    if not is_float(x.dtype):
        return x
    limits: Any = (
        np.finfo(x.dtype) if x.dtype.kind == "f" else import_module("ml_dtypes").finfo(x.dtype)
    )
    kind: Any = x.dtype.type
    high: Any = limits.max if posinf is None else posinf
    low: Any = limits.min if neginf is None else neginf
    found = fn.where(fn.isnan(x), kind(nan), x)
    found = fn.where(x == np.inf, kind(high), found)
    return fn.where(x == -np.inf, kind(low), found)


def _nanmean(
    a: TracedArray, axis: Any = None, dtype: Any = None, keepdims: bool = False
) -> TracedArray:
    return _moment(np.mean)(a, axis, dtype, keepdims=keepdims)


TABLE: dict[str, Callable[..., Any]] = {
    "nan_to_num": _nan_to_num,
    "nancumprod": _filled(np.cumprod, 1.0),
    "nancumsum": _filled(np.cumsum, 0.0),
    "nanmax": _extreme(np.max, -np.inf),
    "nanmean": _nanmean,
    "nanmin": _extreme(np.min, np.inf),
    "nanprod": _filled(np.prod, 1.0),
    "nanstd": _spread(np.std),
    "nansum": _filled(np.sum, 0.0),
    "nanvar": _spread(np.var),
}
"""Name in NumPy -> the function of traced values."""
