"""Worker processes that die, answer something else or nothing: programs are compiled anyway."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import Any

import pytest
from four_kernels import (
    SECONDS,
    TEXT,
    alone,
    at_work,
    compiled,
    lower_after,
    wait_for_the_end,
)
from sampled import sampled

import snippets_mlir
from snippets_mlir import CompileError
from snippets_mlir.driver.workers import apart, processes, sharing

pytestmark = pytest.mark.usefixtures("few_kernels")


SERVE = processes.SERVE
FAKE = (
    "import os, time; from snippets_mlir.driver.workers.messages import greeting, receive, send\n"
    "o = sys.stdout.buffer\n"
)
FAKES = {
    "dies at once": "os._exit(1)",
    "is another version": "send(b'[]', o); receive(sys.stdin.buffer)",
    "says something else": "print('Hello! ' * 9)",
    "dies when asked": "send(greeting(), o); receive(sys.stdin.buffer)",
    "answers half": "send(greeting(), o); receive(sys.stdin.buffer); o.write(b'9')",
    "answers no JSON": "send(greeting(), o); receive(sys.stdin.buffer); send(b'[', o)",
    "refuses all": "send(greeting(), o)\nwhile receive(sys.stdin.buffer): send(b'null', o)",
    "never greets": "time.sleep(99)",
    "never answers": "send(greeting(), o); time.sleep(99)",
}


@pytest.mark.parametrize("name", sampled(FAKES, 3))
def test_a_worker_that_does_not_work_does_not_matter(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    serve = f"import sys; sys.path[:] = sys.argv[1:]; {FAKE}{FAKES[name]}"
    monkeypatch.setattr(processes, "SERVE", serve)
    monkeypatch.setattr(sharing, "PATIENCE", 0.1)
    assert compiled(2) == alone()
    assert at_work() == 0
    if name not in sampled(sampled(FAKES, 3), 3):  # of the others this is the same
        return
    monkeypatch.setattr(processes, "SERVE", SERVE)
    monkeypatch.setattr(sharing, "PATIENCE", SECONDS)
    assert compiled(2) == alone()


@pytest.mark.usefixtures("worker")
def test_a_worker_that_is_killed_in_the_middle_does_not_matter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    killed: list[int] = []

    def kill() -> bool:
        if at_work() and not killed:
            killed.append(processes.started()[0].process.pid)
            os.kill(killed[0], signal.SIGKILL)
        return bool(killed)

    lower_after(monkeypatch, kill)
    assert compiled(2) == alone()
    assert compiled(2) == alone()
    (worker,) = processes.started()
    assert worker.lives
    assert worker.process.pid != killed[0]


@pytest.mark.usefixtures("worker")
def test_the_first_kernel_that_is_refused_is_the_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the same message, whoever meets it first; and the next program compiles."""

    def refuses(module: Any, *_: Any) -> Any:
        raise CompileError(f"no {next(iter(module.ops)).sym_name.data}")

    with monkeypatch.context() as patch:
        patch.setattr(apart, "lowered", refuses)
        for workers in (1, 2):
            with pytest.raises(CompileError, match=r"no subgraph_0$"):
                snippets_mlir.compile(TEXT, compile_workers=workers)
    compiled(2)


def test_no_process_is_started_by_what_is_no_interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("", None):
        monkeypatch.setattr(sys, "executable", name)
        assert not processes.workers(2), name
    for name in ("/opt/app/viewer", "/nowhere/python3"):
        monkeypatch.setattr(sys, "executable", name)
        compiled(2)
        assert not processes.started(), name


def test_workers_end_with_a_process_that_is_killed() -> None:
    code = (
        "import os\nfrom snippets_mlir.driver.workers.processes import Worker\n"
        "worker = Worker()\nprint(worker.process.pid, flush=True)\nos.kill(os.getpid(), 9)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, timeout=SECONDS, check=False
    )
    wait_for_the_end(int(done.stdout))
