"""Memory of results that kernels write and JAX reads in place.

array = RESULTS.array((64, 1024), np.dtype("f4"))
jax.dlpack.from_dlpack(array)       # shares it; dropped, the next array takes its memory
"""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from snippets_mlir.dialects.builtin.dtypes import Array

SHARED = 1 << 16
"""Bytes from which a result is shared with JAX and not copied."""


class Blocks:
    """Memory of results that JAX has dropped, for the next results: fresh pages cost more than
    most kernels.

    It holds at most `LIMIT` bytes.
    """

    LIMIT = 1 << 28
    ALIGNMENT = 64
    """The alignment that JAX accepts without a copy."""

    def __init__(self) -> None:
        self._free: dict[int, list[Array]] = {}
        self._bytes = 0

    def array(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
        """An array for a result; its memory comes back when nobody refers to it any more."""
        size = int(np.prod(shape)) * dtype.itemsize
        if size < SHARED:
            return np.empty(shape, dtype)
        if free := self._free.get(size):
            block = free.pop()
            self._bytes -= size
        else:
            memory = np.empty(size + self.ALIGNMENT, np.uint8)
            start = -memory.ctypes.data % self.ALIGNMENT
            block = memory[start : start + size]
        array = block.view(dtype).reshape(shape)
        weakref.finalize(array, self._give_back, block).atexit = False
        return array

    def _give_back(self, block: Array) -> None:
        if self._bytes + block.nbytes <= self.LIMIT:
            self._bytes += block.nbytes
            self._free.setdefault(block.nbytes, []).append(block)


RESULTS = Blocks()
"""The memory of all functions."""
