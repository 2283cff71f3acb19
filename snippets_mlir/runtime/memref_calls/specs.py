"""Arguments and results of a compiled function on memrefs, in NumPy and in C."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from functools import cache
from typing import Any

from snippets_mlir.runtime.arguments.arrays import TensorSpec, dtype_from_name

HALVES = ("float16", "bfloat16")


@dataclass(frozen=True)
class MemRefSpec(TensorSpec):
    """What an argument or result has to be.

    Attributes:
        strides: in elements, None for any; empty for a scalar.
        offset: in elements, None for any.
        scalar: a value of rank 0, passed by value.
        written: whether the function may write to it.
        dense: row-major for all sizes.
        alone: no other argument may share memory with it.
    """

    strides: tuple[int | None, ...]
    offset: int | None
    scalar: bool
    written: bool
    dense: bool
    alone: bool = False

    @property
    def rank(self) -> int:
        """The number of dimensions; 0 for a scalar."""
        return len(self.shape or ())


def spec(described: dict[str, Any]) -> MemRefSpec:
    """A spec from JSON-able data, the dtype by name."""
    return MemRefSpec(
        described["name"],
        tuple(described["shape"]),
        dtype_from_name(described["dtype"]),
        tuple(described["strides"]),
        described["offset"],
        described["scalar"],
        described["written"],
        described["dense"],
    )


_SCALARS: dict[str, Any] = {
    "bool": ctypes.c_uint8,
    "float32": ctypes.c_float,
    "float64": ctypes.c_double,
    "int8": ctypes.c_int8,
    "int16": ctypes.c_int16,
    "int32": ctypes.c_int32,
    "int64": ctypes.c_int64,
    "uint8": ctypes.c_uint8,
    "uint16": ctypes.c_uint16,
    "uint32": ctypes.c_uint32,
    "uint64": ctypes.c_uint64,
}


def is_half(given: MemRefSpec) -> bool:
    """Whether it is a 16-bit float, for which `ctypes` has no type."""
    return given.dtype.name in HALVES


def scalar_type(given: MemRefSpec) -> Any:
    """The C type of a scalar; a half is in the low bits of a float."""
    return ctypes.c_float if is_half(given) else _SCALARS[given.dtype.name]


def argument_type(given: MemRefSpec) -> Any:
    """The C type of an argument."""
    return scalar_type(given) if given.scalar else ctypes.c_void_p


class Half(ctypes.Structure):
    """A float of 16 bits in a struct of results."""

    _fields_ = (("bits", ctypes.c_uint16),)


@cache
def descriptor_type(rank: int) -> Any:
    """MLIR's descriptor of a memref; making a class is slow, so there is one for each rank."""
    pointers = [("allocated", ctypes.c_void_p), ("aligned", ctypes.c_void_p)]
    fields: list[tuple[str, Any]] = [*pointers, ("offset", ctypes.c_int64)]
    if rank:
        fields += [("sizes", ctypes.c_int64 * rank), ("strides", ctypes.c_int64 * rank)]
    return type("Descriptor", (ctypes.Structure,), {"_fields_": fields})
