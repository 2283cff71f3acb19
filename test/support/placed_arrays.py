"""Arrays at a chosen distance after a cache line, with bytes around them that have to stay."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
GUARD = 64
FILL = 0xA5


def placed(count: int, dtype: Any, offset: int) -> tuple[Array, Array]:
    """An array `offset` bytes after a multiple of 64, and all of the memory that it lies in."""
    size = count * np.dtype(dtype).itemsize
    memory = np.full(size + 64 + 2 * GUARD, FILL, np.uint8)
    start = -memory.ctypes.data % 64 + offset
    start += GUARD if start < GUARD else 0
    return memory[start : start + size].view(dtype), memory


def check_around(array: Array, memory: Array) -> None:
    """AssertionError when bytes beside an array of `placed` were written; fills the array, too."""
    array.view(np.uint8)[:] = FILL
    assert (memory == FILL).all(), "bytes beside the array were written"
