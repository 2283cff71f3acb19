"""Parts of traced arrays, and arrays joined.

    x[1:5:2, None, ..., 0]      a slice in each dim, and a reshape
    the same, of unknown sizes  `snippets.slice_to`, and dims of size 1
    concatenate, places in runs slices that are joined

Slices are ops of StableHLO, which are views, or run beside kernels as copies; joins are
`snippets.concat`. Arrays as indices are in `places.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import index
from typing import Any, TypeAlias, cast

import numpy as np
from xdsl.dialects.builtin import DenseArrayBase, i64
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.shaped import tensor_of, tensor_type
from snippets_mlir.dialects.builtin.slice_bounds import END
from snippets_mlir.dialects.snippets.bounded_slicing import SliceToOp
from snippets_mlir.dialects.snippets.concatenation import ConcatOp
from snippets_mlir.dialects.snippets.conversion import BroadcastOp, ReshapeOp
from snippets_mlir.dialects.snippets.layout import UnsqueezeOp
from snippets_mlir.dialects.stablehlo.slices import ReverseOp, SliceOp
from snippets_mlir.frontends.numpy.arrays import TracedArray
from snippets_mlir.frontends.numpy.trace import refuse

_Slice: TypeAlias = "slice[int | None, int | None, int | None]"
_Index: TypeAlias = "_Slice | int"

MOST_RUNS = 16
"""Runs of places that become slices; more are a gather."""


def item(x: TracedArray, key: Any) -> TracedArray:
    """`x[key]` for integers, slices, None, `...` and arrays of integers."""
    from snippets_mlir.frontends.numpy.places import ARRAYS, at_arrays

    given = cast("tuple[Any, ...]", key if isinstance(key, tuple) else (key,))
    # As in NumPy, a tuple in the tuple of indices is an array of places.
    parts = tuple(list(cast("tuple[Any]", p)) if isinstance(p, tuple) else p for p in given)
    if any(isinstance(part, ARRAYS) for part in parts):
        return at_arrays(x, parts)
    if x.is_dynamic:
        return _at_the_call(x, parts)
    try:
        target = np.broadcast_to(np.int8(0), x.shape)[parts].shape
    except (IndexError, TypeError, ValueError) as error:
        refuse(str(error))
    return _reshaped(_sliced(x, _ranges(x, parts)), target)


def _places(x: TracedArray, parts: Sequence[Any]) -> list[Any]:
    """The integer or the slice of each dim; a whole slice if an index has none."""
    named = [p for p in parts if p is not None and p is not Ellipsis]
    before = (
        [p for p in parts[: parts.index(Ellipsis)] if p is not None] if Ellipsis in parts else named
    )
    rest = [slice(None)] * (x.ndim - len(named))
    return [*before, *rest, *named[len(before) :]]


def _ranges(x: TracedArray, parts: Sequence[Any]) -> list[range]:
    """The places of each dim that an index takes."""
    ranges: list[range] = []
    for size, part in zip(x.shape, _places(x, parts), strict=True):
        if isinstance(part, slice):
            ranges.append(range(size)[part])
        else:
            place = int(part) % size
            ranges.append(range(place, place + 1))
    return ranges


def _at_the_call(x: TracedArray, parts: Sequence[Any]) -> TracedArray:
    """`x[parts]` for sizes known in a call, to which bounds are then clamped."""
    try:  # NumPy's errors for indices that are wrong for every size
        known = [p if p is None or p is Ellipsis else _bounded(p) for p in parts]
        np.empty((1,) * x.ndim)[tuple(0 if isinstance(p, int) else p for p in known)]
    except (IndexError, TypeError, ValueError) as error:
        refuse(str(error))
    places = cast("list[_Index]", _places(x, known))
    bounds = [_bounds(p) if isinstance(p, slice) else (p, END, 1) for p in places]
    starts, stops, steps = ([b[i] for b in bounds] for i in range(3))
    drops = [dim for dim, place in enumerate(places) if not isinstance(place, slice)]
    if drops or any(b != (0, END, 1) for b in bounds):
        op = SliceToOp(x.value, starts, stops, steps, drops)
        x = TracedArray(x.within, x.within.add(op))
    at = parts.index(Ellipsis) if Ellipsis in parts else len(parts)
    missing = x.ndim - sum(isinstance(p, slice) for p in parts)
    kept = [*parts[:at], *[slice(None)] * missing, *parts[at + 1 :]]
    axes: list[bool] = [p is None for p in kept if p is None or isinstance(p, slice)]
    new = [axis for axis, is_new in enumerate(axes) if is_new]
    if not new:
        return x
    return TracedArray(x.within, x.within.add(UnsqueezeOp(x.value, new)))


def _bounded(part: Any) -> _Index:
    """An integer or a slice of Python's integers; TypeError for another index."""
    if isinstance(part, bool | np.bool_):
        raise TypeError("a truth value is no index where sizes are known only at the call")
    if not isinstance(part, slice):
        return index(part)
    found = cast("slice[Any, Any, Any]", part)
    bounds = (found.start, found.stop, found.step)
    return slice(*(None if bound is None else index(bound) for bound in bounds))


def _bounds(part: _Slice) -> tuple[int, int, int]:
    """Start, stop and step of a slice; a bound that it leaves out is far outside."""
    step = 1 if part.step is None else part.step
    first, last = (0, END) if step > 0 else (END, -END)
    start = first if part.start is None else part.start
    return start, last if part.stop is None else part.stop, step


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
        x = TracedArray(x.within, x.within.add(op))
    if falling:
        dims = DenseArrayBase.from_list(i64, falling)
        op = ReverseOp.create(
            operands=[x.value], result_types=[x.value.type], properties={"dimensions": dims}
        )
        x = TracedArray(x.within, x.within.add(op))
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
    """The elements at a run of places along each dim: a slice, then repetitions."""
    counts = [min(run.count, 1) if run.step == 0 else run.count for run in runs]
    steps = [run.step or 1 for run in runs]
    places = zip(runs, counts, steps, strict=True)
    x = _sliced(x, [range(r.start, r.start + n * step, step) for r, n, step in places])
    sizes = [run.count for run in runs]
    if counts == sizes:
        return x
    return TracedArray(x.within, x.within.add(BroadcastOp(x.value, sizes)))


def _reshaped(x: TracedArray, shape: tuple[int, ...]) -> TracedArray:
    return x if shape == x.shape else TracedArray(x.within, x.within.add(ReshapeOp(x.value, shape)))


def concatenated(parts: Sequence[TracedArray], axis: int) -> TracedArray:
    """The parts one after the other along a dim, in their common type."""
    trace = parts[0].within
    if len(parts) == 1:
        return parts[0]
    dtype = np.result_type(*(p.dtype for p in parts))
    values = [trace.converted(p.value, dtype) for p in parts]
    try:
        return TracedArray(trace, trace.add(ConcatOp(values, axis)))
    except VerifyException as error:
        refuse(str(error))
