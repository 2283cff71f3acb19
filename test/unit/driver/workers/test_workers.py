"""Programs whose kernels worker processes compile, whatever happens to these processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import onnx
import pytest
from four_kernels import ROWS, SECONDS, TEXT, alone, compiled, lower_after, wait_for_the_end
from onnx import helper
from onnx_models import model, value
from sampled import sampled

import snippets_mlir
from snippets_mlir import CompileError
from snippets_mlir.driver.arguments import MAX_WORKERS, checked, workers_for
from snippets_mlir.driver.cache import stored
from snippets_mlir.driver.cache.program_cache import program_key
from snippets_mlir.driver.cache.stored import filled_request
from snippets_mlir.driver.onnx import planned_model
from snippets_mlir.driver.settings import default_context
from snippets_mlir.driver.workers import apart, batches, helpers, processes, sharing
from snippets_mlir.support.spans import recording

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

EVERYWHERE = f"""
import atexit, multiprocessing, os, sys, threading
import numpy as np
import snippets_mlir
from snippets_mlir.driver.workers import batches, helpers, processes, sharing
print('main', flush=True)
batches.MIN_KERNELS, sharing.PATIENCE = 2, 300
helpers.can_fork = lambda: False
def run(place):
    m = snippets_mlir.compile('''{TEXT}''', compile_workers=2)
    out = m(*[np.zeros((n, 17), np.float32) for n in {ROWS}])
    print(place, out[0][0, 0], len(processes.started()), flush=True)
thread = threading.Thread(target=run, args=('thread',))
thread.start(); thread.join()
daemon = multiprocessing.get_context('fork').Process(target=run, args=('daemon',), daemon=True)
daemon.start(); daemon.join()
atexit.register(run, 'exit')
"""


@pytest.fixture(autouse=True)
def few_kernels(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Cut programs of two kernels, without a cache and ops of plug-ins, no copies of this process,
    and leave no worker; those of other tests are not there.

    Workers may take as long as they want.
    """
    monkeypatch.setattr(processes, "_workers", [])
    monkeypatch.setenv("SNIPPETS_CACHE_DIR", "")
    monkeypatch.setattr(helpers, "PARTS", {})
    monkeypatch.setattr(batches, "MIN_KERNELS", 2)
    monkeypatch.setattr(helpers, "can_fork", lambda: False)
    monkeypatch.setattr(sharing, "PATIENCE", SECONDS)  # however busy the machine is
    yield
    processes.end_all()


@pytest.fixture(scope="module")
def kept() -> Iterator[list[processes.Worker]]:
    """Up to one worker for the tests that need one that works: starting one takes a second."""
    found: list[processes.Worker] = []
    yield found
    for worker in found:
        worker.end()


@pytest.fixture
def worker(kept: list[processes.Worker], few_kernels: None) -> Iterator[processes.Worker]:
    """It is started, and has done nothing; the test leaves one, too."""
    if not kept:
        kept.append(processes.Worker())
    (found,) = kept
    found.made = 0
    started = processes._workers  # pyright: ignore[reportPrivateUsage]
    started.append(found)
    yield found
    kept[:] = started
    started.clear()
    assert len(kept) == 1


def at_work() -> int:
    """How many batches workers have compiled."""
    return sum(worker.made for worker in processes.started())


