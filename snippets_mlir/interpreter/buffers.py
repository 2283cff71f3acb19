"""Memrefs in the interpreter: an array that shares the memory of its allocation.

The allocation knows whether it was freed, so that a use after `memref.dealloc` is an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute

from snippets_mlir.dialects.builtin.dtypes import Array
from snippets_mlir.dialects.builtin.shaped import element_of, extents_of
from snippets_mlir.interpreter.poison import defined
from snippets_mlir.support.errors import CompileError


@dataclass(eq=False)
class Allocation:
    """A piece of memory.

    Attributes:
        array: the memory.
        alive: false after it was freed.
    """

    array: Array
    alive: bool = True


@dataclass(frozen=True, eq=False)
class Buffer:
    """A memref.

    Attributes:
        array: its elements, where they lie.
        allocation: the memory they lie in.
    """

    array: Array
    allocation: Allocation

    def check_alive(self) -> None:
        """Raise CompileError when the memory was freed."""
        if not self.allocation.alive:
            raise CompileError("memory is used after it was freed")

    def at(self, index: Sequence[int]) -> tuple[int, ...]:
        """Return `index` if it is in bounds; CompileError otherwise."""
        self.check_alive()
        for dim, (i, size) in enumerate(zip(index, self.array.shape, strict=True)):
            if not 0 <= i < size:
                raise CompileError(f"index {i} of dimension {dim} is outside of {size} elements")
        return tuple(index)

    def view(self, array: Array) -> Buffer:
        """Another view of the same memory."""
        return Buffer(array, self.allocation)


def buffer_of(array: Array) -> Buffer:
    """A buffer in a new allocation with the contents `array`."""
    return Buffer(array, Allocation(array))


def index_of(values: Sequence[Any]) -> list[int]:
    """Index operands as Python integers; an error for poison."""
    return [int(defined(value, "an index")) for value in values]


def memory_shape(type: Attribute) -> tuple[tuple[int, ...], Attribute]:
    """Shape and scalar type of memory: elements that are vectors are inner dimensions."""
    element = element_of(type)
    inner = extents_of(element) if element.name == VectorType.name else ()
    return inner, element_of(element)
