"""The short way through a call of programs with teams: threads, scratch memory, forked children."""

from __future__ import annotations

import os
import sys
import threading
from typing import Any

import numpy as np
import pytest

import snippets_mlir
from snippets_mlir.runtime.calls.direct import direct_call
from snippets_mlir.runtime.parallel import threads

SHARED = """
func.func @main(%x: tensor<{n}x{n}xf64>) -> tensor<{n}xf64> {{
  %0 = snippets.exp %x : tensor<{n}x{n}xf64>
  %1 = snippets.reduce_sum %0 {{axes = array<i64: 0>}} : (tensor<{n}x{n}xf64>) -> tensor<{n}xf64>
  func.return %1 : tensor<{n}xf64>
}}
"""


@pytest.mark.parametrize("size", [1, 7, 40, 300])
def test_scratchpad_and_teams(size: int) -> None:
    compiled: Any = snippets_mlir.compile(SHARED.format(n=size), fallback="error", num_threads=2)
    x = np.linspace(-1, 1, size * size).reshape(size, size)
    expected = compiled(x)
    assert direct_call(compiled.built().program, compiled.outputs) is not None
    np.testing.assert_array_equal(compiled(x), expected)
    np.testing.assert_allclose(expected, np.exp(x).sum(0), rtol=1e-12)


def test_threads_share_a_program() -> None:
    compiled: Any = snippets_mlir.compile(SHARED.format(n=60), fallback="error", num_threads=2)
    inputs = [np.full((60, 60), value) for value in (-1.0, 0.0, 0.5, 2.0)]
    expected = [compiled(x) for x in inputs]
    wrong: list[int] = []

    def work(index: int) -> None:
        for _ in range(300):
            if not np.array_equal(compiled(inputs[index]), expected[index]):
                wrong.append(index)

    workers = [threading.Thread(target=work, args=(index,)) for index in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not wrong


@pytest.mark.skipif(sys.platform != "linux", reason="threads are counted on Linux")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_calls_on_threads_of_its_own() -> None:
    """On one until it compiles a program; then its parent's program has the threads, too."""

    def compiled(n: int) -> Any:
        return snippets_mlir.compile(SHARED.format(n=n), fallback="error", num_threads=2)

    def counted() -> int:
        return len(os.listdir("/proc/self/task"))

    parents = compiled(300)
    x = np.linspace(-1, 1, 300 * 300).reshape(300, 300)
    expected = parents(x)
    assert parents._direct is not None
    several = threads.default_threads() > 1
    pid = os.fork()
    if pid == 0:
        right = [np.array_equal(parents(x), expected), counted() == 1]
        right.append(np.allclose(compiled(301)(np.zeros((301, 301))), 301))
        right += [(counted() > 1) == several, np.array_equal(parents(x), expected)]
        os._exit(0 if all(right) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
