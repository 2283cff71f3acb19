"""Sums, extremes and moments of traced arrays, in the types that NumPy gives them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from snippets_mlir.dialects.snippets.arg_reduction import ArgMaxOp, ArgMinOp, ArgReduceOp
from snippets_mlir.dialects.snippets.cumulative import CumSumOp
from snippets_mlir.frontends.numpy import shapes
from snippets_mlir.frontends.numpy.arrays import TracedArray, fn
from snippets_mlir.frontends.numpy.trace import refuse
from snippets_mlir.frontends.numpy.ufuncs import reduce

Axis = int | tuple[int, ...] | None


def _reduction(ufunc: np.ufunc) -> Callable[..., TracedArray]:
    def function(
        a: TracedArray, axis: Axis = None, dtype: Any = None, keepdims: bool = False
    ) -> TracedArray:
        return reduce(ufunc, a, axis, keepdims, dtype)

    return function


def _truth(ufunc: np.ufunc) -> Callable[..., TracedArray]:
    def function(a: TracedArray, axis: Axis = None, keepdims: bool = False) -> TracedArray:
        return reduce(ufunc, a, axis, keepdims)

    return function


def _extremum(ufunc: np.ufunc) -> Callable[..., TracedArray]:
    def function(a: TracedArray, axis: Axis = None, keepdims: bool = False) -> TracedArray:
        if not a.size:
            refuse(f"np.{ufunc.__name__}.reduce of no elements")
        return reduce(ufunc, a, axis, keepdims)

    return function


def _count(a: TracedArray, axis: Axis) -> int:
    axes = range(a.ndim) if axis is None else np.atleast_1d(axis).tolist()
    return int(np.prod([a.shape[i] for i in axes]))


def _mean(
    a: TracedArray, axis: Axis = None, dtype: Any = None, keepdims: bool = False
) -> TracedArray:
    result = np.dtype(dtype) if dtype else a.dtype if a.dtype.kind == "f" else np.dtype("f8")
    wide = np.dtype("f4") if result.itemsize == 2 else result
    total = reduce(np.add, shapes.TABLE["astype"](a, wide), axis, keepdims)
    return shapes.TABLE["astype"](total / _count(a, axis), result)


def _var(
    a: TracedArray,
    axis: Axis = None,
    dtype: Any = None,
    ddof: int = 0,
    keepdims: bool = False,
) -> TracedArray:
    result = np.dtype(dtype) if dtype else a.dtype if a.dtype.kind == "f" else np.dtype("f8")
    wide = shapes.TABLE["astype"](a, np.dtype("f4") if result.itemsize == 2 else result)
    distance = wide - _mean(wide, axis, keepdims=True)
    total = reduce(np.add, distance * distance, axis, keepdims)
    return shapes.TABLE["astype"](total / max(_count(a, axis) - ddof, 0), result)


def _std(
    a: TracedArray, axis: Axis = None, dtype: Any = None, ddof: int = 0, keepdims: bool = False
) -> TracedArray:
    return fn.sqrt(_var(a, axis, dtype, ddof, keepdims))


def _count_nonzero(a: TracedArray, axis: Axis = None, *, keepdims: bool = False) -> TracedArray:
    return reduce(np.add, (a != 0).astype(np.int64), axis, keepdims)


def _arg_extremum(op: type[ArgReduceOp]) -> Callable[..., TracedArray]:
    def function(a: TracedArray, axis: int | None = None, *, keepdims: bool = False) -> TracedArray:
        x = fn.ravel(a) if axis is None else a
        found = op(x.value, axis or 0, keepdims)
        found.verify_()
        place = TracedArray(x.trace, x.trace.add(found))
        return fn.reshape(place, (1,) * a.ndim) if axis is None and keepdims else place

    return function


def _cumsum(a: TracedArray, axis: int | None = None, dtype: Any = None) -> TracedArray:
    x = fn.ravel(a) if axis is None else a
    result = np.dtype(dtype) if dtype else np.cumsum(np.ones(1, x.dtype)).dtype
    found = CumSumOp(x.trace.converted(x.value, result), axis or 0)
    return TracedArray(x.trace, x.trace.add(found))


def _cumulative_sum(
    x: TracedArray, axis: int | None = None, dtype: Any = None, include_initial: bool = False
) -> TracedArray:
    if axis is None and x.ndim != 1:
        refuse("np.cumulative_sum of an array that has not one dim: name an axis")
    sums = _cumsum(x, axis, dtype)
    if not include_initial:
        return sums
    along = (axis or 0) % x.ndim
    first = np.zeros([1 if dim == along else n for dim, n in enumerate(x.shape)], sums.dtype)
    return fn.concatenate([first, sums], along)


def vecdot(x1: Any, x2: Any) -> TracedArray:
    """`np.vecdot`: the sums of products along the last dim."""
    return fn.sum(fn.multiply(x1, x2), axis=-1)


TABLE: dict[str, Callable[..., Any]] = {
    "all": _truth(np.logical_and),
    "amax": _extremum(np.maximum),
    "amin": _extremum(np.minimum),
    "any": _truth(np.logical_or),
    "argmax": _arg_extremum(ArgMaxOp),
    "argmin": _arg_extremum(ArgMinOp),
    "count_nonzero": _count_nonzero,
    "cumsum": _cumsum,
    "cumulative_sum": _cumulative_sum,
    "max": _extremum(np.maximum),
    "mean": _mean,
    "min": _extremum(np.minimum),
    "prod": _reduction(np.multiply),
    "std": _std,
    "sum": _reduction(np.add),
    "var": _var,
}
"""Name in NumPy -> the function of traced values."""
