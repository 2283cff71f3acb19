"""The memory of one running call: scratchpad and intermediate values, placed by the plan."""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import c_uint8
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from snippets_mlir.runtime.arguments.arrays import Array
from snippets_mlir.runtime.memory.scratch import Block, aligned_block
from snippets_mlir.runtime.memory.storage import static_shape

if TYPE_CHECKING:
    from snippets_mlir.runtime.program import Program


def array_at(address: int, shape: Sequence[int], dtype: np.dtype[Any]) -> Array:
    """The array at an address, which keeps nothing alive."""
    size = prod(shape) * dtype.itemsize
    if not size:
        return np.empty(shape, dtype)
    held = memoryview((c_uint8 * size).from_address(address))
    memory: Array = np.frombuffer(held, np.uint8)
    return memory.view(dtype).reshape(shape)


class Arena:
    """See the module.

    Attributes:
        block: its memory.
        scratch: the address of the scratchpads; 0 if no kernel has one.
        addresses: value -> its address.
    """

    def __init__(self, program: Program, block: Block | None) -> None:
        """`block` is large enough memory for the arena; new memory unless given."""
        self.block = block or aligned_block(program.storage.arena)
        base = self.block[0]
        self.scratch = base if program.storage.scratch else 0
        self.addresses = {v: base + slot.offset for v, slot in program.storage.slots.items()}
        self._arrays: dict[int, Array] = {}

    def arrays(self, program: Program) -> dict[int, Array]:
        """The intermediate values as arrays, which live as long as the arena."""
        if not self._arrays:
            values, dtypes = program.manifest["values"], program.dtypes
            self._arrays = {
                v: array_at(address, static_shape(values[v]), dtypes[v])
                for v, address in self.addresses.items()
            }
        return self._arrays
