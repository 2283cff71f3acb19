"""Values of the conversions, of bitcast and lookup, and of the ops that change the shape.

Conversions from integer to float round once for every pair of types. Conversions from float to
integer compare with the limits in float64, where they are exact.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from xdsl.ir import Operation

from snippets_mlir.dialects.builtin.dims import static_shape
from snippets_mlir.dialects.builtin.dtypes import Array, is_bfloat16, is_float, round_to
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.snippets.bounded_slicing import SliceToOp
from snippets_mlir.dialects.snippets.concatenation import ConcatOp
from snippets_mlir.dialects.snippets.internal import LookupOp
from snippets_mlir.dialects.snippets.layout import (
    SqueezeOp,
    TransposeOp,
    UnsqueezeOp,
    permuted,
)
from snippets_mlir.dialects.snippets.padding import PadOp
from snippets_mlir.dialects.snippets.shapes import DYNAMIC, broadcast_shapes, format_shape
from snippets_mlir.dialects.snippets.slicing import SliceOp
from snippets_mlir.dialects.snippets.values.constant import constant_array
from snippets_mlir.support.errors import CompileError


def _to_float(x: Array, dtype: np.dtype[Any]) -> Array:
    """Any array to a float dtype, rounded once."""
    if not is_bfloat16(dtype):
        return x.astype(dtype)
    if x.dtype.kind in "iu" and x.dtype.itemsize == 8:
        # 53 bits of float64 do not hold the integer: its low bits become one sticky bit.
        high = np.asarray((x >> 11) << 11)
        sticky = (x != high).astype(x.dtype) << x.dtype.type(11)
        large = np.abs(x.astype(np.float64)) >= 2.0**53
        x = np.where(large, high | sticky, x)
    return round_to(x.astype(np.float64), dtype)


def _limits(dtype: np.dtype[Any]) -> tuple[float, float]:
    """The smallest value and the first value that is too large, exact in float64."""
    bits = 8 * dtype.itemsize
    if dtype.kind == "u":
        return 0.0, 2.0**bits
    return -(2.0 ** (bits - 1)), 2.0 ** (bits - 1)


def _truncate_float(x: Array, dtype: np.dtype[Any]) -> Array:
    whole = np.trunc(x.astype(np.float64))
    low, end = _limits(dtype)
    fits = (whole >= low) & (whole < end)
    return np.where(fits, np.where(fits, whole, 0.0).astype(dtype), dtype.type(np.iinfo(dtype).min))


def _saturate_float(x: Array, dtype: np.dtype[Any]) -> Array:
    whole = np.rint(x.astype(np.float64))
    low, end = _limits(dtype)
    limits = np.iinfo(dtype)
    fits = (whole >= low) & (whole < end)
    inside = np.where(fits, whole, 0.0).astype(dtype)
    inside = np.where(whole >= end, dtype.type(limits.max), inside)
    return np.where(whole < low, dtype.type(limits.min), inside)


def _saturate_integer(x: Array, dtype: np.dtype[Any]) -> Array:
    source, target = np.iinfo(x.dtype), np.iinfo(dtype)
    low, high = max(source.min, target.min), min(source.max, target.max)
    return np.clip(x, x.dtype.type(low), x.dtype.type(high)).astype(dtype)


def _convert(x: Array, dtype: np.dtype[Any], saturate: bool) -> Array:
    if dtype.kind == "b":
        return np.asarray(x != x.dtype.type(0))
    if x.dtype.kind == "b" or x.dtype == dtype:
        return x.astype(dtype)
    if is_float(dtype):
        return _to_float(x, dtype)
    if is_float(x.dtype):
        return _saturate_float(x, dtype) if saturate else _truncate_float(x, dtype)
    return _saturate_integer(x, dtype) if saturate else x.astype(dtype)


def convert_truncation(op: Operation, dtype: np.dtype[Any], x: Array) -> Array:
    """The elements converted as C and NumPy do: floats truncate, integers keep the low bits."""
    return _convert(x, dtype, saturate=False)


def convert_saturation(op: Operation, dtype: np.dtype[Any], x: Array) -> Array:
    """Clamped to the range of the result's type."""
    return _convert(x, dtype, saturate=True)


def bitcast(op: Operation, dtype: np.dtype[Any], x: Array) -> Array:
    """The bits of each element as another type."""
    return np.asarray(x, order="C").view(dtype)


def lookup(op: Operation, dtype: np.dtype[Any], index: Array) -> Array:
    """`table[index]`, the index clamped, or modulo the size."""
    assert isinstance(op, LookupOp)
    table = constant_array(op.table)
    if op.wraps is not None:
        return table[index & (table.size - 1)]
    return table[np.clip(index, 0, table.size - 1)]


