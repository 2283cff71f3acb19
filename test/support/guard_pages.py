"""Arrays that end, or begin, at a page that may not be touched.

An access beyond such an array is a fault at once, whatever lies beside the memory of the process.
Memory is mapped between two pages without access; `Fenced.array` places an array in it.
"""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, Literal

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]
Place = Literal["first", "last"]
"""Right after the first forbidden page, or right before the second."""

PLACES: tuple[Place, ...] = ("first", "last")
_NO_ACCESS = 0
_PAGE = mmap.PAGESIZE


def protect(address: int, size: int) -> None:
    """Forbid every access to pages of this process."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mprotect(ctypes.c_void_p(address), ctypes.c_size_t(size), _NO_ACCESS):
        number = ctypes.get_errno()
        raise OSError(number, "mprotect")


class Fenced:
    """Pages for `size` bytes between two pages that may not be touched."""

    def __init__(self, size: int) -> None:
        pages = max(1, -(-size // _PAGE))
        self._bytes = pages * _PAGE
        self._map = mmap.mmap(-1, self._bytes + 2 * _PAGE)
        start = ctypes.addressof(ctypes.c_char.from_buffer(self._map))
        self.first, self.end = start + _PAGE, start + _PAGE + self._bytes
        for forbidden in (start, self.end):
            protect(forbidden, _PAGE)

    def address(self, size: int, place: Place) -> int:
        """Where `size` bytes begin that touch a forbidden page."""
        return self.first if place == "first" else self.end - size

    def array(self, shape: tuple[int, ...], dtype: np.dtype[Any], place: Place) -> Array:
        """A dense array that touches a forbidden page; what it holds is 0xFF at first."""
        size = prod(shape) * dtype.itemsize
        ctypes.memset(self.address(size, place), 0xFF, size)
        return at_address(self.address(size, place), shape, dtype)


def at_address(address: int, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """A dense array at an address; nothing is touched, and nothing keeps the memory."""
    size = prod(shape) * dtype.itemsize
    raw: Any = (ctypes.c_ubyte * size).from_address(address)
    memory: Array = np.frombuffer(raw, np.uint8) if size else np.empty(0, np.uint8)
    return memory.view(dtype).reshape(shape)


@dataclass
class Yard:
    """Fenced memory that one call uses and the next one uses again, a piece for each array.

    Attributes:
        size: bytes of a piece.
        beyond: elements by which arrays lie beyond the pages, for tests of the tests.
    """

    size: int
    beyond: int = 0

    def __post_init__(self) -> None:
        self._pieces: list[Fenced] = []
        self._taken = 0

    def clear(self) -> None:
        self._taken = 0

    def piece(self, size: int) -> Fenced:
        """A piece for `size` bytes that no other array has."""
        if size > self.size:
            return self._kept(Fenced(size))
        if self._taken == len(self._pieces):
            self._pieces.append(Fenced(self.size))
        self._taken += 1
        return self._pieces[self._taken - 1]

    def _kept(self, fenced: Fenced) -> Fenced:
        self._pieces.insert(self._taken, fenced)
        self._taken += 1
        return fenced

    def copy(self, array: Array, place: Place) -> Array:
        """A copy of `array` at a forbidden page."""
        piece = self.piece(array.nbytes)
        result = piece.array(array.shape, array.dtype, place)
        result[...] = array
        return self._moved(result, piece.address(array.nbytes, place), place)

    def empty(self, shape: tuple[int, ...], dtype: np.dtype[Any], place: Place) -> Array:
        """An array at a forbidden page."""
        size = prod(shape) * dtype.itemsize
        piece = self.piece(size)
        return self._moved(piece.array(shape, dtype, place), piece.address(size, place), place)

    def _moved(self, array: Array, address: int, place: Place) -> Array:
        if not self.beyond:
            return array
        step = self.beyond * array.itemsize * (1 if place == "last" else -1)
        return at_address(address + step, array.shape, array.dtype)


def results_at_pages(
    program: Callable[..., object], arrays: Sequence[Array], like: Sequence[Array], place: Place
) -> list[Array]:
    """What a program writes into arrays as `like`, where all arrays are at forbidden pages."""
    yard = Yard(max(array.nbytes for array in (*arrays, *like)))
    fenced = [yard.copy(array, place) for array in arrays]
    out = [yard.empty(array.shape, array.dtype, place) for array in like]
    program(*fenced, out=out)
    return [array.copy() for array in out]  # the pages go with the yard
