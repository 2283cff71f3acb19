"""NumPy functions that move elements of traced arrays, or change their shape or type."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple
from xdsl.ir import SSAValue

from snippets_mlir.dialects.snippets.conversion import BroadcastOp, ReshapeOp
from snippets_mlir.dialects.snippets.layout import TransposeOp
from snippets_mlir.frontends.numpy.arrays import TracedArray, fn, trace_of
from snippets_mlir.frontends.numpy.indexing import concatenated
from snippets_mlir.frontends.numpy.places import take_along_axis, taken
from snippets_mlir.frontends.numpy.trace import Trace, refuse


def _made(like: TracedArray, value: SSAValue) -> TracedArray:
    return TracedArray(like.within, value)


def same(a: TracedArray) -> TracedArray:
    """The array itself: values do not change, so that a copy is the same."""
    return a


def _reshape(a: TracedArray, shape: Any, order: str = "C") -> TracedArray:
    if order == "F":  # the first dim is innermost
        sizes = np.empty(a.shape, np.int8).reshape(shape).shape if a.size else _empty(a, shape)
        return _transpose(_reshape(_transpose(a), sizes[::-1]))
    if order != "C":
        refuse("the order of elements is 'C' or 'F': a traced value has no memory")
    sizes = np.empty(a.shape, np.int8).reshape(shape).shape if a.size else _empty(a, shape)
    return a if sizes == a.shape else _made(a, a.within.add(ReshapeOp(a.value, sizes)))


def _empty(a: TracedArray, shape: Any) -> tuple[int, ...]:
    return np.broadcast_to(np.int8(0), a.shape).reshape(shape).shape


def _transpose(a: TracedArray, axes: Sequence[int] | None = None) -> TracedArray:
    order = [*reversed(range(a.ndim))] if axes is None else [*normalize_axis_tuple(axes, a.ndim)]
    if order == [*range(a.ndim)]:
        return a
    return _made(a, a.within.add(TransposeOp(a.value, order)))


def _swapaxes(a: TracedArray, axis1: int, axis2: int) -> TracedArray:
    order = [*range(a.ndim)]
    order[axis1], order[axis2] = order[axis2], order[axis1]
    return _transpose(a, order)


def _moveaxis(a: TracedArray, source: Any, destination: Any) -> TracedArray:
    marks = np.moveaxis(np.empty([2] * a.ndim)[...], source, destination)
    strides = np.empty([2] * a.ndim).strides
    return _transpose(a, [strides.index(s) for s in marks.strides])


def _expand_dims(a: TracedArray, axis: Any) -> TracedArray:
    return _reshape(a, np.expand_dims(np.broadcast_to(0, a.shape), axis).shape)


def _squeeze(a: TracedArray, axis: Any = None) -> TracedArray:
    return _reshape(a, np.squeeze(np.broadcast_to(0, a.shape), axis).shape)


def _ravel(a: TracedArray, order: str = "C") -> TracedArray:
    return _reshape(a, (a.size,), order)


def _broadcast_to(array: TracedArray, shape: Any) -> TracedArray:
    sizes = np.broadcast_to(np.broadcast_to(0, array.shape), shape).shape
    if sizes == array.shape:
        return array
    return _made(array, array.within.add(BroadcastOp(array.value, sizes)))


def _astype(a: TracedArray, dtype: Any, *, copy: bool = True) -> TracedArray:
    return _made(a, a.within.converted(a.value, np.dtype(dtype)))


def _stack(arrays: Sequence[Any], axis: int = 0) -> TracedArray:
    trace = trace_of(arrays)
    parts = [x if isinstance(x, TracedArray) else _constant(trace, x) for x in arrays]
    place = normalize_axis_index(axis, parts[0].ndim + 1)
    return concatenated([_expand_dims(p, place) for p in parts], place)


def _concatenate(arrays: Sequence[Any], axis: int | None = 0) -> TracedArray:
    trace = trace_of(arrays)
    parts = [x if isinstance(x, TracedArray) else _constant(trace, x) for x in arrays]
    if axis is None:
        return concatenated([_ravel(p) for p in parts], 0)
    return concatenated(parts, normalize_axis_index(axis, parts[0].ndim))


def _constant(trace: Trace, array: Any) -> TracedArray:
    return TracedArray(trace, trace.constant(np.asarray(array)))


def _flip(m: TracedArray, axis: Any = None) -> TracedArray:
    axes = range(m.ndim) if axis is None else normalize_axis_tuple(axis, m.ndim)
    return m[tuple(slice(None, None, -1 if dim in axes else None) for dim in range(m.ndim))]


def _matrix_transpose(x: TracedArray) -> TracedArray:
    return _swapaxes(x, -1, -2)


def _roll(a: TracedArray, shift: Any, axis: Any = None) -> TracedArray:
    if axis is None:
        return _reshape(_roll(_ravel(a), int(np.sum(shift)), 0), a.shape)
    for one, dim in np.broadcast(shift, axis):
        a = _rolled(a, int(one), normalize_axis_index(int(dim), a.ndim))
    return a


def _rolled(a: TracedArray, shift: int, place: int) -> TracedArray:
    size = a.shape[place]
    whole = [slice(None)] * a.ndim
    cut = -shift % size if size else 0
    first, last = [*whole], [*whole]
    first[place], last[place] = slice(cut, None), slice(0, cut)
    return a if cut == 0 else concatenated([a[tuple(first)], a[tuple(last)]], place)


def _diff(
    a: TracedArray, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None
) -> TracedArray:
    if n < 0:
        refuse(f"np.diff: order must be non-negative but got {n}")
    if n == 0:
        return a
    place = normalize_axis_index(axis, a.ndim)
    ends = [[] if end is None else [_end(a, end, place)] for end in (prepend, append)]
    if any(ends):
        a = _concatenate([*ends[0], a, *ends[1]], place)
    for _ in range(n):
        after, before = [slice(None)] * a.ndim, [slice(None)] * a.ndim
        after[place], before[place] = slice(1, None), slice(0, -1)
        later, earlier = a[tuple(after)], a[tuple(before)]
        a = fn.not_equal(later, earlier) if a.dtype.kind == "b" else later - earlier
    return a


def _end(a: TracedArray, end: Any, axis: int) -> Any:
    """The part that `np.diff` adds at an end: a number stands for a constant slice."""
    if np.ndim(end):
        return end
    sizes = [1 if dim == axis else size for dim, size in enumerate(a.shape)]
    return fn.broadcast_to(end if isinstance(end, TracedArray) else np.asarray(end), sizes)


def _take(a: Any, indices: Any, axis: int | None = None, mode: str = "raise") -> TracedArray:
    if not isinstance(a, TracedArray):
        a = _constant(trace_of(indices), a)
    return taken(_ravel(a), indices, 0, mode) if axis is None else taken(a, indices, axis, mode)


def _repeat(a: TracedArray, repeats: Any, axis: int | None = None) -> TracedArray:
    x, dim = (_ravel(a), 0) if axis is None or (not a.ndim and axis in (0, -1)) else (a, axis)
    return taken(x, np.repeat(np.arange(x.shape[dim]), repeats), dim)


def _triangle(m: TracedArray, keep: Any) -> TracedArray:
    return fn.where(keep, m, np.zeros((), m.dtype))


def _tril(m: TracedArray, k: int = 0) -> TracedArray:
    return _triangle(m, np.tri(*m.shape[-2:], k=k, dtype=bool))


def _triu(m: TracedArray, k: int = 0) -> TracedArray:
    return _triangle(m, ~np.tri(*m.shape[-2:], k=k - 1, dtype=bool))


def _broadcast_arrays(*args: Any) -> tuple[TracedArray, ...]:
    trace = trace_of(args)
    parts = [x if isinstance(x, TracedArray) else _constant(trace, x) for x in args]
    shape = np.broadcast_shapes(*(p.shape for p in parts))
    return tuple(_broadcast_to(p, shape) for p in parts)


def _tile(A: TracedArray, reps: Any) -> TracedArray:
    counts = np.atleast_1d(reps).tolist()
    rank = max(len(counts), A.ndim)
    counts = [1] * (rank - len(counts)) + counts
    sizes = [1] * (rank - A.ndim) + list(A.shape)
    apart = [n for size in sizes for n in (1, size)]
    spread = [n for pair in zip(counts, sizes, strict=True) for n in pair]
    whole = [count * size for count, size in zip(counts, sizes, strict=True)]
    return fn.reshape(fn.broadcast_to(fn.reshape(A, apart), spread), whole)


def _unstack(x: TracedArray, *, axis: int = 0) -> tuple[TracedArray, ...]:
    first: Any = fn.moveaxis(x, axis, 0)
    return tuple(first[place] for place in range(first.shape[0]))


def _meshgrid(
    *xi: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy"
) -> list[TracedArray]:
    """The arguments of one dim (or none), each along its own dim; `xy` swaps the first two."""
    count = len(xi)
    dims = [1, 0, *range(2, count)] if indexing == "xy" and count > 1 else list(range(count))
    found = [
        fn.reshape(x, [-1 if place == dim else 1 for place in range(count)])
        for x, dim in zip(xi, dims, strict=True)
    ]
    return found if sparse else list(fn.broadcast_arrays(*found))


TABLE: dict[str, Callable[..., Any]] = {
    "astype": _astype,
    "broadcast_arrays": _broadcast_arrays,
    "broadcast_to": _broadcast_to,
    "concatenate": _concatenate,
    "diff": _diff,
    "expand_dims": _expand_dims,
    "flip": _flip,
    "matrix_transpose": _matrix_transpose,
    "meshgrid": _meshgrid,
    "moveaxis": _moveaxis,
    "ravel": _ravel,
    "real": same,
    "repeat": _repeat,
    "reshape": _reshape,
    "roll": _roll,
    "squeeze": _squeeze,
    "stack": _stack,
    "swapaxes": _swapaxes,
    "take": _take,
    "take_along_axis": take_along_axis,
    "tile": _tile,
    "transpose": _transpose,
    "tril": _tril,
    "triu": _triu,
    "unstack": _unstack,
}
"""Name in NumPy -> the function of traced values."""
