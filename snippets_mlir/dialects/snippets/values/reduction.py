"""Values of the reductions, and the sums that the normalizations use.

Floats are combined in their own type by NumPy's pairwise summation, whose error grows with the
logarithm of the count; 16-bit floats are combined in float32 and rounded once. A sum starts at 0.0,
so it is never -0.0. Zeros of different sign are ordered as in `snippets.maximum` and `minimum`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np
from xdsl.ir import Operation

from snippets_mlir.dialects.builtin.dims import static_shape
from snippets_mlir.dialects.builtin.dtypes import Array, is_bfloat16, is_float, round_to
from snippets_mlir.dialects.snippets.arg_reduction import ArgReduceOp
from snippets_mlir.dialects.snippets.record import Value
from snippets_mlir.dialects.snippets.reduction import ReduceMeanOp, ReduceOp, reduced_shape
from snippets_mlir.dialects.snippets.values.integer import divide

Reducer = Callable[[Array], Array]
"""Combines the last dim, in the dtype of the array."""


def computing_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The type that sums are computed in: float32 for 16-bit floats, else the type itself."""
    return np.dtype(np.float32) if is_float(dtype) and dtype.itemsize == 2 else dtype


def rounded(x: Array, dtype: np.dtype[Any]) -> Array:
    """`x` in `dtype`: itself, or 16-bit floats from float32, rounded once."""
    if is_bfloat16(dtype):
        return round_to(x.astype(np.float64), dtype)
    return x.astype(dtype, copy=False)


def sum_of(x: Array) -> Array:
    """The sum along the last dim, pairwise; 0 for no elements, never -0.0."""
    return np.asarray(np.add.reduce(x, axis=-1, dtype=x.dtype, initial=x.dtype.type(0)))


def mean_of(x: Array) -> Array:
    """The sum along the last dim divided by its size.

    Integers are added in 64 bits, and the quotient is cut towards zero.
    """
    count = x.shape[-1]
    if is_float(x.dtype):
        return np.asarray(sum_of(x) / x.dtype.type(count))
    wide = np.dtype(np.uint64 if x.dtype.kind == "u" else np.int64)
    return divide(sum_of(x.astype(wide, copy=False)), np.asarray(count, wide)).astype(x.dtype)


def product_of(x: Array) -> Array:
    """The product along the last dim; 1 for no elements."""
    return np.asarray(np.multiply.reduce(x, axis=-1, dtype=x.dtype, initial=x.dtype.type(1)))


def _lowest(dtype: np.dtype[Any]) -> Any:
    return dtype.type(-np.inf) if is_float(dtype) else np.iinfo(dtype).min


def _highest(dtype: np.dtype[Any]) -> Any:
    return dtype.type(np.inf) if is_float(dtype) else np.iinfo(dtype).max


def maximum_of(x: Array) -> Array:
    """The largest along the last dim, NaN if there is one, 0.0 above -0.0."""
    best = np.asarray(np.maximum.reduce(x, axis=-1, initial=_lowest(x.dtype)))
    if not is_float(x.dtype):
        return best
    positive = np.any((x == 0) & ~np.signbit(x), axis=-1)
    zero = np.where(positive, np.zeros((), x.dtype), -np.zeros((), x.dtype))
    return np.where(best == 0, zero, best)


def maxnum_of(x: Array) -> Array:
    """The largest element along the last dim that is not NaN; -inf if there is none."""
    return np.asarray(np.fmax.reduce(x, axis=-1, initial=x.dtype.type(-np.inf)))


def minimum_of(x: Array) -> Array:
    """The smallest along the last dim, NaN if there is one, -0.0 below 0.0."""
    best = np.asarray(np.minimum.reduce(x, axis=-1, initial=_highest(x.dtype)))
    if not is_float(x.dtype):
        return best
    negative = np.any((x == 0) & np.signbit(x), axis=-1)
    zero = np.where(negative, -np.zeros((), x.dtype), np.zeros((), x.dtype))
    return np.where(best == 0, zero, best)


def reduce_dims(x: Array, axes: Sequence[int], reducer: Reducer, keep_dims: bool = True) -> Array:
    """`reducer` over the dims `axes` of `x`, which are gathered into one last dim."""
    kept = [dim for dim in range(x.ndim) if dim not in axes]
    gathered = np.ascontiguousarray(np.transpose(x, (*kept, *axes)))
    shape = tuple(x.shape[dim] for dim in kept)
    count = prod(x.shape[dim] for dim in axes)
    return reducer(gathered.reshape((*shape, count))).reshape(
        static_shape(reduced_shape(x.shape, axes, keep_dims))
    )


def _reduction(reducer: Reducer) -> Value:
    def value(op: Operation, dtype: np.dtype[Any], x: Array) -> Array:
        assert isinstance(op, ReduceOp)
        wide = x.astype(computing_dtype(dtype), copy=False)
        return rounded(reduce_dims(wide, op.axes, reducer, op.keeps_dims), dtype)

    return value


_MEAN, _MEAN_OR_ZERO = _reduction(mean_of), _reduction(sum_of)


def reduce_mean(op: Operation, dtype: np.dtype[Any], x: Array) -> Array:
    """The mean of each group; for no elements the value that the op defines."""
    assert isinstance(op, ReduceMeanOp)
    empty = 0 in [x.shape[axis] for axis in op.axes]
    return _MEAN_OR_ZERO(op, dtype, x) if empty and op.gives_zero else _MEAN(op, dtype, x)


def _arg_reduction(function: Callable[..., Array]) -> Value:
    def value(op: Operation, dtype: np.dtype[Any], x: Array) -> Array:
        assert isinstance(op, ArgReduceOp)
        wide = x.astype(computing_dtype(x.dtype), copy=False)
        return np.asarray(function(wide, axis=op.axis, keepdims=op.keeps_dims)).astype(dtype)

    return value


arg_max = _arg_reduction(np.argmax)
arg_min = _arg_reduction(np.argmin)
reduce_max = _reduction(maximum_of)
reduce_maxnum = _reduction(maxnum_of)
reduce_min = _reduction(minimum_of)
reduce_prod = _reduction(product_of)
reduce_sum = _reduction(sum_of)
