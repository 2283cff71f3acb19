"""A pool for the memory of arenas, and of large outputs after the caller has dropped them.

Allocating a 64 MiB array costs as much as computing it: the system provides its pages one by one,
cleared. So the memory of a large output returns to the program when the last array on it dies, and
the next output of about that size takes it. As many free pieces of a size are kept as the latest
`KEPT` calls have asked for: a program with dynamic sizes may ask for each size once. The pieces are
in a `deque`, because its operations are atomic. There is no lock: a child made by `os.fork` could
find it held, and an array may die at any point. Smaller outputs use NumPy's memory: the C library
keeps freed memory of up to 32 MiB, and NumPy gets it faster (at 1 MiB 2 microseconds instead of 18
and more). It does not keep the caches of all layers of a decoder, so outputs of several MiB are
large where there are many. From `TINY` bytes on, outputs are views of slightly more memory than
they need.

glibc returns freed memory at the end of its heap to the system if it exceeds twice the largest
freed array. So a program between the ops of a framework, with arrays of a few MiB, gets new pages
in each call. `keep_freed_memory` prevents this: it frees one array of nearly 32 MiB.

After a call in Python, its arena is also kept here, for the next call or network of any build of
the program.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from math import prod
from typing import Any

import numpy as np

from snippets_mlir.codegen.locks import once
from snippets_mlir.runtime.arguments.arrays import Array
from snippets_mlir.runtime.memory.scratch import ALIGNMENT, Block

TINY = 64 << 10
SMALL = 8 << 20
ROOM = 5
"""Outputs from `TINY` bytes on get up to a sixteenth more memory: a cache that grows from call to
call then fits into the memory freed by the previous call, whose pages the system need not clear.
"""
MANY = 1 << 20
"""The least bytes of a large output, however many there are."""
KEPT = 2
LARGEST_ON_HEAP, SLACK = 32 << 20, 64 << 10
"""glibc's `DEFAULT_MMAP_THRESHOLD_MAX`, and more than the header and the last page of such a
piece take."""
SHRINKS = 10
"""How many times larger than requested a block may be."""


@once
def keep_freed_memory() -> None:
    """Let glibc keep up to 64 MiB of freed memory; another C library does nothing here.

    As if the process had freed an array of 32 MiB. Its pages are not written to.
    """
    np.empty(LARGEST_ON_HEAP - SLACK, np.uint8)


def _room(size: int) -> int:
    """The bytes that an output of `size` bytes gets."""
    return size + (-size % (1 << size.bit_length() - ROOM))


class _Lease:
    """The memory of an array; it returns to the pool when the array dies."""

    def __init__(self, pool: OutputPool, memory: Array) -> None:
        self._pool = pool
        self._memory = memory
        address: int = memory.__array_interface__["data"][0]
        skip = -address % ALIGNMENT
        size = memory.size - ALIGNMENT
        self.__array_interface__ = {
            "shape": (size,),
            "typestr": "|u1",
            "data": (address + skip, False),
            "version": 3,
        }

    def __del__(self) -> None:
        with suppress(AttributeError, TypeError):  # the interpreter is ending
            self._pool.give_back(self._memory)


class OutputPool:
    """Free memory by size; safe to use from several threads.

    Attributes:
        large: the bytes from which an output is large.
    """

    def __init__(self, outputs: int = 1) -> None:
        """For a program with this number of outputs."""
        self.large = min(SMALL, max(MANY, LARGEST_ON_HEAP // max(1, outputs)))
        self._free: dict[int, deque[Array]] = {}
        self._latest: deque[int] = deque(maxlen=KEPT * max(1, outputs))
        self._blocks: deque[Block] = deque(maxlen=KEPT)

    def maker(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Callable[[], Array]:
        """A function that returns arrays like `empty`, for a frequently used shape."""
        size = prod(shape) * dtype.itemsize
        if size < TINY:
            return partial(np.empty, shape, dtype)
        if size >= self.large:
            return partial(self.empty, shape, dtype)
        room = _room(size)
        return lambda: np.ndarray(shape, dtype, np.empty(room, np.uint8))

    def empty(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Array:
        """An array as from `numpy.empty`, aligned to 64 bytes if it is large."""
        size = prod(shape) * dtype.itemsize
        if size < TINY:
            return np.empty(shape, dtype)
        room = _room(size)
        if size < self.large:
            return np.empty(room, np.uint8)[:size].view(dtype).reshape(shape)
        self._latest.append(room)
        for other in list(self._free):
            if other not in self._latest:
                self._free.pop(other, None)
        try:
            memory = self._free[room].pop()
        except LookupError:
            memory = np.empty(room + ALIGNMENT, np.uint8)
        return np.asarray(_Lease(self, memory))[:size].view(dtype).reshape(shape)

    def give_back(self, memory: Array) -> None:
        """Keep a piece for the next output of its size, unless there are enough of them."""
        size = memory.size - ALIGNMENT
        if len(self._free.get(size, ())) < self._latest.count(size):
            self._free.setdefault(size, deque()).append(memory)

    def block(self, size: int) -> Block | None:
        """A free block for an arena of `size` bytes, if there is one; blocks that do not fit are
        freed.
        """
        while True:
            try:
                block = self._blocks.pop()
            except IndexError:
                return None
            if size <= block[1].size - ALIGNMENT <= max(SHRINKS * size, SMALL):
                return block

    def give_back_block(self, block: Block) -> None:
        """Keep the block of a call that has ended."""
        self._blocks.append(block)

    def free_bytes(self) -> int:
        """The bytes of free pieces and blocks."""
        outputs = sum(p.size for pieces in list(self._free.values()) for p in list(pieces))
        return outputs + sum(memory.size for _, memory in list(self._blocks))
