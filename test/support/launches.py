"""Ranges of kernels that threads run, as noted, and what they have to be: slices of parts."""

from __future__ import annotations

import ctypes
from itertools import pairwise
from typing import Any

import pytest

from snippets_mlir.codegen.stubs.crew_slices import SLICES
from snippets_mlir.runtime.parallel import threads
from snippets_mlir.runtime.parallel.crew import start_crew
from snippets_mlir.runtime.parallel.native import KERNEL, Runtime, trampoline

needs_threads = pytest.mark.skipif(threads.cores() < 2, reason="there is one CPU")
Call = tuple[int, int, int]


def recording(calls: list[Call]) -> ctypes._CFunctionType:  # pyright: ignore[reportPrivateUsage]
    """A kernel in Python that notes its ranges; ctypes takes the GIL for it."""

    def kernel(args: int | None, begin: int, end: int, thread: int) -> None:
        calls.append((begin, end, thread))

    return KERNEL(kernel)


def run(domain: int, grain: int, team: int) -> list[Call]:
    calls: list[Call] = []
    kernel = recording(calls)
    address = ctypes.cast(kernel, ctypes.c_void_p).value
    assert address is not None
    threads.launch(address, 0, 0, 0, domain, grain, team)
    return sorted(calls)


def slices(begin: int, chunks: int) -> list[tuple[int, int]]:
    """The chunks of the slices of a part: half of it, a quarter and so on, none without chunks."""
    ends = [chunks - (chunks >> number) for number in range(SLICES)]
    places = [begin + end for end in (*ends, chunks)]
    return [(at, then) for at, then in pairwise(places) if at != then]


def parts(domain: int, grain: int, team: int) -> list[tuple[int, int]]:
    """Where each thread's part begins, and how many chunks it has."""
    chunks = -(-domain // grain)
    each, more = divmod(chunks, team)
    return [(each * t + min(t, more), each + (t < more)) for t in range(team)]


def check(calls: list[Call], domain: int, grain: int, team: int) -> None:
    """Each element is in one call, which has slices of one part."""
    at = 0
    team = max(1, min(team, -(-domain // grain)))
    inside = [slices(*part) for part in parts(domain, grain, team)]
    starts = {begin * grain for part in inside for begin, _ in part}
    whole = {begin * grain for begin, _ in parts(domain, grain, team)}
    for begin, end, thread in calls:
        assert begin == at < end
        assert begin in starts
        assert end in starts or end == domain
        assert not any(begin < of_part < end for of_part in whole)
        assert 0 <= thread < team
        at = end
    assert at == domain


def crew_of(size: int) -> Any:
    """A crew of its own, which no other test uses."""
    crew = start_crew(size)
    assert crew is not None
    return crew.words


def run_by(
    crew: Any, domain: int, grain: int, team: int, data: int = 0, aligned: int = 0
) -> list[Call]:
    busy, calls = ctypes.c_int32(0), list[Call]()
    runtime = Runtime(0, 0, 0, ctypes.addressof(busy), ctypes.addressof(crew))
    kernel = recording(calls)
    address = ctypes.cast(kernel, ctypes.c_void_p).value
    trampoline()(ctypes.addressof(runtime), address, data, 0, 0, domain, grain, team, aligned)
    assert busy.value == 0
    return sorted(calls)
