"""Results that onnxruntime allocates in its arena, at the node that writes them.

`session_results.py` selects them. The memory is free again when nothing holds its `OrtValue`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from snippets_mlir.runtime.arguments.arrays import Array

_BITS = (8, 16, 32, 64)
"""Of integers."""

TYPES = {
    "bool": "tensor(bool)",
    "float16": "tensor(float16)",
    "float32": "tensor(float)",
    "float64": "tensor(double)",
    **{f"{sign}int{bits}": f"tensor({sign}int{bits})" for sign in ("", "u") for bits in _BITS},
}
"""The types of numbers, by their names in NumPy, in onnxruntime's words."""


class Wanted(NamedTuple):
    """A result for which onnxruntime allocates memory."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]


def address_taken(value: Any, want: Wanted) -> int:
    """The address of an `OrtValue`; ValueError if it is not the expected value."""
    if tuple(value.shape()) != want.shape or value.data_type() != TYPES.get(want.dtype.name):
        raise ValueError("another type or shape")
    return value.data_ptr()


class _Taken:
    """The memory of an `OrtValue`, which it keeps."""

    def __init__(self, value: Any, want: Wanted) -> None:
        self._value = value
        self.__array_interface__ = {
            "shape": want.shape,
            "typestr": want.dtype.str,
            "data": (address_taken(value, want), False),
            "version": 3,
        }


def taken(value: Any, want: Wanted) -> Array:
    """A result as an array, which keeps its memory; ValueError if it is not the expected value."""
    return np.asarray(_Taken(value, want))
