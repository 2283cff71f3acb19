"""Traces of compilations: what is in them, and how events nest."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest

import snippets_mlir
from snippets_mlir.inspect.compile_trace import trace_compile
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.spans import recording, span
from snippets_mlir.tools.snippets_run import main

TWO_KERNELS = """
func.func @main(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %0 = snippets.negative %x : tensor<3x5xf32>
  %1 = onnx.node "Floor"(%0) {domain = "", version = 13 : i64}
    : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %2 = snippets.add %1, %x : tensor<3x5xf32>
  func.return %2 : tensor<3x5xf32>
}
"""

DYNAMIC = """
func.func @main(%x: tensor<?x5xf32>) -> tensor<?x5xf32> {
  %0 = snippets.negative %x : tensor<?x5xf32>
  func.return %0 : tensor<?x5xf32>
}
"""


def _events(file: Path) -> list[dict[str, Any]]:
    return json.loads(file.read_text())["traceEvents"]


def _paths(events: list[dict[str, Any]], row: int = 0) -> list[tuple[str, ...]]:
    """The name of each event of a row after those of the events around it; they have to nest."""
    found: list[tuple[str, ...]] = []
    around: list[tuple[int, str]] = []
    for e in events:
        if e["tid"] != row:
            continue
        begin = round(1000 * e["ts"])  # in nanoseconds, which are exact
        end = begin + round(1000 * e["dur"])
        while around and around[-1][0] <= begin:
            around.pop()
        assert all(end <= until for until, _ in around), e
        around.append((end, e["name"]))
        found.append(tuple(name for _, name in around))
    return found


def test_phases_passes_and_kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All passes of the pipeline, in order, in the phase of passes; the kernels in these, and in
    LLVM's passes.
    """
    monkeypatch.setenv("SNIPPETS_CACHE_DIR", "")
    with trace_compile(str(tmp_path / "trace.json")):
        compiled = snippets_mlir.compile(TWO_KERNELS, mark_skipped="none")
    events = _events(tmp_path / "trace.json")
    paths = _paths(events)
    passes = [p.name for p in parse_pipeline(compiled.passes, make_context())]
    assert [p[1] for p in paths if len(p) == 2 and p[0] == "passes"] == passes
    units = [p[2] for p in paths if p[1:2] == ("lir-assign-registers",) and len(p) == 3]
    assert units == [f"@{kernel.name}" for kernel in compiled.kernels]
    meanwhile = _paths(events, row=1)
    assert {("LLVM passes", f"{unit}.body") for unit in units} <= set(meanwhile)
    assert ("machine code",) in meanwhile
    phases = [p[0] for p in paths if len(p) == 1]
    assert phases[:3] == ["program cache", "source", "passes"]
    assert set(phases[3:]) == set(compiled.seconds) - {"passes"}
    kinds = {e["name"]: e["cat"] for e in events}
    assert (kinds["passes"], kinds["snippets-tokenize"]) == ("phase", "pass")
    assert kinds[units[0]] == "unit"


def test_of_both_tools(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A program with dynamic sizes is compiled by its first call, which is in the trace."""
    (tmp_path / "model.mlir").write_text(DYNAMIC)
    trace = tmp_path / "trace.json"
    arguments = [str(tmp_path / "model.mlir"), "--shape=arg0=3x5", f"--trace-compile={trace}"]
    assert main(arguments) == 0
    assert "snippets-tokenize" in [e["name"] for e in _events(trace)]
    from snippets_mlir.tools.snippets_opt import main as opt

    arguments = [arguments[0], "-p", "canonicalize", f"--trace-compile={trace}"]
    assert opt(arguments) == 0
    names = [path for path in _paths(_events(trace)) if "@" not in path[-1]]
    assert [path[0] for path in names if len(path) == 1] == ["parser", "canonicalize", "output"]
    assert main([*arguments[:1], f"--trace-compile={tmp_path}/none/trace.json"]) == 1
    assert "none/trace.json: error: cannot write it: No such file" in capsys.readouterr().err


def test_a_failure_is_traced(tmp_path: Path) -> None:
    """The trace has what was done before the error."""
    broken = TWO_KERNELS.replace('"Floor"', '"Flor"')
    with pytest.raises(CompileError, match="Flor"), trace_compile(str(tmp_path / "trace.json")):
        snippets_mlir.compile(broken)
    assert "passes" in [e["name"] for e in _events(tmp_path / "trace.json")]


def test_spans_of_this_thread_inside() -> None:
    """What is outside, and what other threads do, is not recorded; names are asked for if it is."""
    with span(lambda: pytest.fail("nothing is recorded"), "unit"):
        pass

    def other() -> None:
        with span("other", "unit"):
            pass

    with recording() as spans:
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        with span("outer", "pass"), span(lambda: "inner", "unit"):
            pass
    assert [(s.name, s.kind) for s in spans] == [("inner", "unit"), ("outer", "pass")]
    inner, outer = spans
    assert outer.begin <= inner.begin <= inner.end <= outer.end
