"""The threads that share kernels with the threads of calls: `codegen/stubs/crew.py`.

They are threads of the system without a state of Python, as those of OpenMP are: they run machine
code only, sleep when there is none, and end with the process. Signals go to other threads, but for
those that an instruction causes.
"""

from __future__ import annotations

import ctypes
import os
import signal
from collections.abc import Generator
from contextlib import contextmanager
from time import perf_counter_ns

from snippets_mlir.codegen.locks import MAKING, forever
from snippets_mlir.codegen.stubs.interface import CREW, LINE, MEMBER
from snippets_mlir.codegen.stubs.objects import stub_object

_CAUSED = {signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGTRAP}
_FUNCTIONS = ("pthread_create", "pthread_detach", "sem_init", "sem_wait", "sem_post")

SPINNING = 200_000
"""Nanoseconds for which a member looks for the next kernel before it sleeps."""

PATIENCE = 25_000
"""Nanoseconds for which the caller waits for members before it gives its core to others."""

MEASURED = 512
"""How many pauses are timed at once."""

Crew = CREW.structure
"""Its first fields; the members come after it."""

_own: list[ctypes.Structure | None] = []
os.register_at_fork(after_in_child=_own.clear)


def own_crew(size: int) -> ctypes.Structure | None:
    """The crew of this process, which the first call starts; a child by `os.fork` has its own.

    None with a `size` of 0, or where `start_crew` gives none.
    """
    if not _own:
        stub_object("launch")  # before the lock: building it takes one that comes first
        with MAKING:
            if not _own:
                _own.append(start_crew(size) if size > 0 else None)
    return _own[0]


def start_crew(size: int) -> ctypes.Structure | None:
    """Start up to `size` threads; None where there are none, because a C library has no such
    functions or the system refuses.

    The memory of the crew is there as long as the process.
    """
    library = ctypes.CDLL(None)
    if not all(hasattr(library, name) for name in _FUNCTIONS):
        return None
    memory = forever((ctypes.c_char * (CREW.bytes + size * MEMBER.bytes + LINE))())
    first = ctypes.addressof(memory)
    address = first + -first % LINE
    crew = Crew.from_address(address)
    each = pause_nanoseconds()
    crew.spins, crew.patience = int(SPINNING / each), int(PATIENCE / each)
    main = stub_object("launch").address("snippets_crew_member")
    with _without_signals():
        for number in range(size):
            place = address + CREW.bytes + number * MEMBER.bytes
            if not _start(library, main, place, address, number + 1):
                break
            crew.size = number + 1
    return crew if crew.size else None


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


def _start(library: ctypes.CDLL, main: int, place: int, crew: int, index: int) -> bool:
    """Start the member at an address; whether the system did."""
    member = MEMBER.structure.from_address(place)
    member.crew, member.index = crew, index
    thread = ctypes.c_ulong()
    semaphore = ctypes.c_void_p(place + MEMBER.offset("semaphore"))
    if library.sem_init(semaphore, 0, 0):
        return False
    start, argument = ctypes.c_void_p(main), ctypes.c_void_p(place)
    if library.pthread_create(ctypes.byref(thread), None, start, argument):
        return False
    library.pthread_detach(thread)
    return True


@contextmanager
def _without_signals() -> Generator[None]:
    """New threads inherit the signals that the calling one blocks."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals() - _CAUSED)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def cores() -> int:
    """The CPUs that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1
