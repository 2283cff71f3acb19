"""Sums, extrema and moments of traced arrays, in NumPy's result types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from snippets_mlir.dialects.builtin.dtypes import is_float
from snippets_mlir.dialects.snippets.arg_reduction import ArgMaxOp, ArgMinOp, ArgReduceOp
from snippets_mlir.dialects.snippets.reduction import ReduceMeanOp
from snippets_mlir.frontends.numpy import shapes
from snippets_mlir.frontends.numpy.arrays import TracedArray, fn
from snippets_mlir.frontends.numpy.trace import refuse
from snippets_mlir.frontends.numpy.ufuncs import accumulate, reduce

Axis = int | tuple[int, ...] | None


def _reduction(ufunc: np.ufunc) -> Callable[..., TracedArray]:
    def function(
        a: TracedArray,
        axis: Axis = None,
        dtype: Any = None,
        keepdims: bool = False,
        initial: Any = None,
        where: Any = True,
    ) -> TracedArray:
        return reduce_some(ufunc, a, axis, keepdims, dtype, initial, where)

    return function


def _truth(ufunc: np.ufunc) -> Callable[..., TracedArray]:
    def function(
        a: TracedArray, axis: Axis = None, keepdims: bool = False, *, where: Any = True
    ) -> TracedArray:
        return reduce_some(ufunc, a, axis, keepdims, None, None, where)

    return function


def _extremum(ufunc: np.ufunc) -> Callable[..., TracedArray]:
    def function(
        a: TracedArray,
        axis: Axis = None,
        keepdims: bool = False,
        initial: Any = None,
        where: Any = True,
    ) -> TracedArray:
        return reduce_some(ufunc, a, axis, keepdims, None, initial, where)

    return function


def reduce_some(
    ufunc: np.ufunc,
    a: TracedArray,
    axis: Axis,
    keepdims: bool,
    dtype: Any,
    initial: Any,
    where: Any,
) -> TracedArray:
    """`ufunc.reduce` of the elements where `where` is true, from `initial` on.

    Where it is false, elements are replaced by a neutral element: the identity, or `initial`.
    """
    if ufunc.identity is None and initial is None and not a.is_dynamic and a.ndim:
        if not _count(a, axis):
            refuse(f"np.{ufunc.__name__}.reduce of no elements")
    if where is not True:
        neutral = ufunc.identity if initial is None else initial
        if ufunc in (np.add, np.multiply, np.logical_or, np.logical_and):
            neutral = ufunc.identity
        if neutral is None:
            refuse(f"np.{ufunc.__name__}.reduce with where needs initial")
        taken = fn.where(where, a, _of_type(ufunc, neutral, a.dtype))
        if taken.shape != a.shape:
            refuse(f"np.{ufunc.__name__}.reduce: where does not broadcast to the array")
        a = taken
    found = reduce(ufunc, a, axis, keepdims, dtype)
    return found if initial is None else ufunc(found, _of_type(ufunc, initial, found.dtype))


def _of_type(ufunc: np.ufunc, number: Any, dtype: np.dtype[Any]) -> Any:
    try:
        return np.asarray(number, dtype)
    except OverflowError as error:
        refuse(f"np.{ufunc.__name__}.reduce: {error}")


def _axes(a: TracedArray, axis: Axis) -> list[int]:
    return [*range(a.ndim)] if axis is None else [*normalize_axis_tuple(axis, a.ndim)]


def _count(a: TracedArray, axis: Axis) -> int:
    return int(np.prod([a.shape[i] for i in _axes(a, axis)]))


def _average(a: TracedArray, axis: Axis, ddof: int, keepdims: bool) -> TracedArray:
    """The sum divided by the number of elements less `ddof`, in the type of `a`."""
    if a.is_dynamic and not ddof:
        found = ReduceMeanOp(a.value, _axes(a, axis), keep_dims=keepdims)
        return TracedArray(a.within, a.within.add(found))
    return reduce(np.add, a, axis, keepdims) / max(_count(a, axis) - ddof, 0)


def _mean(
    a: TracedArray,
    axis: Axis = None,
    dtype: Any = None,
    keepdims: bool = False,
    *,
    where: Any = True,
) -> TracedArray:
    result = np.dtype(dtype) if dtype else a.dtype if is_float(a.dtype) else np.dtype("f8")
    wide = np.dtype("f4") if result.itemsize == 2 else result
    numbers = shapes.TABLE["astype"](a, wide)
    if where is True:
        average = _average(numbers, axis, 0, keepdims)
    else:
        total = reduce_some(np.add, numbers, axis, keepdims, None, None, where)
        average = total / _count_where(numbers, axis, keepdims, where)
    return shapes.TABLE["astype"](average, result)


def _var(
    a: TracedArray,
    axis: Axis = None,
    dtype: Any = None,
    ddof: int = 0,
    keepdims: bool = False,
    *,
    where: Any = True,
) -> TracedArray:
    result = np.dtype(dtype) if dtype else a.dtype if is_float(a.dtype) else np.dtype("f8")
    wide = shapes.TABLE["astype"](a, np.dtype("f4") if result.itemsize == 2 else result)
    distance = wide - _mean(wide, axis, keepdims=True, where=where)
    squares = distance * distance
    if where is True:
        average = _average(squares, axis, ddof, keepdims)
    else:
        total = reduce_some(np.add, squares, axis, keepdims, None, None, where)
        count = _count_where(squares, axis, keepdims, where)
        average = total / fn.maximum(count - count.dtype.type(ddof), count.dtype.type(0))
    return shapes.TABLE["astype"](average, result)


def _count_where(a: TracedArray, axis: Axis, keepdims: bool, where: Any) -> TracedArray:
    """How many elements `where` selects, in the type of `a`."""
    taken = fn.where(where, fn.ones_like(a), a.dtype.type(0))
    return fn.sum(taken, axis=axis, keepdims=keepdims)


def _std(
    a: TracedArray,
    axis: Axis = None,
    dtype: Any = None,
    ddof: int = 0,
    keepdims: bool = False,
    *,
    where: Any = True,
) -> TracedArray:
    return fn.sqrt(_var(a, axis, dtype, ddof, keepdims, where=where))


def _count_nonzero(a: TracedArray, axis: Axis = None, *, keepdims: bool = False) -> TracedArray:
    return reduce(np.add, (a != 0).astype(np.int64), axis, keepdims)


def _arg_extremum(op: type[ArgReduceOp]) -> Callable[..., TracedArray]:
    def function(a: TracedArray, axis: int | None = None, *, keepdims: bool = False) -> TracedArray:
        x = fn.ravel(a) if axis is None or (not a.ndim and axis in (0, -1)) else a
        found = op(x.value, axis or 0, keepdims and x is a)
        found.verify_()
        place = TracedArray(x.within, x.within.add(found))
        return fn.reshape(place, (1,) * a.ndim) if keepdims and x is not a else place

    return function


def _accumulated(ufunc: np.ufunc, name: str) -> Callable[..., TracedArray]:
    def function(a: TracedArray, axis: int | None = None, dtype: Any = None) -> TracedArray:
        x = fn.ravel(a) if axis is None else a
        return accumulate(ufunc, x, axis or 0, dtype, name)

    return function


def _cumulative(ufunc: np.ufunc, name: str) -> Callable[..., TracedArray]:
    """The function of the Array API standard, which may put the value of no elements first."""

    def function(
        x: TracedArray, axis: int | None = None, dtype: Any = None, include_initial: bool = False
    ) -> TracedArray:
        if axis is None and x.ndim > 1:
            refuse(f"np.{name} of an array that has not one dim: name an axis")
        x = x if x.ndim else fn.reshape(x, (1,))
        found = accumulate(ufunc, x, axis or 0, dtype, name)
        if not include_initial:
            return found
        along = (axis or 0) % x.ndim
        sizes = [1 if dim == along else n for dim, n in enumerate(x.shape)]
        return fn.concatenate([np.full(sizes, ufunc.identity, found.dtype), found], along)

    return function


TABLE: dict[str, Callable[..., Any]] = {
    "all": _truth(np.logical_and),
    "amax": _extremum(np.maximum),
    "amin": _extremum(np.minimum),
    "any": _truth(np.logical_or),
    "argmax": _arg_extremum(ArgMaxOp),
    "argmin": _arg_extremum(ArgMinOp),
    "count_nonzero": _count_nonzero,
    "cumprod": _accumulated(np.multiply, "cumprod"),
    "cumsum": _accumulated(np.add, "cumsum"),
    "cumulative_prod": _cumulative(np.multiply, "cumulative_prod"),
    "cumulative_sum": _cumulative(np.add, "cumulative_sum"),
    "max": _extremum(np.maximum),
    "mean": _mean,
    "min": _extremum(np.minimum),
    "prod": _reduction(np.multiply),
    "std": _std,
    "sum": _reduction(np.add),
    "var": _var,
}
"""Name in NumPy -> the function of traced values."""
