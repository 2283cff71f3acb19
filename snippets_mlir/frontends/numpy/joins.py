"""NumPy functions that are shorthand for joins, splits, rotations and diagonals.

np.vstack([x, y])     np.concatenate of arrays of two dims
np.split(x, 3)        slices
np.rot90(x)           a reversal and a transpose
np.diagonal(x)        a slice of the flat matrix with a step
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from snippets_mlir.frontends.numpy.arrays import TracedArray, fn, operand_of, trace_of
from snippets_mlir.frontends.numpy.trace import refuse


def _of_rank(x: Any, rank: int) -> Any:
    """`np.atleast_1d`, `2d` or `3d`; a vector is a row of a matrix, and the middle dim of three."""
    x = x if isinstance(x, TracedArray) else np.asarray(x)
    missing = rank - np.ndim(x)
    if missing <= 0:
        return x
    after = 1 if rank == 3 and missing in (1, 2) else 0
    return fn.reshape(x, (1,) * (missing - after) + np.shape(x) + (1,) * after)


def _at_least(rank: int) -> Callable[..., Any]:
    def function(*arys: Any) -> Any:
        found = tuple(_of_rank(x, rank) for x in arys)
        return found[0] if len(found) == 1 else found

    return function


def _hstack(tup: Sequence[Any]) -> Any:
    parts = [_of_rank(x, 1) for x in tup]
    return fn.concatenate(parts, 0 if np.ndim(parts[0]) == 1 else 1)


def _vstack(tup: Sequence[Any]) -> Any:
    return fn.concatenate([_of_rank(x, 2) for x in tup], 0)


def _dstack(tup: Sequence[Any]) -> Any:
    return fn.concatenate([_of_rank(x, 3) for x in tup], 2)


def _column_stack(tup: Sequence[Any]) -> Any:
    return fn.concatenate([x if np.ndim(x) > 1 else fn.reshape(x, (-1, 1)) for x in tup], 1)


def _append(arr: Any, values: Any, axis: int | None = None) -> Any:
    return fn.concatenate([arr, values], axis)


def _array_split(ary: TracedArray, indices_or_sections: Any, axis: int = 0) -> list[TracedArray]:
    dim = normalize_axis_index(axis, ary.ndim)
    size = ary.shape[dim]
    if np.ndim(indices_or_sections):
        cuts = [int(place) for place in indices_or_sections]
    else:
        count = int(indices_or_sections)
        if count <= 0:
            refuse("np.array_split: number sections must be larger than 0.")
        cuts = [len(part) for part in np.array_split(np.empty(size), count)]
        cuts = np.cumsum(cuts[:-1]).tolist()
    before: tuple[Any, ...] = (slice(None),) * dim
    bounds = zip([0, *cuts], [*cuts, size], strict=True)
    return [ary[(*before, slice(start, stop))] for start, stop in bounds]


def _split(ary: TracedArray, indices_or_sections: Any, axis: int = 0) -> list[TracedArray]:
    equal = np.ndim(indices_or_sections) == 0
    if equal and ary.shape[axis] % int(indices_or_sections):
        refuse("np.split: array split does not result in an equal division")
    return _array_split(ary, indices_or_sections, axis)


def _fliplr(m: TracedArray) -> TracedArray:
    return fn.flip(m, 1)


def _flipud(m: TracedArray) -> TracedArray:
    return fn.flip(m, 0)


def _rot90(m: TracedArray, k: int = 1, axes: Sequence[int] = (0, 1)) -> TracedArray:
    first, second = (normalize_axis_index(axis, m.ndim) for axis in axes)
    if first == second:
        refuse("np.rot90: Axes must be different.")
    if k % 4 == 0:
        return m
    if k % 4 == 2:
        return fn.flip(m, (first, second))
    flipped = fn.flip(m, second) if k % 4 == 1 else m
    turned = fn.swapaxes(flipped, first, second)
    return turned if k % 4 == 1 else fn.flip(turned, second)


def _rollaxis(a: TracedArray, axis: int, start: int = 0) -> TracedArray:
    dim = normalize_axis_index(axis, a.ndim)
    place = start + a.ndim if start < 0 else start
    if not 0 <= place <= a.ndim:
        refuse(f"np.rollaxis: start {start} is out of bounds for an array of {a.ndim} dims")
    return fn.moveaxis(a, dim, place - 1 if dim < place else place)


def _diagonal(a: TracedArray, offset: int = 0, axis1: int = 0, axis2: int = 1) -> TracedArray:
    if a.ndim < 2:
        refuse("np.diagonal: diag requires an array of at least two dimensions")
    matrix = fn.moveaxis(a, (axis1, axis2), (-2, -1))
    *kept, rows, columns = matrix.shape
    count = len(np.diagonal(np.broadcast_to(0, (rows, columns)), offset))
    first = max(offset, 0) + max(-offset, 0) * columns
    flat = fn.reshape(matrix, (*kept, rows * columns))
    last = first + (count - 1) * (columns + 1) + 1 if count else first
    return flat[..., first : last : columns + 1]


def _trace(
    a: TracedArray, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None
) -> TracedArray:
    return fn.sum(_diagonal(a, offset, axis1, axis2), axis=-1, dtype=dtype)


def _ediff1d(ary: TracedArray) -> TracedArray:
    if ary.dtype.kind == "b":
        refuse("np.ediff1d of bools is not compiled")
    return fn.diff(fn.ravel(ary))


def _select(condlist: Sequence[Any], choicelist: Sequence[Any], default: Any = 0) -> Any:
    if len(condlist) != len(choicelist) or not condlist:
        refuse("np.select: list of cases must be same length as list of conditions")
    operands = [operand_of(x) for x in (*choicelist, default)]
    numbers = (o.promoted() if isinstance(o.promoted, type) else o.promoted for o in operands)
    dtype, trace = np.result_type(*numbers), trace_of(condlist, choicelist, default)
    *choices, found = (TracedArray(trace, o.value(trace, dtype)) for o in operands)
    for condition, choice in zip(reversed(condlist), reversed(choices), strict=True):
        found = fn.where(condition, choice, found)
    return found


TABLE: dict[str, Callable[..., Any]] = {
    "append": _append,
    "array_split": _array_split,
    "atleast_1d": _at_least(1),
    "atleast_2d": _at_least(2),
    "atleast_3d": _at_least(3),
    "column_stack": _column_stack,
    "diagonal": _diagonal,
    "dstack": _dstack,
    "ediff1d": _ediff1d,
    "fliplr": _fliplr,
    "flipud": _flipud,
    "hstack": _hstack,
    "rollaxis": _rollaxis,
    "rot90": _rot90,
    "select": _select,
    "split": _split,
    "trace": _trace,
    "vstack": _vstack,
}
"""Name in NumPy -> the function of traced values."""
