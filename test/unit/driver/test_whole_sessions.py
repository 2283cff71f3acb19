"""Networks and requests of a program that is one session, whose results have no known sizes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import helper
from onnx_models import model, value

import snippets_mlir
from snippets_mlir.driver import MarkSkipped
from snippets_mlir.driver.cache.storing import finish
from snippets_mlir.runtime.program import Program


def places() -> Any:
    """The places of what is not zero among the chosen rows; a wrong row is an error of the run."""
    nodes = [
        helper.make_node("Gather", ["x", "rows"], ["g"], name="chosen"),
        helper.make_node("NonZero", ["g"], ["y"], name="places"),
    ]
    made = model(nodes, [value("x", ("n", 4)), value("rows", (2,), np.int64)], ["y", "g"], {})
    return snippets_mlir.compile_program(made, streams=1)


def feed(rows: int, last: int = 1) -> dict[str, Any]:
    x = np.arange(4 * rows, dtype=np.float32).reshape(rows, 4) % 3
    return {"x": x, "rows": np.array([0, last])}


def check(found: Any, given: dict[str, Any]) -> None:
    chosen = given["x"][given["rows"]]
    np.testing.assert_array_equal(found("g"), chosen)
    np.testing.assert_array_equal(found("y"), np.array(np.nonzero(chosen)))


def test_later_runs_of_a_network_are_calls_of_the_session(monkeypatch: pytest.MonkeyPatch) -> None:
    with places() as program:
        network = program.network()

        def run(given: dict[str, Any]) -> None:
            for name, array in given.items():
                network.set_input(name, array)
            network.execute()

        run(feed(3))
        check(network.output, feed(3))

        def refuse(*_: object) -> None:
            raise AssertionError("the reference executor")

        monkeypatch.setattr(Program, "run_in_python", refuse)
        for given in (feed(3, last=2), feed(3, last=0)):
            run(given)
            check(network.output, given)
            (step,) = network.profile()
            assert 0 < step.begin <= step.end
        with pytest.raises(ValueError, match="out of data bounds"):
            run(feed(3, last=7))
        assert network.profile() == ()
        run(feed(3))
        check(network.output, feed(3))


def test_shapes_and_outputs_of_the_caller_in_turns() -> None:
    with places() as program:
        request = program.request()
        for rows in (3, 3, 5, 3, 5, 5):
            given = feed(rows)
            request.start(given)
            request.wait()
            check(request.__getitem__, given)
            chosen = given["x"][:2]
            out = {"g": np.empty_like(chosen), "y": np.empty((2, np.count_nonzero(chosen)), int)}
            request.start(given, out=out)
            request.wait()
            check(out.__getitem__, given)


FIRST_RESULT = """
import sys, numpy, snippets_mlir
m = snippets_mlir.compile(sys.argv[1], mark_skipped=sys.argv[2])
print(m.run({"x": numpy.full((1, 2), -1.5, numpy.float32)})["y"].tolist(), m.from_cache)
print(*sorted({"xdsl", "llvmlite.binding"} & sys.modules.keys()))
"""


@pytest.mark.parametrize(
    ("skipped", "found"), [("auto", ["session"]), ("none", ["shared", "llvmlite.binding"])]
)
def test_a_kept_session_loads_no_compiler(
    cache_directory: Path, tmp_path: Path, skipped: MarkSkipped, found: list[str]
) -> None:
    """The twin has a kernel, whose code LLVM links."""
    path = tmp_path / "abs.onnx"
    made = model([helper.make_node("Abs", ["x"], ["y"])], [value("x", (1, 2))], ["y"], {})
    path.write_bytes(made.SerializeToString())
    snippets_mlir.compile(path, mark_skipped=skipped)
    finish()
    command = [sys.executable, "-c", FIRST_RESULT, str(path), skipped]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["[[1.5,", "1.5]]", *found]
