"""The diagonal beyond which a mask keeps no score: `numpy.tril`'s `k`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from snippets_mlir.dialects.builtin.dtypes import Array

LOW = -(2.0**100)
"""What a mask adds to a score that it hides, or puts in its place, at most."""


def diagonal_of(mask: Array) -> int | None:
    """The least d such that a mask keeps no element (i, j) with j > i + d in any of its batches.

    Args:
        mask: at least two dims, rows and keys last; true for kept scores, or floats to add: floats
            above `LOW` keep.

    Returns: None if a row keeps no key in some batch, or if the diagonal bounds nothing.
    """
    import numpy as np

    if 0 in mask.shape:
        return None
    matrices = mask.reshape(-1, *mask.shape[-2:])
    if _keeps(matrices[:, 0, -1]).any():
        return None
    kept = _keeps(matrices)
    if not kept.any(axis=2).all():
        return None
    rows, keys = kept.shape[1:]
    last: NDArray[np.int64] = keys - 1 - np.argmax(kept[:, :, ::-1], axis=2)
    diagonal = int(np.max(last - np.arange(rows, dtype=np.int64)))
    return diagonal if diagonal < keys - 1 else None


def _keeps(mask: Array) -> Array:
    return mask if mask.dtype == bool else mask > LOW
