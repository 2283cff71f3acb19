"""A program of four kernels, which compile in one process or in several."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from typing import Any, cast

import numpy as np
import pytest

import snippets_mlir
from snippets_mlir.driver.programs.tensors import TensorProgram
from snippets_mlir.driver.workers import apart, processes

ROWS = (3, 4, 5, 6)
TYPES = [f"tensor<{rows}x17xf32>" for rows in ROWS]
ARGUMENTS = ", ".join(f"%x{i}: {type}" for i, type in enumerate(TYPES))
OPS = "\n  ".join(f"%y{i} = snippets.exp %x{i} : {type}" for i, type in enumerate(TYPES))
RESULTS = ", ".join(f"%y{i}" for i in range(len(ROWS)))
TEXT = f"""func.func @main({ARGUMENTS}) -> ({", ".join(TYPES)}) {{
  {OPS}
  func.return {RESULTS} : {", ".join(TYPES)}
}}"""
INPUTS = [np.linspace(-3, 3, 17 * n, dtype=np.float32).reshape(n, 17) for n in ROWS]
SECONDS = 300
"""However busy the machine is."""


def compiled(workers: int) -> tuple[bytes, ...]:
    """The objects of the program, whose values are right."""
    m = cast("TensorProgram", snippets_mlir.compile(TEXT, compile_workers=workers))
    for got, given in zip(m(*INPUTS), INPUTS, strict=True):
        np.testing.assert_allclose(got, np.exp(given.astype(np.float64)), rtol=3e-7)
    code = m.built().code
    assert code is not None
    return tuple(code.images)


@cache
def alone() -> tuple[bytes, ...]:
    """The objects that one process makes, compiled once for all tests."""
    return compiled(1)


def lower_after(monkeypatch: pytest.MonkeyPatch, until: Callable[[], object]) -> Callable[..., Any]:
    """Let this process lower nothing until `until()`; what lowers a batch at once."""
    lower = apart.lowered

    def waits(*arguments: Any) -> Any:
        end = time.monotonic() + SECONDS
        while not until():
            assert time.monotonic() < end
            time.sleep(1e-3)
        return lower(*arguments)

    monkeypatch.setattr(apart, "lowered", waits)
    return lower


def runs(process: int) -> bool:
    """Whether a process is there, and no zombie."""
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_for_the_end(process: int) -> None:
    """Wait until a process has ended."""
    end = time.monotonic() + SECONDS
    while runs(process):
        assert time.monotonic() < end
        time.sleep(1e-2)


def at_work() -> int:
    """How many batches workers have compiled."""
    return sum(worker.made for worker in processes.started())
