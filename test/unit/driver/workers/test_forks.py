"""Programs whose kernels copies of this process compile, whatever happens to these copies."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from four_kernels import ROWS, TEXT, alone, compiled, lower_after, wait_for_the_end

import snippets_mlir
from snippets_mlir import CompileError
from snippets_mlir.codegen.locks import ENGINE
from snippets_mlir.driver.workers import apart, batches, forks, helpers, processes
from snippets_mlir.driver.workers.messages import Answer
from snippets_mlir.support.spans import recording

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="copies are made on Linux")


class Made:
    """The copies of a test."""

    def __init__(self) -> None:
        self.all: list[forks.Fork] = []

    def made(self, count: int, work: Callable[[int], Any]) -> list[forks.Fork]:
        """As `forks.forks`."""
        found = forks.forks(count, work)
        self.all += found
        return found

    @property
    def batches(self) -> int:
        """How many batches they have compiled."""
        return sum(one.made for one in self.all)


@pytest.fixture(autouse=True)
def copies(monkeypatch: pytest.MonkeyPatch) -> Iterator[Made]:
    """Share programs of two kernels with copies, which are noted; all have ended in the end."""
    made = Made()
    monkeypatch.setenv("SNIPPETS_CACHE_DIR", "")
    monkeypatch.setattr(helpers, "PARTS", {})
    monkeypatch.setattr(helpers, "can_fork", lambda: True)
    monkeypatch.setattr(helpers, "forks", made.made)
    monkeypatch.setattr(batches, "MIN_KERNELS", 2)
    yield made
    assert not any(one.process for one in made.all)
    assert not processes.started()


def wait_here(
    monkeypatch: pytest.MonkeyPatch, until: Callable[[], object], there: Callable[[], object]
) -> None:
    """Let this process lower nothing until `until()`; copies call `there` for each batch."""
    here = os.getpid()
    lower = lower_after(monkeypatch, until)
    waits = apart.lowered

    def lowered(*arguments: Any) -> Any:
        if os.getpid() == here:
            return waits(*arguments)
        there()
        return lower(*arguments)

    monkeypatch.setattr(apart, "lowered", lowered)


def test_objects_are_equal_for_any_number_of_copies(
    monkeypatch: pytest.MonkeyPatch, copies: Made
) -> None:
    """Work of copies is traced in rows of its own."""
    assert compiled(1) == alone()
    assert not copies.all
    wait_here(monkeypatch, lambda: copies.batches >= 2, lambda: None)
    with recording() as spans:
        assert compiled(2) == alone()
    assert (len(copies.all), copies.batches >= 2) == (1, True)
    rows = [{s.name for s in spans if s.row == row} for row in (0, 1)]
    assert rows[1] >= {"convert-lir-to-vector", "machine code"}
    assert "lir-stream-stores" in rows[0] - rows[1]


def test_a_process_with_threads_is_copied_without_a_warning(
    monkeypatch: pytest.MonkeyPatch, copies: Made
) -> None:
    fork = os.fork

    def forked() -> int:
        """As Python 3.12 does, which counts the threads of the process afterwards."""
        if process := fork():
            warnings.warn("fork() may lead to deadlocks", DeprecationWarning, stacklevel=2)
        return process

    monkeypatch.setattr(os, "fork", forked)
    wait_here(monkeypatch, lambda: copies.batches >= 2, lambda: None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compiled(2)
    assert copies.batches >= 2


def test_a_copy_has_no_file_of_this_process(
    monkeypatch: pytest.MonkeyPatch, copies: Made, capfd: pytest.CaptureFixture[str]
) -> None:
    """What it prints is lost, and it ends where this process does."""
    kept = os.dup(0)

    def says() -> None:
        os.write(1, b"here")
        os.fstat(kept)  # fails there

    answers: list[object] = []
    answer = forks.Fork.answer

    def noted(copy: forks.Fork) -> Any:
        answers.append(found := answer(copy))
        return found

    monkeypatch.setattr(forks.Fork, "answer", noted)
    wait_here(monkeypatch, lambda: not copies.all or answers, says)
    assert compiled(2) == alone()
    os.close(kept)
    assert set(answers) == {None}
    assert copies.batches == 0
    assert capfd.readouterr().out == ""


def test_a_copy_without_more_tasks_ends_by_itself() -> None:
    """It frees its memory while this process works."""
    (copy,) = forks.forks(1, lambda _: Answer("", {}, [], b"code"))
    try:
        copy.ask(forks.number_of(3))
        copy.release()
        copy.release()
        assert copy.answer() == Answer("", {}, [], b"code")
        found = os.waitid(os.P_PID, copy.process, os.WEXITED | os.WNOWAIT)
        assert found is not None
        assert (found.si_code, found.si_status) == (os.CLD_EXITED, 0)
    finally:
        copy.end()


@pytest.mark.parametrize("how", ["killed", "fails"])
def test_a_copy_that_does_not_work_does_not_matter(
    monkeypatch: pytest.MonkeyPatch, copies: Made, how: str
) -> None:

    def there() -> None:
        if how == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        raise ValueError(how)

    wait_here(monkeypatch, lambda: True, there)
    assert compiled(2) == alone()
    assert copies.batches == 0


def test_the_first_kernel_that_is_refused_is_the_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(module: Any, *_: Any) -> Any:
        raise CompileError(f"no {next(iter(module.ops)).sym_name.data}")

    monkeypatch.setattr(apart, "lowered", refuses)
    for workers in (1, 2):
        with pytest.raises(CompileError, match=r"no subgraph_0$"):
            snippets_mlir.compile(TEXT, compile_workers=workers)


def test_no_copy_where_none_can_be_made(monkeypatch: pytest.MonkeyPatch, copies: Made) -> None:
    def refuses() -> int:
        raise OSError

    monkeypatch.setattr(os, "fork", refuses)
    before = len(os.listdir("/proc/self/fd"))
    assert compiled(2) == alone()
    assert not copies.all
    assert len(os.listdir("/proc/self/fd")) == before


def test_few_kernels_are_not_shared(monkeypatch: pytest.MonkeyPatch, copies: Made) -> None:
    monkeypatch.setattr(batches, "MIN_KERNELS", len(ROWS) + 1)
    compiled(2)
    assert not copies.all


def test_few_kernels_with_much_work_are_shared_with_copies_alone(
    monkeypatch: pytest.MonkeyPatch, copies: Made
) -> None:
    monkeypatch.setattr(batches, "MIN_KERNELS", len(ROWS) + 1)
    monkeypatch.setattr(batches, "MIN_WORK", len(ROWS))
    assert compiled(2) == alone()
    assert len(copies.all) == 1
    monkeypatch.setattr(helpers, "can_fork", lambda: False)
    compiled(2)
    assert len(copies.all) == 1
    assert not processes.started()


def test_copies_are_made_only_where_nothing_waits_for_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Not where another thread runs a session, and not where JAX would warn."""
    monkeypatch.setattr(sys, "modules", {**sys.modules})
    sys.modules.pop(forks.WARNS, None)
    assert forks.can_fork()
    assert ENGINE.run(forks.can_fork)  # this thread
    with monkeypatch.context() as patch:
        patch.setattr(ENGINE, "_inside", [-1])
        assert not forks.can_fork()
    sys.modules[forks.WARNS] = sys
    assert not forks.can_fork()


def test_copies_end_with_a_process_that_is_killed() -> None:
    code = (
        "import os\nfrom snippets_mlir.driver.workers.forks import Fork\n"
        "copy = Fork(lambda number: None)\nprint(copy.process, flush=True)\nos.kill(os.getpid(), 9)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, timeout=60, check=False
    )
    wait_for_the_end(int(done.stdout))
