"""Parts of traced arrays, and arrays joined.

    x[1:5:2, None, ..., 0]      a slice in each dim, and a reshape
    concatenate, places in runs slices that are joined

Slices are ops of StableHLO, which are views, or run beside kernels as copies; joins are
`snippets.concat`. Arrays as indices are in `places.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import DenseArrayBase, i64
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.shaped import tensor_of, tensor_type
from snippets_mlir.dialects.snippets.concatenation import ConcatOp
from snippets_mlir.dialects.snippets.conversion import BroadcastOp, ReshapeOp
from snippets_mlir.dialects.stablehlo.slices import ReverseOp, SliceOp
from snippets_mlir.frontends.numpy.arrays import TracedArray
from snippets_mlir.frontends.numpy.trace import refuse

MOST_RUNS = 16
"""Runs of places that become slices; more are a gather."""


def item(x: TracedArray, key: Any) -> TracedArray:
    """`x[key]` for integers, slices, None, `...` and arrays of integers."""
    from snippets_mlir.frontends.numpy.places import ARRAYS, at_arrays

    parts = cast("tuple[Any, ...]", key if isinstance(key, tuple) else (key,))
    if any(isinstance(part, ARRAYS) for part in parts):
        return at_arrays(x, parts)
    try:
        target = np.broadcast_to(np.int8(0), x.shape)[key].shape
    except (IndexError, TypeError) as error:
        refuse(str(error))
    return _reshaped(_sliced(x, _ranges(x, parts)), target)


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
    """The elements at a run of places along each dim: a slice, then what is repeated."""
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
