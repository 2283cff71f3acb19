"""Descriptions of tensors for machine code, by DLPack's function for this purpose.

    describe(x, &found)         found.data, found.kind, found.shape, found.strides, ...

`torch.Tensor.__dlpack_c_exchange_api__` is a capsule with a table of C functions. One of them,
`dltensor_from_py_object_no_sync`, writes the struct `DLTensor` of a tensor, without allocating
memory or counting references. It is not used if torch lacks it, if the table has another major
version, or if the function disagrees with a tensor's methods: then tensors are passed by address
(`addresses.py`).
"""

from __future__ import annotations

import ctypes
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

from snippets_mlir.codegen.locks import once
from snippets_mlir.codegen.stubs.tensor_interface import DL_TENSOR
from snippets_mlir.integrations.torch.load import load_torch

MAJOR = 1
"""The major version of the table, which determines its layout."""


class _Api(ctypes.Structure):
    """`DLPackExchangeAPI`: its version, the table of an older version, and its functions."""

    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("older", ctypes.c_void_p),
        ("allocate", ctypes.c_void_p),
        ("give", ctypes.c_void_p),
        ("take", ctypes.c_void_p),
        ("describe", ctypes.c_void_p),
        ("stream", ctypes.c_void_p),
    )


class Description(NamedTuple):
    """The expected device and kind of a `DLTensor`, for machine code."""

    device: int
    kind: int


@once
def describe_function() -> int | None:
    """The address of the function that describes a tensor; None if there is none."""
    try:
        capsule = load_torch().Tensor.__dlpack_c_exchange_api__
        pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
            ("PyCapsule_GetPointer", ctypes.pythonapi)
        )(capsule, b"dlpack_exchange_api")
    except (AttributeError, ValueError):
        return None
    if pointer is None:
        return None
    api = _Api.from_address(pointer)
    return api.describe if api.major == MAJOR else None


@cache
def description(dtype: Any, rank: int) -> Description | None:
    """The description of tensors of a type and rank; None if the function disagrees with torch's
    methods.
    """
    if (address := describe_function()) is None:
        return None
    # Sizes and strides that differ from one another, and an offset.
    torch, shape = load_torch(), tuple(range(2, 2 + rank))
    strides = tuple(1 + 2 * place for place in range(rank))
    last = sum((size - 1) * step for size, step in zip(shape, strides, strict=True))
    with import_module("torch.utils._python_dispatch")._disable_current_modes():
        tensor = torch.empty(last + 2, dtype=dtype).as_strided(shape, strides, 1)
    structure: Any = DL_TENSOR.structure
    describe = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_void_p)(address)
    found = structure()
    try:
        if describe(tensor, ctypes.addressof(found)):
            return None
    except (BufferError, RuntimeError, TypeError):
        return None
    numbers = ctypes.c_int64 * rank
    told = [tuple(numbers.from_address(at)) if rank else () for at in (found.shape, found.strides)]
    start = (found.data or 0) + found.byte_offset
    if start != tensor.data_ptr() or told != [shape, strides] or found.kind & 0xFFFF_FFFF != rank:
        return None
    return Description(found.device, found.kind)
