"""The locks of the process, and objects that are created once.

**Threads.** A thread that holds a lock takes only locks that come after it in `ORDER`, so no two
threads wait for each other. The lock of llvmlite, which each call of LLVM takes, comes last: code
is unloaded by finalizers, which run anywhere.

**Gates.** Long operations of many concurrent threads take no lock but go through a `Gate`: runs of
onnxruntime (`ENGINE`). A thread inside takes only the last of the locks. So a fork that has all
other locks only waits until the threads inside have left; later threads wait for the fork.

**Forks.** A child made by `os.fork` has only the thread that forked. A lock held by another thread
would be held forever there, and its data would be inconsistent. So `os.fork` waits until it has all
these locks, in their order, and both processes release them: no program is being compiled, loaded
or looked up at that moment. Every lock of this package is one of these, never an object's own
`threading.Lock` (a test checks this).

**Objects that are created once.** `functools.cache` does not lock: threads that miss at the same
time each create an object, and all but one are dropped. If the address of an object is passed on,
or if only one object may exist, `once` is used instead.
"""

from __future__ import annotations

import ctypes
import os
import sys
import time
from collections.abc import Callable
from functools import cache, wraps
from queue import SimpleQueue
from threading import RLock, get_ident
from typing import Any, TypeVar

A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
T = TypeVar("T")

COMPILING = RLock()
"""IR is read or changed, and modules of the compiler are imported (`driver/compiling.py`)."""

WATCHING = RLock()
"""A kernel with the segfault detector runs (`runtime/fault.py`)."""

MAKING = RLock()
"""Held while looking up an object that is created once (`once`), or importing a runtime module."""

KEEPING = RLock()
"""Held while a program looks up or stores data between calls: builds, templates, counters. It is
held briefly: nothing is compiled, loaded or dropped under it.
"""

LOADING = RLock()
"""Object code is brought into memory (`codegen/load.py`)."""


class Gate:
    """Lets any number of threads through, but a fork only if no thread is inside."""

    def __init__(self) -> None:
        self._inside: list[int] = []  # its operations are atomic
        self._closed_by = 0
        self._lock = RLock()

    def run(self, function: Callable[..., T], *arguments: Any) -> T:
        """`function(*arguments)`, with no fork by another thread meanwhile."""
        me = get_ident()
        self._inside.append(
            me
        )  # before the test: either the fork sees this thread, or this thread sees the fork
        try:
            if self._closed_by:
                self._wait(me)
            return function(*arguments)
        finally:
            self._inside.remove(me)

    def run_three(self, function: Callable[[A, B, C], T], first: A, second: B, third: C) -> T:
        """As `run` with three arguments, in a microsecond less: they are not packed."""
        me = get_ident()
        self._inside.append(me)
        try:
            if self._closed_by:
                self._wait(me)
            return function(first, second, third)
        finally:
            self._inside.remove(me)

    def is_busy(self) -> bool:
        """Whether another thread is inside, so that a fork would wait."""
        me = get_ident()
        return any(inside != me for inside in self._inside.copy())

    def _wait(self, me: int) -> None:
        """Leave the gate, and wait until no other thread forks."""
        while self._closed_by not in (0, me):
            self._inside.remove(me)
            try:
                with self._lock:
                    pass
            finally:
                self._inside.append(me)

    def __enter__(self) -> None:
        """Block other threads, and wait until none is inside."""
        self._lock.acquire()
        self._closed_by = get_ident()
        try:
            while self.is_busy():
                time.sleep(1e-4)
        except BaseException:  # such as KeyboardInterrupt
            self.__exit__()
            raise

    def __exit__(self, *_: object) -> None:
        self._closed_by = 0
        self._lock.release()


ENGINE = Gate()
"""onnxruntime sessions are made and run inside it (`runtime/engine/opening.py`, `sessions.py`)."""

ORDER = (COMPILING, WATCHING, MAKING, KEEPING, LOADING)

_taken: dict[int, list[Any]] = {}
"""The locks that a thread has taken for a fork."""


Line = SimpleQueue
"""A queue between threads, which a child made by `os.fork` never uses."""


def new_line() -> Line[Any]:
    """A queue between the threads of streams, or of a compilation."""
    return Line()


def forever(made: T) -> T:
    """Return `made` and keep it forever: its address may be in use until the process ends."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(made))
    return made


def once(make: Callable[[], T]) -> Callable[[], T]:
    """A function that returns the result of the first call of `make`, the same for all threads.

    The object is never freed. An exception is not kept: the next call tries again.
    """
    made: list[T] = []

    def get() -> T:
        with MAKING:
            if not made:
                made.append(forever(make()))
        return made[0]

    return wraps(make)(cache(get))


def once_after(first: Callable[[], object]) -> Callable[[Callable[[], T]], Callable[[], T]]:
    """As `once`; `first` is called before, without the lock, and more than once if threads race.

    It is for work that takes a lock before `MAKING`: building the code of a stub.
    """

    def decorate(make: Callable[[], T]) -> Callable[[], T]:
        made = once(make)

        def get() -> T:
            first()
            return made()

        return wraps(make)(cache(get))

    return decorate


def llvm_lock() -> Any:
    """The lock that llvmlite holds in each call of LLVM; None if LLVM is not loaded.

    A thread may take it several times: for other threads, its calls under the lock are one call.
    """
    ffi: Any = sys.modules.get("llvmlite.binding.ffi")
    return getattr(getattr(ffi, "lib", None), "_lock", None)


def _take_all() -> None:
    taken = _taken[get_ident()] = []
    for lock in (*ORDER, ENGINE, llvm_lock()):
        if lock is not None:
            lock.__enter__()
            taken.append(lock)


def _give_all() -> None:
    for lock in reversed(_taken.pop(get_ident(), [])):
        lock.__exit__(None, None, None)


os.register_at_fork(before=_take_all, after_in_parent=_give_all, after_in_child=_give_all)
