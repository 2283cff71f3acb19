"""The exact extremes of an index over loops that depend on each other.

    for i in 0..n:                                points (i, j): (1, 0), (2, 0), (2, 1), ...
      for j in 0..i:       a[i - j - 1]           0 to n - 2

The counters that the index needs are written out as arrays, loop by loop from the outermost one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np

from snippets_mlir.analysis.access_bounds import Access, Loop
from snippets_mlir.analysis.access_formulas import Affine, Atom

MAX_POINTS = 1 << 22
"""Iterations that are looked at one by one; 32 MB for each counter."""

Numbers = np.ndarray[Any, np.dtype[np.int64]]


def extremes(access: Access, known: Callable[[Atom], int]) -> tuple[int, int] | None:
    """The smallest and the largest index of an access; (0, -1) where no iteration reaches it.

    None where there are more than `MAX_POINTS` iterations.
    """
    needed = {depth for formula in _formulas(access) for depth in formula.counters()}
    counters: dict[int, Numbers] = {}
    count = 1

    def value(formula: Affine) -> Numbers:
        def atom(given: Atom) -> Numbers | int:
            return counters[given[1]] if given[0] < 0 else known(given)

        return np.broadcast_to(np.asarray(formula.value(atom), np.int64), (count,))

    for depth, loop in enumerate(access.loops):
        first, times = _iterations(loop, value)
        if depth in needed:
            if (total := int(times.sum())) > MAX_POINTS:
                return None
            starts = np.repeat(np.cumsum(times) - times, times)
            inner = np.repeat(first, times) + (np.arange(total) - starts) * loop.step
            counters = {at: np.repeat(kept, times) for at, kept in counters.items()}
            counters[depth], count = inner, total
        else:
            counters = {at: kept[times > 0] for at, kept in counters.items()}
            count = int((times > 0).sum())
        if not count:
            return 0, -1
    index = value(access.index)
    return int(index.min()), int(index.max())


def _formulas(access: Access) -> Sequence[Affine]:
    bounds = [bound for loop in access.loops for bound in (*loop.lower, *loop.upper)]
    return [access.index, *bounds]


def _iterations(loop: Loop, value: Callable[[Affine], Numbers]) -> tuple[Numbers, Numbers]:
    """The first counter at each point of the loops around it, and the number of iterations."""
    first = reduce(np.maximum, map(value, loop.lower))
    end = reduce(np.minimum, map(value, loop.upper))
    return first, np.maximum(0, (end - first + loop.step - 1) // loop.step)
