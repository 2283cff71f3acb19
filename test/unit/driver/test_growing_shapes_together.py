"""Calls whose shapes differ each time, by several threads, networks and processes at once."""

from __future__ import annotations

import gc
import os
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest
from growing_decoder import Array, Reference, compiled, decoder, feed

import snippets_mlir
from snippets_mlir.driver.programs.dynamic import DynamicProgram
from snippets_mlir.runtime.memory.pool import KEPT
from snippets_mlir.runtime.parallel import threads
from snippets_mlir.runtime.parallel.crew import cores

pytestmark = pytest.mark.usefixtures("foreign_products")


def test_several_threads_have_shapes_of_their_own() -> None:
    model = decoder()
    reference, program = Reference(model), compiled(model, 1)
    workers = 4
    start = Barrier(workers)

    def calls(worker: int) -> list[tuple[dict[str, Array], dict[str, Array]]]:
        start.wait()
        found: list[tuple[dict[str, Array], dict[str, Array]]] = []
        for past in range(1, 30):
            given = feed(1 + worker % 2, 1, past + worker, seed=past)
            found.append((program.run(given), given))
        return found

    with ThreadPoolExecutor(workers) as pool:
        for results in list(pool.map(calls, range(workers))):
            for found, given in results:
                reference.check(found, given)
    assert len(program.built().program._shared.idle) <= KEPT  # pyright: ignore


def test_networks_and_streams_of_their_own() -> None:
    """Networks of callers take shapes in turn, and streams as they come."""
    model = decoder()
    reference = Reference(model)
    with snippets_mlir.compile_program(model, threads_per_stream=1, mark_skipped="none") as program:
        networks = [program.network() for _ in range(3)]
        for past in (3, 4, 5, 3, 9, 4):
            for number, network in enumerate(networks):
                given = feed(1, 1, past + number, seed=past)
                for name, array in given.items():
                    network.set_input(name, array)
                network.execute()
                found = {name: network.output(name) for name in ("y", "cache_new")}
                reference.check(found, given)
                kinds = {row.kind for row in network.profile()}
                assert {"kernel", "execute"} <= kinds
                assert all(row.end >= row.begin > 0 for row in network.profile())
        request = program.request()
        for past in (3, 30, 4):
            given = feed(1, 1, past)
            request.start(given)
            assert request.wait(300)
            reference.check({name: request[name] for name in ("y", "cache_new")}, given)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_takes_other_shapes() -> None:
    model = decoder()
    reference, program = Reference(model), compiled(model)
    for past in (4, 5):
        program.run(feed(1, 1, past))
    given = {past: feed(1, 1, past, seed=1) for past in (5, 6, 7, 6)}
    wanted = {past: program.run(arrays) for past, arrays in given.items() if past != 7}
    wanted[7] = program.run(given[7])
    reference.check(wanted[7], given[7])
    pid = os.fork()
    if pid == 0:
        right = True
        for past in (9, 5, 6, 7, 6):
            arrays = given.get(past) or feed(1, 1, past)
            found = program.run(arrays)
            right &= past not in wanted or np.array_equal(
                found["y"], wanted[past]["y"], equal_nan=True
            )
        os._exit(0 if right else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


@pytest.mark.skipif(cores() < 2, reason="there is one CPU")
def test_teams_are_those_of_the_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A team rests before a session where one has run a kernel in this call."""
    rests: list[None] = []
    monkeypatch.setattr(threads, "rest", lambda: rests.append(None))
    model = decoder()
    reference, program = Reference(model), compiled(model)
    seen: list[tuple[int, bool]] = []
    for past in (3001, 4, 3000, 5, 2999, 6):
        rests.clear()
        given = feed(2, 1, past, seed=1)
        reference.check(program.run(given), given)
        seen.append((max(program.built().program.teams), bool(rests)))
    assert [team for team, _ in seen] == [2, 1, 2, 1, 2, 1]
    assert [rested for _, rested in seen[1:]] == [False, True, False, True, False]


def test_memory_of_many_shapes_is_bounded() -> None:
    """Neither builds nor networks nor arenas add up; a huge call gives its arena back."""
    model = decoder()
    program = compiled(model)
    assert isinstance(program, DynamicProgram)
    program.run(feed(1, 1, 2))
    program.run(feed(4, 1, 30_000))
    held = program.built().program
    for past in range(3, 300):
        program.run(feed(1, 1, past))
    gc.collect()
    (network,) = held._shared.idle  # pyright: ignore
    small = program.built().program.sizes.places.arena
    assert network.block[1].nbytes <= max(10 * small, 8 << 20) + 64
    assert len(program.known_builds()) <= 16
    assert all(not b.program.arena_bytes() for b in program.known_builds())
