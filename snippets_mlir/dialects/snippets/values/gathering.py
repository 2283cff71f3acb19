"""The values of gathers, of slices whose positions are operands, and of index checks."""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.ir import Operation

from snippets_mlir.dialects.builtin.dims import static_shape
from snippets_mlir.dialects.builtin.dtypes import Array
from snippets_mlir.dialects.builtin.index_bounds import checked_indices
from snippets_mlir.dialects.snippets.dynamic_slicing import DynamicSliceOp
from snippets_mlir.dialects.snippets.gathering import GatherOp
from snippets_mlir.dialects.snippets.index_checks import CheckIndicesOp
from snippets_mlir.support.errors import CompileError


def inside(places: Array, limit: int, from_end: bool = False) -> Array:
    """Places as int64, clamped to 0 to `limit`; with `from_end`, -1 is `limit`."""
    if places.dtype.kind == "u":
        return np.minimum(places.astype(np.uint64), np.uint64(limit)).astype(np.int64)
    wide = places.astype(np.int64)
    if from_end:
        wide = np.where(wide < 0, wide + (limit + 1), wide)
    return np.clip(wide, 0, limit)


def gather(op: Operation, dtype: np.dtype[Any], x: Array, indices: Array) -> Array:
    """`x` at `indices` along the axis; CompileError if there is nothing to take."""
    assert isinstance(op, GatherOp)
    limit = x.shape[op.axis] - 1
    shape = (*x.shape[: op.axis], *indices.shape, *x.shape[op.axis + 1 :])
    if 0 in shape:
        return np.empty(shape, dtype)
    if limit < 0:
        raise CompileError(f"{op.name} reads along axis {op.axis}, which has no elements")
    return np.take(x, inside(indices, limit, op.from_end is not None), axis=op.axis)


def dynamic_slice(op: Operation, dtype: np.dtype[Any], x: Array, *starts: Array) -> Array:
    """The slice of `x` that begins at `starts`; CompileError if it does not fit."""
    assert isinstance(op, DynamicSliceOp)
    sizes = static_shape(op.infer_shape([x.shape, *(s.shape for s in starts)]))
    if any(size > whole for size, whole in zip(sizes, x.shape, strict=True)):
        raise CompileError(
            f"{op.name} takes {list(sizes)} elements of an operand of {list(x.shape)}"
        )
    part = [slice(None)] * x.ndim
    for axis, start in zip(op.axes, starts, strict=True):
        first = int(inside(start, x.shape[axis] - sizes[axis]).item())
        part[axis] = slice(first, first + sizes[axis])
    return np.asarray(x[tuple(part)])


def check_indices(op: Operation, dtype: np.dtype[Any], indices: Array, x: Array) -> Array:
    """The indices; PlaceError if one is outside of the axis."""
    assert isinstance(op, CheckIndicesOp)
    from_end = op.from_end is not None
    return checked_indices(indices, op.axis, x.shape[op.axis], from_end=from_end)
