"""Jobs of streams, in a line of machine code and in one of Python."""

from __future__ import annotations

from threading import Event

import pytest
from network_programs import FunctionJob

from snippets_mlir.runtime.queues import native_line
from snippets_mlir.runtime.queues.line import PlainLine
from snippets_mlir.runtime.queues.native_line import NativeLine
from snippets_mlir.runtime.queues.streams import Streams


@pytest.fixture(params=["native", "plain"])
def line(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The kind of line that new streams have."""
    if request.param == "plain":
        monkeypatch.setattr(native_line, "can_be_native", lambda: False)
    elif not native_line.can_be_native():
        pytest.skip("machine code cannot read arrays here")
    return request.param


def test_jobs_run_in_order(line: str) -> None:
    streams, seen, go = Streams(1, 1), list[int](), Event()
    assert isinstance(streams.line, NativeLine if line == "native" else PlainLine)
    streams.submit(FunctionJob(lambda _: go.wait(300)))
    for number in range(50):
        streams.submit(FunctionJob(lambda _, number=number: seen.append(number)))
    assert not seen
    go.set()
    streams.close()
    assert seen == list(range(50))
    assert not streams.line.jobs


@pytest.mark.usefixtures("line")
def test_close_from_a_job_does_not_wait_for_itself() -> None:
    streams, ended = Streams(1, 1), Event()
    streams.submit(FunctionJob(lambda _: streams.close()))
    streams.close()
    with pytest.raises(RuntimeError, match="the program is closed"):
        streams.submit(FunctionJob(lambda _: ended.set()))
    assert not ended.is_set()


@pytest.mark.usefixtures("line")
def test_a_counter_tells_how_many_have_ended() -> None:
    streams = Streams(1, 1)
    line = streams.line
    counter, go = line.counter(), Event()
    for wait in (True, False, False):
        job = FunctionJob(lambda _, wait=wait: go.wait(300) if wait else None)
        job.counter = counter
        streams.submit(job)
    assert line.aim(counter, 2) == 0
    go.set()
    while line.aim(counter, 3) < 3:
        line.wait(counter)
    streams.close()
    assert (counter.ended, counter.left) == (3, 3)
    line.wake(counter)
    line.wait(counter)  # at once
    line.release(counter)


def test_a_wait_for_jobs_ends_without_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """So Python sees a signal that came between its last look and the wait."""
    if not native_line.can_be_native():
        pytest.skip("this process has no semaphores, or reads no arrays")
    monkeypatch.setattr(native_line, "WATCH", 1)
    line = NativeLine()
    counter = line.counter()
    line.hold(counter)
    line.wait(counter)
    line.release(counter)
