"""The threads that share kernels with the threads of calls: `codegen/stubs/crew.py`.

They are system threads without Python state, like OpenMP's threads: they run only machine code, and
sleep if there is no work. Signals go to other threads, except signals that an instruction causes.
The crew of the process ends with the process, the crew of a stream with the stream.
"""

from __future__ import annotations

import ctypes
import os
import signal
from collections.abc import Generator
from contextlib import contextmanager, suppress
from time import perf_counter_ns
from typing import Any

from snippets_mlir.codegen.locks import MAKING, forever
from snippets_mlir.codegen.stubs.interface import CREW, LINE, MEMBER
from snippets_mlir.codegen.stubs.objects import stub_object

_CAUSED = {signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGTRAP}
_FUNCTIONS = ("pthread_create", "pthread_join", "sem_init", "sem_wait", "sem_post")

SPINNING = 200_000
"""Nanoseconds that a member waits for the next kernel before it sleeps."""

PATIENCE = 25_000
"""Nanoseconds that the caller waits for members before it yields its core."""

MEASURED = 512
"""The number of pauses that are timed together."""


class Crew:
    """Up to `size` threads, which inherit the CPUs of the thread that starts them.

    They use its memory until they end, by `end` or with the process; it is never freed.

    Attributes:
        address: of the `Crew` of machine code; the members come after it.
        words: its fields.
    """

    def __init__(self, size: int) -> None:
        """Start the threads; `words.size` says how many the system has started."""
        memory = forever((ctypes.c_char * (CREW.bytes + size * MEMBER.bytes + LINE))())
        first = ctypes.addressof(memory)
        self.address = first + -first % LINE
        self.words: Any = CREW.structure.from_address(self.address)
        self._code, self._library = stub_object("launch"), ctypes.CDLL(None)
        self._threads: list[ctypes.c_ulong] = []
        each = pause_nanoseconds()
        self.words.spins, self.words.patience = int(SPINNING / each), int(PATIENCE / each)
        with _without_signals():
            while len(self._threads) < size and self._start(len(self._threads)):
                self.words.size = len(self._threads)

    def _start(self, number: int) -> bool:
        """Start a member; returns whether the system started it."""
        place = self.address + CREW.bytes + number * MEMBER.bytes
        member = MEMBER.structure.from_address(place)
        member.crew, member.index = self.address, number + 1
        semaphore = ctypes.c_void_p(place + MEMBER.offset("semaphore"))
        if self._library.sem_init(semaphore, 0, 0):
            return False
        thread = ctypes.c_ulong()
        main = ctypes.c_void_p(self._code.address("snippets_crew_member"))
        create = self._library.pthread_create
        if create(ctypes.byref(thread), None, main, ctypes.c_void_p(place)):
            return False
        self._threads.append(thread)
        return True

    def end(self) -> None:
        """End the threads, while no kernel runs; later kernels run only on the calling thread."""
        if self._threads:
            end = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self._code.address("snippets_crew_end"))
            end(self.address)
        for thread in self._threads:
            self._library.pthread_join(thread, None)
        self._threads.clear()


_own: list[Crew | None] = []
os.register_at_fork(after_in_child=_own.clear)


def own_crew(size: int) -> Crew | None:
    """The crew of this process, which the first call starts; a child by `os.fork` has its own.

    None with a `size` of 0, or if `start_crew` returns none.
    """
    if not _own:
        stub_object("launch")  # before `MAKING`: building it takes an earlier lock
        with MAKING:
            if not _own:
                _own.append(start_crew(size) if size > 0 else None)
    return _own[0]


def start_crew(size: int) -> Crew | None:
    """A crew of up to `size` threads; None if there are none, because the C library lacks the
    functions or the system refuses.
    """
    library = ctypes.CDLL(None)
    if not all(hasattr(library, name) for name in _FUNCTIONS):
        return None
    crew = Crew(size)
    return crew if crew.words.size else None


def pause_nanoseconds() -> float:
    """The time of one pause of this machine's cores: the least of four measurements."""
    pause = ctypes.CFUNCTYPE(None, ctypes.c_int64)(
        stub_object("launch").address("snippets_crew_pause")
    )
    times: list[int] = []
    for _ in range(4):
        begin = perf_counter_ns()
        pause(MEASURED)
        times.append(perf_counter_ns() - begin)
    return max(min(times), 1) / MEASURED


@contextmanager
def _without_signals() -> Generator[None]:
    """New threads inherit the signals that the calling one blocks."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals() - _CAUSED)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def on_cpus_of_process() -> Generator[None]:
    """New threads inherit the CPUs of the calling thread; here also those of the main thread.

    So a crew of the process has all of them, even if a stream, which has only some, starts it.
    """
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    wanted = before | os.sched_getaffinity(os.getpid())
    if before == wanted:
        yield
        return
    with suppress(OSError):  # the system has taken CPUs away
        os.sched_setaffinity(0, wanted)
    try:
        yield
    finally:
        with suppress(OSError):
            os.sched_setaffinity(0, before)


def cores() -> int:
    """The CPUs that the calling thread may use: the process's CPUs, except in a stream."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1
