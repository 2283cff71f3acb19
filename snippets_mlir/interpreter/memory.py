"""Memory: pieces of bytes, pointers into them, and checks of every access.

An access is refused if it leaves its piece, writes read-only memory, reads bytes that were never
written, or has an address that is not aligned as it claims. Bytes of buffers also record which
buffer wrote them, so that a read of another buffer's bytes is detected even if the bytes happen to
be right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from snippets_mlir.dialects.builtin.dtypes import Array
from snippets_mlir.support.errors import CompileError

ALIGNMENT = 64
"""Bytes to which a scratchpad is aligned; arrays are aligned to their elements only."""

_UNWRITTEN = -1

_WITHIN = np.arange(16)
"""The bytes of an element; none has more."""

_FEW = 64
"""For up to this many offsets, Python finds the ends in half of NumPy's time."""


class Memory:
    """A piece of memory with a name.

    Attributes:
        name: its name in errors.
        data: its bytes.
        written: which of them have a value.
        owner: in memory that holds buffers, the number of the one that wrote each byte; else None.
        base: its address, of which only the alignment matters.
        window: the bytes that may be touched: from the first to the end of the last.
        slots: pointers in it, by byte offset.
    """

    def __init__(
        self, name: str, size: int, *, base: int = 0, writable: bool = True, owned: bool = False
    ) -> None:
        self.name = name
        self.data = np.full(size, 0xFF, np.uint8)
        self.written = np.zeros(size, np.bool_)
        self.owner: Array | None = None
        self.base = base
        self.writable = writable
        self.slots: dict[int, Pointer] = {}
        self.window: tuple[int, int] = (0, size)
        if owned:
            self.own()

    @classmethod
    def of_array(cls, name: str, array: Array) -> Memory:
        """Read-only memory with the elements of `array`, dense and row-major."""
        memory = cls(name, array.nbytes, base=array.itemsize, writable=False)
        memory.data[:] = np.frombuffer(array.tobytes(), np.uint8)
        memory.written[:] = True
        return memory

    @classmethod
    def for_array(cls, name: str, dtype: np.dtype[Any], shape: Sequence[int]) -> Memory:
        """Memory for a dense array that is still to be written."""
        size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
        return cls(name, size, base=dtype.itemsize)

    @property
    def size(self) -> int:
        """The size of the piece in bytes."""
        return self.data.size

    def own(self) -> None:
        """Record from now on which buffer wrote each byte."""
        self.owner = np.full(self.size, _UNWRITTEN, np.int32)

    def array(self, dtype: np.dtype[Any], shape: Sequence[int]) -> Array:
        """The whole memory as an array; CompileError if an element was never written."""
        if not self.written.all():
            element = int(np.argmin(self.written)) // dtype.itemsize
            raise CompileError(f"element {element} of {self.name} was never written")
        return self.data.copy().view(dtype).reshape(tuple(shape))

    def _bytes(self, offsets: Array, width: int, verb: str) -> Array:
        """The bytes of elements at `offsets`, `[lanes, width]`; all inside."""
        if offsets.size:
            ends = offsets.tolist() if offsets.size <= _FEW else (offsets.min(), offsets.max())
            low, high = int(min(ends)), int(max(ends)) + width
            first, end = self.window
            if low < first or high > end:
                where = low if low < first else high - width
                raise CompileError(
                    f"{verb} {width} bytes at byte {where} of {self.name}, which "
                    + (f"has {end}" if first == 0 else f"is bytes {first} to {end} of this thread")
                )
        return offsets[:, None] + _WITHIN[:width]

    def load(self, offsets: Array, dtype: np.dtype[Any], reader: int | None = None) -> Array:
        """The elements at the byte `offsets`, for the buffer `reader`."""
        places = self._bytes(offsets, dtype.itemsize, "reads")
        if not self.written[places].all():
            row = int(np.argmin(self.written[places].all(axis=1)))
            raise CompileError(
                f"reads byte {int(offsets[row])} of {self.name}, which was never written"
            )
        if reader is not None and self.owner is not None:
            owners = self.owner[places]
            if (owners != reader).any():
                row = int(np.argmax((owners != reader).any(axis=1)))
                raise CompileError(
                    f"reads byte {int(offsets[row])} of {self.name}, "
                    "which another buffer has overwritten"
                )
        return self.data[places].reshape(-1).view(dtype)

    def store(self, offsets: Array, values: Array, writer: int | None = None) -> None:
        """Write one element of `values` at each of the byte `offsets`."""
        if not self.writable:
            raise CompileError(f"writes {self.name}, which is an input")
        places = self._bytes(offsets, values.dtype.itemsize, "writes")
        raw = np.ascontiguousarray(values).view(np.uint8).reshape(places.shape)
        self.data[places] = raw
        self.written[places] = True
        if self.owner is not None:
            self.owner[places] = _UNWRITTEN if writer is None else writer

    def forget(self, writer: int) -> None:
        """Remove the values of the buffer `writer`."""
        assert self.owner is not None
        self.written[self.owner == writer] = False


@dataclass(frozen=True)
class Pointer:
    """A byte of a piece of memory, or outside of it; `memory` None is the null pointer."""

    memory: Memory | None
    offset: int = 0

    def moved(self, count: int) -> Pointer:
        """A pointer into the same piece, `count` bytes further."""
        return Pointer(self.memory, self.offset + count)

    def target(self, alignment: int) -> Memory:
        """The memory it points to; CompileError for null and for a wrong alignment."""
        if self.memory is None:
            raise CompileError("accesses memory through a null pointer")
        address = self.memory.base + self.offset
        if alignment > 1 and address % alignment:
            raise CompileError(
                f"the address {self.memory.name} + {self.offset} bytes is not aligned to "
                f"{alignment} bytes"
            )
        return self.memory


@dataclass
class Scratchpad:
    """The scratchpads of all threads, one after the other, as the runtime hands them to a kernel.

    Attributes:
        size: bytes for each thread.
        threads: their number.
        memory: all of them.
    """

    size: int
    threads: int
    memory: Memory = field(init=False)

    def __post_init__(self) -> None:
        self.memory = Memory("the scratchpad", self.size * self.threads, base=ALIGNMENT)

    def enter(self, thread: int) -> None:
        """Begin a run on `thread`: its part is empty, and other parts are out of bounds."""
        self.memory.written[:] = False
        self.memory.window = (thread * self.size, (thread + 1) * self.size)
