"""What networks, requests and streams say when they are used wrongly."""

from __future__ import annotations

import copy
import re
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import wait
from typing import Any

import numpy as np
import pytest
from network_programs import (
    COLUMNS,
    FAILING,
    MIXED,
    Blocked,
    check,
    feed,
    mixed_program,
)

import snippets_mlir
from snippets_mlir.driver.networks.program import Program
from snippets_mlir.runtime.queues.streams import check_streams, usable_cores
from snippets_mlir.support.errors import CompileError

CORES = len(usable_cores())


@pytest.fixture(scope="module")
def program() -> Iterator[Program]:
    with mixed_program() as made:
        yield made


UNSTARTED: dict[str, tuple[Callable[[Program], object], str]] = {
    "wait": (lambda p: p.request().wait(), "wait: the request was not started"),
    "result": (lambda p: p.request()["y"], "result: the request was not started"),
    "error": (lambda p: p.request().error, "error: the request was not started"),
    "output": (lambda p: p.network().output("y"), "output: the network was not executed"),
    "submit": (
        lambda p: p.queue().submit(feed(0)),
        "submit: the queue is closed; use it in a with statement",
    ),
}


@pytest.mark.parametrize("case", UNSTARTED)
def test_before_the_start(program: Program, case: str) -> None:
    do, message = UNSTARTED[case]
    with pytest.raises(RuntimeError, match=f"^{re.escape(message)}$"):
        do(program)


def test_while_it_runs(program: Program) -> None:
    request = program.request()
    with Blocked(program):
        request.start(feed(0))
        assert request.wait(0.01) is False
        with pytest.raises(RuntimeError, match=r"^start: the request is running; wait for it"):
            request.start(feed(1))
        with pytest.raises(RuntimeError, match=r"^result: the request is running; wait for it"):
            request["y"]
        with pytest.raises(RuntimeError, match=r"^error: the request is running; wait for it"):
            _ = request.error
    assert request.wait() is True  # it went on
    check(request, 0)


WRONG: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "type": ({"arg0": np.zeros((5, 64))}, TypeError, "input 'arg0': expected float32, found float"),
    "shape": ({"arg1": np.zeros(4, int)}, ValueError, "input 'arg1': expected shape (3,), found ("),
    "unknown": ({"x": 1}, ValueError, "input 'x': no such input; inputs are 'arg0', 'arg1'"),
}


@pytest.mark.parametrize("case", WRONG)
def test_arrays_that_do_not_fit(program: Program, case: str) -> None:
    """At once, and the request, network and queue go on."""
    arrays, kind, message = WRONG[case]
    request, network = program.request(), program.network()
    with pytest.raises(kind, match=re.escape(message)):
        request.start({**feed(0), **arrays})
    with pytest.raises(RuntimeError, match="not started"):
        request.wait()
    with pytest.raises(kind, match=re.escape(message)):
        network.set_input(*next(iter(arrays.items())))
    with program.queue(requests=1) as queue:
        for _ in range(3):
            with pytest.raises(kind, match=re.escape(message)):
                queue.submit({**feed(0), **arrays})
        check(queue.submit(feed(1)).result(), 1)
    request.start(feed(2))
    request.wait()
    check(request, 2)


def test_names_that_are_no_strings(program: Program) -> None:
    number: Any = 3
    message = "^inputs: expected names that are strings, found 3$"
    with pytest.raises(TypeError, match=message):
        program.network().set_input(number, feed(0)["arg0"])
    with pytest.raises(TypeError, match=message):
        program.request().start({number: feed(0)["arg0"]})


def test_missing_inputs(program: Program) -> None:
    network = program.network()
    network.set_input("arg0", feed(0)["arg0"])
    with pytest.raises(ValueError, match="input 'arg1': missing"):
        network.execute()
    with pytest.raises(ValueError, match="input 'arg1': missing"):
        program.request().start({"arg0": feed(0)["arg0"]})


def test_outputs_that_are_not_there(program: Program) -> None:
    request = program.request()
    request.start(feed(0))
    request.wait()
    with pytest.raises(KeyError, match="no output 'w'; outputs are 'y', 'z'"):
        request["w"]
    with pytest.raises(ValueError, match="out: expected arrays for 'y', 'z', found 'y'"):
        request.start(feed(0), {"y": request["y"]})


def test_a_failing_run(program: Program) -> None:
    request = program.request()
    for _ in range(2):
        request.start(feed(0, FAILING))
        with pytest.raises(ValueError, match="out of data bounds"):
            request.wait()
        with pytest.raises(ValueError, match="out of data bounds"):
            request["y"]
        assert isinstance(request.error, ValueError)
        request.start(feed(1))
        assert request.wait()
        assert request.error is None
        check(request, 1)


