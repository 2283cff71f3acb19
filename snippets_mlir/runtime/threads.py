"""Kernels on several threads: a crew of this process, and in streams an OpenMP runtime.

`launch` splits the parallel domain of a kernel into ranges, one a thread, each a multiple of the
grain but the last. The threads are a crew of this process (`crew.py`). A thread takes its range
slice by slice, and goes on with slices of other ranges when it is done, so a busy core does not
hold a kernel up. Streams, which have their cores to themselves, take teams of `GOMP_parallel` of
libgomp or libiomp5 (of the system, or of the PyPI package `intel-openmp`). Without such a library,
or with one thread, the kernel runs on the calling thread. Calls from several Python threads at once
are safe: the first one has the crew, those that come while it works run alone.

A child made by `os.fork` gets a crew of its own when a program that it compiles, opens a session of
again, or calls with new sizes has work for one; kernels run alone until then. OpenMP waits for the
threads of the parent there, so a child takes no teams.

The threads spin after a kernel, so that the next kernel starts at once. `rest` ends that when
other threads need the cores next. What computes between kernels with OpenMP, as PyTorch does,
leaves a team that spins, too, with which a crew would share the cores: `use_openmp` has kernels
take that team.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable
from weakref import WeakSet

from snippets_mlir.codegen.locks import forever, once
from snippets_mlir.runtime.crew import cores, own_crew
from snippets_mlir.runtime.native import (
    Args,
    Runtime,
    aligned_launch_address,
    launch_address,
    range_runner,
    trampoline,
)
from snippets_mlir.runtime.openmp_libraries import libraries, loaded_runtimes

_NAMES = ("GOMP_parallel", "omp_get_thread_num", "omp_get_num_threads")

MAX_CREW = 1023
"""Threads of a crew at most: a kernel has up to 1024."""

SOFT_PAUSE = 1
"""`omp_pause_soft` of `omp.h`."""

_forked = forever(ctypes.c_int32(0))
_child = forever(ctypes.c_int32(0))
_busy = forever(ctypes.c_int32(0))
_takes_teams = forever(ctypes.c_int32(0))


def _after_fork() -> None:
    _forked.value = _child.value = 1
    _busy.value = 0  # a thread of the parent ran a kernel


os.register_at_fork(after_in_child=_after_fork)


def _crew() -> ctypes.Structure | None:
    """The crew of this process; None with one CPU, or where the system has no such threads."""
    return own_crew(min(max(cores(), default_threads()) - 1, MAX_CREW))


def _shared() -> Runtime | None:
    """The functions and the crew for calls outside of streams; None without an OpenMP runtime."""
    found = _found()
    if found is None:
        return None
    runtime = found[1]
    needed = _forked.value or not runtime.crew
    if needed and not _takes_teams.value and (crew := _crew()) is not None:
        runtime.crew = ctypes.addressof(crew)
        _forked.value = 0
    return runtime


def use_openmp() -> bool:
    """From now on kernels take teams of the OpenMP runtime, if others of the process use it, too.

    They do if it is the only one that is loaded. Returns whether kernels take teams.
    """
    found = None if _child.value else _found()
    if not _takes_teams.value and found is not None and len(loaded_runtimes()) == 1:
        _takes_teams.value = 1
        found[1].crew = 0
    return bool(_takes_teams.value)


@once
def _found() -> tuple[str, Runtime, ctypes.CDLL] | None:
    """Name, functions and handle of the first runtime that has all three functions."""
    for name in libraries():
        try:
            library = ctypes.CDLL(name)
            addresses = [ctypes.cast(getattr(library, f), ctypes.c_void_p) for f in _NAMES]
        except (OSError, AttributeError):
            continue
        return name, Runtime(*(a.value for a in addresses), ctypes.addressof(_busy)), library
    return None


_own_teams: WeakSet[OwnTeam] = WeakSet()


class OwnTeam:
    """The OpenMP runtime for threads that share their cores with no others: streams.

    Its flag is its own, so a team of another stream does not make a kernel run alone.

    Attributes:
        address: of a `Runtime`; 0 without an OpenMP runtime.
    """

    def __init__(self) -> None:
        found = _found()
        _own_teams.add(self)
        self._busy = ctypes.c_int32(0)
        self._runtime = None
        self.address = 0
        if found is not None:
            shared = found[1]
            functions = shared.parallel, shared.thread_num, shared.num_threads
            self._runtime = Runtime(*functions, ctypes.addressof(self._busy))
            self.address = ctypes.addressof(self._runtime)


SHARED_NANOSECONDS = 6000
"""The least time of a kernel on one thread for which several threads run it."""

BYTES_PER_NANOSECOND = 55
"""The rate at which one core reads and writes its second-level cache."""

SHARED_BYTES = SHARED_NANOSECONDS * BYTES_PER_NANOSECOND
"""Bytes that a kernel has to touch before more than one thread runs it, however cheap it is."""


def openmp_runtime() -> str | None:
    """Name or path of the OpenMP runtime in use, None when there is none."""
    found = _found()
    return None if found is None else found[0]


def team_functions() -> tuple[int, int] | None:
    """Addresses of the runtime's functions and of `snippets_launch`, None without a runtime."""
    shared = _shared()
    return None if shared is None else (ctypes.addressof(shared), launch_address())


def aligned_team_functions() -> tuple[int, int] | None:
    """As `team_functions`, with `snippets_launch_aligned`."""
    shared = _shared()
    return None if shared is None else (ctypes.addressof(shared), aligned_launch_address())


def forked_flag(*, of_stream: bool = False) -> int:
    """Address of an `int32_t` that is not 0 where no team may be started.

    So it is in a child made by `os.fork`: until it has a crew, and always for streams.
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
    """`omp_pause_resource_all` of the runtime in use (OpenMP 5.0), None where it lacks it."""
    found = _found()
    return None if found is None else getattr(found[2], "omp_pause_resource_all", None)


def rest() -> None:
    """End the spinning of the crew, and of the calling thread's team if it is a stream's.

    A crew spins for 0.2 ms, libgomp's threads for 300,000 pauses, 7 ms on Zen 4, before they sleep.
    Threads of another pool that compute meanwhile, those of onnxruntime for example, share the
    cores with them.
    """
    if _forked.value:
        return
    if (crew := _crew()) is not None:
        crew.rest = 1
    spins = not _child.value and (crew is None or _own_teams or _takes_teams.value)
    if spins and (pause := _pause()) is not None:
        pause(SOFT_PAUSE)


@once
def tell_missing() -> None:
    """Say on standard error, once, that there is no OpenMP runtime."""
    print(
        "snippets_mlir: no OpenMP runtime found (libgomp, libiomp5); kernels run on one thread. "
        "Install libgomp1, or the extra snippets-mlir[openmp].",
        file=sys.stderr,
    )


def team_for(touched: int, threads: int, computing: float = 0.0) -> int:
    """How many of `threads` threads share a kernel.

    It reads and writes `touched` bytes, and computes for about `computing` nanoseconds on one
    thread. Waking a team and waiting for it costs 2 to 4 microseconds; sharing pays off from
    6 on (docs/kernels.md), and below that, on a busy machine by far, one thread is faster.
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
    shared = _shared() if team > 1 else None
    if shared is not None and not _forked.value:
        openmp = ctypes.addressof(shared)
        trampoline()(openmp, kernel, data, rt, scratch, domain, grain, team, aligned)
        return
    if team > 1 and shared is None:
        tell_missing()
    args = Args(data, rt, scratch)
    range_runner()(kernel, ctypes.addressof(args), 0, domain, 0, grain, aligned)