def test_objects_and_reports_are_equal_for_any_number_of_processes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One that a plan has started has compiled some of them, and stays for the next program."""

    def compiles(workers: int) -> tuple[list[object], list[bytes]]:
        m: Any = snippets_mlir.compile(TEXT, compile_workers=workers)
        return [kernel.entry for kernel in m.kernels], m.built().code.images

    one = compiles(1)
    assert not processes.started()
    assert len(one[1]) == len(ROWS)
    ctx = default_context()
    for kernels, most in ((1, 2), (99, 1)):
        helpers.expect(kernels, most, ctx)
        assert not processes.started()
    with monkeypatch.context() as patch:
        patch.setattr(helpers, "PARTS", {"op": "of a plug-in"})
        helpers.expect(99, 2, ctx)
        assert not processes.started()
    helpers.expect(2, 2, ctx)
    (first,) = processes.started()
    lower_after(monkeypatch, lambda: at_work() >= 2)
    with recording() as spans:
        assert compiles(2) == one
    assert processes.started() == (first,)
    rows = [{s.name for s in spans if s.row == row} for row in (0, 1)]
    assert rows[1] >= {"parse", "convert-lir-to-vector", "machine code"}, "a row of its own"
    assert "lir-stream-stores" in rows[0] - rows[1]
    assert compiled(3) == tuple(one[1])
    assert processes.started()[0] is first
    assert len(processes.started()) == 2
    monkeypatch.setattr(batches, "MIN_KERNELS", 99)
    assert compiles(2)[0] == one[0]


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


def test_plug_ins_are_known_to_this_process_alone(tmp_path: Path) -> None:
    plugin = tmp_path / "positions.py"
    plugin.write_text('POSITIONS = ["start:cse"]\n')
    snippets_mlir.compile(TEXT, compile_workers=2, plugins=[str(plugin)])
    assert not processes.started()


def test_few_kernels_and_own_pipelines_start_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    snippets_mlir.compile(TEXT, compile_workers=2, pipeline="snippets-to-llvm")
    monkeypatch.setattr(batches, "MIN_KERNELS", len(ROWS) + 1)
    assert len(compiled(2)) == 1
    assert not processes.started()


@pytest.mark.usefixtures("worker")
def test_plans_say_how_many_different_kernels_there_will_be(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[tuple[int, int]] = []

    def expect(kernels: int, most: int, _: object) -> None:
        seen.append((kernels, most))

    monkeypatch.setattr(planned_model, "expect", expect)
    nodes: list[onnx.NodeProto] = []
    last = "x"
    for at, operator in enumerate(("Softplus", "Softplus", "Mish")):
        nodes.append(helper.make_node("LpNormalization", [last], [f"n{at}"]))
        nodes.append(helper.make_node(operator, [f"n{at}"], [last := f"k{at}"]))
    made = model(nodes, [value("x", [4096, 512])], [value(last, [4096, 512])], {}, opset=22)
    m = snippets_mlir.compile(made, compile_workers=2)
    assert len(m.kernels) == 3
    assert seen == [(2, 2)]
    small = model(nodes, [value("x", [4, 8])], [value(last, [4, 8])], {}, opset=22)
    assert snippets_mlir.compile(small, compile_workers=2).kernels == ()
    assert seen == [(2, 2)]


def test_no_process_is_started_by_what_is_no_interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("", None):
        monkeypatch.setattr(sys, "executable", name)
        assert not processes.workers(2), name
    for name in ("/opt/app/viewer", "/nowhere/python3"):
        monkeypatch.setattr(sys, "executable", name)
        compiled(2)
        assert not processes.started(), name


def test_workers_help_wherever_a_program_is_compiled() -> None:
    """In threads, after a fork in a daemon, at the interpreter's exit; `__main__` runs once."""
    done = subprocess.run(
        [sys.executable, "-c", EVERYWHERE],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.stdout.splitlines() == [
        "main", "thread 1.0 1", "daemon 1.0 1", "exit 1.0 1",
    ]  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")


def test_workers_end_with_a_process_that_is_killed() -> None:
    code = (
        "import os\nfrom snippets_mlir.driver.workers.processes import Worker\n"
        "worker = Worker()\nprint(worker.process.pid, flush=True)\nos.kill(os.getpid(), 9)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, timeout=SECONDS, check=False
    )
    wait_for_the_end(int(done.stdout))


def test_the_key_of_a_program_does_not_depend_on_workers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SNIPPETS_CACHE_DIR", str(tmp_path))
    keys = {
        program_key(TEXT, filled_request(None, checked({"compile_workers": n, "math": math})))
        for n in (None, 1, 2)
        for math in ("accurate", "fast")
    }
    assert len(keys) == 2
    assert None not in keys


def test_a_program_of_several_objects_comes_from_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SNIPPETS_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(stored, "program_key", program_key)
    made = compiled(1)
    assert compiled(2) == made
    assert not processes.started()
    assert "program cache" in snippets_mlir.compile(TEXT).seconds


def test_the_variable_says_how_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SNIPPETS_COMPILE_WORKERS", "7")
    assert workers_for(None, 1) == 7
    assert workers_for(2, 1) == 2
    monkeypatch.setenv("SNIPPETS_COMPILE_WORKERS", "")
    assert workers_for(None, 99) == MAX_WORKERS
    assert workers_for(None, 1) == 1
    for wrong, message in (("0", "expected 1 or more, found 0"), ("two", "expected a number")):
        monkeypatch.setenv("SNIPPETS_COMPILE_WORKERS", wrong)
        with pytest.raises(CompileError, match=f"SNIPPETS_COMPILE_WORKERS: {message}"):
            snippets_mlir.compile(TEXT)
    with pytest.raises(CompileError, match="compile_workers: expected 1 or more, found 0"):
        snippets_mlir.compile(TEXT, compile_workers=0)
