"""Random requests on two streams: each gets the results of its own inputs, failing ones between.

    run(seed=1, trials=2000)

A trial starts a request, submits to a queue, runs a network on this thread, waits with a time-out
or twice, drops a request that runs, or changes the shape. Every result is compared, bit by bit,
with NumPy's for the inputs of that request.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import numpy as np
import pytest
from network_programs import COLUMNS, FAILING, MIXED, ROWS, STREAMS, Array, mixed_results

import snippets_mlir
from snippets_mlir.driver.networks.program import Program
from snippets_mlir.runtime.queues.request import Request

DYNAMIC = MIXED.replace(f"tensor<{ROWS}x", "tensor<?x")
REQUESTS = 4


class Trials:
    """Random actions on one program."""

    def __init__(self, program: Program, seed: int, *, dynamic: bool) -> None:
        self.rng = np.random.default_rng(seed)
        self.program, self.dynamic = program, dynamic
        self.requests = [program.request() for _ in range(REQUESTS)]
        self.started: dict[int, tuple[dict[str, Array], bool]] = {}
        self.futures: deque[tuple[Future[Any], tuple[dict[str, Array], bool]]] = deque()
        self.network = program.network()
        self.checked = self.failed = 0

    def arrays(self) -> tuple[dict[str, Array], bool]:
        """Inputs, and whether the run on them fails."""
        rows = int(self.rng.integers(3, 9)) if self.dynamic else ROWS
        fails = self.rng.random() < 0.1
        x = self.rng.standard_normal((rows, COLUMNS)).astype(np.float32)
        i = self.rng.integers(0, 3, 3) + (rows * FAILING if fails else 0)
        return {"arg0": x, "arg1": i}, fails

    def expect(self, given: tuple[dict[str, Array], bool], result: Callable[[], Any]) -> None:
        """Compare a result, or the error, with what it has to be."""
        arrays, fails = given
        if fails:
            with pytest.raises(ValueError, match="out of data bounds"):
                result()
            self.failed += 1
            return
        found = result()
        for name, expected in zip("yz", mixed_results(*arrays.values()), strict=True):
            assert found[name].tobytes() == expected.tobytes(), name
        self.checked += 1

    def start(self) -> None:
        """Start a request again, after its last run was compared."""
        number = int(self.rng.integers(REQUESTS))
        self.wait(number)
        given = self.arrays()
        self.requests[number].start(given[0])
        self.started[number] = given

    def wait(self, number: int) -> None:
        """Wait for a request, and compare its results."""
        given = self.started.pop(number, None)
        if given is None:
            return
        request = self.requests[number]

        def result() -> Request:
            while not request.wait(float(self.rng.random()) * 1e-4):
                pass
            request.wait()
            return request

        self.expect(given, result)

    def forget(self) -> None:
        """Drop a request, which may be running."""
        number = int(self.rng.integers(REQUESTS))
        self.started.pop(number, None)
        self.requests[number] = self.program.request()

    def execute(self) -> None:
        """Run the network of this thread."""
        given = self.arrays()
        for name, array in given[0].items():
            self.network.set_input(name, array)

        def result() -> dict[str, Array]:
            self.network.execute()
            return {name: self.network.output(name) for name in "yz"}

        self.expect(given, result)

    def finish(self, left: int) -> None:
        """Compare futures until `left` of them are left."""
        while len(self.futures) > left:
            future, given = self.futures.popleft()
            self.expect(given, future.result)

    def run(self, trials: int) -> None:
        """Do random things, and compare everything in the end."""
        with self.program.queue(requests=REQUESTS) as queue:
            for _ in range(trials):
                match int(self.rng.integers(10)):
                    case 0:
                        self.forget()
                    case 1 | 2:
                        self.execute()
                    case 3 | 4 | 5:
                        self.start()
                    case _:
                        given = self.arrays()
                        self.futures.append((queue.submit(given[0]), given))
                        self.finish(int(self.rng.integers(8)))
        self.finish(0)
        for number in range(REQUESTS):
            self.wait(number)


def run(seed: int, trials: int, *, dynamic: bool = False) -> Trials:
    """Random trials; AssertionError when a result is another request's."""
    with snippets_mlir.compile_program(
        DYNAMIC if dynamic else MIXED, streams=STREAMS, threads_per_stream=1
    ) as program:
        trials_of = Trials(program, seed, dynamic=dynamic)
        trials_of.run(trials)
    return trials_of
