"""What networks hold: plans of shapes, arenas, threads and teams."""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Iterator
from time import monotonic, sleep

import numpy as np
import pytest
from network_programs import (
    COLUMNS,
    MIXED,
    ROWS,
    STREAMS,
    Array,
    FunctionJob,
    mixed_arrays,
    mixed_program,
    mixed_results,
    run,
)

import snippets_mlir
from snippets_mlir.driver.networks.plans import MAX_PLANS
from snippets_mlir.driver.networks.program import Program


@pytest.fixture(scope="module")
def program() -> Iterator[Program]:
    with mixed_program() as made:
        yield made


DYNAMIC = MIXED.replace(f"tensor<{ROWS}x", "tensor<?x")


def dynamic_feed(rows: int) -> dict[str, Array]:
    _, i = mixed_arrays(rows)
    return {"arg0": np.full((rows, COLUMNS), rows, np.float32), "arg1": i}


def test_shapes_take_turns() -> None:
    """a, b, a; and more shapes than a network keeps tables for."""
    with mixed_program(DYNAMIC) as program:
        network = program.network()
        for rows in (3, 9, 3, 900, 3, *range(3, MAX_PLANS + 6), 3):
            arrays = dynamic_feed(rows)
            found = run(network, arrays)
            np.testing.assert_array_equal(found["y"], mixed_results(*arrays.values())[0])
        assert len(network._plans._kept) <= MAX_PLANS  # pyright: ignore
        with program.queue(requests=4) as queue:
            sizes = [3, 9, 3, 40, 3, 9]
            futures = [queue.submit(dynamic_feed(rows)) for rows in sizes]
        for rows, future in zip(sizes, futures, strict=True):
            arrays = dynamic_feed(rows)
            np.testing.assert_array_equal(future.result()["z"], mixed_results(*arrays.values())[1])


CHAIN = """
func.func @main(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %0 = snippets.exp %x : tensor<?x64xf32>
  %1 = snippets.reduce_sum %0 {axes = array<i64: 0>} : (tensor<?x64xf32>) -> tensor<64xf32>
  %2 = snippets.subtract %0, %1 : (tensor<?x64xf32>, tensor<64xf32>) -> tensor<?x64xf32>
  %3 = snippets.reduce_max %2 {axes = array<i64: 0>} : (tensor<?x64xf32>) -> tensor<64xf32>
  %4 = snippets.add %2, %3 : (tensor<?x64xf32>, tensor<64xf32>) -> tensor<?x64xf32>
  func.return %4 : tensor<?x64xf32>
}
"""


def test_the_arena_is_that_of_the_largest_plan_that_is_kept() -> None:
    with mixed_program(CHAIN) as program:
        network = program.network()

        def arena(rows: int) -> int:
            network.set_input("arg0", np.ones((rows, 64), np.float32))
            network.execute()
            assert network.output("out0").shape == (rows, 64)
            assert network.arena >= program.compiled.built().program.storage.arena
            return network.arena

        large = arena(40_000)  # more than what one plan serves for all smaller sizes
        assert large > arena(40_000) / 2
        assert arena(3) == large
        for rows in range(2, MAX_PLANS + 3):
            arena(rows)  # each needs a little more than the one before
        assert network.arena < large / 10


def test_memory_is_counted() -> None:
    weights = ", ".join(f"{i}.0" for i in range(64))
    text = f"""func.func @main(%x: tensor<5x64xf32>) -> tensor<5x64xf32> {{
      %w = snippets.constant dense<[{weights}]> : tensor<64xf32>
      %0 = snippets.add %x, %w : (tensor<5x64xf32>, tensor<64xf32>) -> tensor<5x64xf32>
      %1 = onnx.node "Floor"(%0) {{domain = "", version = 13 : i64}}
        : (tensor<5x64xf32>) -> tensor<5x64xf32>
      func.return %1 : tensor<5x64xf32>
    }}"""
    with mixed_program(text) as program:
        before = program.memory()
        assert before["constants"] == 256
        assert before["sessions"] > 0
        assert before["arena"] == 0
        networks = {i: program.network() for i in range(2)}
        for i in networks:
            networks[i].set_input("arg0", np.ones((5, 64), np.float32))
            networks[i].execute()
        each = networks[0].arena
        assert each >= 5 * 64 * 4
        assert program.memory() == {**before, "arena": 2 * each}
        del networks[1]
        gc.collect()
        assert program.memory()["arena"] == each
        networks[0].close()
        assert program.memory()["arena"] == 0


def test_threads_and_cores() -> None:
    """Each stream runs on its own cores, from its first job on, and ends with the program."""
    before = set(threading.enumerate())
    program = mixed_program()
    assert set(threading.enumerate()) <= before  # nothing was started
    seen: dict[int, tuple[int, ...]] = {}
    barrier = threading.Barrier(STREAMS)

    def note(stream: object) -> None:
        barrier.wait(300)
        seen[stream.index] = tuple(os.sched_getaffinity(0))  # pyright: ignore

    for _ in range(STREAMS):
        program._runner.streams.submit(FunctionJob(note))  # pyright: ignore[reportPrivateUsage]
    program.close()
    assert set(threading.enumerate()) <= before
    assert sorted(seen) == list(range(STREAMS))
    assert all(len(cores) == 1 for cores in seen.values())
    assert len({*seen.values()}) == STREAMS


def test_teams_of_streams_end_with_them() -> None:
    text = "func.func @main(%x: tensor<400x400xf64>) -> tensor<400x400xf64> {\n"
    text += "%0 = snippets.exp %x : tensor<400x400xf64>\nfunc.return %0 : tensor<400x400xf64>\n}"
    x = np.linspace(-1, 1, 400 * 400).reshape(400, 400)
    expected = snippets_mlir.compile(text, num_threads=1)(x)
    cores = len(os.sched_getaffinity(0))

    def threads() -> int:
        return len(os.listdir("/proc/self/task"))

    before, programs = threads(), 6
    for _ in range(programs):
        with snippets_mlir.compile_program(text, streams=1, threads_per_stream=cores) as program:
            request = program.request()
            request.start({"arg0": x})
            request.wait()
            np.testing.assert_array_equal(request["out0"], expected)
    # The threads of a team end some time after the thread whose team they are.
    end = monotonic() + 300
    while threads() >= before + programs and monotonic() < end:
        sleep(0.01)
    assert threads() < before + programs


SESSION_BETWEEN = """func.func @main(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %0 = snippets.tanh %x : tensor<?x64xf32>
  %1 = onnx.node "Floor"(%0) {domain = "", version = 13 : i64}
       : (tensor<?x64xf32>) -> tensor<?x64xf32>
  %2 = snippets.add %1, %x : tensor<?x64xf32>
  func.return %2 : tensor<?x64xf32>
}"""


def test_calls_of_one_program_have_one_arena() -> None:
    """The network of a second call takes the memory of the first one, which ran in Python."""
    text = SESSION_BETWEEN.replace("?", "300")
    with snippets_mlir.compile_program(text, streams=1, threads_per_stream=1) as program:
        x = np.linspace(-2, 2, 300 * 64, dtype=np.float32).reshape(300, 64)
        held = program.compiled.known_builds()[0].program.storage.arena
        assert held > 300 * 64 * 4
        for _ in range(4):
            np.testing.assert_allclose(program.compiled(x), np.floor(np.tanh(x)) + x, rtol=1e-6)
            memory = program.memory()
            assert held <= memory["arena"] + memory["outputs"] <= held + 64
