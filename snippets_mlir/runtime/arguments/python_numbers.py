"""Python's numbers, and lists of them, as arrays of the required element type.

    [[1, 2], [3, 4]]    for float32     an array of float32
    1.5                 for float16     an array of rank 0
    [1.5]               for int32       left as it is: it would be rounded
    [np.float64(1.5)]   for float32     left as it is: it has an element type of its own

Python's numbers have no element type, so they take the type of their input, as they do beside an
array in NumPy (NEP 50). An integer that the type cannot represent is refused.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np


def numbers_of(dtype: np.dtype[Any]) -> set[type]:
    """The types of Python numbers that fit `dtype`."""
    if dtype.kind == "b":
        return {bool}
    if dtype.kind in "iu":
        return {int}
    # NumPy has no kind for the types of `ml_dtypes`, some of which are integers.
    return {int, float} if dtype.kind == "f" or "float" in dtype.name else set()


def typed(value: object, dtype: np.dtype[Any]) -> object:
    """An array of `dtype` for Python numbers of its kind; any other value unchanged.

    Raises:
        OverflowError: an integer that `dtype` cannot represent.
    """
    if isinstance(value, np.ndarray):
        return cast(object, value)
    try:
        return np.asarray(value, dtype) if _types_in(value) <= numbers_of(dtype) else value
    except (
        ValueError,
        TypeError,
        RecursionError,
    ):  # ragged or recursive lists
        return value


def _types_in(value: object) -> set[type]:
    """The types of the elements of a nested list or tuple; of any other value its own."""
    if isinstance(value, list | tuple):
        elements = cast("list[object] | tuple[object, ...]", value)
        return set[type]().union(*map(_types_in, elements))
    return {type(value)}
