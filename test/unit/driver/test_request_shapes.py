"""Requests of several shapes: machine code runs those whose tables the stream has."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from network_programs import (
    COLUMNS,
    FAILING,
    MIXED,
    ROWS,
    mixed_arrays,
    mixed_program,
    mixed_results,
)

from snippets_mlir.codegen.stubs.interface import KNOWN
from snippets_mlir.driver.networks.plans import Plans
from snippets_mlir.driver.networks.program import Program
from snippets_mlir.runtime import native_line

DYNAMIC = MIXED.replace(f"tensor<{ROWS}x", "tensor<?x")

pytestmark = pytest.mark.skipif(
    not native_line.can_be_native(), reason="machine code cannot read arrays here"
)


@pytest.fixture
def in_python(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The rows of each request that Python runs."""
    runs: list[int] = []
    run = Plans.run

    def noted(self: Plans, built: Any, inputs: Any, out: Any) -> Any:
        runs.append(len(inputs[0]))
        return run(self, built, inputs, out)

    monkeypatch.setattr(Plans, "run", noted)
    return runs


def arrays_of(rows: int, shift: int = 0) -> dict[str, Any]:
    _, i = mixed_arrays(rows, shift)
    return {"arg0": np.full((rows, COLUMNS), rows, np.float32), "arg1": i}


def run_all(program: Program, sizes: list[int]) -> None:
    with program.queue(requests=3) as queue:
        futures = [queue.submit(arrays_of(rows)) for rows in sizes]
    for rows, future in zip(sizes, futures, strict=True):
        y, z = mixed_results(*arrays_of(rows).values())
        np.testing.assert_array_equal(future.result()["y"], y)
        np.testing.assert_array_equal(future.result()["z"], z)


def test_shapes_that_were_seen_run_without_python(in_python: list[int]) -> None:
    with mixed_program(DYNAMIC, streams=1) as program:
        run_all(program, [40, 3, 9])
        assert sorted(in_python) == [3, 9, 40]
        run_all(program, [3, 9, 3, 40, 9, 9, 3] * 10)
        assert len(in_python) == 3


def test_more_shapes_than_a_stream_has_tables_for(in_python: list[int]) -> None:
    sizes = [*range(3, KNOWN + 9)] * 2
    random.Random(0).shuffle(sizes)
    with mixed_program(DYNAMIC, streams=1) as program:
        run_all(program, sizes)
        assert KNOWN < len(in_python) <= len(sizes)


def test_tables_of_an_arena_that_is_made_anew(in_python: list[int]) -> None:
    with mixed_program(DYNAMIC, streams=1) as program:
        run_all(program, [3, 9])
        run_all(program, [4000])  # a larger arena: the tables of the others have gone
        run_all(program, [3, 9, 3, 4000, 9])
        assert in_python == [3, 9, 4000, 3, 9]


def test_a_step_that_fails_in_machine_code(in_python: list[int]) -> None:
    with mixed_program(DYNAMIC, streams=1) as program:
        run_all(program, [9, 3])
        with program.queue(requests=1) as queue:
            failing = [queue.submit(arrays_of(rows, FAILING + rows)) for rows in (3, 9, 3)]
        for future in failing:
            assert "out of data bounds" in str(future.exception())
        run_all(program, [9, 3, 9])
        assert in_python == [9, 3]


def test_steps_are_those_of_the_last_request() -> None:
    with mixed_program(DYNAMIC, streams=1) as program:
        request = program.request()
        for rows in (7, 9, 7, 9, 9, 7):
            request.start(arrays_of(rows))
            assert request.wait(60)
            assert f"tensor<{rows}x{COLUMNS}xf32>" in str(program.execution_graph())
            begins = [step.begin for step in program.profile()]
            assert len(begins) == 4
            assert begins == sorted(begins)
