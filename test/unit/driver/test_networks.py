"""Networks of `compile_program`: their values, and the times of their steps."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest
from network_programs import (
    COLUMNS,
    FAILING,
    STREAMS,
    Blocked,
    check,
    feed,
    mixed_program,
    run,
)
from onnx import parser

import snippets_mlir
from snippets_mlir.driver.networks.program import Program


@pytest.fixture(scope="module")
def program() -> Iterator[Program]:
    with mixed_program() as made:
        yield made


def test_a_network(program: Program) -> None:
    network = program.network()
    for seed in range(3):
        check(run(network, feed(seed)), seed)
        network.execute()  # again on the same inputs
        check({name: network.output(name) for name in "yz"}, seed)


def test_outputs_belong_to_the_caller(program: Program) -> None:
    network = program.network()
    kept = [run(network, feed(seed)) for seed in range(3)]
    for seed, outputs in enumerate(kept):
        check(outputs, seed)


def test_inputs_are_not_copied(program: Program) -> None:
    network, arrays = program.network(), feed(0)
    run(network, arrays)
    arrays["arg0"][...] = 3
    network.execute()
    assert (network.output("y") == -6).all()


def test_inputs_that_are_not_dense(program: Program) -> None:
    arrays = feed(2)
    strided = {name: np.repeat(array, 2, 0)[::2] for name, array in arrays.items()}
    check(run(program.network(), strided), 2)
    request = program.request()
    request.start(strided)
    request.wait()
    check(request, 2)


def test_runs_of_other_kinds_in_between(program: Program) -> None:
    """Runs that fail, that have strided inputs or outputs of the caller, between plain ones."""
    network, request = program.network(), program.request()
    y, z = (np.full((3, COLUMNS), 7, np.float32) for _ in range(2))
    for seed in range(3):
        for _ in range(2):
            check(run(network, feed(seed)), seed)
            request.start(feed(seed))
            request.wait()
            check(request, seed)
        with pytest.raises(ValueError, match="out of data bounds"):
            run(network, feed(seed, FAILING))
        request.start(feed(seed, FAILING))
        with pytest.raises(ValueError, match="out of data bounds"):
            request.wait()
        strided = {name: np.repeat(array, 2, 0)[::2] for name, array in feed(seed).items()}
        check(run(network, strided), seed)
        request.start(feed(seed), {"y": y, "z": z})
        request.wait()
        check({"y": y, "z": z}, seed)


def test_a_network_tells_of_its_steps(program: Program) -> None:
    network = program.network()
    assert network.profile() == ()
    run(network, feed(0))
    rows = network.profile()
    assert [(row.kind, row.nodes) for row in rows] == [
        ("kernel", ("snippets.negative",)),
        ("execute", ("Gather",)),
        ("kernel", ("snippets.add",)),
        ("execute", ("Gather",)),
    ]
    assert [row.stream for row in rows] == [None] * 4
    assert all(row.nanoseconds >= 0 for row in rows)
    assert all(a.end <= b.begin for a, b in pairwise(rows))


def test_a_failing_run_tells_of_the_steps_before(program: Program) -> None:
    network = program.network()
    run(network, feed(0))
    with pytest.raises(ValueError, match="out of data bounds"):
        run(network, feed(0, FAILING))
    assert [row.kind for row in network.profile()] == ["kernel"]
    check(run(network, feed(1)), 1)


def test_streams_tell_of_their_steps() -> None:
    with mixed_program() as program:
        with program.queue() as queue, Blocked(program):
            queue.submit(feed(0))
        rows = program.profile()
        assert {row.stream for row in rows} <= set(range(STREAMS))
        assert len(rows) >= 4


def test_arrays_in_place_of_values_of_a_model() -> None:
    model = parser.parse_model(
        """<ir_version: 8, opset_import: ["" : 17]>
        g (float[N] x, float[1] u = {3}, float[1] w = {2}) => (float[N] y) {
          a = Mul(x, w)
          y = Sub(a, u)
        }"""
    )
    x, w = np.arange(3, dtype=np.float32), np.full(1, 5, np.float32)
    with snippets_mlir.compile_program(model, threads_per_stream=1) as program:
        network, request = program.network(), program.request()
        network.set_input("x", x)
        network.execute()
        np.testing.assert_array_equal(network.output("y"), x * 2 - 3)
        network.set_input("w", w)
        network.execute()
        np.testing.assert_array_equal(network.output("y"), x * 5 - 3)
        for arrays, expected in (({"x": x, "w": w}, x * 5 - 3), ({"x": x, "u": w}, x * 2 - 5)):
            out = {"y": np.empty_like(x)}
            for given in (None, out):
                request.start(arrays, out=given)
                request.wait()
                np.testing.assert_array_equal(request["y"], expected)
            with program.queue(requests=2) as queue:
                futures = [queue.submit(arrays) for _ in range(4)] + [queue.submit({"x": x})]
            for future in futures[:-1]:
                np.testing.assert_array_equal(future.result()["y"], expected)
            np.testing.assert_array_equal(futures[-1].result()["y"], x * 2 - 3)
        message = "input 'v': no such input.*inputs are 'x', 'u', 'w'"
        for do in (
            lambda: request.start({"x": x, "v": w}),
            lambda: network.set_input("v", w),
        ):
            with pytest.raises(ValueError, match=message):
                do()
        with pytest.raises(ValueError, match="input 'x': missing"):
            request.start({"w": w})
