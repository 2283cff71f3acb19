"""Calls of a compiled function on memrefs: NumPy arrays in, NumPy arrays and scalars out.

A memref argument is a pointer to a descriptor of the array where it lies, with its strides: nothing
is copied, and what the function writes is in the array afterwards. Results are scalars, or memrefs;
one that shares an argument's memory is a view of that array, any other is copied into an array of
Python's and freed.

Complaints start with `input 'x':`. A wrong element type is a `TypeError`; a wrong rank, size or
stride, an array that is not aligned to its elements, a read-only one that the function may write,
and arrays that overlap where the code takes them as distinct are a `ValueError`.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from math import prod
from typing import Any

import numpy as np

from snippets_mlir.runtime.arrays import Array, TensorSpec, as_array, dtype_from_name

NOT_ALLOCATED = 0xDEADBEEF
"""The allocated pointer of a global: nobody frees it."""


@dataclass(frozen=True)
class MemRefSpec(TensorSpec):
    """What an argument or result has to be.

    Attributes:
        strides: in elements, None for any; empty for a scalar.
        offset: in elements, None for any.
        scalar: a value that is passed by value, of rank 0.
        written: whether the function may write to it.
        dense: row-major whatever the sizes are.
        alone: no other argument may share memory with it.
    """

    strides: tuple[int | None, ...] = ()
    offset: int | None = 0
    scalar: bool = False
    written: bool = True
    dense: bool = False
    alone: bool = False

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self.shape)


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
_HALVES = ("float16", "bfloat16")


class _Half(ctypes.Structure):
    """A result of 16 bits that no C type of Python's holds."""

    _fields_ = (("bits", ctypes.c_uint16),)


@cache
def _descriptor_type(rank: int) -> Any:
    """MLIR's descriptor of a memref; making a class is slow, so there is one for each rank."""
    pointers = [("allocated", ctypes.c_void_p), ("aligned", ctypes.c_void_p)]
    fields: list[tuple[str, Any]] = [*pointers, ("offset", ctypes.c_int64)]
    if rank:
        fields += [("sizes", ctypes.c_int64 * rank), ("strides", ctypes.c_int64 * rank)]
    return type("Descriptor", (ctypes.Structure,), {"_fields_": fields})


def _strides_of(given: MemRefSpec, array: Array) -> list[int]:
    """The strides of an array in elements; those that no element uses are what the type says."""
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


class _Argument:
    """One array as a descriptor; keeps the array alive."""

    def __init__(self, given: MemRefSpec, value: object) -> None:
        self.array = as_array("input", given, value)
        array = self.array
        if not array.flags.aligned:
            raise ValueError(
                f"input {given.name!r}: expected an array aligned to its elements; "
                "use .copy() first"
            )
        if given.written and not array.flags.writeable:
            raise ValueError(
                f"input {given.name!r}: the function may write to it, but the array is read-only"
            )
        strides = _strides_of(given, array)
        offset = given.offset or 0
        pointer = array.__array_interface__["data"][0] - offset * array.itemsize
        self.descriptor = _descriptor_type(array.ndim)()
        self.descriptor.allocated = self.descriptor.aligned = pointer
        self.descriptor.offset = offset
        if array.ndim:
            self.descriptor.sizes[:] = array.shape
            self.descriptor.strides[:] = strides


def _check_alone(inputs: Sequence[MemRefSpec], arguments: Sequence[_Argument]) -> None:
    """`ValueError` when an array shares memory with one that has to have its own."""
    for given, argument in zip(inputs, arguments, strict=True):
        if not given.alone:
            continue
        for other, second in zip(inputs, arguments, strict=True):
            if second is not argument and np.shares_memory(argument.array, second.array):
                raise ValueError(
                    f"input {given.name!r}: expected memory of its own, found an array that "
                    f"overlaps input {other.name!r}; use .copy() first"
                )


def _scalar(given: MemRefSpec, value: object) -> Any:
    array = as_array("input", given, _typed(given, value))
    name = given.dtype.name
    if name in _HALVES:
        bits = int(array.view(np.uint16)[()])
        return ctypes.c_float.from_buffer_copy(bits.to_bytes(4, "little"))
    return _SCALARS[name](array[()].item())


def _typed(given: MemRefSpec, value: object) -> object:
    """A Python number as the scalar that is wanted, if it is one of its kind."""
    kinds = {"b": (bool,), "i": (int,), "u": (int,), "f": (int, float), "V": (int, float)}
    allowed = kinds.get(given.dtype.kind, (int, float))
    if type(value) in allowed:
        try:
            return np.asarray(value, given.dtype)
        except OverflowError as error:
            raise ValueError(f"input {given.name!r}: {error}") from error
    return value


