"""Sessions of onnxruntime and `os.fork`: a child never hangs, and its results are right."""

from __future__ import annotations

import os
from pathlib import Path
from threading import Event, Thread

import pytest
from forked_sessions import BUSY, CHANGED, EXIT, OLD, TABLES, said_by

from snippets_mlir.codegen.locks import ENGINE

pytest.importorskip("onnxruntime")

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
quiet = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")


@needs_fork
def test_children_call_and_drop_the_programs_of_their_parent() -> None:
    """At any number of threads, in several threads, in a child of a child."""
    assert said_by(OLD) == "True\n"


@needs_fork
def test_a_child_that_ends_by_exit_ends() -> None:
    """With its code, and with what it printed."""
    assert said_by(EXIT) == "said7\n"


@needs_fork
def test_a_model_file_that_changed_is_an_error(tmp_path: Path) -> None:
    first, error, second = said_by(CHANGED, str(tmp_path / "m.onnx")).splitlines()
    assert (first, second) == ("7", "1")
    assert error.startswith("CompileError a forked process cannot use a session of several")
    assert error.endswith("compile the program in this process")


@needs_fork
def test_a_session_of_the_child_has_the_tables_of_its_parent() -> None:
    assert said_by(TABLES) == "7\n"


@needs_fork
@pytest.mark.parametrize(("kind", "threads"), [("open", 2), ("run", 2)])
def test_forks_while_sessions_are_made_and_run(kind: str, threads: int) -> None:
    assert said_by(BUSY, kind, str(threads), "3") == "{7}\n"


@needs_fork
@quiet
def test_a_fork_waits_for_those_inside_a_gate() -> None:
    inside, events = Event(), list[str]()

    def works() -> None:
        inside.set()
        Event().wait(0.05)
        events.append("done")

    thread = Thread(target=ENGINE.run, args=(works,))
    thread.start()
    inside.wait()
    pid = os.fork()
    if pid == 0:
        os._exit(0 if ENGINE.run(lambda: events == ["done"]) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    thread.join()


@pytest.mark.parametrize("count", [1, 3])
def test_a_closed_gate_keeps_others_out(count: int) -> None:
    closed, events = Event(), list[str]()

    def opened(*_: str) -> None:
        events.append("open")

    def closes() -> None:
        with ENGINE:
            closed.set()
            Event().wait(0.05)
            events.append("closed")

    thread = Thread(target=closes)
    thread.start()
    closed.wait()
    if count == 3:
        ENGINE.run_three(opened, "a", "b", "c")
    else:
        ENGINE.run(opened, "a")
    thread.join()
    assert events == ["closed", "open"]


@needs_fork
@quiet
def test_a_thread_may_fork_inside_a_gate() -> None:
    def forks() -> int:
        pid = os.fork()
        if pid == 0:
            os._exit(ENGINE.run(lambda: 5))
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

    assert ENGINE.run(forks) == 5


def test_a_gate_lets_through_what_is_returned_and_raised() -> None:
    assert ENGINE.run(max, 3, 4) == 4
    with pytest.raises(ZeroDivisionError):
        ENGINE.run(lambda: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        ENGINE.run_three(lambda a, b, c: a // b // c, 1, 2, 0)
    with ENGINE:
        assert ENGINE.run(max, 3, 4) == 4
        assert ENGINE.run_three(max, 3, 4, 5) == 5
