"""Arrays that begin at a cache line, so that no vector of them crosses one."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any

from snippets_mlir.support.huge_pages import empty_bytes

if TYPE_CHECKING:
    import numpy as np

LINE = 64
"""Bytes of a cache line."""


def empty_on_line(shape: Sequence[int], dtype: np.dtype[Any]) -> np.ndarray[Any, np.dtype[Any]]:
    """An uninitialized dense array of `shape` at a multiple of `LINE`, which is kept."""
    size = prod(shape) * dtype.itemsize
    memory = empty_bytes(size + LINE)
    begin = -memory.ctypes.data % LINE
    return memory[begin : begin + size].view(dtype).reshape(shape)
