"""Elements of traced arrays at places given by integer arrays.

    x[[2, 0]], np.take(x, [2, 0], 1)   slices that are joined; of more than `MOST_RUNS`, a gather
    x[:, i]                            a gather: i is traced, and is checked at the call
    x[i, :, j], x[0, i]                a gather of the dims that i and j count along, seen as one:
                                       the place of each element is i * n + j

Integers beside arrays are arrays without dims, as in NumPy: the result dims take the place of the
first array, or come first if a slice is between arrays. Masks are refused, and several arrays with
sizes that are known only at the call.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.dtypes import Array
from snippets_mlir.dialects.snippets.gathering import GatherOp
from snippets_mlir.dialects.snippets.index_checks import CheckIndicesOp
from snippets_mlir.frontends.numpy.arrays import TracedArray, fn, operand_of
from snippets_mlir.frontends.numpy.indexing import (
    MOST_RUNS,
    Run,
    box_of,
    concatenated,
    item,
    runs_of,
)
from snippets_mlir.frontends.numpy.trace import Trace, leaves_of, refuse

ARRAYS = (TracedArray, np.ndarray, list, bool, np.bool_)
"""The parts of an index that select elements."""


def at_arrays(x: TracedArray, parts: Sequence[Any]) -> TracedArray:
    """`x` at an index that contains integer arrays."""
    named = sum(part is not None and part is not Ellipsis for part in parts)
    if named > x.ndim:
        refuse(f"too many indices for array: array is {x.ndim}-dimensional, found {named}")
    for part in parts:
        if isinstance(part, ARRAYS) and not _holds_integers(part):
            refuse("an index that is a mask is not compiled: write np.where, or slices")
    rest = [slice(None)] * (x.ndim - named)
    whole = [p for part in parts for p in (rest if part is Ellipsis else [part])]
    if not any(part is Ellipsis for part in parts):
        whole += rest
    chosen = [place for place, part in enumerate(whole) if not (part is None or _is_slice(part))]
    slices = tuple(slice(None) if place in chosen else p for place, p in enumerate(whole))
    if any(part != slice(None) for part in slices):
        x = item(x, slices)
    arrays = [whole[place] for place in chosen]
    if len(arrays) == 1:
        return taken(x, arrays[0], chosen[0])
    return _taken_together(x, arrays, chosen)


def take_along_axis(arr: TracedArray, indices: Any, axis: int | None = -1) -> TracedArray:
    """The elements at places along a dim, with separate places for each place of the other dims."""
    if axis is None:
        arr, axis = fn.ravel(arr), 0
    if not -arr.ndim <= axis < arr.ndim or fn.ndim(indices) != arr.ndim:
        refuse(f"np.take_along_axis expects a dim, and places, of {arr.ndim} dims")
    counts = [np.arange(size) for size in arr.shape]
    places: list[Any] = [*np.ix_(*counts)]
    places[axis] = indices
    return _taken_together(arr, places, range(arr.ndim))


def _is_slice(part: Any) -> bool:
    return isinstance(part, slice)


def _taken_together(x: TracedArray, arrays: Sequence[Any], axes: Sequence[int]) -> TracedArray:
    """The elements at places along several dims, one array of places for each."""
    if x.is_dynamic:
        refuse("several arrays are indices, and sizes are known only at the call")
    sizes = [x.shape[axis] for axis in axes]
    places = [_inside(x, a, axis) for a, axis in zip(arrays, axes, strict=True)]
    try:
        np.broadcast_shapes(*(place.shape for place in places))
    except ValueError as error:
        refuse(f"the arrays that are indices do not fit together: {error}")
    front = axes[0] if axes[-1] - axes[0] == len(axes) - 1 else 0
    others = [dim for dim in range(x.ndim) if dim not in axes]
    x = fn.transpose(x, (*others[:front], *axes, *others[front:]))
    kept = [x.shape[dim] for dim in range(x.ndim) if not front <= dim < front + len(axes)]
    x = fn.reshape(x, (*kept[:front], int(np.prod(sizes)), *kept[front:]))
    together = places[0]
    for place, size in zip(places[1:], sizes[1:], strict=True):
        together = together * size + place
    if not isinstance(together, TracedArray):
        return taken(x, together, front)
    return TracedArray(x.within, x.within.add(GatherOp(x.value, together.value, front)))


def _inside(x: TracedArray, given: Any, axis: int) -> Any:
    """Places along a dim as i64 from its start on; traced ones are checked at the call."""
    size = x.shape[axis]
    if not any(isinstance(leaf, TracedArray) for leaf in leaves_of(given)):
        return _known_places(given, axis, size)
    indices = operand_of(given).given
    checked = TracedArray(x.within, _checked(x.within, indices.value, x.value, axis))
    wide = checked.astype(np.int64)
    return wide if indices.dtype.kind == "u" else fn.where(wide < 0, wide + size, wide)


def _known_places(given: Any, axis: int, size: int) -> Array:
    """Known places as i64 from the start of a dim on; refused if one is outside."""
    places: Array = np.asarray(given)
    places = places if places.size else places.astype(np.int64)
    if places.dtype.kind not in "iu":
        refuse(f"np.take expects places that are integers, found {places.dtype}")
    if places.size and not -size <= int(places.min()) <= int(places.max()) < size:
        refuse(f"an index is out of bounds for axis {axis} with size {size}")
    return np.where(places < 0, places + size, places).astype(np.int64)


def _holds_integers(array: Any) -> bool:
    """Whether an index is an array of integers, or of nothing."""
    if isinstance(array, TracedArray):
        return array.dtype.kind in "iu"
    if any(isinstance(leaf, TracedArray) for leaf in leaves_of(array)):
        return operand_of(array).given.dtype.kind in "iu"
    places: Array = np.asarray(array)
    return places.dtype.kind in "iu" or not places.size


MODES = ("raise", "clip")
"""The modes of `np.take` for places outside of the array: an error, or the nearest place inside."""


def taken(x: TracedArray, indices: Any, axis: int, mode: str = "raise") -> TracedArray:
    """The elements at places along a dim, which may count from the end, except with "clip".

    The dims of `indices` replace the dim. Known places outside of the array are refused. Traced
    places are checked when the program is called.
    """
    if mode not in MODES:
        refuse(f"np.take with mode={mode!r} is not compiled: write {' or '.join(MODES)}")
    if not x.ndim and axis in (0, -1):
        x = fn.reshape(x, (1,))
    if not -x.ndim <= axis < x.ndim:
        refuse(f"np.take expects a dim of {x.ndim}, found {axis}")
    axis %= x.ndim
    if any(isinstance(leaf, TracedArray) for leaf in leaves_of(indices)):
        return _gathered(x, operand_of(indices).given, axis, mode)
    given: Array = np.asarray(indices)
    if mode == "clip" and not x.is_dynamic and given.size and x.shape[axis]:
        given = given.clip(0, x.shape[axis] - 1)
    if x.is_dynamic:
        given = given if given.size else given.astype(np.int64)
        constant = TracedArray(x.within, x.within.constant(given))
        return _gathered(x, constant, axis, mode)
    places = _known_places(given, axis, x.shape[axis])
    if given.ndim == 1 and len(runs := runs_of(places.tolist())) <= MOST_RUNS:
        whole = [Run(0, 1, n) for n in x.shape]
        boxes = ([*whole[:axis], run, *whole[axis + 1 :]] for run in runs)
        return concatenated([box_of(x, box) for box in boxes], axis)
    op = GatherOp(x.value, x.within.constant(places), axis)
    return TracedArray(x.within, x.within.add(op))


def _gathered(x: TracedArray, indices: TracedArray, axis: int, mode: str) -> TracedArray:
    """The elements at traced places along a dim."""
    if indices.dtype.kind not in "iu":
        refuse(f"np.take expects places that are integers, found {indices.dtype}")
    trace, value = x.within, indices.value
    try:
        if mode == "raise":
            value = _checked(trace, value, x.value, axis)
        op = GatherOp(x.value, value, axis, from_end=mode == "raise")
        op.verify_()
    except VerifyException as error:
        refuse(str(error))
    return TracedArray(trace, trace.add(op))


def _checked(trace: Trace, indices: SSAValue, array: SSAValue, axis: int) -> SSAValue:
    """The indices, checked against a dim of the array; an existing check is reused."""
    for use in indices.uses:
        check = use.operation
        if isinstance(check, CheckIndicesOp) and (check.operand, check.axis) == (array, axis):
            return check.result
    return trace.add(CheckIndicesOp(indices, array, axis, from_end=True))
