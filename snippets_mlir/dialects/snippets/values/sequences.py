"""Values of the ops that go along a dim in its order."""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.ir import Operation

from snippets_mlir.dialects.builtin.dims import static_shape
from snippets_mlir.dialects.builtin.dtypes import Array, is_float, round_to
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.snippets.cumulative import CumSumOp
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


def cum_sum(op: Operation, dtype: np.dtype[Any], x: Array) -> Array:
    """The sums of `snippets.cum_sum`, each element added to the sum before it."""
    assert isinstance(op, CumSumOp)
    wide = computing_dtype(dtype)
    along = np.moveaxis(x, op.axis, -1)
    along = along[..., ::-1] if op.reverse is not None else along
    sums = np.cumsum(along, axis=-1, dtype=wide)
    if op.exclusive is not None:
        sums = np.concatenate([np.zeros_like(sums[..., :1]), sums[..., :-1]], axis=-1)
    sums = sums[..., ::-1] if op.reverse is not None else sums
    return rounded(np.ascontiguousarray(np.moveaxis(sums, -1, op.axis)), dtype)
