"""Checks of the results of executors against the program's description of the value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from snippets_mlir.runtime.arguments.arrays import Array, dense, is_array


def checked_result(
    sizes: Sequence[int | None] | None, dtype: np.dtype[Any], result: object
) -> Array:
    """The result of an executor for a value, as an array; None is an unknown size.

    Raises:
        RuntimeError: its type or shape is another one than the program says.
    """
    array: Array = np.asarray(result)
    fits = sizes is None or (
        len(sizes) == array.ndim
        and all(s is None or s == n for s, n in zip(sizes, array.shape, strict=True))
    )
    if array.dtype != dtype or not fits:
        shape = "any" if sizes is None else tuple("?" if s is None else s for s in sizes)
        raise RuntimeError(
            f"an executor returned {array.dtype} of shape {array.shape}, "
            f"the program says {dtype} of shape {shape}"
        )
    return array


def received_result(
    sizes: Sequence[int | None] | None, dtype: np.dtype[Any], result: object, held: Sequence[object]
) -> Any:
    """The result of an executor for a value, dense and not in the memory of the arrays in `held`.

    For a value of any shape and type (an object), results that are not tensors stay unchanged.

    Raises:
        RuntimeError: as `checked_result` does.
    """
    is_any = sizes is None and dtype == np.dtype(object)
    if is_any and not is_array(result):
        return result
    array = np.asarray(result) if is_any else checked_result(sizes, dtype, result)
    if any(is_array(other) and np.may_share_memory(array, other) for other in held):
        return array.copy(order="C")
    return dense(array)


def viewed(array: Array, sizes: Sequence[int | None], dims: Sequence[int | None] | None) -> Array:
    """The elements of an array under another shape; at most one size follows from their number.

    Args:
        array: dense.
        sizes: the sizes of the other shape; None for an unknown size.
        dims: for each of them the dim of the array that has the same size, or None.
    """
    pairs = zip(sizes, dims or [None] * len(sizes), strict=True)
    known = [size if dim is None else array.shape[dim] for size, dim in pairs]
    return array.reshape([-1 if size is None else size for size in known])
