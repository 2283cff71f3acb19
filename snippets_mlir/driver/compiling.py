"""The lock of compilation.

Only one thread at a time reads and changes IR, because all compilations share a context, which
loads dialects on first use. Python's cycle collector is paused meanwhile. IR consists of cycles
that live as long as the compilation, so a collection finds nothing, but it is expensive in a
program with a large heap: 6 % of a compilation, and occasionally 60 ms at once, for
`silu_mul.mlir`.

LLVM works in a thread beside the passes, and needs the interpreter briefly between two of its
calls. A computing thread releases it after Python's switch interval, 5 ms: 20 such calls, which
compile in 27 ms alone, took 120 ms. So the interval is shorter during compilation (`SWITCH`).

Modules of the compiler are also imported under the lock: `os.fork` waits for the lock
(`codegen/locks.py`), because a half-imported module stays half-imported in the child.
"""

from __future__ import annotations

import gc
import sys

from snippets_mlir.codegen import locks

SWITCH = 1e-4
"""The maximal seconds before the passes release the interpreter to a waiting thread."""

HALF = 5e-7
"""Half a microsecond: Python truncates intervals to whole microseconds, even its own ones."""


class _CompilationLock:
    """A reentrant lock; `with` takes and releases it."""

    def __init__(self) -> None:
        self._depth = 0
        self._collects = False
        self._interval = 0.0

    def __enter__(self) -> None:
        """Wait for the other threads, keep the collector from running, and switch threads often."""
        locks.COMPILING.acquire()
        self._depth += 1
        if self._depth == 1:
            self._collects, self._interval = gc.isenabled(), sys.getswitchinterval()
            gc.disable()
            sys.setswitchinterval(min(SWITCH, self._interval))

    def __exit__(self, *_: object) -> None:
        """Let the collector and the other threads run again, as often as before."""
        self._depth -= 1
        if self._depth == 0:
            sys.setswitchinterval(self._interval + HALF)
            if self._collects:
                gc.enable()
        locks.COMPILING.release()

    def tidy(self) -> None:
        """Free garbage of the passes, if the collector would do so after the compilation.

        It would do so if it is on and there are more new objects than its threshold.

        It is for a moment at which this thread waits for another one, or other processes work.
        """
        if self._collects and 0 < gc.get_threshold()[0] < gc.get_count()[0]:
            gc.collect(0)


COMPILING = _CompilationLock()
"""Held while IR is read or changed."""
