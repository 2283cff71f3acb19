"""Whether arrays of this process have their fields where machine code reads them.

The struct is declared once, after NumPy's public header (`ARRAY` of `codegen/stubs/interface.py`).
`snippets_fields` reads every field of sample arrays through it, and Python compares the fields with
NumPy's attributes of these arrays. If a field is elsewhere, one line on standard error names it,
and Python checks the calls.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from snippets_mlir.codegen.locks import once_after
from snippets_mlir.codegen.stubs.interface import ARRAY
from snippets_mlir.codegen.stubs.layout import Layout
from snippets_mlir.codegen.stubs.objects import stub_object
from snippets_mlir.runtime.arguments.arrays import Array, address_of

Reader = Callable[[Array], Mapping[str, int]]


def samples() -> tuple[Array, ...]:
    """Arrays that differ in every field: a strided view, a read-only one, one of rank 0."""
    frozen = np.arange(6, dtype=np.int64)
    frozen.flags.writeable = False
    strided = np.zeros((3, 5, 7), np.float32)[:, 1:4:2, ::3]
    return strided, frozen, np.zeros((), np.bool_), np.zeros((0, 2), np.complex64)


def fields_of(layout: Layout) -> list[str]:
    """Names of the fields of a struct; fields of inner structs replace the struct."""
    names: list[str] = []
    for name, field in layout.fields.items():
        names += fields_of(field) if isinstance(field, Layout) else [name]
    return names


def reader(address: int, layout: Layout = ARRAY) -> Reader:
    """A function that reads the fields of an array through the `snippets_fields` at `address`."""
    names = fields_of(layout)
    read = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(address)

    def fields(array: Array) -> Mapping[str, int]:
        words = (ctypes.c_int64 * len(names))()
        read(id(array), ctypes.addressof(words))
        return dict(zip(names, words, strict=True))

    return fields


def wrong_field(fields: Reader) -> str | None:
    """The first field that differs from NumPy's value for sample arrays; None if all agree.

    The sizes and strides are checked last: when the fields around them are right, so are their
    addresses.
    """
    arrays = samples()
    found = [fields(array) for array in arrays]
    for array, words in zip(arrays, found, strict=True):
        expected = {
            "ob_type": id(np.ndarray),
            "data": address_of(array),
            "nd": array.ndim,
            "base": 0 if array.base is None else id(array.base),
            "descr": id(array.dtype),
            "flags": array.flags.num,
        }
        for name, value in expected.items():
            if words[name] != value:
                return name
    for array, words in zip(arrays, found, strict=True):
        for name, sizes in (("dimensions", array.shape), ("strides", array.strides)):
            if sizes != _sizes(words[name], array.ndim):
                return name
    return None


def _sizes(address: int, rank: int) -> tuple[int, ...]:
    return tuple((ctypes.c_int64 * rank).from_address(address)) if rank else ()


@once_after(partial(stub_object, "fields"))
def known_arrays() -> bool:
    """Whether machine code may read arrays; if not, this is reported once."""
    wrong = wrong_field(reader(stub_object("fields").address("snippets_fields")))
    if wrong is not None:
        print(
            f"snippets_mlir: arrays of NumPy {np.__version__} do not have {wrong!r} where "
            f"{ARRAY.title} has it; every call is checked in Python",
            file=sys.stderr,
        )
    return wrong is None
