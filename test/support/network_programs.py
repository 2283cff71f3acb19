"""Programs for the tests of networks: kernels with steps of onnxruntime between them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

import snippets_mlir
from snippets_mlir.driver.networks.network import Network
from snippets_mlir.driver.networks.program import Program
from snippets_mlir.runtime.queues.line import Counter, Ticket
from snippets_mlir.runtime.queues.streams import Stream, usable_cores

Array = np.ndarray[Any, Any]

ROWS, COLUMNS = 5, 64

MIXED = f"""
func.func @main(%x: tensor<{ROWS}x{COLUMNS}xf32>, %i: tensor<3xi64>)
    -> (tensor<3x{COLUMNS}xf32> {{snippets.name = "y"}},
        tensor<3x{COLUMNS}xf32> {{snippets.name = "z"}}) {{
  %0 = snippets.negative %x : tensor<{ROWS}x{COLUMNS}xf32>
  %1 = onnx.node "Gather"(%0, %i) {{domain = "", version = 13 : i64}}
    : (tensor<{ROWS}x{COLUMNS}xf32>, tensor<3xi64>) -> tensor<3x{COLUMNS}xf32>
  %2 = snippets.add %1, %1 : tensor<3x{COLUMNS}xf32>
  %3 = onnx.node "Gather"(%2, %i) {{domain = "", version = 13 : i64}}
    : (tensor<3x{COLUMNS}xf32>, tensor<3xi64>) -> tensor<3x{COLUMNS}xf32>
  func.return %2, %3 : tensor<3x{COLUMNS}xf32>, tensor<3x{COLUMNS}xf32>
}}
"""
"""Kernel, session, kernel, session; its second output is a session's. `%i` may be out of range."""


def mixed_arrays(seed: int, shift: int = 0) -> tuple[Array, Array]:
    """Inputs of `MIXED`; a `shift` of 5 makes the sessions fail."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((ROWS, COLUMNS)).astype(np.float32)
    x[0, :3] = [-0.0, np.nan, np.inf]
    return x, rng.integers(0, 3, 3) + shift


def mixed_results(x: Array, i: Array) -> tuple[Array, Array]:
    """What `MIXED` computes."""
    y = (-x)[i] * 2
    return y, y[i]


FAILING = 5
"""A shift of the indices of `MIXED` with which its first session fails."""

STREAMS = min(2, len(usable_cores()))


def feed(seed: int, shift: int = 0) -> dict[str, Array]:
    """Inputs of `MIXED` by name."""
    return dict(zip(("arg0", "arg1"), mixed_arrays(seed, shift), strict=True))


def check(found: Any, seed: int) -> None:
    """AssertionError unless outputs of `MIXED` by name are those of `feed(seed)`."""
    y, z = mixed_results(*mixed_arrays(seed))
    np.testing.assert_array_equal(found["y"], y)
    np.testing.assert_array_equal(found["z"], z)


def mixed_program(text: str = MIXED, streams: int = STREAMS) -> Program:
    """A program of streams of one thread each."""
    return snippets_mlir.compile_program(text, streams=streams, threads_per_stream=1)


class FunctionJob:
    """A job of a stream that is a function."""

    def __init__(self, function: Callable[[Stream], object]) -> None:
        self.ticket: Ticket | None = None
        self.counter: Counter | None = None
        self._function = function

    def run(self, stream: Stream) -> None:
        """Call it."""
        self._function(stream)

    def fail(self, error: BaseException) -> None:
        """Machine code does not run it."""
        raise error

    def finish(self) -> None:
        """Nobody wants to know."""


class Blocked:
    """Has all streams of a program busy until the end of a `with` statement."""

    def __init__(self, program: Program) -> None:
        self._go, self._begun = threading.Event(), threading.Semaphore(0)
        self._streams = program._runner.streams  # pyright: ignore[reportPrivateUsage]

    def _wait(self, _: Stream) -> None:
        self._begun.release()
        self._go.wait(300)

    def __enter__(self) -> None:
        for _ in range(self._streams.count):
            self._streams.submit(FunctionJob(self._wait))
        for _ in range(self._streams.count):
            assert self._begun.acquire(timeout=300)

    def __exit__(self, *_: object) -> None:
        self._go.set()


def nodes_of_each_state(result: str) -> str:
    """A function with nodes that are executed, fused and optimised out; its output is `result`."""
    return f"""func.func @main(%x: tensor<4x6xf32> {{snippets.name = "x"}})
    -> (tensor<24xf32> {{snippets.name = "{result}"}}) {{
  %zero = snippets.constant dense<0.0> : tensor<f32>
  %a = snippets.tanh %x : tensor<4x6xf32>
  %dead = snippets.exp %x : tensor<4x6xf32>
  %b = snippets.add %a, %x : tensor<4x6xf32>
  %n = snippets.negative %b : tensor<4x6xf32>
  %nn = snippets.negative %n : tensor<4x6xf32>
  %h = onnx.node "Hardmax"(%nn) {{domain = "", version = 13 : i64, node_name = "hard"}}
    : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %r = snippets.reshape %h : (tensor<4x6xf32>) -> tensor<24xf32>
  func.return %r : tensor<24xf32>
}}"""


def run(network: Network, arrays: dict[str, Array]) -> dict[str, Array]:
    """The outputs of a network that computes once."""
    for name, array in arrays.items():
        network.set_input(name, array)
    network.execute()
    return {"y": network.output("y"), "z": network.output("z")}
