"""How networks, requests and streams end: closed, dropped, in a child, with the interpreter."""

from __future__ import annotations

import gc
import os
import threading
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from network_programs import (
    Blocked,
    check,
    feed,
    mixed_program,
)
from sampled import sampled
from warm_process import run_warm

from snippets_mlir.driver.networks.program import Program

SUPPORT = Path(__file__).parents[2] / "support"
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")


@pytest.fixture(scope="module")
def program() -> Iterator[Program]:
    with mixed_program() as made:
        yield made


def test_use_after_close() -> None:
    program = mixed_program()
    network, request, queue = program.network(), program.request(), program.queue()
    request.start(feed(0))
    program.close()
    program.close()
    for do in (program.network, program.request, program.queue, lambda: request.start(feed(0))):
        with pytest.raises(RuntimeError, match=r"^the program is closed$"):
            do()
    with queue, pytest.raises(RuntimeError, match=r"^the program is closed$"):
        queue.submit(feed(0))
    with pytest.raises(RuntimeError, match=r"^the network is closed$"):
        network.execute()
    assert request.wait(0)  # `close` has waited for it
    check(request, 0)


def test_with_after_close() -> None:
    program = mixed_program()
    program.close()
    with pytest.raises(RuntimeError, match="the program is closed"), program:
        pass


def test_close_drains() -> None:
    program = mixed_program()
    requests = [program.request() for _ in range(20)]
    with Blocked(program):
        for seed, request in enumerate(requests):
            request.start(feed(seed))
        closing = threading.Thread(target=program.close)
        closing.start()
    closing.join()
    for seed, request in enumerate(requests):
        assert request.wait(0)
        check(request, seed)


def test_a_program_that_is_dropped_ends_its_streams() -> None:
    before = set(threading.enumerate())
    program = mixed_program()
    requests = [program.request() for _ in range(5)]
    for seed, request in enumerate(requests):
        request.start(feed(seed))
    watched, request = weakref.ref(program), None
    del program
    assert watched() is not None  # its requests keep it
    while requests:
        assert requests[-1].wait(300)
        check(requests.pop(), len(requests))
    gc.collect()
    assert watched() is None
    assert set(threading.enumerate()) <= before


def test_requests_and_queues_keep_their_program() -> None:
    request = mixed_program().request()
    request.start(feed(0))
    assert request.wait(300)
    check(request, 0)
    with mixed_program().queue(requests=2) as queue:
        futures = [queue.submit(feed(seed)) for seed in range(4)]
    for seed, future in enumerate(futures):
        check(future.result(), seed)
    mixed_program().request().start(feed(0))  # its end drains


@needs_fork
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_has_no_streams() -> None:
    with mixed_program() as program:
        request, running = program.request(), program.request()
        request.start(feed(0))
        request.wait()
        with Blocked(program):
            running.start(feed(1))
            pid = os.fork()
            if pid == 0:
                os._exit(_in_child(program, request, running))
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
        running.wait()
        check(running, 1)


def _in_child(program: Program, done: Any, running: Any) -> int:
    """The number of what went wrong."""
    check(done, 0)
    attempts: list[Callable[[], object]] = [lambda: done.start(feed(0)), running.wait]
    for number, attempt in enumerate(attempts, 1):
        try:
            attempt()
        except RuntimeError as error:
            if "streams do not exist in a process made by os.fork" not in str(error):
                return 10 + number
        else:
            return number
    network = program.network()  # runs on the thread of its caller
    for name, array in feed(2).items():
        network.set_input(name, array)
    network.execute()
    check({name: network.output(name) for name in "yz"}, 2)
    program.close()
    return 0


@pytest.mark.parametrize("end", sampled(["", "raise SystemExit(0)", "del program, request"], 2))
def test_the_end_of_the_interpreter_drains(end: str) -> None:
    code = f"""
import sys
sys.path.insert(0, {str(SUPPORT)!r})
from network_programs import check, feed, mixed_program
program = mixed_program()
kept = program.request(), program.request()
for request in kept:
    request.start(feed(0))
{end}
"""
    assert run_warm("-c", code) == (0, "", "")
