"""The threads of a crew: each slice runs once, and nobody waits for one that is late or slow."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from random import Random
from threading import Event
from time import monotonic, sleep
from typing import Any

import pytest
from launches import Call, check, crew_of, needs_threads, run, run_by

from snippets_mlir.codegen.stubs.crew_slices import SLICES
from snippets_mlir.codegen.stubs.interface import CREW, MEMBER
from snippets_mlir.runtime.parallel import threads
from snippets_mlir.runtime.parallel.crew import PATIENCE, SPINNING, pause_nanoseconds
from snippets_mlir.runtime.parallel.native import KERNEL, Runtime, trampoline


def members_of(crew: Any) -> list[Any]:
    first = ctypes.addressof(crew) + CREW.bytes
    kind = MEMBER.structure
    return [kind.from_address(first + i * MEMBER.bytes) for i in range(crew.size)]


def wait_for(condition: Callable[[], bool]) -> None:
    stop = monotonic() + 300
    while not condition():
        assert monotonic() < stop
        sleep(0.001)


@needs_threads
def test_a_crew_that_rests_sleeps_until_the_next_kernel() -> None:
    crew = crew_of(2)
    check(run_by(crew, 64, 1, 3), 64, 1, 3)
    crew.rest = 1
    wait_for(lambda: all(m.asleep for m in members_of(crew)))
    check(run_by(crew, 64, 1, 3), 64, 1, 3)
    assert crew.rest == 0


@needs_threads
def test_a_member_sleeps_after_its_spins() -> None:
    crew = crew_of(1)
    crew.spins = 1 << 62
    check(run_by(crew, 64, 1, 2), 64, 1, 2)
    wait_for(lambda: not members_of(crew)[0].asleep)
    sleep(0.02)
    assert not members_of(crew)[0].asleep
    crew.spins = 0
    wait_for(lambda: bool(members_of(crew)[0].asleep))
    check(run_by(crew, 64, 1, 2), 64, 1, 2)


@needs_threads
def test_spins_are_counted_in_pauses_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pause that takes twice as long makes half as many of them."""
    assert 0.1 < pause_nanoseconds() < 10_000
    for each in (10.0, 20.0):
        monkeypatch.setattr(
            "snippets_mlir.runtime.parallel.crew.pause_nanoseconds", lambda each=each: each
        )
        crew = crew_of(1)
        assert (crew.spins, crew.patience) == (SPINNING / each, PATIENCE / each)


@needs_threads
def test_rest_is_for_the_crew_of_the_process() -> None:
    check(run(64, 1, 2), 64, 1, 2)
    shared = Runtime.from_address(threads.shared_threads())
    threads.rest()
    if shared.crew:
        assert CREW.structure.from_address(shared.crew).rest == 1
    check(run(64, 1, 2), 64, 1, 2)


@needs_threads
@pytest.mark.parametrize("size", [1, 3])
def test_a_crew_runs_each_part_once(size: int) -> None:
    """Teams of more and of fewer threads than the crew has, awake and asleep."""
    crew, random = crew_of(size), Random(size)
    for _ in range(1500):
        domain, team = random.randrange(1, 300), random.randrange(2, 9)
        team = min(team, domain)
        check(run_by(crew, domain, 1, team), domain, 1, team)
        if not random.randrange(100):
            crew.rest = 1
            sleep(0.0005)


@needs_threads
def test_a_member_that_comes_late_is_not_waited_for() -> None:
    """The only member is kept from its part; the caller runs both."""
    crew = crew_of(1)
    (member,) = members_of(crew)
    crew.rest = 1
    wait_for(lambda: bool(member.asleep))
    member.asleep = 0  # so nobody wakes it
    both = [(0, 3), (3, 4), (4, 5), (5, 8), (8, 9), (9, 10)]
    assert run_by(crew, 10, 1, 2) == [(begin, end, 0) for begin, end in both]
    assert member.taken == crew.taken == (crew.word >> 16 << 16) + SLICES


@needs_threads
@pytest.mark.parametrize("slow", [0, 1])
def test_a_thread_that_is_slow_gets_less(slow: int) -> None:
    """It stays in its first slice until the other one has run all others, of both parts."""
    crew, calls, begun, done = crew_of(1), list[Call](), Event(), Event()

    def kernel(args: int | None, begin: int, end: int, thread: int) -> None:
        calls.append((begin, end, thread))
        if thread == slow:
            begun.set()
            assert done.wait(300)
            return
        assert begun.wait(300)
        if sum(thread != slow for *_, thread in calls) == 2 * SLICES - 1:
            done.set()

    busy, compiled = ctypes.c_int32(0), KERNEL(kernel)
    runtime = Runtime(0, 0, 0, ctypes.addressof(busy), ctypes.addressof(crew))
    address = ctypes.cast(compiled, ctypes.c_void_p).value
    trampoline()(ctypes.addressof(runtime), address, 0, 0, 0, 64, 1, 2, 0)
    check(sorted(calls), 64, 1, 2)
    assert [call for call in calls if call[2] == slow] == [(32 * slow, 32 * slow + 16, slow)]


def tasks() -> set[str]:
    """The threads of this process; none where the system does not tell."""
    return set(os.listdir("/proc/self/task")) if os.path.isdir("/proc/self/task") else set()


@needs_threads
@pytest.mark.parametrize("asleep", [False, True])
def test_threads_of_a_crew_end_and_kernels_then_run_alone(asleep: bool) -> None:
    before = tasks()
    own = threads.OwnThreads(4)
    runtime = Runtime.from_address(own.address)
    crew = CREW.structure.from_address(runtime.crew)
    check(run_by(crew, 64, 1, 4), 64, 1, 4)
    assert not before or len(tasks() - before) == 3
    if asleep:
        own.rest()
        wait_for(lambda: all(m.asleep for m in members_of(crew)))
    own.end()
    own.end()
    wait_for(lambda: not tasks() - before)
    calls = run_by(crew, 64, 1, 4)
    check(calls, 64, 1, 4)
    assert {thread for *_, thread in calls} == {0}
