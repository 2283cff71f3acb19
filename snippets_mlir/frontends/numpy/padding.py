"""`np.pad` and known places along dims: slices that are joined.

    np.pad(x, 1)                    snippets.pad
    np.pad(x, 2, mode="reflect")    concats of slices, some of them reversed
    x[[0, 1, 2, 7]]                 two slices, joined

Runs of consecutive places are slices, which kernels read in place; places that repeat one element
are a broadcast.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, cast

import numpy as np

from snippets_mlir.dialects.builtin.dtypes import Array
from snippets_mlir.dialects.snippets.padding import PadOp
from snippets_mlir.frontends.numpy.arrays import TracedArray, fn
from snippets_mlir.frontends.numpy.indexing import MOST_RUNS, Run, box_of, concatenated, runs_of
from snippets_mlir.frontends.numpy.trace import leaves_of, refuse

MODES = ("edge", "reflect", "symmetric", "wrap")
"""Modes that pad with elements of the array."""


@dataclass(frozen=True)
class Around:
    """How much is put before and after a dim."""

    before: int
    after: int


def _amounts(pad_width: Any, rank: int) -> list[Around]:
    """The amounts of each dim, by NumPy's rules for `pad_width`."""
    if any(isinstance(leaf, TracedArray) for leaf in leaves_of(pad_width)):
        refuse("np.pad by a traced amount is not compiled: the shape would depend on elements")
    if isinstance(pad_width, Mapping):
        given = cast("Mapping[int, Any]", pad_width)
        pairs: Array = np.zeros((rank, 2), np.int64)
        for axis, amount in given.items():
            pairs[axis] = amount
    else:
        pairs = np.asarray(pad_width)
        if pairs.dtype.kind not in "iu":
            refuse(f"np.pad expects amounts of integers, found {pairs.dtype}")
        pairs = np.broadcast_to(pairs, (rank, 2))
    if pairs.size and pairs.min() < 0:
        refuse("np.pad expects amounts of 0 or more; take a slice to cut elements off")
    return [Around(int(before), int(after)) for before, after in pairs]


def pad(array: TracedArray, pad_width: Any, mode: str = "constant", **options: Any) -> TracedArray:
    """`np.pad` with a constant, or with elements of the array around it."""
    amounts = _amounts(pad_width, array.ndim)
    if mode == "constant":
        value = options.pop("constant_values", 0)
        if not options:
            return _with_constant(array, amounts, value)
    elif mode in MODES and options.pop("reflect_type", "even") == "even" and not options:
        return _with_elements(array, amounts, mode)
    refuse(f"np.pad with mode={mode!r} and these options is not compiled")


def _with_constant(x: TracedArray, amounts: Sequence[Around], value: Any) -> TracedArray:
    if isinstance(value, TracedArray):
        values: Any = fn.reshape(value.astype(x.dtype), ())
        return _padded(x, amounts, values)
    values = np.broadcast_to(np.asarray(value), (x.ndim, 2)).astype(x.dtype)
    if not values.size or (values == values.flat[0]).all():
        number = values.flat[0] if values.size else x.dtype.type(0)
        return _padded(x, amounts, TracedArray(x.within, x.within.constant(np.asarray(number))))
    for axis, around in enumerate(amounts):
        parts = [x]
        for amount, number, place in (
            (around.before, values[axis, 0], 0),
            (around.after, values[axis, 1], 2),
        ):
            if amount:
                sizes = [amount if d == axis else n for d, n in enumerate(x.shape)]
                scalar = TracedArray(x.within, x.within.constant(np.asarray(number)))
                parts.insert(place, cast(TracedArray, fn.broadcast_to(scalar, sizes)))
        x = concatenated(parts, axis) if len(parts) > 1 else x
    return x


def _padded(x: TracedArray, amounts: Sequence[Around], value: TracedArray) -> TracedArray:
    low, high = [a.before for a in amounts], [a.after for a in amounts]
    return TracedArray(x.within, x.within.add(PadOp(x.value, value.value, low, high)))


def _with_elements(x: TracedArray, amounts: Sequence[Around], mode: Any) -> TracedArray:
    """The elements at the places that NumPy takes along each dim."""
    places: list[Array] = [
        np.pad(np.arange(size), (around.before, around.after), mode=mode)
        for size, around in zip(x.shape, amounts, strict=True)
    ]
    runs = [runs_of(along.tolist()) for along in places]
    if prod(map(len, runs)) <= MOST_RUNS:
        return _joined(x, runs)
    for axis, along in enumerate(places):
        x = cast(TracedArray, fn.take(x, along, axis))
    return x


def _joined(
    x: TracedArray, runs: Sequence[Sequence[Run]], chosen: tuple[Run, ...] = ()
) -> TracedArray:
    """The boxes of all runs, joined along the last dims first; `chosen` are the runs of the first
    dims.
    """
    axis = len(chosen)
    if axis == len(runs):
        return box_of(x, chosen)
    return concatenated([_joined(x, runs, (*chosen, run)) for run in runs[axis]], axis)
