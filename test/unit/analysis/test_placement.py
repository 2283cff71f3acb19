"""Placement in an arena: the worked example, the bounds, and runs on memory that keeps names."""

from __future__ import annotations

import random
from typing import get_args

import numpy as np
import pytest
from random_memory import orders_of, overwritten, random_program

from snippets_mlir.analysis import placement
from snippets_mlir.analysis.memory.happens_before import (
    Conflicts,
    InOrder,
    Life,
    Numbers,
    Paths,
    Step,
    lives_of,
)
from snippets_mlir.analysis.placement import ALIGNMENT, Placement, Pool, aligned, place

KIB = 1024
EDGES = [((0,), 1), ((1,), 2), ((2,), 3), ((2,), 4), ((3,), 5), ((4, 5), 6)]
EXAMPLE = [Step(operands, (result,)) for operands, result in EDGES]
LIVES = list(lives_of(EXAMPLE, [6]).values())
SIZES = [64 * KIB, 64 * KIB, 32 * KIB, 32 * KIB, 32 * KIB, 0]
"""The output, F, is in memory of the caller."""
POOLS: tuple[Pool, ...] = get_args(Pool)


@pytest.mark.parametrize(
    ("queue", "pool", "arena", "offsets"),
    [
        ("in-order", "offsets", 128, [0, 64, 0, 32, 64]),
        ("in-order", "records", 160, [0, 64, 0, 128, 64]),
        ("in-order", "none", 224, [0, 64, 128, 160, 192]),
        ("out-of-order", "offsets", 160, [0, 64, 0, 32, 128]),
        ("out-of-order", "records", 192, [0, 64, 0, 128, 160]),
        ("out-of-order", "none", 224, [0, 64, 128, 160, 192]),
    ],
)
def test_worked_example(queue: str, pool: Pool, arena: int, offsets: list[int]):
    in_order = queue == "in-order"
    conflicts = InOrder.of(LIVES) if in_order else Paths.of(EXAMPLE).conflicts(LIVES)
    plan = place(SIZES, LIVES, conflicts, pool=pool)
    assert plan.arena == arena * KIB
    assert [offset // KIB for offset in plan.offsets[:5]] == offsets
    assert plan.live == 128 * KIB
    assert plan.total == 224 * KIB


def test_an_arena_may_begin_after_other_memory():
    plan = place(SIZES, LIVES, InOrder.of(LIVES), start=192)
    assert min(plan.offsets[:5]) == 192
    assert plan.arena == 128 * KIB


@pytest.mark.parametrize("pool", POOLS)
def test_nothing_to_place(pool: Pool):
    assert place([], [], InOrder.of([]), pool=pool) == Placement((), 0, 0, 0, plan_order(pool))
    life = [Life(0, (0,))]
    assert place([0], life, InOrder.of(life), pool=pool).arena == 0


def plan_order(pool: Pool) -> str:
    return "size" if pool == "offsets" else ""


def test_another_order_than_by_size_may_win():
    winners: set[str] = set()
    for seed in range(400):
        order = random_program(random.Random(seed), 20).placed("in-order").order
        winners.add(order.partition(",")[0])
    assert winners >= {"size", "start", "life"}


def test_repairs_make_arenas_smaller(monkeypatch: pytest.MonkeyPatch):
    programs = [random_program(random.Random(seed), 40) for seed in range(100)]
    repaired = [program.placed("in-order") for program in programs]
    monkeypatch.setattr(placement, "REPAIRED", 0)
    plain = [program.placed("in-order") for program in programs]
    assert all(a.arena <= b.arena for a, b in zip(repaired, plain, strict=True))
    assert any(
        a.arena < b.arena and "repaired" in a.order for a, b in zip(repaired, plain, strict=True)
    )
    assert not any("repaired" in b.order for b in plain)


def test_many_conflicts_try_one_order(monkeypatch: pytest.MonkeyPatch):
    programs = [random_program(random.Random(seed), 80) for seed in range(30)]
    best = [program.placed("in-order").arena for program in programs]
    monkeypatch.setattr(placement, "MANY", 0)
    first = [program.placed("in-order") for program in programs]
    assert {plan.order for plan in first} == {"size"}
    assert all(plan.arena >= arena for plan, arena in zip(first, best, strict=True))
    assert sum(plan.arena for plan in first) > sum(best)


def test_without_search_the_first_order_is_taken():
    for seed in range(30):
        program = random_program(random.Random(seed), 80)
        lives, conflicts = list(program.lives.values()), program.conflicts("in-order")
        plan = place(program.sizes, lives, conflicts, search=False)
        assert plan.order == "size"
        assert plan.arena >= program.placed("in-order").arena
        assert overwritten(program, plan, range(len(program.steps))) is None


class Counted:
    """Conflicts that count how often a row is read."""

    def __init__(self, conflicts: Conflicts) -> None:
        self._conflicts = conflicts
        self.reads = 0

    def __len__(self) -> int:
        return len(self._conflicts)

    def neighbours(self, owner: int) -> Numbers:
        self.reads += 1
        return self._conflicts.neighbours(owner)


def test_all_orders_read_a_row_once():
    """Reading a row of a relation takes as long as the relation has columns."""
    program = random_program(random.Random(3), 60)
    conflicts = Counted(program.conflicts("out-of-order"))
    plan = place(program.sizes, list(program.lives.values()), conflicts)
    assert plan == program.placed("out-of-order", "offsets")
    assert plan.arena > plan.live  # so all orders and repairs were tried
    assert conflicts.reads == len(conflicts)


@pytest.mark.parametrize("pool", POOLS)
@pytest.mark.parametrize("queue", ["in-order", "out-of-order"])
@pytest.mark.parametrize("seed", range(20))
def test_ranges_are_aligned_apart_and_within_the_bounds(queue: str, pool: Pool, seed: int):
    program = random_program(random.Random(seed), 30)
    plan = program.placed(queue, pool)
    conflicts = program.conflicts(queue)
    assert plan.live <= plan.arena <= plan.total
    assert all(offset % ALIGNMENT == 0 for offset in plan.offsets)
    for owner, size in enumerate(program.sizes):
        begin = plan.offsets[owner]
        assert begin + size <= plan.arena
        for other in map(int, conflicts.neighbours(owner)):
            if other != owner and size and program.sizes[other]:
                at = plan.offsets[other]
                assert begin + size <= at or at + program.sizes[other] <= begin


@pytest.mark.parametrize("seed", range(60))
def test_runs_find_what_they_read(seed: int):
    program = random_program(random.Random(f"runs {seed}"), 6)
    for pool in POOLS:
        text_order = range(len(program.steps))
        assert overwritten(program, program.placed("in-order", pool), text_order) is None
        plan = program.placed("out-of-order", pool)
        for order in orders_of(program.steps):
            assert overwritten(program, plan, order) is None


def test_a_run_with_an_offset_moved_is_found():
    program = random_program(random.Random(3), 30)
    plan = program.placed("in-order")
    found = 0
    for owner in np.flatnonzero(program.sizes).tolist():
        for offset in range(0, plan.arena, ALIGNMENT):
            moved = (*plan.offsets[:owner], offset, *plan.offsets[owner + 1 :])
            wrong = Placement(moved, plan.arena, plan.live, plan.total)
            found += overwritten(program, wrong, range(len(program.steps))) is not None
    assert found


def test_sizes_take_whole_lines():
    assert [aligned(size) for size in (0, 1, 64, 65)] == [0, 64, 64, 128]


def test_a_long_chain_looks_at_neighbours_only():
    """Windows of candidates are what makes placing in order linear."""
    steps = [Step((i,), (i + 1,)) for i in range(10_000)]
    lives = list(lives_of(steps, [10_000]).values())
    conflicts = InOrder.of(lives)
    assert sum(stop - start for start, stop in conflicts.window) < 3 * len(lives)
    assert place([64] * len(lives), lives, conflicts).arena == 128
