"""Counters in kernels: exact numbers of calls, times, and the same results as without."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import numpy as np
import pytest
from sampled import sampled

import snippets_mlir
from snippets_mlir.codegen.stubs.crew_slices import SLICES
from snippets_mlir.driver import Compiled
from snippets_mlir.runtime.perf_counts import PerfCount

Array = np.ndarray[Any, np.dtype[Any]]

ROWS, SIZE = 6, 37
SOFTMAX = """func.func @main(%x: tensor<{0}x{1}xf32>, %b: tensor<{1}xf32>) -> tensor<{0}x{1}xf32> {{
  %0 = snippets.add %x, %b : (tensor<{0}x{1}xf32>, tensor<{1}xf32>) -> tensor<{0}x{1}xf32>
  %1 = snippets.softmax %0 {{axis = 1 : i64}} : tensor<{0}x{1}xf32>
  func.return %1 : tensor<{0}x{1}xf32>
}}"""
TARGET = "generic"
LANES = 4
VECTORS = -(-SIZE // LANES)


def arrays(rows: int = ROWS, size: int = SIZE) -> list[Array]:
    rng = np.random.default_rng(0)
    return [rng.standard_normal(s).astype(np.float32) for s in ((rows, size), (size,))]


def compiled(sizes: Sequence[object] = (ROWS, SIZE), **options: Any) -> Compiled:
    text = SOFTMAX.format(*sizes)
    return snippets_mlir.compile(text, fallback="error", target=TARGET, **options)


@cache
def counting(at: Any, threads: int) -> Compiled:
    """A program that counts; tests share it."""
    return compiled(num_threads=threads, perf_count=at)


def cleared(at: Any, threads: int) -> Compiled:
    """The same, without the counts of other tests."""
    counting(at, threads).clear_perf_counts()
    return counting(at, threads)


def by_label(counts: Sequence[PerfCount]) -> dict[str, list[PerfCount]]:
    found: dict[str, list[PerfCount]] = {}
    for count in counts:
        found.setdefault(count.label, []).append(count)
    return found


EXPRESSIONS = [("expressions", 2), ("expressions", 1)]


@pytest.mark.parametrize(
    ("at", "threads"),
    sampled([("body", 2), ("body", 1), ("loops", 1), ("loops", 2), *EXPRESSIONS], 2),
)
def test_results_are_the_same_and_times_positive(at: Any, threads: int):
    given = arrays()
    expected = compiled(num_threads=threads)(*given)
    counted = cleared(at, threads)
    assert counted.perf_counts == ()
    assert counted(*given).tobytes() == expected.tobytes()
    assert counted.perf_counts
    for count in counted.perf_counts:
        assert count.kernel == "subgraph_0"
        assert count.unit == "ns"
        assert count.calls > 0
        assert count.total > 0
        assert count.average == count.total / count.calls


def test_ops_are_counted_once_for_each_vector():
    program = cleared("expressions", 1)
    calls = 3
    for _ in range(calls):
        program(*arrays())
    found = by_label(program.perf_counts)
    assert [c.calls for c in found["snippets.exp"]] == [calls * ROWS * VECTORS]
    assert [c.calls for c in found["snippets.divide"]] == [calls * ROWS]
    assert found["snippets.add"][0].calls == calls * ROWS * VECTORS
    assert found["snippets.add"][0].position == "<string>:2:3"
    assert found["snippets.exp"][0].position == "<string>:3:3"
    program.clear_perf_counts()
    assert program.perf_counts == ()


def test_loops_are_counted_once_for_each_time_they_are_entered():
    program = cleared("loops", 1)
    program(*arrays())
    outer, *inner = program.perf_counts
    assert outer.label == "loop 0"
    assert outer.calls == 1
    assert len(inner) > 3
    assert {count.calls for count in inner} == {ROWS}
    assert outer.total >= sum(count.total for count in inner)


def test_the_body_is_counted_once_for_each_slice():
    rows, size = 64, 1000
    program = compiled((rows, size), num_threads=2, perf_count="body")
    program(*arrays(rows, size))
    (count,) = program.perf_counts
    assert count.label == "body"
    assert count.calls in (1, 2, 2 * SLICES)  # one without threads, two with teams of OpenMP


def test_threads_share_the_counts_of_ops():
    rows, size = 64, 1000
    program = compiled((rows, size), num_threads=2, perf_count="expressions")
    program(*arrays(rows, size))
    found = by_label(program.perf_counts)
    assert found["snippets.exp"][0].calls == rows * size // LANES


def test_calls_from_several_python_threads_are_all_counted():
    program = cleared("expressions", 2)
    given = arrays()

    def call(_: int) -> None:
        program(*given)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(call, range(40)))
    found = by_label(program.perf_counts)
    assert found["snippets.exp"][0].calls == 40 * ROWS * VECTORS


def test_dynamic_shapes_add_up():
    program = compiled(("?", "?"), num_threads=1, perf_count="expressions")
    for rows, size in ((3, 8), (5, 9), (2, 33)):
        given = arrays(rows, size)
        e = np.exp(given[0].astype(np.float64) + given[1])
        expected = e / e.sum(1, keepdims=True)
        np.testing.assert_allclose(program(*given), expected, rtol=1e-6)
    found = by_label(program.perf_counts)
    assert found["snippets.exp"][0].calls == 3 * 2 + 5 * 3 + 2 * 9


def test_the_pass_may_stand_anywhere_and_twice():
    text = "lir-insert-perf-count{{at={} clock={}}}"
    program = compiled(
        num_threads=1,
        insert_passes=[
            f"after:lir-insert-loops:{text.format('body', 'rdtsc')}",
            f"before:convert-lir-to-vector:{text.format('body', 'monotonic')}",
        ],
    )
    program(*arrays())
    outer, inner = sorted(program.perf_counts, key=lambda count: count.unit)
    assert (outer.unit, inner.unit) == ("cycles", "ns")
    assert outer.calls == inner.calls == 1
    assert outer.total > 0
    assert inner.total > 0


@pytest.mark.usefixtures("unverified")
def test_unrolled_loops_count_every_iteration():
    unrolled = ["after:lir-expand-math:lir-unroll{factor=4}"]
    plain = compiled(num_threads=1, insert_passes=unrolled)
    program = compiled(num_threads=1, insert_passes=unrolled, perf_count="expressions")
    given = arrays()
    assert program(*given).tobytes() == plain(*given).tobytes()
    found = by_label(program.perf_counts)
    assert [count.calls for count in found["snippets.exp"]] == [ROWS * VECTORS]
    assert {count.calls for count in found["lir.load"]} == {ROWS * VECTORS}


def test_a_kernel_without_work_counts_nothing():
    program = compiled((0, SIZE), perf_count="loops")
    program(*arrays(0))
    assert program.perf_counts == ()


def test_what_is_no_place_is_an_error():
    wrong: Any = "loop"
    with pytest.raises(ValueError, match=r"perf_count: .* did you mean 'loops'"):
        compiled(perf_count=wrong)


def test_the_clock() -> None:
    program = compiled(num_threads=1, perf_count="body", perf_clock="rdtsc")
    program(*arrays())
    (count,) = program.perf_counts
    assert (count.unit, count.total > 0) == ("cycles", True)
    with pytest.raises(ValueError, match="perf_clock: expected one of monotonic, rdtsc"):
        compiled(perf_count="body", perf_clock="rdtcs")
    with pytest.raises(ValueError, match="perf_clock: rdtsc needs perf_count"):
        compiled(perf_clock="rdtsc")
