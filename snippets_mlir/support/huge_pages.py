"""Memory that is kept and read often, in huge pages if the system has them.

A load needs the physical address of its page. A core knows those of some thousand pages, 8 MiB with
pages of 4 KiB: weights and intermediate results of a model have more. Linux gives huge pages to
memory that asks for them, for whole ones only: memory of a huge page or more begins at a multiple
of it. The rest after the last whole one has small pages, so the memory takes no more than its size.
Elsewhere, and for less memory, this is NumPy's memory. Memory of the C library's heap is not
enough: pages that were in use before stay small.
"""

from __future__ import annotations

import mmap
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

HUGE = 2 << 20
"""Bytes of a huge page of x86-64 and of most other processors."""


def empty_bytes(size: int) -> np.ndarray[Any, np.dtype[Any]]:
    """`size` uninitialized bytes for memory that is kept: see the module.

    Raises:
        MemoryError, OverflowError, ValueError: the machine does not have them.
    """
    import numpy as np

    if size < HUGE or sys.platform != "linux":
        return np.empty(size, np.uint8)
    try:
        # Not shared with forked children. Pages that nobody writes to take no memory.
        pages = mmap.mmap(-1, size + HUGE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except OSError:
        raise MemoryError(f"no memory for {size} bytes") from None
    memory = np.frombuffer(pages, np.uint8)
    begin = -memory.ctypes.data % HUGE
    ask_for_huge_pages(pages, begin, size - size % HUGE)
    return memory[begin : begin + size]


def ask_for_huge_pages(pages: mmap.mmap, begin: int, size: int) -> None:
    """Ask the system to keep a part of `pages` in huge pages, also what it reads from a file."""
    if sys.platform == "linux":
        with suppress(OSError):  # a kernel without them
            pages.madvise(mmap.MADV_HUGEPAGE, begin, size)