def test_a_future_of_a_queue_cannot_be_cancelled(program: Program) -> None:
    """Its arrays are in use: the result comes, and whoever waits for it gets it."""
    with program.queue(requests=2) as queue:
        with Blocked(program):
            future = queue.submit(feed(0))
            assert not future.cancel()
            assert future.running()
            assert not future.done()
        assert not wait([future], 300).not_done
        assert not future.running()
        assert not future.cancelled()
        check(future.result(), 0)


def test_outputs_that_two_requests_would_write(program: Program) -> None:
    y, z = (np.zeros((3, COLUMNS), np.float32) for _ in range(2))
    one, two = program.request(), program.request()
    with Blocked(program):
        one.start(feed(0), {"y": y, "z": z})
        message = "out: an array overlaps one of a request that is running"
        with pytest.raises(ValueError, match=message):
            two.start(feed(1), {"y": y.copy(), "z": z})
        with pytest.raises(ValueError, match="an input overlaps an output of a request"):
            two.start({**feed(1), "arg1": z.view(np.int64).ravel()[:3]})
    one.wait()
    check({"y": y, "z": z}, 0)
    two.start(feed(1), {"y": y, "z": z})
    two.wait()
    check({"y": y, "z": z}, 1)


def test_a_network_that_runs(program: Program) -> None:
    """It is refused to a second thread, and to `close`."""
    network = program.network()
    for name, array in feed(0).items():
        network.set_input(name, array)
    plans = network._plans  # pyright: ignore[reportPrivateUsage]
    assert plans is not None
    inside, go, run = threading.Event(), threading.Event(), plans.run

    def slow(*given: Any) -> Any:
        inside.set()
        assert go.wait(300)
        return run(*given)

    plans.run = slow  # pyright: ignore[reportAttributeAccessIssue]
    thread = threading.Thread(target=network.execute)
    thread.start()
    assert inside.wait(300)
    with pytest.raises(RuntimeError, match=r"^execute: the network is running in another thread$"):
        network.execute()
    with pytest.raises(RuntimeError, match=r"^close: the network is running in another thread$"):
        network.close()
    go.set()
    thread.join()
    check({name: network.output(name) for name in "yz"}, 0)


@pytest.mark.parametrize("how", [copy.copy, copy.deepcopy])
def test_nothing_is_copied(program: Program, how: Callable[[object], object]) -> None:
    for made in (program, program.network(), program.request(), program.queue()):
        name = type(made).__name__
        with pytest.raises(TypeError, match=f"a {name} of this process cannot be copied"):
            how(made)


@pytest.mark.parametrize("streams", [0, -1, CORES + 1])
def test_a_wrong_number_of_streams(streams: int) -> None:
    message = f"streams: expected 1 to {CORES}, a core for each, found {streams}"
    with pytest.raises(ValueError, match=message):
        snippets_mlir.compile_program(MIXED, streams=streams)


def test_wrong_options() -> None:
    with pytest.raises(ValueError, match="threads_per_stream: expected 1 to"):
        snippets_mlir.compile_program(MIXED, threads_per_stream=CORES + 1)
    with pytest.raises(ValueError, match="threads_per_stream: expected 1 to"):
        check_streams(1, 0)
    with pytest.raises(TypeError, match="streams: expected an integer, found str"):
        snippets_mlir.compile_program(MIXED, streams="2")  # pyright: ignore[reportArgumentType]
    with pytest.raises(TypeError, match="threads_per_stream in place of num_threads"):
        snippets_mlir.compile_program(MIXED, num_threads=1)
    with mixed_program() as program, pytest.raises(ValueError, match="requests: expected 1 or"):
        program.queue(requests=0)
    for requests in ("2", 1.5, True):
        with (
            mixed_program() as program,
            pytest.raises(TypeError, match="requests: expected an"),
        ):
            program.queue(requests=requests)  # pyright: ignore[reportArgumentType]


def test_a_time_that_is_no_number(program: Program) -> None:
    request = program.request()
    request.start(feed(0))
    for timeout in ("x", True, [1.0]):
        with pytest.raises(TypeError, match="timeout: expected seconds or None, found"):
            request.wait(timeout)  # pyright: ignore[reportArgumentType]
    with pytest.raises(ValueError, match="found nan"):
        request.wait(float("nan"))
    assert request.wait(1e300)
    assert request.wait(-1.0)


def test_functions_on_memrefs_have_no_networks() -> None:
    text = """func.func @main(%x: memref<4xf32>) {
      func.return
    }"""
    with pytest.raises(CompileError, match="a function on memrefs has no networks"):
        snippets_mlir.compile_program(text)
