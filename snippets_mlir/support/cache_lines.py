"""Arrays that begin at a cache line, so that no vector of them crosses one."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

LINE = 64
"""Bytes of a cache line."""


def empty_on_line(shape: Sequence[int], dtype: np.dtype[Any]) -> np.ndarray[Any, np.dtype[Any]]:
    """An uninitialized dense array of `shape` at a multiple of `LINE`."""
    import numpy as np

    size = prod(shape) * dtype.itemsize
    memory = np.empty(size + LINE, np.uint8)
    begin = -memory.ctypes.data % LINE
    return memory[begin : begin + size].view(dtype).reshape(shape)
