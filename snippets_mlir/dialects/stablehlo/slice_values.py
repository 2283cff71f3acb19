"""Values of ops of StableHLO that take and join parts of arrays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from snippets_mlir.dialects.builtin.dtypes import Array
from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.stablehlo.gathers import DynamicSliceOp, DynamicUpdateSliceOp
from snippets_mlir.dialects.stablehlo.slices import ConcatenateOp, PadOp, ReverseOp, SliceOp
from snippets_mlir.dialects.stablehlo.window_values import padded


def concatenate_value(op: ConcatenateOp, *parts: Array) -> Array:
    """The parts one after the other."""
    return np.concatenate(parts, op.dim)


def pad_value(op: PadOp, x: Array, value: Array) -> Array:
    """`x` padded with elements `value`."""
    return padded(x, value, tensor_of(op.results[0]).get_shape(), op.amounts)


def reverse_value(op: ReverseOp, x: Array) -> Array:
    """`x` with some dims reversed."""
    return np.flip(x, tuple(op.dimensions.get_values()))


def slice_value(op: SliceOp, x: Array) -> Array:
    """A part of `x`, at positions in the op's attributes."""
    return x[tuple(op.ranges)]


def _starts(
    limits: Sequence[int], sizes: Sequence[int], indices: Sequence[Array]
) -> tuple[slice, ...]:
    """Ranges of `sizes` at the indices, clamped to the limits."""
    places = (
        min(max(int(i), 0), limit - size)
        for i, limit, size in zip(indices, limits, sizes, strict=True)
    )
    return tuple(slice(p, p + size) for p, size in zip(places, sizes, strict=True))


def dynamic_slice_value(op: DynamicSliceOp, x: Array, *indices: Array) -> Array:
    """A part of `x`, at positions given by operands."""
    return x[_starts(x.shape, op.slice_sizes.get_values(), indices)]


def dynamic_update_slice_value(
    op: DynamicUpdateSliceOp, x: Array, update: Array, *indices: Array
) -> Array:
    """`x` with `update` at positions given by operands."""
    result = x.copy()
    result[_starts(x.shape, update.shape, indices)] = update
    return result
