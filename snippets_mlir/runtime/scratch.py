"""Scratch memory for kernels: blocks that calls borrow, one a running call.

A kernel that needs scratch says how many bytes a thread gets (`snippets.scratch`, a multiple of
`ALIGNMENT`); a call gives it a block with room for its whole team, at an aligned address, and
thread `t` works at `t * scratch`. What a block holds at first is undefined. A block is borrowed by
one call at a time and kept for the next one, so that calls in a row allocate nothing; as many
blocks are kept as calls have ever run at once.
"""

from __future__ import annotations

import numpy as np

from snippets_mlir.runtime.arrays import Array

ALIGNMENT = 64

Block = tuple[int, Array]
"""An aligned address, and the memory that it is in."""


def aligned_block(size: int) -> Block:
    """New memory with `size` bytes behind an address that is a multiple of `ALIGNMENT`."""
    memory = np.empty(size + ALIGNMENT, np.uint8)
    address: int = memory.__array_interface__["data"][0]
    return address + -address % ALIGNMENT, memory


class ScratchPool:
    """Blocks of one size; safe to use from several threads."""

    def __init__(self, size: int) -> None:
        """`size` is the bytes of a block."""
        self._size = size
        self._free: list[Block] = []

    def borrow(self) -> Block:
        """A block that no one else has until it is given back."""
        try:
            return self._free.pop()  # one step: no other thread gets the same block
        except IndexError:
            return aligned_block(self._size)

    def give_back(self, block: Block) -> None:
        """Keep a borrowed block for a later call."""
        self._free.append(block)

    def __len__(self) -> int:
        """How many blocks wait to be borrowed."""
        return len(self._free)
