"""Work in a thread of its own: its result, what it raises, and its spans."""

from __future__ import annotations

import threading

import pytest

from snippets_mlir.support.meanwhile import meanwhile
from snippets_mlir.support.spans import recording, span


def test_the_work_runs_beside_the_caller() -> None:
    """It waits for what the caller does after it has begun, and gives its result twice."""
    begun, go_on = threading.Event(), threading.Event()

    def work() -> int:
        begun.set()
        assert go_on.wait(300)
        return 7

    with meanwhile(work) as result:
        assert begun.wait(300)
        go_on.set()
        assert result() == 7
        assert result() == 7


def test_what_the_work_raises_reaches_the_caller() -> None:
    def work() -> None:
        raise KeyError("lost")

    with meanwhile(work) as result, pytest.raises(KeyError, match="lost"):
        result()


def test_no_thread_is_left_when_the_caller_raises() -> None:
    """The work has ended before the error goes on."""
    done: list[int] = []
    with pytest.raises(ValueError, match="early"), meanwhile(lambda: done.append(1)):
        raise ValueError("early")
    assert done == [1]
    assert not [t for t in threading.enumerate() if t.name == "snippets-meanwhile"]


def test_spans_of_the_work_are_recorded_by_the_caller() -> None:
    def work() -> None:
        with span("inside", "phase"):
            pass

    with recording() as spans, meanwhile(work) as result:
        result()
    assert [found.name for found in spans] == ["inside"]


def test_work_is_done_at_once_where_no_thread_can_be_made(monkeypatch: pytest.MonkeyPatch) -> None:
    def start(_: threading.Thread) -> None:
        raise RuntimeError("can't create new thread at interpreter shutdown")

    monkeypatch.setattr(threading.Thread, "start", start)
    with meanwhile(lambda: threading.get_ident()) as result:
        assert result() == threading.get_ident()
