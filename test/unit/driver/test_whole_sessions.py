"""Networks and requests of a program that is one session, whose results have no known sizes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import helper
from onnx_models import model, value

import snippets_mlir
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
