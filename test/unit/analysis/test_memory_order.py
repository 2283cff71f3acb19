"""Orders of steps in which few bytes are live at once."""

from __future__ import annotations

import random
from itertools import permutations

import pytest

from snippets_mlir.analysis.memory.happens_before import Step
from snippets_mlir.analysis.memory.memory_order import best_order, greedy_order, live_bytes

# x is 0; a and b of 16 units, c of a and d of b of 1.
PAIR = [Step((0,), (1,)), Step((0,), (2,)), Step((1,), (3,)), Step((2,), (4,)), Step((3, 4), (5,))]
SIZES = {1: 16, 2: 16, 3: 1, 4: 1}


def test_what_is_read_last_is_read_early() -> None:
    assert live_bytes(PAIR, range(5), SIZES, [5]) == 33
    assert greedy_order(PAIR, SIZES, [5]) == [0, 2, 1, 3, 4]
    assert best_order(PAIR, {"text": range(5)}, SIZES, [5]) == ("greedy", [0, 2, 1, 3, 4], 18)


def test_an_order_that_is_as_good_stays() -> None:
    """All values are outputs."""
    steps = [Step((0,), (1,)), Step((0,), (2,)), Step((0,), (3,))]
    name, order, _ = best_order(steps, {"text": range(3)}, {1: 4, 2: 4, 3: 4}, [1, 2, 3])
    assert (name, list(order)) == ("text", [0, 1, 2])


def test_a_reader_of_a_view_reads_its_source() -> None:
    steps = [Step((0,), (1,)), Step((1,), (2,), view=True), Step((0,), (3,)), Step((2, 3), (4,))]
    assert live_bytes(steps, range(4), {1: 8, 3: 8}, [4]) == 16
    assert greedy_order(steps, {1: 8, 3: 8}, [4]) == [0, 1, 2, 3]


def _random_steps(rng: random.Random) -> tuple[list[Step], dict[int, int], list[int]]:
    steps: list[Step] = []
    known, sizes = [0], dict[int, int]()
    for _ in range(rng.randrange(1, 7)):
        view = len(steps) > 0 and rng.random() < 0.2
        operands = (known[-1],) if view else tuple(rng.choices(known, k=rng.choice((1, 2))))
        results = tuple(len(known) + i for i in range(1 if view else rng.choice((1, 1, 2))))
        steps.append(Step(operands, results, view))
        known += results
        if not view:
            sizes |= {v: rng.choice((0, 1, 4, 16)) for v in results if rng.random() < 0.9}
    return steps, sizes, rng.sample(known[1:], rng.randrange(1, min(3, len(known))))


@pytest.mark.parametrize("seed", range(60))
def test_random_steps(seed: int) -> None:
    """The order can run, is no worse than the text, and no better than the best of all orders."""
    steps, sizes, outputs = _random_steps(random.Random(seed))
    count = len(steps)
    name, order, least = best_order(steps, {"text": range(count)}, sizes, outputs)
    legal = [
        permutation
        for permutation in permutations(range(count))
        if _runs([steps[index] for index in permutation])
    ]
    assert tuple(order) in legal
    assert tuple(greedy_order(steps, sizes, outputs)) in legal
    text = live_bytes(steps, range(count), sizes, outputs)
    assert least == live_bytes(steps, order, sizes, outputs)
    assert min(live_bytes(steps, other, sizes, outputs) for other in legal) <= least <= text
    assert name == "text" or least < text


def _runs(steps: list[Step]) -> bool:
    made = {0}
    for step in steps:
        if not made.issuperset(step.operands):
            return False
        made.update(step.results)
    return True
