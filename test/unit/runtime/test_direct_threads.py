"""The short way through a call of programs with teams: threads, scratch memory, forked children."""

from __future__ import annotations

import os
import threading
from typing import Any

import numpy as np
import pytest

import snippets_mlir
from snippets_mlir.runtime.direct import direct_call

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


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_calls_on_one_thread() -> None:
    compiled: Any = snippets_mlir.compile(SHARED.format(n=300), fallback="error", num_threads=2)
    x = np.linspace(-1, 1, 300 * 300).reshape(300, 300)
    expected = compiled(x)
    assert compiled._direct is not None
    pid = os.fork()
    if pid == 0:
        os._exit(0 if np.array_equal(compiled(x), expected) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
