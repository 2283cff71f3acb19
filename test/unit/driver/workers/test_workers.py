"""Programs whose kernels worker processes compile, and when these are started."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import onnx
import pytest
from four_kernels import (
    ROWS,
    SECONDS,
    TEXT,
    at_work,
    compiled,
    lower_after,
)
from onnx import helper
from onnx_models import model, value

import snippets_mlir
from snippets_mlir import CompileError
from snippets_mlir.driver.arguments import MAX_WORKERS, checked, workers_for
from snippets_mlir.driver.cache import stored
from snippets_mlir.driver.cache.program_cache import program_key
from snippets_mlir.driver.cache.stored import filled_request
from snippets_mlir.driver.onnx.cuts import planned_model
from snippets_mlir.driver.settings import default_context
from snippets_mlir.driver.workers import batches, helpers, processes
from snippets_mlir.support.spans import recording

pytestmark = pytest.mark.usefixtures("few_kernels")


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
