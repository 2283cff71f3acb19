"""Requests and queues of `compile_program`: their values, their order and who waits for them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from time import sleep
from typing import Any

import numpy as np
import pytest
from network_programs import (
    COLUMNS,
    FAILING,
    MIXED,
    STREAMS,
    Blocked,
    check,
    feed,
    mixed_program,
    run,
)

from snippets_mlir.driver.networks.program import Program


@pytest.fixture(scope="module")
def program() -> Iterator[Program]:
    with mixed_program() as made:
        yield made


def test_a_request_is_started_again(program: Program) -> None:
    request = program.request()
    for seed in range(3):
        request.start(feed(seed))
        assert request.wait() is True
        assert request.wait(0) is True  # again
        check(request, seed)


def test_outputs_of_the_caller(program: Program) -> None:
    out = {name: np.zeros((3, COLUMNS), np.float32) for name in ("z", "y")}
    request = program.request()
    request.start(feed(4), out)
    request.wait()
    check(out, 4)
    assert request["y"] is out["y"]


def test_a_queue(program: Program) -> None:
    with program.queue(requests=2) as queue:
        futures = [queue.submit(feed(seed)) for seed in range(20)]
    assert all(future.done() for future in futures)
    for seed, future in enumerate(futures):
        check(future.result(), seed)


@pytest.mark.parametrize("requests", [1, 2, 3, 4, 5, 9])
def test_a_queue_has_at_most_so_many_requests(program: Program, requests: int) -> None:
    """A thread that waits in `submit` goes on when some have ended; the same queue again, too."""
    queue = program.queue(requests=requests)
    futures: list[Any] = []

    def submit() -> None:
        futures.extend(queue.submit(feed(seed)) for seed in range(3 * requests + 2))

    for _ in range(2):
        thread = threading.Thread(target=submit)
        with queue:
            with pytest.raises(ValueError, match="missing"):
                queue.submit({})  # takes no place
            with Blocked(program):
                thread.start()
                while queue.running < requests:
                    sleep(0.001)
                sleep(0.005)
                assert queue.running == requests
            thread.join(300)
    assert len(futures) == 2 * (3 * requests + 2)
    assert all(future.done() for future in futures)


def test_a_failing_request_leaves_the_others(program: Program) -> None:
    with program.queue(requests=3) as queue:
        futures = [queue.submit(feed(seed, FAILING * (seed % 3 == 1))) for seed in range(12)]
    for seed, future in enumerate(futures):
        if seed % 3 == 1:
            assert "out of data bounds" in str(future.exception())
        else:
            check(future.result(), seed)


def test_every_stream_gives_the_same_bits() -> None:
    text = MIXED.replace("snippets.negative", "snippets.exp")
    with mixed_program(text) as program:
        with Blocked(program):
            requests = [program.request() for _ in range(4 * STREAMS)]
            for request in requests:
                request.start(feed(1))
        found = {(request.wait(), request["y"].tobytes())[1] for request in requests}
        found.add(run(program.network(), feed(1))["y"].tobytes())
    assert len(found) == 1


def test_many_threads_wait_for_one_request(program: Program) -> None:
    request, seen = program.request(), list[bool]()
    with Blocked(program):
        request.start(feed(1))
        threads = [threading.Thread(target=lambda: seen.append(request.wait())) for _ in range(4)]
        for thread in threads:
            thread.start()
    for thread in threads:
        thread.join()
    assert seen == [True] * 4


def test_a_request_nobody_waits_for(program: Program) -> None:
    with Blocked(program):
        program.request().start(feed(0))
    request = program.request()
    request.start(feed(1))
    request.wait()
    check(request, 1)
