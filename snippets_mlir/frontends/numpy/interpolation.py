"""`np.interp` of traced arrays: a search, four loads at the found position, and a line.

    place = searchsorted(xp, x, "right") - 1
    fp[place] + (x - xp[place]) * (fp[place + 1] - fp[place]) / (xp[place + 1] - xp[place])

As in NumPy, everything is computed in float64. A point of `xp` has its value of `fp`, also beside
infinite values. Values below and above all points are `left` and `right`. NaN stays NaN if there
are two points.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from snippets_mlir.frontends.numpy.arrays import TracedArray, fn, operand_of, trace_of
from snippets_mlir.frontends.numpy.trace import refuse


def interp(
    x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None
) -> TracedArray:
    """The values at `x` of the lines through the points (xp, fp); `xp` rises."""
    if period is not None:
        refuse("np.interp with period is not compiled: repeat the points before the function")
    if np.ndim(xp) != 1 or np.shape(xp) != np.shape(fp) or not np.shape(xp)[0]:
        refuse(
            "np.interp: xp and fp are as long as each other, have one dim and elements, found "
            f"{np.shape(xp)} and {np.shape(fp)}"
        )
    trace, wide = trace_of(x, xp, fp), np.dtype(np.float64)
    x, xp, fp = (TracedArray(trace, operand_of(v).value(trace, wide)) for v in (x, xp, fp))
    left, right = fp[0] if left is None else left, fp[-1] if right is None else right
    last = xp.shape[0] - 1
    place = fn.clip(fn.searchsorted(xp, x, "right") - 1, 0, max(last - 1, 0))
    x0, y0 = fn.take(xp, place, 0), fn.take(fp, place, 0)
    found = y0
    if last:
        x1, y1 = fn.take(xp, place + 1, 0), fn.take(fp, place + 1, 0)
        slope = (y1 - y0) / (x1 - x0)
        found = slope * (x - x0) + y0
        # Infinite values: from the other end, then the value that both ends have.
        found = fn.where(fn.isnan(found), slope * (x - x1) + y1, found)
        found = fn.where(fn.isnan(found) & (y0 == y1), y0, found)
        found = fn.where(x == x0, y0, found)
    found = fn.where(x == xp[-1], fp[-1], found)
    found = fn.where(x < xp[0], left, fn.where(x > xp[-1], right, found))
    return fn.where(fn.isnan(x), x, found) if last else found


TABLE: dict[str, Callable[..., Any]] = {"interp": interp}
"""Name in NumPy -> the function of traced values."""
