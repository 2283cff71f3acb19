"""Values of the ops that process a dim in order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from xdsl.ir import Operation

from snippets_mlir.dialects.builtin.dims import static_shape
from snippets_mlir.dialects.builtin.dtypes import Array, is_float, round_to
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.snippets.cumulative import CumulativeOp
from snippets_mlir.dialects.snippets.iota import IotaOp
from snippets_mlir.dialects.snippets.values.reduction import computing_dtype, rounded


def iota(op: Operation, dtype: np.dtype[Any]) -> Array:
    """The numbers of `snippets.iota`."""
    assert isinstance(op, IotaOp)
    shape = static_shape(shape_of(op.result))
    numbers = np.arange(shape[op.dim])
    if is_float(dtype):
        numbers = round_to(numbers.astype(np.float64), dtype)
    places = [size if dim == op.dim else 1 for dim, size in enumerate(shape)]
    return np.broadcast_to(numbers.reshape(places).astype(dtype, copy=False), shape)


def _cumulative(
    combine: Callable[[Array], Array], first: Callable[[np.dtype[Any]], float]
) -> Callable[[Operation, np.dtype[Any], Array], Array]:
    """The value of an op that combines along the last dim; for no elements it is `first`."""

    def value(op: Operation, dtype: np.dtype[Any], x: Array) -> Array:
        assert isinstance(op, CumulativeOp)
        along = np.moveaxis(x.astype(computing_dtype(dtype), copy=False), op.axis, -1)
        along = along[..., ::-1] if op.reverse is not None else along
        found = combine(along)
        if op.exclusive is not None:
            start = np.full_like(found[..., :1], first(dtype))
            found = np.concatenate([start, found[..., :-1]], axis=-1)
        found = found[..., ::-1] if op.reverse is not None else found
        return rounded(np.ascontiguousarray(np.moveaxis(found, -1, op.axis)), dtype)

    return value


def _extreme(ufunc: np.ufunc, preferred: bool) -> Callable[[Array], Array]:
    """Accumulate extremes; among zeros, `preferred` says whether -0.0 or 0.0 wins."""

    def combine(x: Array) -> Array:
        found = ufunc.accumulate(x, axis=-1)
        if not is_float(x.dtype):
            return found
        better = np.logical_or.accumulate((x == 0) & (np.signbit(x) == preferred), axis=-1)
        zeros = np.array([0.0, -0.0], x.dtype)
        return np.where(found == 0, zeros[(better == preferred).astype(int)], found)

    return combine


def _largest(dtype: np.dtype[Any]) -> float:
    return float("inf") if is_float(dtype) else np.iinfo(dtype).max


def _smallest(dtype: np.dtype[Any]) -> float:
    return -float("inf") if is_float(dtype) else np.iinfo(dtype).min


cum_sum = _cumulative(lambda x: np.cumsum(x, axis=-1, dtype=x.dtype), lambda dtype: 0)
cum_prod = _cumulative(lambda x: np.cumprod(x, axis=-1, dtype=x.dtype), lambda dtype: 1)
cum_max = _cumulative(_extreme(np.maximum, preferred=False), _smallest)
cum_min = _cumulative(_extreme(np.minimum, preferred=True), _largest)
