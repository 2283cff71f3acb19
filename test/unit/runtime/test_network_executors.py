"""Steps of a network that Python runs: what executors return, raise, and do meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from network_programs import COLUMNS, MIXED, Array, mixed_arrays, mixed_results

import snippets_mlir
from snippets_mlir.runtime.arguments.c_function import TAKEN
from snippets_mlir.runtime.network import Network
from snippets_mlir.runtime.program import Program


def outputs() -> tuple[Array, Array]:
    return tuple(np.full((3, COLUMNS), 7, np.float32) for _ in range(2))  # pyright: ignore


def _with_executor(run: Any) -> Program:
    """`MIXED` with another first executor."""
    built = snippets_mlir.compile(MIXED, num_threads=1).built().program
    first, *others = built.executors.values()
    return Program(
        built.manifest,
        built.addresses,
        built.constants,
        [lambda arrays: run(first, arrays), *others],
        1,
        code=built.code,
    )


def test_a_network_that_runs_is_taken() -> None:
    found: list[Any] = []

    def again(first: Any, arrays: Sequence[Array]) -> Any:
        if not found:
            found.append(network.run(mixed_arrays(3), outputs()))
            inner = outputs()
            found.append(program.call(mixed_arrays(3), inner))
            np.testing.assert_array_equal(inner, mixed_results(*mixed_arrays(3)))
        return first(arrays)

    program = _with_executor(again)
    network = program.first_network()
    given, out = mixed_arrays(4), outputs()
    assert program.call(given, out) is out
    np.testing.assert_array_equal(out, mixed_results(*given))
    assert found[0] is TAKEN
    assert found[1] is not None


@pytest.mark.parametrize("wrong", ["type", "shape"])
def test_what_an_executor_returns_is_checked(wrong: str) -> None:
    def other(first: Any, arrays: Sequence[Array]) -> list[Array]:
        (result,) = first(arrays)
        return [result.astype(np.float64) if wrong == "type" else result[:2]]

    program = _with_executor(other)
    with pytest.raises(RuntimeError, match=r"an executor returned float.* the program says float3"):
        Network(program).run(mixed_arrays(0), outputs())


def test_any_exception_of_an_executor_comes_out() -> None:
    def interrupted(first: Any, arrays: Sequence[Array]) -> Any:
        raise KeyboardInterrupt

    network = Network(_with_executor(interrupted))
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            network.run(mixed_arrays(0), outputs())
