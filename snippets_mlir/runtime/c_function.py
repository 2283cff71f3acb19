"""A C function of CPython made of machine code, where this process has the layout it counts on.

`make_run(plan)` is `snippets_call` (`runtime/call_text.py`) with the plan as its `self`. It reads
fields of objects at fixed offsets, so it is only made on CPython 3.11 to 3.14 (no free-threaded or
trace-refs build), on 64 bits, and when sample arrays have their fields where NumPy's ABI has them.
"""

from __future__ import annotations

import ctypes
import struct
import sys
import sysconfig
from collections.abc import Callable
from typing import Any

import numpy as np

from snippets_mlir.codegen.locks import once
from snippets_mlir.runtime.arrays import Array
from snippets_mlir.runtime.call_text import TEXT
from snippets_mlir.runtime.native import loaded_function
from snippets_mlir.runtime.program import address_of

_FASTCALL = 0x80

Run = Callable[[tuple[object, ...], object], Any]


class Plan(np.ndarray[Any, Any]):
    """The words of a plan, and in `keep` all that their addresses point to."""

    keep: object = None


class _MethodDef(ctypes.Structure):
    """CPython's PyMethodDef."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


def known_interpreter() -> bool:
    """Whether objects of this interpreter begin with a count and a type, and a lock guards them."""
    return (
        sys.implementation.name == "cpython"
        and (3, 11) <= sys.version_info < (3, 15)
        and not sysconfig.get_config_var("Py_GIL_DISABLED")
        and struct.calcsize("P") == 8
        and object.__basicsize__ == 16
        and tuple.__basicsize__ == 24
    )


def known_arrays() -> bool:
    """Whether the fields of an array are where `snippets_call` reads them."""
    if np.ndarray.__basicsize__ < 80:
        return False
    sample = np.zeros((3, 5, 7), np.float32)[:, 1:4:2, ::3]
    frozen = np.arange(6, dtype=np.int64)
    frozen.flags.writeable = False
    return all(map(_has_known_fields, (sample, frozen, np.zeros((), np.bool_))))


def _has_known_fields(array: Array) -> bool:
    def pointer(offset: int) -> int:
        return ctypes.c_int64.from_address(id(array) + offset).value

    def integer(offset: int) -> int:
        return ctypes.c_int32.from_address(id(array) + offset).value

    def sizes(offset: int) -> tuple[int, ...]:
        return tuple((ctypes.c_int64 * array.ndim).from_address(pointer(offset))) if rank else ()

    rank = array.ndim
    return (
        pointer(8) == id(np.ndarray)
        and pointer(16) == address_of(array)
        and integer(24) == rank
        and sizes(32) == array.shape
        and sizes(40) == array.strides
        and pointer(56) == id(array.dtype)
        and integer(64) == array.flags.num
    )


def api(name: str) -> int:
    """The address of a function of CPython's C interface."""
    return ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0


@once
def _method() -> _MethodDef:
    """What all functions are made of; CPython keeps its address."""
    return _MethodDef(b"run", loaded_function(TEXT, "snippets_call"), _FASTCALL, None)


@once
def run_maker() -> Callable[[Plan], Run] | None:
    """What makes the C function of a plan, None where it cannot be called."""
    if not (known_interpreter() and known_arrays()):
        return None
    method = _method()
    new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)(
        ("PyCFunction_NewEx", ctypes.pythonapi)
    )

    def make(plan: Plan) -> Run:
        return new(ctypes.addressof(method), plan, None)

    return make
