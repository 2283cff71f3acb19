"""Kernels on several threads: a crew for this process, and one for each stream.

`launch` splits the parallel domain of a kernel into ranges, one per thread, each a multiple of the
grain except the last. The threads are a crew (`crew.py`). A thread takes its range slice by slice,
and continues with slices of other ranges when it is done, so a busy core does not delay a kernel.
With one thread, or without a crew, the kernel runs on the calling thread. Concurrent calls from
several Python threads are safe: the first call has the crew of the process, and calls during its
work run alone. Streams have their own cores and their own crew. The crew of the process has the
CPUs of the main thread and of the thread that starts it.

A child made by `os.fork` gets its own crew when a program needs one that it compiles, reopens a
session of, or calls with new sizes. Until then its kernels run alone.

The threads spin after a kernel, so that the next kernel starts at once. `rest` ends the spinning if
other threads need the cores next. Code between kernels that uses OpenMP, such as PyTorch, also
leaves a spinning team, and a crew would share the cores with it. `use_openmp` therefore runs
kernels on that team, by `GOMP_parallel` of libgomp or libiomp5 (of the system, or of the PyPI
package `intel-openmp`). Kernels also use OpenMP if the system has no threads for a crew. In a child
made by `os.fork` OpenMP waits for the threads of the parent, so a child takes no teams.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable

from snippets_mlir.codegen.locks import forever, once
from snippets_mlir.codegen.stubs.interface import CREW
from snippets_mlir.runtime.parallel.crew import cores, on_cpus_of_process, own_crew, start_crew
from snippets_mlir.runtime.parallel.native import (
    Args,
    Runtime,
    range_runner,
    trampoline,
)
from snippets_mlir.runtime.parallel.openmp_libraries import libraries, loaded_runtimes

_NAMES = ("GOMP_parallel", "omp_get_thread_num", "omp_get_num_threads")

MAX_CREW = 1023
"""Threads of a crew at most: a kernel has up to 1024."""

SOFT_PAUSE = 1
"""`omp_pause_soft` of `omp.h`."""

_forked = forever(ctypes.c_int32(0))
_child = forever(ctypes.c_int32(0))
_busy = forever(ctypes.c_int32(0))
_takes_teams = forever(ctypes.c_int32(0))
_shared = forever(Runtime(0, 0, 0, ctypes.addressof(_busy)))


def _after_fork() -> None:
    _forked.value = _child.value = 1
    _busy.value = 0  # a thread of the parent ran a kernel


os.register_at_fork(after_in_child=_after_fork)


@once
def _openmp() -> tuple[tuple[int | None, ...], ctypes.CDLL] | None:
    """Functions and handle of the first runtime that has all three functions."""
    for name in libraries():
        try:
            library = ctypes.CDLL(name)
            addresses = [ctypes.cast(getattr(library, f), ctypes.c_void_p) for f in _NAMES]
        except (OSError, AttributeError):
            continue
        return tuple(a.value for a in addresses), library
    return None


def _take_openmp(runtime: Runtime) -> bool:
    """Let kernels use teams of the OpenMP runtime; returns whether this process has one."""
    found = None if _child.value else _openmp()
    if found is not None:
        runtime.parallel, runtime.thread_num, runtime.num_threads = found[0]
        runtime.crew = 0
    return found is not None


def shared_threads() -> int:
    """Address of the `Runtime` for calls outside of streams; 0 if kernels run on one thread.

    In a child made by `os.fork`, this starts the crew.
    """
    if _takes_teams.value or (_shared.crew and not _forked.value):
        return ctypes.addressof(_shared)
    with on_cpus_of_process():
        crew = own_crew(min(max(cores(), default_threads()) - 1, MAX_CREW))
    if crew is not None:
        _shared.crew = crew.address
        _forked.value = 0
    elif not _take_openmp(_shared):
        return 0
    return ctypes.addressof(_shared)


def use_openmp() -> bool:
    """Let kernels outside of streams use the teams of the OpenMP runtime that others use.

    They do so from now on if it is the only loaded runtime. Returns whether they do.
    """
    if not _takes_teams.value and _openmp() is not None and len(loaded_runtimes()) == 1:
        _takes_teams.value = _take_openmp(_shared)
    return bool(_takes_teams.value)


class OwnThreads:
    """Threads for kernels of a thread that has its own cores: a stream.

    They have the CPUs of the thread that starts them, and their own flag, so that a kernel of
    another stream does not make a kernel run alone.

    Attributes:
        address: of a `Runtime`; 0 if kernels run on one thread.
    """

    def __init__(self, size: int) -> None:
        """Start the threads for teams of `size` threads, including the calling thread."""
        self._busy = ctypes.c_int32(0)
        self._runtime = Runtime(0, 0, 0, ctypes.addressof(self._busy))
        self._crew = start_crew(size - 1) if size > 1 else None
        if self._crew is not None:
            self._runtime.crew = self._crew.address
        several = self._crew is not None or (size > 1 and _take_openmp(self._runtime))
        self.address = ctypes.addressof(self._runtime) if several else 0

    def rest(self) -> None:
        """As `rest`, of these threads; the calling thread has run their last kernel."""
        _rest(self._runtime)

    def end(self) -> None:
        """End them; later kernels run on one thread."""
        if self._crew is not None:
            self._crew.end()


SHARED_NANOSECONDS = 6000
"""The least time of a kernel on one thread for which several threads run it."""

BYTES_PER_NANOSECOND = 55
"""The rate at which one core reads and writes its second-level cache."""

SHARED_BYTES = SHARED_NANOSECONDS * BYTES_PER_NANOSECOND
"""Bytes that a kernel has to touch before more than one thread runs it, however cheap it is."""


def forked_flag(*, of_stream: bool = False) -> int:
    """Address of an `int32_t` that is not 0 if no team may be started.

    This is the case in a child made by `os.fork`: until it has a crew, and always for streams.
    """
    return ctypes.addressof(_child if of_stream else _forked)


def default_threads() -> int:
    """`OMP_NUM_THREADS` when it is a number, else the CPUs this process may use."""
    named = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    if named.isdecimal() and int(named) > 0:
        return int(named)
    return cores()


@once
def _pause() -> Callable[[int], int] | None:
    """`omp_pause_resource_all` of the runtime in use (OpenMP 5.0), None if it is missing."""
    found = _openmp()
    return None if found is None else getattr(found[1], "omp_pause_resource_all", None)


def rest() -> None:
    """End the spinning of the threads of calls outside of streams.

    A crew spins for 0.2 ms, libgomp's threads for 300,000 pauses, 7 ms on Zen 4, before they sleep.
    Threads of another pool that compute meanwhile, such as onnxruntime's, share the cores with
    them.
    """
    if not _forked.value:
        _rest(_shared)


def _rest(runtime: Runtime) -> None:
    if runtime.crew:
        CREW.structure.from_address(runtime.crew).rest = 1
    elif runtime.parallel and not _child.value and (pause := _pause()) is not None:
        pause(SOFT_PAUSE)


@once
def tell_missing() -> None:
    """Warn on standard error, once, that kernels have no threads; not in a child of a fork."""
    if _child.value:
        return
    print(
        "snippets_mlir: the system starts no threads for kernels, and no OpenMP runtime was found "
        "(libgomp, libiomp5); kernels run on one thread. "
        "Install libgomp1, or the extra snippets-mlir[openmp].",
        file=sys.stderr,
    )


def team_for(touched: int, threads: int, computing: float = 0.0) -> int:
    """The number of threads, at most `threads`, that share a kernel.

    It reads and writes `touched` bytes, and computes for about `computing` nanoseconds on one
    thread. Waking a team and waiting for it costs 2 to 4 microseconds; sharing pays off from
    6 on (docs/kernels.md), and below that one thread is faster, on a busy machine by far.
    """
    needed = max(touched / BYTES_PER_NANOSECOND, computing)
    return 1 if needed < SHARED_NANOSECONDS else threads


def launch(
    kernel: int,
    data: int,
    rt: int,
    scratch: int,
    domain: int,
    grain: int,
    threads: int,
    aligned: int = 0,
) -> None:
    """Run the kernel at address `kernel` over `[0, domain)` on up to `threads` threads.

    `data`, `rt` and `scratch` are addresses (0 for none); scratch holds the scratchpads of
    `threads` threads. Each call of the kernel gets a range whose ends are multiples of `grain`, or
    `domain`, and the number of its thread, below `threads`; with `aligned` not 0, ranges may begin
    at a cache line (`codegen/stubs/ranges.py`). An empty domain calls nothing. Raises ValueError
    for a grain or a number of threads below 1.
    """
    if grain < 1 or threads < 1:
        raise ValueError(f"expected a grain and threads of 1 or more, found {grain}, {threads}")
    if domain <= 0:
        return
    team = min(threads, -(-domain // grain))
    shared = shared_threads() if team > 1 else 0
    if shared and not _forked.value:
        trampoline()(shared, kernel, data, rt, scratch, domain, grain, team, aligned)
        return
    if team > 1 and not shared:
        tell_missing()
    args = Args(data, rt, scratch)
    range_runner()(kernel, ctypes.addressof(args), 0, domain, 0, grain, aligned)
