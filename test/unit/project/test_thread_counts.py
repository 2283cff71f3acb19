"""Random programs are compiled for many numbers of threads, which cut kernels of any size."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

import snippets_mlir
from snippets_mlir.inspect import levels
from snippets_mlir.runtime.parallel import step_teams
from snippets_mlir.runtime.parallel.threads import SHARED_BYTES
from snippets_mlir.runtime.steps import size_steps
from snippets_mlir.targets.attributes import threads_of
from snippets_mlir.testing.thread_counts import COUNTS, MOST, drawn_threads, small_kernels_shared

TEXT = """
func.func @main(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %0 = snippets.negative %x : tensor<?x64xf32>
  func.return %0 : tensor<?x64xf32>
}"""


def test_few_seeds_have_all_numbers() -> None:
    drawn = [drawn_threads(seed) for seed in range(1000)]
    assert set(drawn) == set(range(1, MOST + 1))
    assert set(drawn[:32]) >= set(COUNTS)
    assert sum(count in COUNTS for count in drawn) > 850
    assert drawn == [drawn_threads(seed) for seed in range(1000)]


def test_each_thread_has_a_part_of_a_small_kernel() -> None:
    work = step_teams.Work(domain=0, grain=1, touched=(1,), space=2, cost=0)
    sizes = (40, 160, 0)
    assert work.team(sizes, 16) == 1
    with small_kernels_shared():
        assert work.team(sizes, 16) == 16
        assert work.team((3, 160, 0), 16) == 3
        program = snippets_mlir.compile(TEXT, num_threads=16)
        for rows in (1, 2, 3, 5, 37, 0):  # the first in Python, others in machine code
            x = np.arange(rows * 64, dtype=np.float32).reshape(rows, 64)
            np.testing.assert_array_equal(program(x), -x)
    assert work.team(sizes, 16) == 1
    assert size_steps.SHARED_BYTES == SHARED_BYTES


@pytest.mark.parametrize("rows", ["8", "?"])
def test_levels_are_those_for_so_many_threads(monkeypatch: pytest.MonkeyPatch, rows: str) -> None:
    found: list[int] = []

    def noted(module: ModuleOp, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
        found.append(threads_of(module))
        return []

    monkeypatch.setattr(levels, "_interpreted", noted)
    text, x = TEXT.replace("?", rows), np.ones((8, 64), np.float32)
    assert len([*levels.run_levels(text, [x], ("graph", "expanded"), 5)]) == 2
    assert len([*levels.run_levels(text, [x], ("graph", "expanded"))]) == 2
    assert found == [5, 5, 1, 1]


def test_an_error_inside_ends_it() -> None:
    with pytest.raises(KeyError), small_kernels_shared():
        raise KeyError
    assert step_teams.team_for(0, 4) == 1
