"""Counts and times of the counters of kernels, over all calls of a program.

A call of a kernel with counters gets an array of zeros with a row of integers for each thread: the
calls and the ticks of each counter, and two words for the clock. This module adds its contents
after the call.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from snippets_mlir.codegen.locks import KEEPING
from snippets_mlir.runtime.arguments.arrays import Array
from snippets_mlir.runtime.manifests.manifest import Counter, Step

UNITS = {"monotonic": "ns", "rdtsc": "cycles"}


class PerfCount(NamedTuple):
    """One counter of a program.

    Attributes:
        kernel: the symbol of its kernel.
        label: the counted part: `body`, a loop, or the name of an op.
        position: its source position, as `file:line:column`; empty if unknown.
        unit: `ns` or `cycles`.
        calls: how often it ran, on all threads together.
        total: how long it ran, on all threads together.
    """

    kernel: str
    label: str
    position: str
    unit: str
    calls: int
    total: int

    @property
    def average(self) -> float:
        """Units per call; 0 if there was none."""
        return self.total / self.calls if self.calls else 0.0


class PerfCounts:
    """The counters of a program; safe to use from several threads."""

    def __init__(self) -> None:
        self._counted: dict[tuple[str, int, str, str, str], list[int]] = {}

    def add(self, kernel: str, counters: Sequence[Counter], rows: Array) -> None:
        """Add the counts of a call of `kernel`: a row for each thread."""
        counted: list[int] = rows.sum(axis=0).tolist()
        with KEEPING:
            for number, counter in enumerate(counters):
                unit = UNITS[counter["clock"]]
                key = (kernel, number, counter["label"], counter["position"], unit)
                sums = self._counted.setdefault(key, [0, 0])
                sums[0] += counted[2 * number]
                sums[1] += counted[2 * number + 1]

    def clear(self) -> None:
        """Set all counts and times to 0."""
        with KEEPING:
            self._counted.clear()

    def counted(self) -> tuple[PerfCount, ...]:
        """The counters of the kernels that ran, by kernel and in the order of its text."""
        with KEEPING:
            return tuple(
                PerfCount(kernel, label, position, unit, *sums)
                for (kernel, _, label, position, unit), sums in sorted(self._counted.items())
            )


def counter_rows(step: Step, threads: int) -> Array:
    """Memory for the counters of one call of a kernel."""
    return np.zeros((threads, step.get("counter_words") or 0), np.int64)
