"""Parts of traced arrays, and arrays joined.

    x[1:5:2, None, ..., 0]      a slice in each dim, and a reshape
    np.take(x, [2, 0], axis=1)  slices that are joined; of more than `MOST_RUNS`, a gather
    x[[2, 0]]                   the same along the first dim
    x[:, i]                     a gather: i is traced, and is checked when the program is called

Slices are ops of StableHLO, which are views, or run beside kernels as copies; joins are
`snippets.concat`, and gathers `snippets.gather`.
Refused: masks, and several arrays as indices, or one beside integers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import DenseArrayBase, i64
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.dtypes import Array
from snippets_mlir.dialects.builtin.shaped import tensor_of, tensor_type
from snippets_mlir.dialects.snippets.concatenation import ConcatOp
from snippets_mlir.dialects.snippets.conversion import BroadcastOp, ReshapeOp
from snippets_mlir.dialects.snippets.gathering import GatherOp
from snippets_mlir.dialects.snippets.index_checks import CheckIndicesOp
from snippets_mlir.dialects.stablehlo.slices import ReverseOp, SliceOp
from snippets_mlir.frontends.numpy.arrays import TracedArray, operand_of
from snippets_mlir.frontends.numpy.trace import Trace, leaves_of, refuse

MOST_RUNS = 16
"""Runs of places that become slices; more are a gather."""


def item(x: TracedArray, key: Any) -> TracedArray:
    """`x[key]` for integers, slices, None and `...`, and one array of integers among slices."""
    parts = cast("tuple[Any, ...]", key if isinstance(key, tuple) else (key,))
    arrays = [place for place, part in enumerate(parts) if isinstance(part, _ARRAYS)]
    if arrays:
        return _at_array(x, parts, arrays)
    try:
        target = np.broadcast_to(np.int8(0), x.shape)[key].shape
    except (IndexError, TypeError) as error:
        refuse(str(error))
    return _reshaped(_sliced(x, _ranges(x, parts)), target)


_ARRAYS = (TracedArray, np.ndarray, list, bool, np.bool_)


def _at_array(x: TracedArray, parts: Sequence[Any], arrays: Sequence[int]) -> TracedArray:
    """`x` at slices, and in one dim at an array of integers."""
    place, *others = arrays
    beside = [part for part in parts if not isinstance(part, _ARRAYS)]
    if others or not all(p is None or p is Ellipsis or isinstance(p, slice) for p in beside):
        refuse(
            "an index that is an array is compiled alone or beside slices: for numbers i and j, "
            "write x[i][j] in place of x[i, j]"
        )
    if not _holds_integers(parts[place]):
        refuse("an index that is a mask is not compiled: write np.where, or slices")
    named = sum(part is not None and part is not Ellipsis for part in parts)
    if named > x.ndim:
        refuse(f"too many indices for array: array is {x.ndim}-dimensional, found {named}")
    axis = sum(x.ndim - named if part is Ellipsis else 1 for part in parts[:place])
    if any(part is not Ellipsis and part != slice(None) for part in beside):
        x = item(x, (*parts[:place], slice(None), *parts[place + 1 :]))
    return taken(x, parts[place], axis)


def _holds_integers(array: Any) -> bool:
    """Whether an index is an array of integers, or of nothing."""
    if isinstance(array, TracedArray):
        return array.dtype.kind in "iu"
    if any(isinstance(leaf, TracedArray) for leaf in leaves_of(array)):
        return operand_of(array).given.dtype.kind in "iu"
    places: Array = np.asarray(array)
    return places.dtype.kind in "iu" or not places.size


def _ranges(x: TracedArray, parts: Sequence[Any]) -> list[range]:
    """The places of each dim that an index takes."""
    named = [p for p in parts if p is not None and p is not Ellipsis]
    before = (
        [p for p in parts[: parts.index(Ellipsis)] if p is not None] if Ellipsis in parts else named
    )
    after = named[len(before) :]
    rest = [slice(None)] * (x.ndim - len(named))
    ranges: list[range] = []
    for size, part in zip(x.shape, [*before, *rest, *after], strict=True):
        if isinstance(part, slice):
            ranges.append(range(size)[part])
        else:
            place = int(part) % size
            ranges.append(range(place, place + 1))
    return ranges


def _sliced(x: TracedArray, ranges: list[range]) -> TracedArray:
    """The elements at the places; a range that falls is reversed afterwards."""
    falling = [dim for dim, r in enumerate(ranges) if r.step < 0 and len(r) > 1]
    rising = [r[::-1] if r.step < 0 else r for r in ranges]
    if any(r != range(n) for r, n in zip(rising, x.shape, strict=True)):
        shape = [len(r) for r in rising]
        starts = [r.start if len(r) else 0 for r in rising]
        limits = [r[-1] + 1 if len(r) else 0 for r in rising]
        lists = (starts, limits, [r.step for r in rising])
        names = ("start_indices", "limit_indices", "strides")
        op = SliceOp.create(
            operands=[x.value],
            result_types=[tensor_type(tensor_of(x.value).element_type, shape)],
            properties={
                n: DenseArrayBase.from_list(i64, v) for n, v in zip(names, lists, strict=True)
            },
        )
        x = TracedArray(x.trace, x.trace.add(op))
    if falling:
        dims = DenseArrayBase.from_list(i64, falling)
        op = ReverseOp.create(
            operands=[x.value], result_types=[x.value.type], properties={"dimensions": dims}
        )
        x = TracedArray(x.trace, x.trace.add(op))
    return x


@dataclass(frozen=True)
class Run:
    """Places one after the other: from `start` on, in steps of 1, -1 or 0."""

    start: int
    step: int
    count: int


def runs_of(places: Sequence[int]) -> list[Run]:
    """The places as few runs; one run of nothing for no places."""
    runs: list[Run] = []
    for place in places:
        last = runs[-1] if runs else None
        step = None if last is None else place - last.start
        if last is not None and last.count == 1 and step in (-1, 0, 1):
            runs[-1] = Run(last.start, cast(int, step), 2)
        elif last is not None and last.count > 1 and step == last.step * last.count:
            runs[-1] = Run(last.start, last.step, last.count + 1)
        else:
            runs.append(Run(place, 1, 1))
    return runs or [Run(0, 1, 0)]


def box_of(x: TracedArray, runs: Sequence[Run]) -> TracedArray:
    """The elements at a run of places along each dim: a slice, then what is repeated."""
    counts = [min(run.count, 1) if run.step == 0 else run.count for run in runs]
    steps = [run.step or 1 for run in runs]
    places = zip(runs, counts, steps, strict=True)
    x = _sliced(x, [range(r.start, r.start + n * step, step) for r, n, step in places])
    sizes = [run.count for run in runs]
    if counts == sizes:
        return x
    return TracedArray(x.trace, x.trace.add(BroadcastOp(x.value, sizes)))


MODES = ("raise", "clip")
"""What `np.take` does with places outside of the array: an error, or the nearest one inside."""


def taken(x: TracedArray, indices: Any, axis: int, mode: str = "raise") -> TracedArray:
    """The elements at places along a dim, which may be counted from the end, but with "clip".

    The dims of `indices` stand where the dim was. Refused: known places outside of the array.
    Places that are traced are checked when the program is called.
    """
    if mode not in MODES:
        refuse(f"np.take with mode={mode!r} is not compiled: write {' or '.join(MODES)}")
    if not -x.ndim <= axis < x.ndim:
        refuse(f"np.take expects a dim of {x.ndim}, found {axis}")
    axis %= x.ndim
    if any(isinstance(leaf, TracedArray) for leaf in leaves_of(indices)):
        return _gathered(x, operand_of(indices).given, axis, mode)
    given: Array = np.asarray(indices)
    if mode == "clip" and not x.is_dynamic and given.size and x.shape[axis]:
        given = given.clip(0, x.shape[axis] - 1)
    given = given if given.size else given.astype(np.int64)
    if given.dtype.kind not in "iu":
        refuse(f"np.take expects places that are integers, found {given.dtype}")
    if x.is_dynamic:
        constant = TracedArray(x.trace, x.trace.constant(given))
        return _gathered(x, constant, axis, mode)
    size = x.shape[axis]
    if given.size and not -size <= int(given.min()) <= int(given.max()) < size:
        refuse(f"an index is out of bounds for axis {axis} with size {size}")
    places = np.where(given < 0, given + size, given).astype(np.int64)
    if given.ndim == 1 and len(runs := runs_of(places.tolist())) <= MOST_RUNS:
        whole = [Run(0, 1, n) for n in x.shape]
        boxes = ([*whole[:axis], run, *whole[axis + 1 :]] for run in runs)
        return concatenated([box_of(x, box) for box in boxes], axis)
    op = GatherOp(x.value, x.trace.constant(places), axis)
    return TracedArray(x.trace, x.trace.add(op))


def _gathered(x: TracedArray, indices: TracedArray, axis: int, mode: str) -> TracedArray:
    """The elements at traced places along a dim."""
    if indices.dtype.kind not in "iu":
        refuse(f"np.take expects places that are integers, found {indices.dtype}")
    trace, value = x.trace, indices.value
    try:
        if mode == "raise":
            value = _checked(trace, value, x.value, axis)
        op = GatherOp(x.value, value, axis, from_end=mode == "raise")
        op.verify_()
    except VerifyException as error:
        refuse(str(error))
    return TracedArray(trace, trace.add(op))


def _checked(trace: Trace, indices: SSAValue, array: SSAValue, axis: int) -> SSAValue:
    """The indices, checked against a dim of the array; what checks them already if it is there."""
    for use in indices.uses:
        check = use.operation
        if isinstance(check, CheckIndicesOp) and (check.operand, check.axis) == (array, axis):
            return check.result
    return trace.add(CheckIndicesOp(indices, array, axis, from_end=True))


def _reshaped(x: TracedArray, shape: tuple[int, ...]) -> TracedArray:
    return x if shape == x.shape else TracedArray(x.trace, x.trace.add(ReshapeOp(x.value, shape)))


def concatenated(parts: Sequence[TracedArray], axis: int) -> TracedArray:
    """The parts one after the other along a dim, in their common type."""
    trace = parts[0].trace
    if len(parts) == 1:
        return parts[0]
    dtype = np.result_type(*(p.dtype for p in parts))
    values = [trace.converted(p.value, dtype) for p in parts]
    try:
        return TracedArray(trace, trace.add(ConcatOp(values, axis)))
    except VerifyException as error:
        refuse(str(error))
