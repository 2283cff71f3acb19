"""Work that makes later loads faster, in a thread of low priority, until the process ends.

    optionally(path, work)     after the first call, for the entry `path`; `work` gets a `Stop`

A process that ends waits `PATIENCE` for such work. It is then told to stop, and what has not begun
is left out: the next process that loads the program does it. Without this, a process on a busy
machine would wait for as long as others leave the processor to a thread of low priority. Where the
system allows it, the thread gets the priority of the others for this time.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from queue import Empty
from threading import Thread, get_native_id, main_thread
from time import monotonic

from snippets_mlir.codegen.locks import Line, new_line
from snippets_mlir.driver.cache.storing import later

PATIENCE = 2.0
"""Seconds that a process that ends waits for optional work. onnxruntime optimizes most models of up
to 256 MiB in less, on a processor of its own."""

_LOWER = 10
"""The niceness of a thread of low priority: Linux gives it a tenth of a contended processor."""

_ENDED: list[float] = []
"""When the process began to end."""


_BEGUN: set[Path] = set()
"""Entries for which there is a thread."""


class Stopped(Exception):
    """Work was told to stop."""


class Stop:
    """Tells work to stop.

    Attributes:
        is_set: whether it has to stop.
    """

    def __init__(self) -> None:
        """Not yet."""
        self.is_set = False
        self._cancel: Callable[[], object] | None = None

    def by(self, cancel: Callable[[], object]) -> None:
        """Call `cancel` to stop what begins now, in another thread."""
        self._cancel = cancel
        if self.is_set:
            cancel()

    def check(self) -> None:
        """Raise `Stopped` if the work has to stop."""
        if self.is_set:
            raise Stopped

    def set(self) -> None:
        """Make the next check fail, and call what `by` was given."""
        self.is_set = True
        if self._cancel is not None:
            self._cancel()


def optionally(path: Path, work: Callable[[Stop], None]) -> None:
    """Do `work` in a thread of low priority, unless the process ends before.

    There is one thread for an entry `path`.
    """
    if path in _BEGUN:
        return
    done, stop, worker = new_line(), Stop(), list[int]()

    def run() -> None:
        """What the thread does."""
        worker.append(get_native_id())
        if not _ENDED:
            let_others_go_first()
        try:
            if not _is_over():
                work(stop)
        finally:
            done.put(None)
            _BEGUN.discard(path)

    _BEGUN.add(path)
    try:  # now: an interpreter that ends makes no more threads
        Thread(target=_watch, args=(done, stop, worker), daemon=True).start()
    except RuntimeError:
        _BEGUN.discard(path)
        return
    later(run, optional=True)


def _is_over() -> bool:
    return bool(_ENDED) and monotonic() > _ENDED[0] + PATIENCE


def _watch(done: Line[None], stop: Stop, worker: Sequence[int]) -> None:
    """Wait until the process ends, and then for the work of a thread, if it has begun."""
    main_thread().join()
    if not _ENDED:
        _ENDED.append(monotonic())
    for thread in worker:
        _set_niceness(thread, 0)
    try:
        done.get(timeout=max(0.0, _ENDED[0] + PATIENCE - monotonic()))
    except Empty:
        stop.set()


def let_others_go_first() -> None:
    """Lower the priority of this thread, if threads have their own priority."""
    _set_niceness(get_native_id(), _LOWER)


def _set_niceness(thread: int, above: int) -> None:
    """Set the niceness of a thread to `above` more than that of the main thread."""
    if sys.platform == "linux":
        with suppress(OSError):  # users may not raise it
            lower = os.getpriority(os.PRIO_PROCESS, os.getpid()) + above
            os.setpriority(os.PRIO_PROCESS, thread, lower)  # at most 19, says Linux
