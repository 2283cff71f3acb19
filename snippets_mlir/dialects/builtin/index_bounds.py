"""The bounds check of indices into a dim, and its error."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from snippets_mlir.support.errors import PlaceError


def checked_indices(indices: NDArray[Any], axis: int, size: int, *, from_end: bool) -> NDArray[Any]:
    """The indices themselves.

    Args:
        indices: integers.
        axis: the dim that they index, for the error.
        size: of that dim.
        from_end: whether negative indices count from the end.

    Raises:
        PlaceError: one is outside.
    """
    if indices.size:
        least, most = int(indices.min()), int(indices.max())
        if not (-size if from_end else 0) <= least <= most < size:
            index = most if most >= size else least
            raise PlaceError(f"index {index} is out of bounds for axis {axis} with size {size}")
    return indices
