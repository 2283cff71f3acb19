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

import snippets_mlir
from snippets_mlir.codegen.stubs.request_interface import KNOWN
from snippets_mlir.driver.networks import plans
from snippets_mlir.driver.networks.plans import Plans
from snippets_mlir.driver.networks.program import Program
from snippets_mlir.runtime.network import Network
from snippets_mlir.runtime.queues import native_line

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


TEMPLATE = """func.func @main(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %0 = snippets.negative %x : tensor<?x64xf32>
  %1 = snippets.reduce_max %0 {axes = array<i64: 0>} : (tensor<?x64xf32>) -> tensor<64xf32>
  %2 = snippets.subtract %0, %1 : (tensor<?x64xf32>, tensor<64xf32>) -> tensor<?x64xf32>
  func.return %2 : tensor<?x64xf32>
}"""


@pytest.fixture
def tables(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """An item for each table that plans make."""
    made: list[int] = []

    class Noted(Network):
        """A table that is counted."""

        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            made.append(1)

    monkeypatch.setattr(plans.runtime_network, "Network", Noted)
    return made


def rows_of(rows: int) -> dict[str, Any]:
    return {"arg0": np.arange(rows * 64, dtype=np.float32).reshape(rows, 64) + rows}


def check_rows(rows: int, found: Any) -> None:
    x = rows_of(rows)["arg0"]
    np.testing.assert_array_equal(found, x[0] - x)


def test_new_shapes_of_a_template_share_a_table(tables: list[int]) -> None:
    sizes = [3, 9, 4, 900, 5, *range(10, 40), 9000]
    with snippets_mlir.compile_program(TEMPLATE, streams=1, threads_per_stream=1) as program:
        network = program.network()
        (output,) = (spec.name for spec in program.outputs)

        def run(rows: int) -> None:
            network.set_input("arg0", rows_of(rows)["arg0"])
            network.execute()
            check_rows(rows, network.output(output))
            assert network.profile()

        for rows in sizes:
            run(rows)
        assert len(tables) <= 3  # one more for each arena that is made anew
        before = len(tables)
        for rows in [38, 39, 39, 38, 37, 38, 39, 37] * 3:
            run(rows)
        assert len(tables) == before + 3
        with program.queue(requests=4) as queue:
            order = [*sizes, *sizes[::-1], 5, 5, 5, 900, 900]
            futures = [queue.submit(rows_of(rows)) for rows in order]
        for rows, future in zip(order, futures, strict=True):
            check_rows(rows, future.result()[output])
