"""What a program saves of a call of another one: both take turns, in blocks with pauses between."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

BLOCK = 0.03
PAUSE = 0.15
WARM = 0.02
MOST = 60
"""Seconds of a block, between two, and of calls that do not count, and calls of a block at most.

The threads of the one session spin for a while after its last call, on the other's processor. The
first calls after a pause take up to twice as long."""

Middle = Callable[[Sequence[float]], float]


@dataclass(frozen=True)
class Effort:
    """How to measure.

    Attributes:
        rounds: blocks of each program.
        threads: of a kernel and of a node.
        middle: what is taken of the calls of a block.
        clock: what tells seconds.
    """

    rounds: int
    threads: int
    middle: Middle
    clock: Callable[[], float] = time.perf_counter


@dataclass(frozen=True)
class Saved:
    """Microseconds that a program saves, and the standard error of the number.

    Attributes:
        saved: of a call; negative where it takes longer.
        error: the standard error, from the middle deviation of the rounds: some take much longer.
        whole: what the one session takes.
    """

    saved: float
    error: float
    whole: float

    @property
    def is_clear(self) -> bool:
        """Whether the effect is above the noise."""
        return abs(self.saved) > 2.5 * self.error


def _block(call: Callable[[], object], calls: int, effort: Effort) -> float:
    time.sleep(PAUSE)
    begin = time.perf_counter()
    while time.perf_counter() - begin < WARM:
        call()
    seconds: list[float] = []
    for _ in range(calls):
        start = effort.clock()
        call()
        seconds.append(effort.clock() - start)
    return effort.middle(seconds)


def saved(whole: Callable[[], object], other: Callable[[], object], effort: Effort) -> Saved:
    """What `other` saves: blocks of both in turn, the difference of the medians of each round."""
    for call in (whole, other):
        call()
    start = effort.clock()
    other()
    calls = min(MOST, max(5, round(BLOCK / (effort.clock() - start))))
    differences: list[float] = []
    wholes: list[float] = []
    for k in range(effort.rounds):
        order = (whole, other) if k % 2 else (other, whole)
        times = {call: _block(call, calls, effort) for call in order}
        differences.append((times[whole] - times[other]) * 1e6)
        wholes.append(times[whole] * 1e6)
    middle = median(differences)
    spread = 1.48 * median(abs(d - middle) for d in differences)
    return Saved(middle, 1.25 * spread / effort.rounds**0.5, median(wholes))
