"""Which values may share memory, against brute force over all orders of the steps."""

from __future__ import annotations

import random
from itertools import combinations

import pytest
from random_memory import RandomProgram, orders_of, random_program

from snippets_mlir.analysis.memory.happens_before import (
    Conflicts,
    InOrder,
    Life,
    Listed,
    Paths,
    Step,
    lives_of,
    pairs_of,
)

EXAMPLE = [
    Step((0,), (1,)),
    Step((1,), (2,)),
    Step((2,), (3,)),
    Step((2,), (4,)),
    Step((3,), (5,)),
    Step((4, 5), (6,)),
]
"""in -> A -> B -> C and D; E of C; F, the output, of D and E."""
LIVES = list(lives_of(EXAMPLE, [6]).values())


def named(conflicts: Conflicts, names: str = "ABCDEF") -> str:
    return " ".join(names[a] + names[b] for a, b in pairs_of(conflicts))


def test_pairs_of_the_worked_example():
    assert named(InOrder.of(LIVES)) == "AB BC BD CD CE DE DF EF"
    assert named(Paths.of(EXAMPLE).conflicts(LIVES)) == "AB BC BD BE CD CE DE DF EF"


def test_views_are_read_as_their_owner():
    steps = [Step((0,), (1,)), Step((1,), (2,), view=True), Step((2,), (3,), view=True)]
    steps += [Step((0,), (4,)), Step((3, 4), (5,))]
    assert lives_of(steps, [5]) == {1: Life(0, (4,)), 4: Life(3, (4,)), 5: Life(4, (5,))}


def test_a_value_that_nothing_reads_counts_its_writer():
    steps = [Step((0,), (1,)), Step((0,), (2,)), Step((2,), (3,))]
    assert lives_of(steps, [3])[1] == Life(0, (0,))
    assert named(InOrder.of(list(lives_of(steps, [3]).values())), "ABC") == "BC"


def test_inputs_and_constants_take_no_part():
    assert lives_of([Step((0,), (1,), view=True)], [0, 1]) == {}
    none = lives_of([], [0])
    assert list(pairs_of(Paths.of([]).conflicts(list(none.values())))) == []


def test_an_output_is_read_at_the_end():
    steps = [Step((0,), (1,)), Step((0,), (2,)), Step((2,), (3,))]
    assert lives_of(steps, [1, 3])[1] == Life(0, (3,))
    assert named(InOrder.of(list(lives_of(steps, [1, 3]).values())), "ABC") == "AB AC BC"


def test_results_of_one_step_never_share():
    steps = [Step((0,), (1, 2)), Step((1,), (3,))]
    lives = list(lives_of(steps, [3]).values())
    assert named(InOrder.of(lives), "ABC") == "AB AC"
    assert named(Paths.of(steps).conflicts(lives), "ABC") == "AB AC"


def test_waits_are_edges_like_operands():
    paths = Paths.from_edges([[], [], [0], [1, 2]])
    assert paths.happens_before(0, 3)
    assert paths.happens_before(3, 4)  # the end
    assert not paths.happens_before(1, 2)
    assert not paths.happens_before(2, 1)
    assert not paths.happens_before(4, 0)


def by_brute_force(program: RandomProgram) -> set[tuple[int, int]]:
    """Owners may share if in all orders one is dead before the other is written."""
    lives, end = list(program.lives.values()), len(program.steps)
    places = [
        dict(zip((*order, end), range(end + 1), strict=True)) for order in orders_of(program.steps)
    ]

    def dead(a: Life, b: Life) -> bool:
        return all(place[r] < place[b.writer] for place in places for r in a.readers)

    return {
        (i, j)
        for (i, a), (j, b) in combinations(enumerate(lives), 2)
        if not dead(a, b) and not dead(b, a)
    }


@pytest.mark.parametrize("seed", range(40))
def test_conflicts_are_those_of_all_orders(seed: int):
    program = random_program(random.Random(seed), 6)
    assert set(pairs_of(program.conflicts("out-of-order"))) == by_brute_force(program)
    lives = list(program.lives.values())
    meeting = {
        (i, j)
        for (i, a), (j, b) in combinations(enumerate(lives), 2)
        if a.writer <= max(b.readers) and b.writer <= max(a.readers)
    }
    assert set(pairs_of(program.conflicts("in-order"))) == meeting


def test_lists_say_the_same():
    conflicts = Paths.of(EXAMPLE).conflicts(LIVES)
    lists = Listed(tuple(conflicts.neighbours(owner) for owner in range(len(conflicts))))
    assert list(pairs_of(lists)) == list(pairs_of(conflicts))
