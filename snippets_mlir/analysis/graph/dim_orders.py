"""One order for all dims of a kernel, outermost first.

Every value lists some dims, outermost first. Values that compute together have to list their common
dims in the same order, so that they broadcast. The orders of results are required, because results
must not be transposed. The orders of other values are preferences: another order costs a transpose
of an input.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise

MAX_WISHES = 64
"""The largest number of contradicting preferred orders that are tried one by one."""

Order = tuple[int, ...]


def topological(dims: Sequence[int], orders: Iterable[Order]) -> list[int] | None:
    """All `dims` in one list that contains each of `orders`, or None if there is no such list.

    Where the orders leave a choice, dims have the order of `dims`.
    """
    rank = {dim: i for i, dim in enumerate(dims)}
    after: dict[int, set[int]] = {dim: set() for dim in dims}
    before = dict.fromkeys(dims, 0)
    for order in orders:
        for left, right in pairwise(order):
            if right not in after[left]:
                after[left].add(right)
                before[right] += 1
    ready = [rank[dim] for dim in dims if before[dim] == 0]
    heapify(ready)
    result: list[int] = []
    while ready:
        dim = dims[heappop(ready)]
        result.append(dim)
        for right in after[dim]:
            before[right] -= 1
            if before[right] == 0:
                heappush(ready, rank[right])
    return result if len(result) == len(dims) else None


def common_order(required: Iterable[Order], wished: Iterable[Order]) -> list[int] | None:
    """One order of all dims; None when the required orders contradict each other.

    All preferred orders are kept if possible; otherwise as many as possible of the first
    `MAX_WISHES` different ones, earlier ones first.
    """
    fixed = list(dict.fromkeys(required))
    wishes = list(dict.fromkeys(wished))
    dims = list(dict.fromkeys(dim for order in (*fixed, *wishes) for dim in order))
    if (result := topological(dims, (*fixed, *wishes))) is not None:
        return result
    result = topological(dims, fixed)
    if result is None:
        return None
    for wish in wishes[:MAX_WISHES]:
        if (better := topological(dims, (*fixed, wish))) is not None:
            fixed.append(wish)
            result = better
    return result