def target_shape(op: Operation, source: tuple[int, ...]) -> tuple[int, ...]:
    """The result shape of a broadcast: dynamic dims take the operand's size."""
    shape = broadcast_shapes(source, shape_of(op.results[0]))
    if shape is None:
        raise CompileError(f"{op.name}: shape {source} does not broadcast to {op.results[0].type}")
    return static_shape(shape)


def broadcast(op: Operation, dtype: np.dtype[Any], x: Array) -> Array:
    """The operand repeated to the shape of the result's type."""
    return np.broadcast_to(x, target_shape(op, x.shape))


def reshape(op: Operation, dtype: np.dtype[Any], x: Array) -> Array:
    """The same elements under another shape."""
    shape = static_shape(shape_of(op.results[0]))
    known = prod(size for size in shape if size != DYNAMIC)
    unknown = shape.count(DYNAMIC)
    if unknown > 1 or (unknown and known == 0):
        raise CompileError(f"{op.name}: the elements do not tell the shape of {op.results[0].type}")
    count = x.size // known if unknown else 1
    if x.size != known * count:
        raise CompileError(f"{op.name}: {x.size} elements do not fill {op.results[0].type}")
    return x.reshape(tuple(count if size == DYNAMIC else size for size in shape))


def transpose(op: Operation, dtype: np.dtype[Any], x: Array) -> Array:
    """Dim i of the result is dim `permutation[i]` of `x`, as a dense array."""
    assert isinstance(op, TransposeOp)
    return np.ascontiguousarray(np.transpose(x, op.permutation)).reshape(
        static_shape(permuted(x.shape, op.permutation))
    )


def squeeze(op: Operation, dtype: np.dtype[Any], x: Array) -> Array:
    """`x` without the dims `axes`; CompileError if such a size is not 1."""
    assert isinstance(op, SqueezeOp)
    if any(x.shape[axis] != 1 for axis in op.axes):
        raise CompileError(
            f"{op.name} expects axes of size 1, found {format_shape(x.shape)} "
            f"with axes {', '.join(map(str, op.axes))}"
        )
    return x.reshape(static_shape(op.infer_shape([x.shape])))


def unsqueeze(op: Operation, dtype: np.dtype[Any], x: Array) -> Array:
    """`x` with dims of size 1 at the places `axes` of the result."""
    assert isinstance(op, UnsqueezeOp)
    return x.reshape(static_shape(op.infer_shape([x.shape])))


def take_slice(op: Operation, dtype: np.dtype[Any], x: Array) -> Array:
    """The elements of `x` at `starts[d] + i * steps[d]`, without the dims that are dropped.

    A dim of unknown size is taken as a whole. CompileError if `x` has no such place.
    """
    assert isinstance(op, SliceOp)
    places: list[slice | int] = []
    found = zip(op.sizes, x.shape, strict=True)
    sizes = static_shape([whole if size == DYNAMIC else size for size, whole in found])
    starts = static_shape(op.starts)
    for dim, (start, size, step) in enumerate(zip(starts, sizes, op.steps, strict=True)):
        last = start + (size - 1) * step
        if size and not (0 <= start < x.shape[dim] and 0 <= last < x.shape[dim]):
            raise CompileError(
                f"{op.name} reads places {start} to {last} of dim {dim}, which has size "
                f"{x.shape[dim]}"
            )
        end = None if last + step < 0 else last + step
        places.append(start if dim in op.drops else slice(start, end if size else start, step))
    return np.asarray(x[tuple(places)])


def take_slice_to(op: Operation, dtype: np.dtype[Any], x: Array) -> Array:
    """`x[start:stop:step]` in each dim, and `x[start]` in dims that are dropped."""
    assert isinstance(op, SliceToOp)
    return np.asarray(x[op.key])


def concat(op: Operation, dtype: np.dtype[Any], *parts: Array) -> Array:
    """The parts one after the other; CompileError if their other dims differ."""
    assert isinstance(op, ConcatOp)
    shapes = [(*p.shape[: op.axis], *p.shape[op.axis + 1 :]) for p in parts]
    if len(set(shapes)) > 1:
        found = ", ".join(format_shape(p.shape) for p in parts)
        raise CompileError(
            f"{op.name} expects equal sizes in all dims but {op.axis}, found {found}"
        )
    return np.concatenate(parts, axis=op.axis)


def pad(op: Operation, dtype: np.dtype[Any], x: Array, value: Array) -> Array:
    """`x` with `value` around it."""
    assert isinstance(op, PadOp)
    amounts = [*zip(op.low, op.high, strict=True)]
    whole = np.full([low + n + high for n, (low, high) in zip(x.shape, amounts)], value, dtype)
    whole[tuple(slice(low, low + n) for n, (low, _) in zip(x.shape, amounts))] = x
    return whole
