"""Scratch memory for kernels: aligned blocks, one per running call.

A kernel that needs scratch states the bytes per thread (`snippets.scratch`, a multiple of
`ALIGNMENT`). A call allocates a block for its whole team, at an aligned address, and thread `t`
works at `t * scratch`. The initial contents of a block are undefined. A block belongs to one call
at a time and is kept for the next one, so that consecutive calls allocate nothing.
"""

from __future__ import annotations

import numpy as np

from snippets_mlir.runtime.arguments.arrays import Array
from snippets_mlir.support.huge_pages import empty_bytes

ALIGNMENT = 64

Block = tuple[int, Array]
"""An aligned address, and the memory that it is in."""


def aligned_block(size: int, *, kept: bool = True) -> Block:
    """New memory with `size` bytes at an address that is a multiple of `ALIGNMENT`.

    Memory that is not `kept` for other calls is the C library's, which has pages of freed memory.

    Raises:
        MemoryError: the machine does not have it.
    """
    try:
        room = size + ALIGNMENT
        memory = empty_bytes(room) if kept else np.empty(room, np.uint8)
    except (
        MemoryError,
        OverflowError,
        ValueError,
    ):  # the last two: too large a number
        raise MemoryError(
            f"the program needs {size} bytes ({size / 2**30:.1f} GiB) for its intermediate results "
            "in one call, which this machine does not have"
        ) from None
    address: int = memory.__array_interface__["data"][0]
    return address + -address % ALIGNMENT, memory
