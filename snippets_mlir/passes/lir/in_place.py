"""Prove that a buffer may overwrite another one that is still being read.

Let a loop nest run over iterations I in lexicographic order. Iteration I first reads the bytes
[r(I), r(I) + w) of one buffer and then writes the bytes [s(I), s(I) + v) of the other, at the same
place in memory. No byte is overwritten before it is read if s(I) + v <= r(J) for all I before J.
Both r and s are sums of one step per loop. So it is enough that r never decreases from one
iteration to the next, and that the inequality holds between each I and its successor. A sum of
steps is largest and smallest at the ends of the loops' ranges.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product


@dataclass(frozen=True)
class Walk:
    """One loop around the two accesses.

    Attributes:
        trips: iterations.
        read: bytes by which the reading pointer moves per iteration.
        write: bytes by which the writing pointer moves per iteration.
    """

    trips: int
    read: int
    write: int


def _rises(walks: Sequence[Walk]) -> bool:
    """Whether the reading pointer never decreases from one iteration to the next."""
    span = 0
    for walk in reversed(walks):
        if walk.read < span:
            return False
        span += walk.read * (walk.trips - 1)
    return True


def _corners(walks: Sequence[Walk], level: int) -> list[tuple[int, ...]]:
    """The extreme iterations before loop `level` steps: its inner loops are at their end."""
    free = [(0, walk.trips - 1) for walk in walks[:level]]
    here = (0, walks[level].trips - 2)
    ends = [(walk.trips - 1,) for walk in walks[level + 1 :]]
    return list(product(*free, here, *ends))


def proven(walks: Sequence[Walk], width: int, last_width: int) -> bool:
    """Whether no write touches bytes that a later iteration reads.

    Args:
        walks: the loops around the accesses, outermost first.
        width: bytes that one iteration writes.
        last_width: bytes that the last iteration of the innermost loop writes: its tail.
    """
    if not _rises(walks):
        return False
    for level, stepping in enumerate(walks):
        if stepping.trips < 2:
            continue
        for here in _corners(walks, level):
            after = (*here[:level], here[level] + 1, *(0 for _ in walks[level + 1 :]))
            last = here[-1] == walks[-1].trips - 1
            written = sum(i * walk.write for i, walk in zip(here, walks, strict=True))
            read = sum(i * walk.read for i, walk in zip(after, walks, strict=True))
            if written + (last_width if last else width) > read:
                return False
    return True
