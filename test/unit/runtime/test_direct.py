"""The short way through a call: taken when nothing needs care."""

from __future__ import annotations

import gc
import sys
from inspect import unwrap
from typing import Any

import numpy as np
import pytest
from short_way import TEXT, arrays_of_call, frozen, short_way_of

import snippets_mlir
from snippets_mlir.runtime.arguments import c_function as layout
from snippets_mlir.runtime.parallel.threads import SHARED_BYTES, SHARED_NANOSECONDS, team_for


@pytest.fixture(scope="module")
def compiled() -> Any:
    return snippets_mlir.compile(TEXT, fallback="error")


@pytest.fixture(scope="module")
def direct(compiled: Any) -> Any:
    found = short_way_of(compiled)
    assert found is not None
    return found


def test_it_computes_the_same(compiled: Any, direct: Any) -> None:
    x, y, total, larger = arrays_of_call()
    assert direct.call((x, y), (total, larger)) == (total, larger)
    np.testing.assert_array_equal(total, x + y)
    np.testing.assert_array_equal(larger, x + y > x)
    results = compiled(x, y, out=[total, larger])
    assert results[0] is total
    assert results[1] is larger


def test_a_static_program_takes_it_from_the_second_call_on() -> None:
    compiled: Any = snippets_mlir.compile(TEXT, fallback="error")
    x, y, _, _ = arrays_of_call()
    compiled(x, y)
    compiled.execute = None  # the checked way would fail
    np.testing.assert_array_equal(compiled(x, y)[0], x + y)


def test_fresh_outputs_belong_to_the_caller(compiled: Any) -> None:
    x, y, _, _ = arrays_of_call()
    first, _ = compiled(x, y)
    kept = first.copy()
    second, _ = compiled(x + 1, y)
    np.testing.assert_array_equal(first, kept)
    np.testing.assert_array_equal(second, x + 1 + y)
    assert not np.shares_memory(first, second)


def test_read_only_inputs_are_taken(direct: Any) -> None:
    x, y, total, larger = arrays_of_call()
    assert direct.call((frozen(x), y), (total, larger)) is not None
    np.testing.assert_array_equal(total, x + y)


def test_references_are_counted_right(direct: Any) -> None:
    x, y, total, larger = arrays_of_call()
    watched = (x, y, total, larger, (out := (total, larger)))
    before = [sys.getrefcount(value) for value in watched]
    for _ in range(100):
        direct.call((x, y), out)
        direct.call((x, y), (total, y))
    assert [sys.getrefcount(value) for value in watched] == before


def test_the_short_way_keeps_its_program() -> None:
    compiled: Any = snippets_mlir.compile(TEXT, fallback="error")
    direct = short_way_of(compiled)
    del compiled
    gc.collect()
    x, y, total, larger = arrays_of_call()
    direct.call((x, y), (total, larger))
    np.testing.assert_array_equal(total, x + y)


def test_outputs_that_are_inputs_are_copied() -> None:
    text = TEXT.replace("func.return %0", "func.return %x")
    x, y, total, larger = arrays_of_call()
    out = (total, larger)
    assert short_way_of(snippets_mlir.compile(text, fallback="error")).call((x, y), out) is out
    np.testing.assert_array_equal(total, x)
    np.testing.assert_array_equal(larger, x + y > x)


def test_other_interpreters_have_no_short_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.implementation, "name", "pypy")
    assert unwrap(layout.run_maker)() is None


def test_small_kernels_stay_on_one_thread() -> None:
    assert team_for(0, 4) == 1
    assert team_for(SHARED_BYTES - 1, 4) == 1
    assert team_for(SHARED_BYTES, 4) == 4
    assert team_for(0, 4, SHARED_NANOSECONDS - 1) == 1
    assert team_for(0, 4, SHARED_NANOSECONDS) == 4
    small = snippets_mlir.compile(TEXT, fallback="error", num_threads=4)
    assert small.built().program.teams == [1]
    large = snippets_mlir.compile(TEXT.replace("4x5x", "9000x5x"), fallback="error", num_threads=4)
    assert large.built().program.teams == [4]
