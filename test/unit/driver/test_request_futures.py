"""Futures of requests: what Python and machine code make of them, and who may wait for them."""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, as_completed, wait
from concurrent.futures import TimeoutError as FutureTimeoutError
from time import monotonic, sleep
from typing import Any

import numpy as np
import pytest
from network_programs import FAILING, STREAMS, Blocked, check, feed, mixed_program

from snippets_mlir.driver.networks.plans import Plans
from snippets_mlir.driver.networks.program import Program
from snippets_mlir.runtime.queues import native_line
from snippets_mlir.runtime.queues.pending import Pending


@pytest.fixture(params=["native", "plain"])
def program(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Program]:
    """A program whose streams have a line in machine code, or in Python."""
    if request.param == "plain":
        monkeypatch.setattr(native_line, "can_be_native", lambda: False)
    elif not native_line.can_be_native():
        pytest.skip("machine code cannot read arrays here")
    with mixed_program() as made:
        yield made


@pytest.fixture
def native() -> Iterator[Program]:
    """A program whose streams have a line in machine code."""
    if not native_line.can_be_native():
        pytest.skip("machine code cannot read arrays here")
    with mixed_program() as made:
        yield made


def counted_runs(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The streams that run requests in Python from now on, one after the other."""
    runs: list[int] = []
    run = Plans.run

    def noted(self: Plans, *arguments: Any) -> Any:
        runs.append(id(self))
        return run(self, *arguments)

    monkeypatch.setattr(Plans, "run", noted)
    return runs


def test_python_runs_the_first_request_of_each_stream(
    native: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Machine code runs the others, also after one that has failed."""
    runs = counted_runs(monkeypatch)
    with native.queue(requests=4) as queue:
        futures = [queue.submit(feed(seed, FAILING * (seed % 10 == 9))) for seed in range(100)]
    assert 1 <= len(runs) <= STREAMS + 10  # the first of a stream may be one that fails
    for seed, future in enumerate(futures):
        if seed % 10 == 9:
            assert "out of data bounds" in str(future.exception())
        else:
            check(future.result(), seed)


def test_machine_code_writes_to_arrays_of_the_caller(
    native: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    y, z = (np.zeros((3, 64), np.float32) for _ in range(2))
    strided = np.zeros((3, 128), np.float32)[:, ::2]
    request = native.request()
    for seed in range(3 * STREAMS):
        request.start(feed(seed), {"y": y, "z": z})
        request.wait()
        assert request["y"] is y
        check({"y": y, "z": z}, seed)
    runs = counted_runs(monkeypatch)
    request.start(feed(1), {"y": y, "z": strided})  # machine code refuses it
    request.wait()
    assert len(runs) == 1
    check({"y": y, "z": strided}, 1)


def test_a_result_is_the_same_object_for_all(program: Program) -> None:
    with program.queue(requests=2) as queue:
        future = queue.submit(feed(0))
    assert future.result() is future.result()
    assert future.result() is next(as_completed([future])).result()
    assert future.exception() is None
    assert future.done()
    assert not future.running()
    assert not future.cancelled()


def test_who_waits_before_the_end_is_told(program: Program) -> None:
    told: list[Any] = []
    with program.queue(requests=5) as queue:
        with Blocked(program):
            futures = [queue.submit(feed(seed)) for seed in range(5)]
            with pytest.raises(FutureTimeoutError):
                futures[0].result(0.01)
            assert not wait(futures, 0.01).done
            futures[1].add_done_callback(told.append)
            results: list[Any] = []
            threads = [
                threading.Thread(target=_add_result, args=(results, future))
                for future in futures * 3
            ]
            for thread in threads:
                thread.start()
        assert wait(futures[:1], 300, FIRST_COMPLETED).done
        assert not wait(futures, 300).not_done
        for thread in threads:
            thread.join(300)
        assert len(results) == 15
    assert told == [futures[1]]
    futures[1].add_done_callback(told.append)  # at once
    assert told == [futures[1]] * 2


def test_callbacks_run_without_locks(program: Program) -> None:
    """One may wait for a thread that uses the program."""
    results: list[bool] = []

    def other() -> None:
        network = program.network()
        for name, array in feed(3).items():
            network.set_input(name, array)
        network.execute()

    def callback(_: object) -> None:
        thread = threading.Thread(target=other)
        thread.start()
        thread.join(60)
        results.append(thread.is_alive())

    with program.queue(requests=3) as queue:
        for seed in range(30):
            queue.submit(feed(seed)).add_done_callback(callback)
    while len(results) < 30:
        sleep(0.001)
    assert not any(results)


def test_an_event_loop_waits_for_futures(program: Program) -> None:
    async def results() -> list[Any]:
        with program.queue(requests=8) as queue:
            futures = [asyncio.wrap_future(queue.submit(feed(seed))) for seed in range(8)]
            return [await future for future in futures]

    for seed, result in enumerate(asyncio.run(results())):
        check(result, seed)


def test_errors_are_raised_for_all_who_wait(program: Program) -> None:
    request = program.request()
    for _ in range(2 * STREAMS):
        request.start(feed(0, FAILING))
        for _ in range(2):
            with pytest.raises(ValueError, match="out of data bounds"):
                request.wait(300)
        with pytest.raises(ValueError, match="out of data bounds"):
            request["y"]


def test_arrays_are_dropped_when_nobody_looks(program: Program) -> None:
    """The stream finishes requests when there are no others for a while."""

    def started(seed: int) -> weakref.ref[Any]:
        arrays = feed(seed)
        program.request().start(arrays)
        return weakref.ref(arrays["arg0"])

    kept = [started(seed) for seed in range(20)]
    end = monotonic() + 300
    while any(array() is not None for array in kept):
        assert monotonic() < end
        sleep(0.01)


def test_many_that_ended_are_finished_by_new_ones(native: Program) -> None:
    """With no pause after which a stream would do it."""
    line = native._runner.line  # pyright: ignore[reportPrivateUsage]
    most = 0
    with native.queue(requests=4) as queue:
        for seed in range(500):
            queue.submit(feed(seed))
            most = max(most, len(line.jobs))
    assert most < 40
    assert not line.jobs


def test_a_future_is_one_of_concurrent_futures_only_when_needed(native: Program) -> None:
    with native.queue(requests=2) as queue:
        futures = [queue.submit(feed(seed)) for seed in range(20)]
    for seed, future in enumerate(futures):
        assert isinstance(future, Pending)
        check(future.result(), seed)
        assert "_condition" not in vars(future)
        with pytest.raises(AttributeError):
            getattr(future, "nothing")
        assert "finished" in repr(future)
        assert not future.cancel()


def test_a_failed_request_tells_of_the_steps_before(native: Program) -> None:
    """Not of those that an earlier request has run."""
    request = native.request()
    for _ in range(3 * STREAMS):  # machine code runs them
        request.start(feed(0))
        request.wait()
    whole = len(native.profile())
    for _ in range(3 * STREAMS):
        request.start(feed(0, FAILING))
        with pytest.raises(ValueError, match="out of data bounds"):
            request.wait()
    failed = [row for row in native.profile() if row.stream == native.profile()[0].stream]
    assert 0 < len(failed) < whole


def _add_result(results: list[Any], future: Any) -> None:
    results.append(future.result(300))
