"""How much work threads and vectors need, and the divisors that split it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isqrt

ASSUMED_THREADS = 16
"""The threads that a reduction is split for on every machine, so that its order is the same."""
ASSUMED_LANES = 8
UNITS_PER_THREAD = 4


def divisors(number: int, most: int) -> Iterator[int]:
    """The divisors of a positive number up to `most`, ascending; takes at most `most` steps."""
    small: list[int] = []
    for d in range(1, min(isqrt(number), most) + 1):
        if number % d == 0:
            small.append(d)
            yield d
    large = (number // d for d in reversed(small) if d * d != number)
    yield from (d for d in large if d <= most)


def aligned_block(sizes: Sequence[int], target: int, limit: int) -> int:
    """A product of the first of `sizes` and a divisor of the next one, up to `limit`.

    The smallest one that is at least `target`, else the largest; 1 if there is no other.
    """
    before, largest = 1, 1
    for size in sizes:
        for divisor in divisors(size, limit // before):
            largest = before * divisor
            if largest >= target:
                return largest
        before *= size
        if before > limit:
            break
    return largest
