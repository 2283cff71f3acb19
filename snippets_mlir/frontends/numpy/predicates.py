"""NumPy functions that compare whole arrays, or test for kinds of numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from snippets_mlir.dialects.builtin.dtypes import is_float
from snippets_mlir.frontends.numpy.arrays import TracedArray, fn


def _isclose(
    a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> TracedArray:
    """Whether |a - b| <= atol + rtol |b|; equal infinities are close."""
    if isinstance(b, TracedArray) and not is_float(b.dtype):
        b = b.astype(np.float64)
    close = fn.less_equal(fn.abs(fn.subtract(a, b)), atol + rtol * fn.abs(b))
    found = (close & fn.isfinite(b)) | fn.equal(a, b)
    return found | (fn.isnan(a) & fn.isnan(b)) if equal_nan else found


def _allclose(
    a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> TracedArray:
    return fn.all(_isclose(a, b, rtol, atol, equal_nan))


def _array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> Any:
    if np.shape(a1) != np.shape(a2):
        return np.asarray(False)
    found = fn.equal(a1, a2)
    return fn.all(found | (fn.not_equal(a1, a1) & fn.not_equal(a2, a2)) if equal_nan else found)


def _isposinf(x: TracedArray) -> TracedArray:
    return fn.isinf(x) & ~fn.signbit(x) if is_float(x.dtype) else x != x


def _isneginf(x: TracedArray) -> TracedArray:
    return fn.isinf(x) & fn.signbit(x) if is_float(x.dtype) else x != x


TABLE: dict[str, Callable[..., Any]] = {
    "allclose": _allclose,
    "array_equal": _array_equal,
    "isclose": _isclose,
    "isneginf": _isneginf,
    "isposinf": _isposinf,
}
"""Name in NumPy -> the function of traced values."""
