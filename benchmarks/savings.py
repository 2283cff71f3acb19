"""The time that a program saves over another one: calls of both alternate in blocks with pauses."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean, median, stdev

BLOCK = 0.1
PAUSE = 0.15
WARM = 0.1
MOST = 60
"""Seconds of a block, between two, and of calls that do not count, and calls of a block at most.

The threads of the one session spin for a while after its last call, on the other's processor. After
a pause all calls take longer for some 50 ms, and those of programs with kernels more so."""

Middle = Callable[[Sequence[float]], float]
Pair = tuple[Callable[[], object], Callable[[], object]]
"""A call of a program, and one of the program that may save some of it."""


@dataclass(frozen=True)
class Effort:
    """How to measure.

    Attributes:
        rounds: blocks of each build of a program.
        builds: the number of builds of each program.
        threads: of a kernel and of a node.
        middle: summarizes the calls of a block.
        clock: returns seconds.
    """

    rounds: int
    builds: int
    threads: int
    middle: Middle
    clock: Callable[[], float] = time.perf_counter


@dataclass(frozen=True)
class Saved:
    """Microseconds that a program saves, and the standard error of the number.

    Attributes:
        saved: per call; negative if it takes longer.
        error: the standard error; of rounds from their middle deviation: some take much longer.
        whole: the time of the single session.
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


def saved(pairs: Sequence[Pair], effort: Effort) -> Saved:
    """What the other program saves: blocks of both in turn, the difference of their times.

    Each pair is a build of both programs. Two builds of one program differ, by where their weights
    and sessions lie in memory: the error has the larger of the deviation between pairs and of that
    between rounds.
    """
    for whole, other in pairs:
        whole()
        other()
    start = effort.clock()
    pairs[0][1]()
    calls = min(MOST, max(5, round(BLOCK / (effort.clock() - start))))
    differences: list[list[float]] = [[] for _ in pairs]
    wholes: list[float] = []
    for k in range(effort.rounds):
        for found, (whole, other) in zip(differences, pairs, strict=True):
            order = (whole, other) if k % 2 else (other, whole)
            times = {call: _block(call, calls, effort) for call in order}
            found.append((times[whole] - times[other]) * 1e6)
            wholes.append(times[whole] * 1e6)
    middles = [median(found) for found in differences]
    rounds = [abs(d - m) for found, m in zip(differences, middles, strict=True) for d in found]
    within = 1.25 * 1.48 * median(rounds) / len(rounds) ** 0.5
    between = stdev(middles) / len(middles) ** 0.5 if len(middles) > 1 else 0.0
    return Saved(fmean(middles), max(within, between), median(wholes))
