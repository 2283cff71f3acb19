"""Calls of a compiled function on memrefs: NumPy arrays in, NumPy arrays and scalars out.

A memref argument is a pointer to a descriptor of the array in place, with its strides: nothing is
copied, and the function writes directly into the array. Results are scalars or memrefs. A memref
that shares an argument's memory is a view of that array; any other is copied into a Python array
and freed. `arguments.py` defines the valid arguments.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from snippets_mlir.analysis.loops.access_bounds import Access
from snippets_mlir.runtime.arguments.arrays import Array
from snippets_mlir.runtime.memref_calls.arguments import (
    ArrayArgument,
    Passed,
    ScalarArgument,
    check_apart,
    pairs_apart,
)
from snippets_mlir.runtime.memref_calls.bounds import BoundsCheck
from snippets_mlir.runtime.memref_calls.specs import (
    Half,
    MemRefSpec,
    argument_type,
    descriptor_type,
    is_half,
    scalar_type,
)

NOT_ALLOCATED = 0xDEADBEEF
"""The allocated pointer of a global, which is never freed."""


class MemRefFunction:
    """A function of the C interface: pointers to descriptors, results through a pointer.

    Attributes:
        inputs: its inputs.
        outputs: its outputs.
    """

    def __init__(
        self,
        address: int,
        inputs: Sequence[MemRefSpec],
        outputs: Sequence[MemRefSpec],
        accesses: Sequence[Access],
    ) -> None:
        """`address` is that of `_mlir_ciface_<name>`; `accesses` are checked at each call."""
        self._bounds = BoundsCheck(inputs, accesses) if accesses else None
        self.inputs, self.outputs = tuple(inputs), tuple(outputs)
        self._arguments = [
            ScalarArgument(given) if given.scalar else ArrayArgument(given) for given in inputs
        ]
        self._memrefs = tuple(given for given in inputs if not given.scalar)
        self._apart = pairs_apart(self._memrefs)
        self._result = _result_type(self.outputs)
        self._direct = len(self.outputs) == 1 and self.outputs[0].scalar
        types = [argument_type(given) for given in self.inputs]
        returned = scalar_type(self.outputs[0]) if self._direct else None
        if self.outputs and not self._direct:
            types.insert(0, ctypes.c_void_p)
        self._call: Callable[..., Any] = ctypes.CFUNCTYPE(returned, *types)(address)

    def __call__(self, values: Sequence[object]) -> list[Any]:
        """Call it; the results in order.

        Args:
            values: an array for each memref and a number for each scalar.
        """
        converted: list[Any] = []
        arrays: list[Passed] = []
        for argument, value in zip(self._arguments, values, strict=True):
            made = argument(value)
            if made.__class__ is Passed:
                arrays.append(made)
                made = made.descriptor
            converted.append(made)
        if self._bounds is not None:
            left = iter(arrays)
            self._bounds([v if g.scalar else next(left).array for v, g in zip(values, self.inputs)])
        for i, j in self._apart:
            check_apart(self._memrefs[i], arrays[i], self._memrefs[j], arrays[j])
        if self._direct:
            return [_from_c(self.outputs[0], self._call(*converted))]
        if not self.outputs:
            self._call(*converted)
            return []
        result = self._result()
        self._call(ctypes.addressof(result), *converted)
        return self._results(result, arrays)

    def _results(self, result: Any, arguments: Sequence[Passed]) -> list[Any]:
        owned: set[int] = set()
        found: list[Any] = []
        for place, out in enumerate(self.outputs):
            value = getattr(result, f"r{place}")
            if out.scalar:
                found.append(_from_c(out, value))
                continue
            base = next((a for a in arguments if a.allocated == value.allocated), None)
            if base is not None and base.descriptor == bytes(value):
                found.append(base.array)
                continue
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


def _result_type(outputs: Sequence[MemRefSpec]) -> Any:
    fields: list[tuple[str, Any]] = []
    for place, out in enumerate(outputs):
        if not out.scalar:
            fields.append((f"r{place}", descriptor_type(out.rank)))
        else:
            fields.append((f"r{place}", Half if is_half(out) else scalar_type(out)))
    return type("Results", (ctypes.Structure,), {"_fields_": fields})


def _from_c(out: MemRefSpec, value: Any) -> Any:
    """A scalar result as a NumPy scalar."""
    if is_half(out):
        raw = value.bits if isinstance(value, Half) else _low_bits(value)
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
