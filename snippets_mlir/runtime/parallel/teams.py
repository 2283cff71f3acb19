"""Threads for parallel loops in machine code that is called directly and not by `launch`.

Such an object has three words, `snippets_team`, which are initially zero: the address of
`snippets_launch`, its first argument, and the number of threads. While they are zero, loops run on
one thread.
"""

from __future__ import annotations

import ctypes
import os
from typing import TYPE_CHECKING
from weakref import WeakSet

from snippets_mlir.runtime.parallel.native import launch_address
from snippets_mlir.runtime.parallel.threads import forked_flag, shared_threads, tell_missing

if TYPE_CHECKING:
    from snippets_mlir.codegen.load import LoadedObject

TEAM = "snippets_team"


class Team:
    """The three words of a loaded object, which it keeps in memory."""

    def __init__(self, code: LoadedObject, threads: int) -> None:
        """Fill them for up to `threads` threads, if kernels have some."""
        self._code = code
        self._words = (ctypes.c_int64 * 3).from_address(code.address(TEAM))
        if threads == 1:
            return
        shared = shared_threads()
        if not shared:
            tell_missing()
            return
        if ctypes.c_int32.from_address(forked_flag()).value:
            return
        self._words[:] = launch_address(), shared, threads
        _filled.add(self)

    def dismiss(self) -> None:
        """Run on one thread from now on."""
        self._words[2] = 0


_filled: WeakSet[Team] = WeakSet()


def _after_fork() -> None:
    for team in _filled:
        team.dismiss()


os.register_at_fork(after_in_child=_after_fork)
