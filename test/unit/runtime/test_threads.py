"""Kernels over threads: arguments, threads of Python, forks, and no runtime."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from inspect import unwrap
from threading import Lock, get_native_id

import pytest
from launches import (
    Call,
    check,
    needs_threads,
    run,
)
from warm_process import run_warm

from snippets_mlir.codegen.locks import once
from snippets_mlir.runtime.parallel import threads
from snippets_mlir.runtime.parallel.native import KERNEL, Args, Runtime
from snippets_mlir.runtime.parallel.openmp_libraries import loaded_runtimes

needs_openmp = pytest.mark.skipif(
    threads._openmp() is None,  # pyright: ignore[reportPrivateUsage]
    reason="there is no OpenMP runtime",
)


@pytest.mark.parametrize("team", [1, 2])
def test_arguments_reach_the_kernel(team: int) -> None:
    seen: list[tuple[int | None, int | None, int | None]] = []

    def kernel(address: int, begin: int, end: int, thread: int) -> None:
        args = Args.from_address(address)
        seen.append((args.data, args.rt, args.scratch))

    function = KERNEL(kernel)
    address = ctypes.cast(function, ctypes.c_void_p).value
    assert address is not None
    threads.launch(address, 8, 16, 24, 2, 1, team)
    assert set(seen) == {(8, 16, 24)}


def test_several_python_threads_launch_at_once() -> None:
    def many(seed: int) -> None:
        for n in range(20):
            domain, team = 1 + (seed * 37 + n * 11) % 200, 1 + n % 3
            calls = run(domain, 4, team)
            check(calls, domain, 4, 1 if len(calls) == 1 else team)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(many, range(4)))


@needs_threads
def test_while_a_team_works_other_python_threads_run_alone() -> None:
    inside: list[Call] = []
    once = Lock()

    def kernel(args: int | None, begin: int, end: int, thread: int) -> None:
        if once.acquire(blocking=False):
            with ThreadPoolExecutor(1) as pool:
                inside.extend(pool.submit(run, 100, 1, 2).result())

    held = KERNEL(kernel)
    address = ctypes.cast(held, ctypes.c_void_p).value
    assert address is not None
    threads.launch(address, 0, 0, 0, 100, 1, 2)
    assert inside == [(0, 100, 0)]
    check(run(100, 1, 2), 100, 1, 2)


def no_crew(size: int) -> None:
    """As `start_crew` where the system starts no threads."""


def in_child(action: Callable[[], None]) -> int:
    """Exit code of `action` in a forked child: 0, or 1 when it raised."""
    pid = os.fork()
    if pid == 0:
        try:
            action()
        except BaseException:
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="issue #2: fork is POSIX")
unwarned = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")


@needs_threads
@forks
@unwarned
def test_a_forked_child_has_a_crew_of_its_own() -> None:
    """Also a child of it, and where another thread ran a kernel when the fork came."""
    check(run(100, 1, 2), 100, 1, 2)
    busy = threads._busy  # pyright: ignore[reportPrivateUsage]

    def works() -> None:
        threads.rest()
        for _ in range(3):
            check(run(100, 1, 2), 100, 1, 2)
            threads.rest()
        assert busy.value == 0

    def action() -> None:
        works()
        assert in_child(works) == 0
        works()

    busy.value = 1
    try:
        assert in_child(action) == 0
    finally:
        busy.value = 0
    check(run(100, 1, 2), 100, 1, 2)


@needs_threads
@forks
@unwarned
@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="the system pins no threads")
def test_the_crew_of_a_process_has_its_cpus_whichever_thread_starts_it() -> None:
    def action() -> None:
        cpus = os.sched_getaffinity(0)
        first = {min(cpus)}
        before = set(os.listdir("/proc/self/task"))

        def pinned() -> None:
            os.sched_setaffinity(0, first)
            check(run(100, 1, 2), 100, 1, 2)
            assert os.sched_getaffinity(0) == first
            started = set(os.listdir("/proc/self/task")) - before - {str(get_native_id())}
            assert len(started) >= len(cpus) - 1
            assert all(os.sched_getaffinity(int(thread)) == cpus for thread in started)

        with ThreadPoolExecutor(1) as pool:
            pool.submit(pinned).result()
        check(run(100, 1, 2), 100, 1, 2)

    assert in_child(action) == 0


@needs_threads
@forks
@unwarned
def test_kernels_that_take_teams_run_alone_in_a_forked_child(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(threads, "_takes_teams", ctypes.c_int32(1))

    def action() -> None:
        assert run(100, 1, 2) == [(0, 100, 0)]
        assert threads.use_openmp()

    assert in_child(action) == 0
    monkeypatch.setattr(threads, "_takes_teams", ctypes.c_int32(0))

    def takes_none() -> None:
        assert not threads.use_openmp()
        check(run(100, 1, 2), 100, 1, 2)

    assert in_child(takes_none) == 0


def test_without_threads_one_thread_does_all_and_it_is_said_once(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    busy = ctypes.c_int32(0)
    monkeypatch.setattr(threads, "_shared", Runtime(0, 0, 0, ctypes.addressof(busy)))
    monkeypatch.setattr(threads, "own_crew", no_crew)
    monkeypatch.setattr(threads, "_openmp", lambda: None)
    monkeypatch.setattr(threads, "tell_missing", once(unwrap(threads.tell_missing)))
    assert not threads.shared_threads()
    assert run(100, 1, 4) == [(0, 100, 0)]
    assert run(10, 1, 1) == [(0, 10, 0)]
    assert run(100, 1, 4) == [(0, 100, 0)]
    sys.stderr.flush()
    assert capfd.readouterr().err.count("no OpenMP runtime was found") == 1


@needs_openmp
def test_a_system_without_crews_has_teams_of_openmp(monkeypatch: pytest.MonkeyPatch) -> None:
    busy = ctypes.c_int32(0)
    monkeypatch.setattr(threads, "_shared", Runtime(0, 0, 0, ctypes.addressof(busy)))
    monkeypatch.setattr(threads, "own_crew", no_crew)
    monkeypatch.setattr(threads, "start_crew", no_crew)
    own = threads.OwnThreads(2)
    for address in (threads.shared_threads(), own.address):
        runtime = Runtime.from_address(address)
        assert runtime.parallel
        assert not runtime.crew
    for _ in range(2):
        check(run(100, 1, 2), 100, 1, 2)
        threads.rest()


@pytest.mark.parametrize(
    ("value", "expected"), [("3", 3), ("3,2", 3), (" 5 ", 5), ("0", None), ("x", None), ("", None)]
)
def test_default_threads_reads_the_variable(
    monkeypatch: pytest.MonkeyPatch, value: str, expected: int | None
) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", value)
    if expected is None:
        expected = len(os.sched_getaffinity(0))
    assert threads.default_threads() == expected


USES_OPENMP = """
import numpy as np
import snippets_mlir
from snippets_mlir.runtime.parallel import threads
T = "tensor<512x4096xf32>"
TEXT = f"func.func @main(%x: {T}) -> {T} {{ %y = snippets.relu %x : {T} func.return %y : {T} }}"
x = np.linspace(-1, 1, 512 * 4096, dtype=np.float32).reshape(512, 4096)
program = snippets_mlir.compile(TEXT, num_threads=2)
right = [(program(x) == np.maximum(x, 0)).all()]
crews = [bool(threads._shared.crew)]
used = threads.use_openmp()
for one in (program, snippets_mlir.compile(TEXT, num_threads=2)):
    right.append((one(x) == np.maximum(x, 0)).all())
    crews.append(bool(threads._shared.crew))
threads.rest()
right.append((program(x) == np.maximum(x, 0)).all())
print(all(right), crews[0] or threads.cores() == 1, used, crews[1:])
"""


@needs_openmp
def test_kernels_take_teams_of_a_runtime_that_others_use() -> None:
    """Also those of programs that ran on the crew before, and all that come after."""
    done = run_warm("-c", USES_OPENMP)
    assert (done.stdout, done.stderr) == ("True True True [False, False]\n", "")


@needs_openmp
@needs_threads
def test_a_second_runtime_leaves_kernels_with_the_crew(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(loaded_runtimes()) >= 1
    monkeypatch.setattr(threads, "loaded_runtimes", lambda: {"libgomp.so.1", "libiomp5.so"})
    assert not threads.use_openmp()
