"""The native half of `threads.launch`, as functions of `ctypes`: calls release the GIL.

The machine code is in `codegen/stubs/launch.py` and `codegen/stubs/ranges.py`.
"""

from __future__ import annotations

import ctypes
from functools import partial

from snippets_mlir.codegen.locks import once_after
from snippets_mlir.codegen.stubs.interface import ARGS, RUNTIME
from snippets_mlir.codegen.stubs.objects import stub_object

Args = ARGS.structure
"""The arguments of a kernel: arrays, runtime slots, scratch memory."""

Runtime = RUNTIME.structure
"""Addresses of the three OpenMP functions."""

KERNEL = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)
_LAUNCH = ctypes.CFUNCTYPE(
    None,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_int64,
    ctypes.c_int64,
    ctypes.c_int32,
    ctypes.c_int64,
)
_RANGE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, *[ctypes.c_int64] * 5)


_CODE = partial(stub_object, "launch")


@once_after(_CODE)
def launch_address() -> int:
    """The address of `snippets_launch`, compiled at the first call."""
    return _CODE().address("snippets_launch")


@once_after(_CODE)
def aligned_launch_address() -> int:
    """The address of `snippets_launch_aligned` in machine code."""
    return _CODE().address("snippets_launch_aligned")


@once_after(_CODE)
def trampoline() -> ctypes._FuncPointer:  # pyright: ignore[reportPrivateUsage]
    """`snippets_launch_aligned` as a `ctypes` function."""
    return _LAUNCH(aligned_launch_address())


@once_after(_CODE)
def range_runner() -> ctypes._FuncPointer:  # pyright: ignore[reportPrivateUsage]
    """`snippets_range` as a `ctypes` function."""
    return _RANGE(_CODE().address("snippets_range"))
