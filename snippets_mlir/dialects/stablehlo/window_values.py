"""Values of StableHLO ops that insert elements around and between the elements of an array."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import product

import numpy as np

from snippets_mlir.dialects.builtin.dtypes import Array
from snippets_mlir.dialects.stablehlo.region_ops import ReduceWindowOp

Combine = Callable[[Sequence[Array]], list[Array]]
"""A region's result for two parts of each input: all first parts, then all second parts."""


def padded(
    x: Array, value: Array, shape: Sequence[int], amounts: Iterable[tuple[int, int, int]]
) -> Array:
    """`x` in an array of `shape`, which is `value` elsewhere.

    The amounts of a dim are elements before, after and between; negative amounts remove elements.
    """
    result = np.full(shape, value)
    sources: list[slice] = []
    targets: list[slice] = []
    for size, whole, (low, _, inner) in zip(x.shape, result.shape, amounts, strict=True):
        step = inner + 1
        places = [i for i in range(size) if 0 <= low + i * step < whole]
        first, count = (places[0], len(places)) if places else (0, 0)
        begin = low + first * step
        sources.append(slice(first, first + count))
        targets.append(slice(begin, begin + (count - 1) * step + 1 if count else begin, step))
    result[tuple(targets)] = x[tuple(sources)]
    return result


def reduce_windows(
    op: ReduceWindowOp, shape: Sequence[int], combine: Combine, arrays: Sequence[Array]
) -> list[Array]:
    """The elements of each window, combined one after the other from the initial values."""
    count, windows = len(arrays) // 2, op.windows
    inputs, inits = arrays[:count], arrays[count:]
    amounts = [(w.low, w.high, w.spread - 1) for w in windows]
    sizes = [
        low + max(size + (size - 1) * inner, 0) + high
        for size, (low, high, inner) in zip(inputs[0].shape, amounts, strict=True)
    ]
    around = [padded(x, init, sizes, amounts) for x, init in zip(inputs, inits, strict=True)]
    state = [np.broadcast_to(init, tuple(shape)) for init in inits]
    for places in product(*(range(w.size) for w in windows)):
        begins = [place * w.step for place, w in zip(places, windows, strict=True)]
        part = tuple(
            slice(begin, begin + (size - 1) * w.stride + 1 if size else begin, w.stride)
            for begin, size, w in zip(begins, shape, windows, strict=True)
        )
        state = combine([*state, *(x[part] for x in around)])
    return state
