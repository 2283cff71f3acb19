"""Kernels over threads: each element once, for odd domains, grains and teams; forks, no runtime."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from inspect import unwrap
from threading import Lock

import pytest
from launches import (
    Call,
    check,
    crew_of,
    needs_openmp,
    parts,
    recording,
    run,
    run_by,
    slices,
)
from warm_process import run_warm

from snippets_mlir.codegen.locks import once
from snippets_mlir.codegen.stubs.crew import SLICES
from snippets_mlir.codegen.stubs.interface import LEAST_GRAINS, LINE, aligned_word
from snippets_mlir.runtime import threads
from snippets_mlir.runtime.native import KERNEL, Args
from snippets_mlir.runtime.openmp_libraries import loaded_runtimes


@pytest.mark.parametrize("team", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("grain", [1, 3, 8, 1000])
def test_every_element_is_in_one_range(grain: int, team: int) -> None:
    for domain in (1, 2, 7, 8, 9, 63, 64, 1001):
        check(run(domain, grain, team), domain, grain, team)


@needs_openmp
def test_parts_are_balanced() -> None:
    calls = run(103, 1, 4)
    check(calls, 103, 1, 4)
    begins = {begin for begin, _, _ in calls}
    assert begins >= {0, 26, 52, 78}


@needs_openmp
def test_a_team_is_not_larger_than_its_chunks() -> None:
    assert [call[:2] for call in run(10, 8, 8)] == [(0, 8), (8, 10)]


@needs_openmp
def test_large_domains_do_not_overflow() -> None:
    domain = 2**62 + 1
    check(run(domain, 7, 3), domain, 7, 3)


@needs_openmp
@pytest.mark.parametrize("domain", [1 << 17, (1 << 17) + 37, 1 << 20])
def test_a_part_has_few_slices_however_long(domain: int) -> None:
    for _ in range(2):
        calls = run_by(crew_of(1), domain, 32, 2)
        check(calls, domain, 32, 2)
        assert len(calls) == 2 * SLICES


def aligned_calls(start: int, domain: int, grain: int, team: int, size: int) -> list[Call]:
    """The calls for a kernel with an array at address `start`, number 1 of its arrays, in order."""
    calls: list[Call] = []
    kernel = recording(calls)
    address = ctypes.cast(kernel, ctypes.c_void_p).value
    assert address is not None
    data = (ctypes.c_void_p * 2)(1, start)
    word = aligned_word([1, size])
    threads.launch(address, ctypes.addressof(data), 0, 0, domain, grain, team, word)
    return calls


def check_range(calls: list[Call], start: int, grain: int, size: int) -> None:
    """The calls of one thread: a head, the aligned part, and what is left."""
    (begin, head_end, _), (at, stop, _), (last, end, _) = calls
    assert (begin % grain, head_end - begin) == (0, grain)
    assert begin < at < head_end
    assert (start + size * at) % LINE == 0
    assert (stop - at) % grain == 0
    assert last % grain == 0
    assert last <= stop < last + grain <= end < last + 2 * grain


@pytest.mark.parametrize("size", [4, 8])
@pytest.mark.parametrize("offset", range(4, 64, 4))
def test_a_range_is_begun_at_a_cache_line(offset: int, size: int) -> None:
    """Each element once or twice, by one thread; the tail of the domain only by the last call."""
    grain = 64 // size
    for whole, left in ((LEAST_GRAINS, 0), (LEAST_GRAINS + 1, 1), (3 * LEAST_GRAINS, grain - 1)):
        domain = whole * grain + left
        calls = aligned_calls(1 << 20 | offset, domain, grain, 1, size)
        if offset % size:
            assert calls == [(0, domain, 0)]
            continue
        assert len(calls) == 3
        check_range(calls, 1 << 20 | offset, grain, size)
        assert (calls[0][0], calls[-1][1]) == (0, domain)


@pytest.mark.parametrize("team", [1, 2, 3])
def test_short_ranges_and_aligned_arrays_are_one_call(team: int) -> None:
    for start, grains in ((64, LEAST_GRAINS), (80, LEAST_GRAINS - 1), (82, LEAST_GRAINS)):
        calls = aligned_calls(start, team * grains * 16, 16, team, 4)
        check(sorted(calls), team * grains * 16, 16, team)
        assert len(calls) <= (1 if team == 1 else team * SLICES)


@needs_openmp
@pytest.mark.parametrize("domain", [1 << 17, (1 << 17) + 37, (4 * LEAST_GRAINS + 4) * 16 + 5])
def test_every_long_slice_begins_at_a_cache_line(domain: int) -> None:
    for start in (80, 124):
        data = (ctypes.c_void_p * 2)(1, start)
        word = aligned_word([1, 4])
        calls = run_by(crew_of(1), domain, 16, 2, ctypes.addressof(data), word)
        expected = [at for part in parts(domain, 16, 2) for at in slices(*part)]
        for first, last in expected:
            begin, end = first * 16, min(last * 16, domain)
            own = [call for call in calls if begin <= call[0] < end]
            if (end - begin) // 16 < LEAST_GRAINS:
                assert [call[:2] for call in own] == [(begin, end)]
                continue
            assert len(own) == 3
            assert len({thread for _, _, thread in own}) == 1
            check_range(own, start, 16, 4)
            assert (own[0][0], own[-1][1]) == (begin, end)


@pytest.mark.parametrize("domain", [0, -1])
def test_an_empty_domain_calls_nothing(domain: int) -> None:
    assert run(domain, 1, 4) == []


@pytest.mark.parametrize(("grain", "team"), [(0, 1), (1, 0), (-3, 2)])
def test_grain_and_team_are_checked(grain: int, team: int) -> None:
    with pytest.raises(ValueError, match="expected a grain and threads of 1 or more"):
        threads.launch(0, 0, 0, 0, 8, grain, team)


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


@needs_openmp
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


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="issue #2: fork is POSIX")
def test_a_forked_child_runs_on_one_thread() -> None:
    check(run(100, 1, 2), 100, 1, 2)

    def action() -> None:
        assert run(100, 1, 2) == [(0, 100, 0)]

    assert in_child(action) == 0
    check(run(100, 1, 2), 100, 1, 2)


def test_without_a_runtime_one_thread_does_all_and_it_is_said_once(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(threads, "_found", lambda: None)
    monkeypatch.setattr(threads, "tell_missing", once(unwrap(threads.tell_missing)))
    assert threads.openmp_runtime() is None
    assert run(100, 1, 4) == [(0, 100, 0)]
    assert run(10, 1, 1) == [(0, 10, 0)]
    assert run(100, 1, 4) == [(0, 100, 0)]
    sys.stderr.flush()
    assert capfd.readouterr().err.count("no OpenMP runtime found") == 1


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
from snippets_mlir.runtime import threads
T = "tensor<512x4096xf32>"
TEXT = f"func.func @main(%x: {T}) -> {T} {{ %y = snippets.relu %x : {T} func.return %y : {T} }}"
x = np.linspace(-1, 1, 512 * 4096, dtype=np.float32).reshape(512, 4096)
program = snippets_mlir.compile(TEXT, num_threads=2)
right = [(program(x) == np.maximum(x, 0)).all()]
crews = [bool(threads._shared().crew)]
used = threads.use_openmp()
for one in (program, snippets_mlir.compile(TEXT, num_threads=2)):
    right.append((one(x) == np.maximum(x, 0)).all())
    crews.append(bool(threads._shared().crew))
threads.rest()
right.append((program(x) == np.maximum(x, 0)).all())
print(all(right), crews[0] or threads._crew() is None, used, crews[1:])
"""


@needs_openmp
def test_kernels_take_teams_of_a_runtime_that_others_use() -> None:
    """Also those of programs that ran on the crew before, and all that come after."""
    done = run_warm("-c", USES_OPENMP)
    assert (done.stdout, done.stderr) == ("True True True [False, False]\n", "")


@needs_openmp
def test_a_second_runtime_leaves_kernels_with_the_crew(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(loaded_runtimes()) >= 1
    monkeypatch.setattr(threads, "loaded_runtimes", lambda: {"libgomp.so.1", "libiomp5.so"})
    assert not threads.use_openmp()
