"""Fair times of several contenders in one process: interleaved rounds of blocks.

A contender may have many sets of arrays, which its calls use in turn (`in_turn`): then a call does
not find the arrays of the previous call in the caches.

The contenders take turns. A turn is a block: a pause until the threads of the one before have
stopped spinning (onnxruntime's take 0.03 s); calls that are dropped, for a hundredth of a second:
threads and clocks are slow at first; then the samples. A sample is one call, or as many as take
about 100 microseconds. The order of turns moves by one each round.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from statistics import median, quantiles
from time import perf_counter, process_time

Call = Callable[[], object]


ROUNDS = 7

BLOCK = 0.03
"""Seconds of samples in a turn."""


@dataclass(frozen=True)
class Effort:
    """How much time to spend.

    Attributes:
        rounds: turns of each contender.
        block: seconds of samples in a turn, about.
        pause: seconds between turns at least.
        dropped: calls at the start of a turn that do not count, at least.
        warm: seconds of such calls, about.
    """

    rounds: int = ROUNDS
    block: float = BLOCK
    pause: float = 0.02
    dropped: int = 3
    warm: float = 0.01


QUICK = Effort(rounds=2, block=0.002, pause=0.0, dropped=1, warm=0.0)
LONGEST_PAUSE = 0.2
STEP_OF_PAUSE = 0.01
"""Seconds, some times as long as the clock of a process takes to notice its other threads."""

IDLE = 0.1
"""The part of a CPU that threads which do not spin may take in a pause."""

MOST_SAMPLES = 300
SAMPLE = 1e-4


@dataclass(frozen=True)
class Time:
    """Seconds of one call: the median of all samples, their quartiles, and how many there were."""

    median: float
    low: float
    high: float
    samples: int

    @property
    def spread(self) -> float:
        """Half the distance of the quartiles, relative to the median."""
        return (self.high - self.low) / 2 / self.median if self.median else 0.0


def use_cpus(count: int) -> None:
    """Restrict the process to `count` CPUs, for packages with no other limit on threads.

    Call it before they are imported.
    """
    allowed = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, allowed[:count])


def in_turn(calls: Sequence[Call]) -> Call:
    """A call that runs the next one of `calls` each time, and begins again after the last."""
    following = cycle(calls).__next__
    return lambda: following()()


def _once(call: Call, calls: int) -> float:
    start = perf_counter()
    for _ in range(calls):
        call()
    return (perf_counter() - start) / calls


@dataclass
class _Contender:
    call: Call
    calls: int
    samples: int
    seconds: list[float]


def _plan(call: Call, effort: Effort) -> _Contender:
    """The number of calls in a sample, and of samples in a block, from three tries."""
    call()
    guess = max(min(_once(call, 1) for _ in range(3)), 1e-8)
    calls = max(1, round(SAMPLE / guess))
    samples = min(MOST_SAMPLES, max(3, round(effort.block / (guess * calls))))
    return _Contender(call, calls, samples, [])


def _pause(seconds: float) -> None:
    """Sleep for `seconds`, and longer while threads of this process spin."""
    if not seconds:
        return
    time.sleep(seconds)
    end = perf_counter() + LONGEST_PAUSE
    while perf_counter() < end:
        before = process_time()
        time.sleep(STEP_OF_PAUSE)
        if process_time() - before < IDLE * STEP_OF_PAUSE:
            return


def _warm(call: Call, effort: Effort) -> None:
    """Calls that wake threads and bring the processor to its clock."""
    end = perf_counter() + effort.warm
    for _ in range(effort.dropped):
        call()
    while perf_counter() < end:
        call()


def measure(calls: Mapping[str, Call], effort: Effort) -> dict[str, Time]:
    """Times by name of the contender."""
    contenders = {name: _plan(call, effort) for name, call in calls.items()}
    names = list(contenders)
    for round_ in range(effort.rounds):
        for k in range(len(names)):
            one = contenders[names[(k + round_) % len(names)]]
            _pause(effort.pause)
            _warm(one.call, effort)
            one.seconds += [_once(one.call, one.calls) for _ in range(one.samples)]
    return {name: summary(one.seconds) for name, one in contenders.items()}


def summary(seconds: list[float]) -> Time:
    """Median and quartiles of the samples, in seconds."""
    if len(seconds) < 2:
        return Time(seconds[0], seconds[0], seconds[0], 1)
    low, _, high = quantiles(seconds, n=4, method="inclusive")
    return Time(median(seconds), low, high, len(seconds))
