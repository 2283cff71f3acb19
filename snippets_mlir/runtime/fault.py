"""The segfault detector: what a kernel did when a signal ended the process.

A kernel compiled with it gets a record for each of its threads, and records each memory access in
advance. If an access causes SIGSEGV or SIGBUS, a line names it:

    snippets_mlir: SIGSEGV in kernel subgraph_0: lir.load of %x at model.mlir:3:8, iteration 0 of
    loop 0, iteration 96 of loop 1 (main), pointer 0x7f0d1c400000, faulting address 0x7f0d1c400000

The handler (`codegen/stubs/fault.py`) is our own machine code. It then passes the signal on to the
previous handler (Python's `faulthandler`, or none: the process ends by the signal). It runs on the
stack of the thread, or on its alternative stack if it has one. Only one such kernel runs at a time.
Linux on x86-64 and AArch64 only.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from snippets_mlir.codegen.locks import WATCHING, once_after
from snippets_mlir.codegen.stubs.fault_interface import RECORD, SIGACTION, SIGBUS, SIGSEGV
from snippets_mlir.codegen.stubs.objects import stub_object
from snippets_mlir.runtime.manifests.manifest import Step
from snippets_mlir.support.errors import CompileError

SIGNALS = (SIGSEGV, SIGBUS)
"""The signals in Linux, in the order of `snippets_old`."""

RECORD_WORDS = RECORD.bytes // 8
_SIGINFO, _ONSTACK = 0x4, 0x08000000


def require_linux() -> None:
    """`CompileError` if there is no detector."""
    if sys.platform != "linux" or os.uname().machine not in ("x86_64", "aarch64"):
        raise CompileError("the segfault detector needs Linux on x86-64 or AArch64")


@once_after(partial(stub_object, "fault"))
def _watch() -> Callable[[int, int, int], None]:
    """`snippets_watch`; the first call installs the handler."""
    code = stub_object("fault")
    libc = ctypes.CDLL(None, use_errno=True)
    handler = code.address("snippets_fault")
    action = SIGACTION.structure(sa_handler=handler, sa_flags=_SIGINFO | _ONSTACK)
    old = code.address("snippets_old")
    for place, signal in enumerate(SIGNALS):
        where = ctypes.c_void_p(old + place * SIGACTION.bytes)
        if libc.sigaction(signal, ctypes.byref(action), where):
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p)
    return function(code.address("snippets_watch"))


class Sites:
    """The texts of a kernel's sites, as the handler reads them."""

    def __init__(self, kernel: str, sites: Sequence[Sequence[str]]) -> None:
        self._texts: list[object] = []
        lists = [self._strings([f"kernel {kernel}: {what}", *loops]) for what, *loops in sites]
        self._lists = (ctypes.c_void_p * len(lists))(*lists)

    def _strings(self, texts: Sequence[str]) -> int:
        """The address of a list of C strings that ends with null."""
        block = (ctypes.c_char_p * (len(texts) + 1))(*[t.encode() for t in texts], None)
        self._texts.append(block)
        return ctypes.addressof(block)

    def watched(self, team: int, run: Callable[[int], None]) -> None:
        """Call `run` with the address of records for `team` threads."""
        records = np.zeros((team, RECORD_WORDS), np.int64)
        address: int = records.__array_interface__["data"][0]
        watch = _watch()
        with WATCHING:  # the handler has only one set of records
            watch(address, team, ctypes.addressof(self._lists))
            try:
                run(address)
            finally:
                watch(0, 0, 0)


def sites_of(step: Step) -> Sites | None:
    """The texts of the accesses of a kernel; None if it has no detector."""
    sites = step.get("sites")
    return None if sites is None else Sites(step.get("symbol") or "", sites)
