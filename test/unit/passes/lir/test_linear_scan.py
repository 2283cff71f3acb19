"""Linear scan on bare intervals: who leaves, who is computed again, and that registers suffice."""

from __future__ import annotations

import random

import pytest

from snippets_mlir.passes.lir.linear_scan import Interval, Plan, plan_file


def value(start: int, *uses: int, cost: float = 1.0, again: bool = False) -> Interval:
    """A value defined at `start` and read at `uses`."""
    return Interval(start, max(uses), 1, (start,), uses, cost, again)


def needs(plan: Plan, positions: int) -> list[set[int]]:
    """The registers in use at each position; an error when one has two owners."""
    taken: list[set[int]] = [set() for _ in range(positions)]
    lives = [(i.start, i.end, found) for i, found in plan.whole.items()]
    lives += [(at, at, found) for (_, at), found in plan.at.items()]
    for start, end, found in lives:
        for position in range(start, end + 1):
            assert not taken[position] & set(found), position
            taken[position] |= set(found)
    return taken


def test_nobody_leaves_where_all_fit() -> None:
    first, second = value(0, 2), value(1, 3)
    plan = plan_file([first, second], 2, 4)
    assert not plan.left
    assert plan.whole == {first: (0,), second: (1,)}


def test_the_cheapest_for_its_length_leaves() -> None:
    dear, cheap, there = value(0, 9, cost=50), value(1, 8, cost=2), value(4, 5)
    plan = plan_file([dear, cheap, there], 2, 10)
    assert plan.left == {cheap: False}
    assert {at for interval, at in plan.at if interval is cheap} == {1, 8}


def test_what_is_computed_again_needs_no_register_at_its_definition() -> None:
    dear, again, there = value(0, 9, cost=50), value(1, 8, cost=4, again=True), value(4, 5)
    plan = plan_file([dear, again, there], 2, 10)
    assert plan.left == {again: True}
    assert [at for _, at in plan.at] == [8]


def test_one_that_is_no_longer_computed_again_finds_room_at_its_definition() -> None:
    """At 6 three values meet two registers: one is read from memory, so its definition writes it.

    At 3, where that definition is, two others live: there is one register too few there, which is
    only known after it.
    """
    lasting = [value(0, 4, 5, cost=90), value(1, 4, 5, cost=80)]
    again = value(3, 6, cost=1, again=True)
    read = [value(5, 6, cost=70), value(5, 6, cost=60)]
    plan = plan_file([*lasting, again, *read], 2, 8)
    assert max(map(len, needs(plan, 8))) <= 2
    assert plan.left[again] is False


@pytest.mark.parametrize("seed", range(40))
def test_random_intervals_fit(seed: int) -> None:
    rng = random.Random(seed)
    capacity, positions = rng.randint(2, 8), 60
    intervals: list[Interval] = []
    for at in range(positions):
        for _ in range(min(rng.choice((0, 1, 1, 2)), capacity)):
            uses = sorted(rng.randint(at, positions - 1) for _ in range(rng.randint(1, 4)))
            intervals.append(value(at, *uses, cost=rng.random(), again=rng.random() < 0.3))
    extra = [Interval(0, rng.randint(0, 59), cost=rng.random()) for _ in range(5)]
    plan = plan_file(intervals, capacity, positions, extra)
    taken = needs(plan, positions)
    assert max(map(max, filter(None, taken))) < capacity
    for interval in intervals:
        assert (interval in plan.whole) != (interval in plan.left)
