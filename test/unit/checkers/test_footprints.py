"""Sets of intervals of bytes, beside sets of the bytes themselves."""

from __future__ import annotations

import random

from snippets_mlir.checkers.linear_footprints import (
    Intervals,
    difference,
    intersect,
    normal,
    union,
)


def drawn(draw: random.Random) -> Intervals:
    """Some intervals of up to 40 bytes, which may touch or lie in each other."""
    found: list[tuple[int, int]] = []
    for _ in range(draw.randrange(7)):
        low = draw.randrange(40)
        found.append((low, low + draw.randrange(7)))
    return normal(found)


def bytes_of(intervals: Intervals) -> set[int]:
    return {byte for low, high in intervals for byte in range(low, high)}


def test_operations_are_those_of_sets() -> None:
    draw = random.Random(0)
    for _ in range(2000):
        a, b = drawn(draw), drawn(draw)
        of_a, of_b = bytes_of(a), bytes_of(b)
        for found, wanted in (union(a, b), of_a | of_b), (difference(a, b), of_a - of_b):
            assert bytes_of(found) == wanted
            assert found == normal(found), "sorted, and no two touch"
        assert intersect(a, b) == bool(of_a & of_b)
