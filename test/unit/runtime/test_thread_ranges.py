"""Ranges of a domain that threads have: each element once, balanced, begun at cache lines."""

from __future__ import annotations

import ctypes

import pytest
from launches import (
    Call,
    check,
    crew_of,
    needs_threads,
    parts,
    recording,
    run,
    run_by,
    slices,
)

from snippets_mlir.codegen.stubs.crew_slices import SLICES
from snippets_mlir.codegen.stubs.interface import LEAST_GRAINS, LINE, aligned_word
from snippets_mlir.runtime.parallel import threads


@pytest.mark.parametrize("team", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("grain", [1, 3, 8, 1000])
def test_every_element_is_in_one_range(grain: int, team: int) -> None:
    for domain in (1, 2, 7, 8, 9, 63, 64, 1001):
        check(run(domain, grain, team), domain, grain, team)


@needs_threads
def test_parts_are_balanced() -> None:
    calls = run(103, 1, 4)
    check(calls, 103, 1, 4)
    begins = {begin for begin, _, _ in calls}
    assert begins >= {0, 26, 52, 78}


@needs_threads
def test_a_team_is_not_larger_than_its_chunks() -> None:
    assert [call[:2] for call in run(10, 8, 8)] == [(0, 8), (8, 10)]


@needs_threads
def test_large_domains_do_not_overflow() -> None:
    domain = 2**62 + 1
    check(run(domain, 7, 3), domain, 7, 3)


@needs_threads
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


@needs_threads
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
