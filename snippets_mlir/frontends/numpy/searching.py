"""`np.searchsorted` and `np.isin` of traced arrays, by comparing each element with all others.

    np.searchsorted(a, v)      sum(a < v[..., None], -1)
    np.isin(x, values)         any(x[..., None] == values, -1)

The comparisons are in one kernel with their sum, so no array of comparisons is stored. The number
of comparisons is the product of both sizes, while a search needs a logarithm: arrays longer than
`MOST` are refused. As in NumPy, NaN is after all numbers, and is equal to nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from snippets_mlir.dialects.builtin.dtypes import is_float
from snippets_mlir.frontends.numpy.arrays import TracedArray, fn, operand_of, trace_of
from snippets_mlir.frontends.numpy.trace import refuse

MOST = 4096
"""Maximal number of elements of the searched array."""


def _alike(*given: Any) -> list[TracedArray]:
    """The arrays with elements of one type."""
    trace, operands = trace_of(*given), [operand_of(x) for x in given]
    dtype = np.result_type(*(operand.promoted for operand in operands))
    return [TracedArray(trace, operand.value(trace, dtype)) for operand in operands]


def searchsorted(a: Any, v: Any, side: str = "left", sorter: Any = None) -> TracedArray:
    """How many elements of the sorted `a` are below each of `v`; `"right"`: and equal to it."""
    if sorter is not None:
        refuse("np.searchsorted with sorter is not compiled: write np.searchsorted(a[sorter], v)")
    if side not in ("left", "right"):
        refuse(f"np.searchsorted: side is 'left' or 'right', found {side!r}")
    if np.ndim(a) != 1:
        refuse(f"np.searchsorted: a has one dim, found {np.ndim(a)}")
    _refuse_long("np.searchsorted", np.shape(a)[0])
    among, wanted = _alike(a, v)
    wanted = fn.expand_dims(wanted, -1)
    if side == "left":
        below = fn.less(among, wanted)
        if is_float(among.dtype):
            below = below | (fn.isnan(wanted) & ~fn.isnan(among))
    else:
        below = fn.less_equal(among, wanted)
        if is_float(among.dtype):
            below = below | fn.isnan(wanted)
    return fn.sum(below, axis=-1, dtype=np.int64)


def isin(
    element: Any,
    test_elements: Any,
    assume_unique: bool = False,
    invert: bool = False,
    *,
    kind: Any = None,
) -> TracedArray:
    """Whether each element is among others; hints (`assume_unique`, `kind`) change nothing."""
    count = int(np.prod(np.shape(test_elements)))
    _refuse_long("np.isin", count)
    wanted, among = _alike(element, test_elements)
    found = fn.any(fn.equal(fn.expand_dims(wanted, -1), fn.reshape(among, (count,))), axis=-1)
    return fn.logical_not(found) if invert else found


def _refuse_long(name: str, count: int) -> None:
    if count > MOST:
        refuse(f"{name} among {count} elements is not compiled: at most {MOST} are compared")


TABLE: dict[str, Callable[..., Any]] = {"isin": isin, "searchsorted": searchsorted}
"""Name in NumPy -> the function of traced values."""