class MemRefFunction:
    """A function of the C interface: pointers to descriptors, results through a pointer.

    Attributes:
        inputs: what it is called with.
        outputs: what it returns.
    """

    def __init__(
        self, address: int, inputs: Sequence[MemRefSpec], outputs: Sequence[MemRefSpec]
    ) -> None:
        """`address` is that of `_mlir_ciface_<name>`."""
        self.inputs, self.outputs = tuple(inputs), tuple(outputs)
        self._result = _result_type(self.outputs)
        self._direct = len(self.outputs) == 1 and self.outputs[0].scalar
        arguments = [_c_type(given) for given in self.inputs]
        returned: Any = None
        if self._direct:
            half = self.outputs[0].dtype.name in _HALVES
            returned = ctypes.c_float if half else _SCALARS[self.outputs[0].dtype.name]
        elif self.outputs:
            arguments.insert(0, ctypes.c_void_p)
        self._call: Callable[..., Any] = ctypes.CFUNCTYPE(returned, *arguments)(address)

    def __call__(self, values: Sequence[object]) -> list[Any]:
        """Call it; the results in order.

        Args:
            values: an array for each memref and a number for each scalar.
        """
        converted: list[Any] = []
        arguments: list[_Argument] = []
        for given, value in zip(self.inputs, values, strict=True):
            if given.scalar:
                converted.append(_scalar(given, value))
                continue
            argument = _Argument(given, value)
            arguments.append(argument)
            converted.append(ctypes.addressof(argument.descriptor))
        _check_alone([given for given in self.inputs if not given.scalar], arguments)
        if self._direct:
            return [_from_c(self.outputs[0], self._call(*converted))]
        if not self.outputs:
            self._call(*converted)
            return []
        result = self._result()
        self._call(ctypes.addressof(result), *converted)
        return self._results(result, arguments)

    def _results(self, result: Any, arguments: Sequence[_Argument]) -> list[Any]:
        owned: set[int] = set()
        found: list[Any] = []
        for place, out in enumerate(self.outputs):
            value = getattr(result, f"r{place}")
            if out.scalar:
                found.append(_from_c(out, value))
                continue
            base = next((a for a in arguments if a.descriptor.allocated == value.allocated), None)
            array = _array_at(out, value)
            if base is not None and value.allocated:
                array = _with_base(array, base.array)
            else:
                array = array.copy()
                if value.allocated and value.allocated != NOT_ALLOCATED:
                    owned.add(value.allocated)
            found.append(array)
        for pointer in owned:
            _free(pointer)
        return found


def _c_type(given: MemRefSpec) -> Any:
    if not given.scalar:
        return ctypes.c_void_p
    name = given.dtype.name
    return ctypes.c_float if name in _HALVES else _SCALARS[name]


def _result_type(outputs: Sequence[MemRefSpec]) -> Any:
    fields: list[tuple[str, Any]] = []
    for place, out in enumerate(outputs):
        if not out.scalar:
            fields.append((f"r{place}", _descriptor_type(out.rank)))
        else:
            half = out.dtype.name in _HALVES
            fields.append((f"r{place}", _Half if half else _SCALARS[out.dtype.name]))
    return type("Results", (ctypes.Structure,), {"_fields_": fields})


def _from_c(out: MemRefSpec, value: Any) -> Any:
    """A scalar result as a NumPy scalar."""
    if out.dtype.name in _HALVES:
        raw = value.bits if isinstance(value, _Half) else _low_bits(value)
        return np.frombuffer(raw.to_bytes(2, "little"), out.dtype)[0]
    if out.dtype.kind == "b":
        return np.bool_(value & 1)
    return out.dtype.type(value)


def _low_bits(value: float) -> int:
    return int(np.float32(value).view(np.uint32)) & 0xFFFF


def _array_at(out: MemRefSpec, value: Any) -> Array:
    """The memory of a memref as an array that does not own it."""
    shape = tuple(value.sizes) if out.rank else ()
    strides = tuple(value.strides) if out.rank else ()
    size = out.dtype.itemsize
    if 0 in shape:
        return np.empty(shape, out.dtype)
    start = value.aligned + value.offset * size
    reach = [(n - 1) * s * size for n, s in zip(shape, strides, strict=True)]
    low = start + sum(min(r, 0) for r in reach)
    high = start + sum(max(r, 0) for r in reach) + size
    memory = (ctypes.c_uint8 * (high - low)).from_address(low)
    return np.ndarray(shape, out.dtype, memory, start - low, tuple(s * size for s in strides))


def _with_base(array: Array, base: Array) -> Array:
    """`array`, which lies in the memory of `base`, as a view that keeps `base` alive."""
    if array.shape == base.shape and array.strides == base.strides:
        return base
    interface = {**array.__array_interface__}

    class _Holder:
        __array_interface__ = interface
        held = base

    return np.asarray(_Holder()).view(array.dtype)


def _free(pointer: int) -> None:
    libc = ctypes.CDLL(None)
    libc.free.argtypes = [ctypes.c_void_p]
    libc.free.restype = None
    libc.free(pointer)
