"""CPython's C functions made of machine code, if this process has the layout they rely on.

`run_maker()(plan)` is `snippets_call` (`codegen/stubs/call.py`) with the plan as its `self`, and
`run_at_addresses(plan)` is `snippets_call_addresses` (`call_addresses.py`), `run_on_tensors(...)`
is `snippets_call_tensors` (`call_tensors.py`). They are only made on CPython 3.11 to 3.14 (no
free-threaded or trace-refs build), on 64 bits, and if the fields of arrays are where NumPy's header
has them (`array_layout.py`).
"""

from __future__ import annotations

import ctypes
import struct
import sys
import sysconfig
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from snippets_mlir.codegen.locks import once, once_after
from snippets_mlir.codegen.stubs.interface import OBJECT
from snippets_mlir.codegen.stubs.objects import stub_object
from snippets_mlir.codegen.stubs.tensor_interface import TENSORS
from snippets_mlir.runtime.arguments.array_layout import known_arrays

_FASTCALL = 0x80

TAKEN = Ellipsis
"""The result of a call of a network that another call uses."""

Run = Callable[[tuple[object, ...], object], Any]


class Plan(np.ndarray[Any, Any]):
    """The words of a network; `keep` has all objects that their addresses point to."""

    keep: object = None


class _MethodDef(ctypes.Structure):
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
        and object.__basicsize__ == OBJECT.bytes
    )


def readable_arrays() -> bool:
    """Whether machine code may read the arrays of this process."""
    return known_interpreter() and known_arrays()


def _load() -> None:
    """Load the code that `run_maker` needs."""
    if readable_arrays():
        stub_object("call")


@once
def _method() -> _MethodDef:
    """The definition of all functions; CPython keeps its address."""
    return _MethodDef(b"run", stub_object("call").address("snippets_call"), _FASTCALL, None)


@once
def _addresses_method() -> _MethodDef:
    address = stub_object("addresses").address("snippets_call_addresses")
    return _MethodDef(b"run", address, _FASTCALL, None)


@once
def _tensors_method() -> _MethodDef:
    address = stub_object("tensors").address("snippets_call_tensors")
    return _MethodDef(b"run", address, _FASTCALL, None)


@once
def _new() -> Callable[[int, Plan, None], Any]:
    """`PyCFunction_NewEx`."""
    types = ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p
    return ctypes.PYFUNCTYPE(ctypes.py_object, *types)(("PyCFunction_NewEx", ctypes.pythonapi))


def _function(method: _MethodDef, plan: Plan) -> Any:
    return _new()(ctypes.addressof(method), plan, None)


@once_after(_load)
def run_maker() -> Callable[[Plan], Run] | None:
    """The maker of the C function of a network, None if it cannot be called."""
    return partial(_function, _method()) if readable_arrays() else None


def run_at_addresses(plan: Plan) -> Callable[..., Any]:
    """The C function of a network for addresses."""
    stub_object("addresses")
    return _function(_addresses_method(), plan)


def run_on_tensors(
    plan: Plan,
    describe: int,
    classes: tuple[type, type],
    device: int,
    misaligned: int,
    wanted: Sequence[int],
) -> Callable[..., Any]:
    """The C function of a network for tensors; it gives None, or `TAKEN`: nothing was run.

    Args:
        plan: the words of the network.
        describe: the address of the function that describes a tensor, valid as long as the process
            runs.
        classes: the classes of tensors.
        device: the device of tensors, as in `DLTensor`.
        misaligned: the bits that are 0 in every address.
        wanted: for each tensor its kind, its sizes and its strides; see `Tensors`.
    """
    stub_object("tensors")
    head = TENSORS.words(
        plan=plan.ctypes.data,
        describe=describe,
        tensor=id(classes[0]),
        parameter=id(classes[1]),
        device=device,
        misaligned=misaligned,
    )
    words = np.array([*head, *wanted], np.int64).view(Plan)
    words.keep = plan, classes
    return _function(_tensors_method(), words)
