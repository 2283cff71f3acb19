"""Python's arrays and numbers as the arguments of a compiled function on memrefs.

An array is passed as a descriptor: address, sizes, strides. The checks
in Python run once for each shape and strides: an argument remembers those that fit.

Complaints start with `input 'x':`. A wrong element type is a `TypeError`. A wrong rank, size or
stride, an array that is not aligned to its elements, a read-only array that the function may write,
and overlapping arrays that the code assumes to be distinct are a `ValueError`.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, NamedTuple

import numpy as np

from snippets_mlir.codegen.locks import once_after
from snippets_mlir.codegen.stubs.interface import ARRAY
from snippets_mlir.runtime.arguments.arrays import Array, address_of, as_array
from snippets_mlir.runtime.arguments.c_function import readable_arrays
from snippets_mlir.runtime.memref_calls.specs import MemRefSpec, is_half

MAX_LAYOUTS = 64
"""Shapes and strides that an argument remembers."""
_ALIGNED, _WRITEABLE = 0x100, 0x400
_HEAD = struct.Struct("=qqq")
_DATA_OFFSET = ARRAY.offset("data")
"""The offset of the data pointer in an array object."""


def _read_address(array: Array) -> int:
    return ctypes.c_int64.from_address(id(array) + _DATA_OFFSET).value


@once_after(readable_arrays)
def address_reader() -> Callable[[Array], int]:
    """A function for the address of an array's first element: read from the object if possible."""
    return _read_address if readable_arrays() else address_of


@dataclass(frozen=True)
class Layout:
    """The part of a descriptor that depends on the shape and the strides of an array.

    Attributes:
        tail: sizes and strides in elements, as the descriptor has them.
        low: bytes from the first element to the lowest one, not positive.
        high: bytes from the first element to the end of the highest one.
    """

    tail: bytes
    low: int
    high: int


class Passed(NamedTuple):
    """One passed array.

    Attributes:
        array: the array, maybe made from a list; it has to live as long as the call.
        descriptor: in bytes.
        allocated: the pointer that the function sees as the allocated one.
        low: the address of its lowest byte.
        high: the address after its highest byte.
    """

    array: Array
    descriptor: bytes
    allocated: int
    low: int
    high: int


class ArrayArgument:
    """Passes the arrays of one argument."""

    def __init__(self, given: MemRefSpec) -> None:
        self.given = given
        self._flags = _ALIGNED | (_WRITEABLE if given.written else 0)
        self._offset = given.offset or 0
        self._shift = self._offset * given.dtype.itemsize
        self._layouts: dict[tuple[tuple[int, ...], tuple[int, ...]], Layout] = {}
        self._address = address_reader()

    def __call__(self, value: Any) -> Passed:
        """`value` in the form for the call.

        Raises:
            TypeError: a wrong element type.
            ValueError: a wrong shape, stride or alignment; read-only although it may be written.
        """
        layout = None
        if value.__class__ is np.ndarray and value.dtype is self.given.dtype:
            layout = self._layouts.get((value.shape, value.strides))
        if layout is None or value.flags.num & self._flags != self._flags:
            value = self._checked(value)
            layout = self._layouts.get((value.shape, value.strides)) or self._learn(value)
        address = self._address(value)
        start = address - self._shift
        head = _HEAD.pack(start, start, self._offset)
        return Passed(value, head + layout.tail, start, address + layout.low, address + layout.high)

    def _checked(self, value: object) -> Array:
        """`value` as an aligned array, which is writable if necessary."""
        array = as_array("input", self.given, value)
        if not array.flags.aligned:
            raise ValueError(
                f"input {self.given.name!r}: expected an array aligned to its elements; "
                "use .copy() first"
            )
        if self.given.written and not array.flags.writeable:
            raise ValueError(
                f"input {self.given.name!r}: the function may write to it, but the array is "
                "read-only"
            )
        return array

    def _learn(self, array: Array) -> Layout:
        strides = strides_of(self.given, array)
        sizes = zip(array.shape, array.strides, strict=True)
        reach = [(size - 1) * stride for size, stride in sizes] if array.size else []
        layout = Layout(
            struct.pack(f"={2 * array.ndim}q", *array.shape, *strides),
            sum(min(r, 0) for r in reach),
            sum(max(r, 0) for r in reach) + (array.itemsize if array.size else 0),
        )
        if len(self._layouts) >= MAX_LAYOUTS:
            self._layouts.clear()
        self._layouts[array.shape, array.strides] = layout
        return layout


def strides_of(given: MemRefSpec, array: Array) -> list[int]:
    """The strides of an array in elements; strides that no element uses are as in the type."""
    where = f"input {given.name!r}:"
    strides: list[int] = []
    for dim, (bytes, size) in enumerate(zip(array.strides, array.shape, strict=True)):
        wanted = prod(array.shape[dim + 1 :]) if given.dense else given.strides[dim]
        stride, rest = divmod(bytes, array.itemsize)
        if wanted is not None and (size <= 1 or array.size == 0):
            stride, rest = wanted, 0
        if rest:
            raise ValueError(
                f"{where} expected strides that are multiples of its elements, "
                f"found {array.strides} bytes; use .copy() first"
            )
        if wanted is not None and stride != wanted:
            raise ValueError(
                f"{where} expected stride {wanted} of dimension {dim}, found {stride} elements; "
                "use numpy.ascontiguousarray, or a memref of strided layout"
            )
        strides.append(stride)
    return strides


class ScalarArgument:
    """Passes the numbers of one argument."""

    def __init__(self, given: MemRefSpec) -> None:
        self.given = given
        self._half = is_half(given)
        self._type = given.dtype.type
        self._floats = given.dtype.kind == "f" and not self._half

    def __call__(self, value: Any) -> Any:
        """`value` as a number for the C type.

        Raises:
            TypeError: a wrong type.
            ValueError: a Python number that does not fit.
        """
        if value.__class__ is self._type and not self._half:
            return value.item()
        if self._floats and value.__class__ is float:
            return value
        array = as_array("input", self.given, value)
        if self._half:
            bits = int(array.view(np.uint16)[()])
            return ctypes.c_float.from_buffer_copy(bits.to_bytes(4, "little"))
        return array[()].item()


def pairs_apart(inputs: Sequence[MemRefSpec]) -> tuple[tuple[int, int], ...]:
    """The pairs of memrefs, by their indices, that must not share memory; the first is `alone`."""
    return tuple(
        (i, j)
        for i, given in enumerate(inputs)
        for j, other in enumerate(inputs)
        if given.alone and i != j and not (other.alone and j < i)
    )


def check_apart(given: MemRefSpec, first: Passed, other: MemRefSpec, second: Passed) -> None:
    """`ValueError` when two arrays share memory."""
    if first.low >= second.high or second.low >= first.high:
        return
    if np.shares_memory(first.array, second.array):
        raise ValueError(
            f"input {given.name!r}: expected memory of its own, found an array that "
            f"overlaps input {other.name!r}; use .copy() first"
        )
