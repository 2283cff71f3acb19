"""Queues of requests that threads share, leave or interrupt, and futures in a child."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import TimeoutError as FutureTimeoutError
from functools import partial
from time import sleep
from typing import Any

import pytest
from network_programs import Blocked, check, feed, mixed_program
from sampled import ALL

from snippets_mlir.driver.networks.program import Program
from snippets_mlir.runtime.queues import native_line

EACH = 40 if ALL else 20
"""Requests of one of the threads that share a queue."""


@pytest.fixture(params=["native", "plain"])
def program(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Program]:
    """A program whose streams have a line in machine code, or in Python."""
    if request.param == "plain":
        monkeypatch.setattr(native_line, "can_be_native", lambda: False)
    elif not native_line.can_be_native():
        pytest.skip("machine code cannot read arrays here")
    with mixed_program() as made:
        yield made


@pytest.mark.parametrize("requests", [1, 3, 6])
def test_threads_share_a_queue(program: Program, requests: int) -> None:
    """Each one waits for a place of its own; the last one that waits is woken, too."""
    found: dict[int, Any] = {}
    most: list[int] = []
    with program.queue(requests=requests) as queue:

        def submit(first: int) -> None:
            for seed in range(first, first + EACH):
                found[seed] = queue.submit(feed(seed))
                most.append(queue.running)

        threads = [threading.Thread(target=submit, args=(EACH * i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(300)
    assert len(found) == 4 * EACH
    assert max(most) <= requests
    for seed, future in found.items():
        check(future.result(), seed)


def test_a_thread_that_waits_when_the_queue_is_left(program: Program) -> None:
    """It gets no place any more, and the end does not wait for it."""
    errors: list[str] = []
    queue = program.queue(requests=1)

    def submit() -> None:
        try:
            queue.submit(feed(1))
        except RuntimeError as error:
            errors.append(str(error))

    threads = [threading.Thread(target=submit) for _ in range(3)]
    blocked = Blocked(program)
    with queue:
        blocked.__enter__()
        first = queue.submit(feed(0))
        for thread in threads:
            thread.start()
        while queue._waiting < 3:  # pyright: ignore[reportPrivateUsage]
            sleep(0.001)
        threading.Timer(0.05, blocked.__exit__).start()
    for thread in threads:
        thread.join(300)
    assert len(errors) == 3
    assert all("the queue is closed" in error for error in errors)
    check(first.result(), 0)
    with queue:
        check(queue.submit(feed(2)).result(), 2)


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="needs signals of threads")
def test_a_signal_interrupts_a_thread_that_waits(program: Program) -> None:
    """The queue may be used again. A process in the background may ignore the signal at first."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        _interrupt(program)
    finally:
        signal.signal(signal.SIGINT, before)


def _interrupt(program: Program) -> None:
    with program.queue(requests=1) as queue:
        with Blocked(program):
            queue.submit(feed(0))
            main = threading.get_ident()
            interrupt = partial(signal.pthread_kill, main, signal.SIGINT)
            timer = threading.Timer(0.05, interrupt)
            timer.start()
            with pytest.raises(KeyboardInterrupt):
                queue.submit(feed(1))
            timer.join()
        check(queue.submit(feed(2)).result(), 2)
    assert queue.running == 0


def test_a_queue_that_is_never_left(program: Program) -> None:
    """Its requests end, and streams do not touch what is gone."""
    queue = program.queue(requests=2)
    queue.__enter__()
    futures = [queue.submit(feed(seed)) for seed in range(10)]
    del queue
    for seed, future in enumerate(futures):
        check(future.result(300), seed)


def test_far_more_requests_than_streams(program: Program) -> None:
    requests = [program.request() for _ in range(1000 if ALL else 400)]
    with Blocked(program):
        for seed, request in enumerate(requests):
            request.start(feed(seed))
    for seed, request in enumerate(requests):
        assert request.wait(300)
        check(request, seed)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_looks_at_futures_of_its_parent(program: Program) -> None:
    with program.queue(requests=3) as queue:
        ended = queue.submit(feed(0))
        ended.result()
        with Blocked(program):
            running = queue.submit(feed(1))
            pid = os.fork()
            if pid == 0:
                _end_child(ended, running)
            assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    check(running.result(), 1)


def _end_child(ended: Any, running: Any) -> None:
    """End with 0 if the child sees what it should."""
    code = 1
    try:
        check(ended.result(), 0)
        assert not running.done()
        running.result(0.01)
    except FutureTimeoutError:
        code = 0
    finally:
        os._exit(code)
