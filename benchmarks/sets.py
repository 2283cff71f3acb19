"""Sets of arrays that calls use in turn, so that no call finds the arrays of the last call in a
cache.

A single set is the case of a loop over the same buffers. But most programs use other arrays before
they use an array again: the sets of a size together have three times as many bytes as the
last-level cache, but there are at most `MOST` of them.
"""

from __future__ import annotations

import numpy as np
from steps import Array, Workload

from snippets_mlir.targets.host import host_cache

MOST = 512
"""Sets of the smallest arrays, which stay in the last-level cache then, but not in smaller ones."""

TIMES = 3
"""How many times as large as the last-level cache all sets are."""

UNKNOWN_CACHE = 32 << 20
"""Bytes of a last-level cache that the system does not tell."""

Set = tuple[dict[str, Array], Array]
"""Arguments, and the array for the result."""


def sets_for(touched: int, quick: bool) -> int:
    """How many sets take turns when a call touches so many bytes; two in a quick run."""
    cache = host_cache() or UNKNOWN_CACHE
    return 2 if quick else max(2, min(MOST, -(-TIMES * cache // touched)))


def make_sets(workload: Workload, inputs: dict[str, Array], size: str, count: int) -> list[Set]:
    """`count` sets of equal arrays; the first one has `inputs` itself, and all share constants."""
    shape, dtype = workload.shape(size), workload.dtype
    fixed = workload.constants
    copies = (
        {name: array if name in fixed else array.copy() for name, array in inputs.items()}
        for _ in range(count - 1)
    )
    # Memory that was never written is one page of zeros, which would stay in the caches.
    return [(arrays, np.zeros(shape, dtype) + 1) for arrays in (inputs, *copies)]
