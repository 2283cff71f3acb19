"""The packing of buffers into the scratchpad: never overlapping, and the lowest one if small."""

from __future__ import annotations

import random
from itertools import permutations

import pytest

from snippets_mlir.passes.lir.memory_solver import (
    EXACT_BOXES,
    Box,
    Packing,
    lower_bound,
    lowest_offset,
    pack,
    pack_greedy,
)


def random_boxes(rng: random.Random, count: int, times: int = 20) -> list[Box]:
    """Boxes with random lives and sizes, some of them equal."""
    boxes: list[Box] = []
    for _ in range(count):
        start = rng.randrange(times)
        boxes.append(Box(start, rng.randint(start, times), rng.choice([0, 1, 7, 64, 64, 100, 256])))
    return boxes


def check(boxes: list[Box], packing: Packing, alignment: int) -> None:
    """No two boxes share a byte at one time, by the bytes and times themselves."""
    taken: dict[tuple[int, int], int] = {}
    for index, (box, offset) in enumerate(zip(boxes, packing.offsets, strict=True)):
        assert offset % alignment == 0
        assert 0 <= offset
        assert offset + box.size <= packing.height
        for time in range(box.start, box.end + 1):
            for byte in range(offset, offset + box.size):
                assert taken.setdefault((time, byte), index) == index


@pytest.mark.parametrize("alignment", [1, 64])
def test_random_lifetimes(alignment: int) -> None:
    rng = random.Random(alignment)
    for _ in range(40):
        boxes = random_boxes(rng, rng.randint(0, 14))
        packing = pack(boxes, alignment)
        check(boxes, packing, alignment)
        assert packing.height >= packing.lower_bound
        assert packing.height % alignment == 0


def test_lower_bound_is_the_most_alive_at_one_time() -> None:
    rng = random.Random(5)
    for _ in range(100):
        boxes = random_boxes(rng, rng.randint(0, 9))
        alive = [sum(b.size for b in boxes if b.start <= t <= b.end) for t in range(21)]
        assert lower_bound(boxes) == max(alive)


def test_small_packings_are_the_lowest() -> None:
    """Against all orders of placement, without any cut-off."""
    rng = random.Random(9)
    better = 0
    for _ in range(60):
        lives = random_boxes(rng, rng.randint(1, 6), times=8)
        boxes = [Box(box.start, box.end, rng.randint(1, 9)) for box in lives]
        best = min(_height_in_order(boxes, order) for order in permutations(range(len(boxes))))
        packing = pack(boxes)
        assert packing.optimal
        assert packing.height == best
        greedy = pack_greedy(boxes)
        better += best < max(o + b.size for o, b in zip(greedy, boxes, strict=True))
    assert better, "expected the search to beat the greedy at least once"


def _height_in_order(boxes: list[Box], order: tuple[int, ...]) -> int:
    placed: list[tuple[Box, int]] = []
    for index in order:
        placed.append((boxes[index], lowest_offset(boxes[index], placed)))
    return max(offset + box.size for box, offset in placed)


def test_boxes_that_are_never_alive_together_share_bytes() -> None:
    packing = pack([Box(0, 3, 100), Box(4, 6, 60), Box(7, 7, 100)], 64)
    assert packing == Packing((0, 0, 0), 128, 128, optimal=True)


def test_lives_that_touch_are_together() -> None:
    """A box that ends where another starts is read there while the other is written."""
    assert pack([Box(0, 3, 64), Box(3, 6, 64)]).height == 128


def test_a_gap_below_the_bound_is_said() -> None:
    """More boxes than the search takes, where the greedy is above the bound."""
    rng = random.Random(1)
    for _ in range(200):
        boxes = random_boxes(rng, EXACT_BOXES + 4)
        packing = pack(boxes)
        assert packing.optimal == (packing.height == packing.lower_bound)
        if not packing.optimal:
            return
    pytest.fail("expected a random case in which the greedy does not reach the bound")


def test_nothing_to_place() -> None:
    assert pack([], 64) == Packing((), 0, 0, optimal=True)
