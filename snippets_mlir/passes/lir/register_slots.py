"""Slots of the scratchpad for spilled values."""

from __future__ import annotations

from snippets_mlir.dialects.lir.registers import SLOT_BYTES
from snippets_mlir.passes.lir.linear_scan import Interval


class Slots:
    """Finds the first slots that are free over an interval, 64 bytes each.

    Attributes:
        of: the first slot of each interval.
    """

    def __init__(self) -> None:
        self.of: dict[Interval, int] = {}
        self._taken: list[list[tuple[int, int]]] = []

    @property
    def count(self) -> int:
        """The number of stack slots in use."""
        return len(self._taken)

    def take(self, interval: Interval, size: int) -> int:
        """Slots for `size` bytes, side by side, over `interval`."""
        needed = -(-size // SLOT_BYTES)
        first = 0
        while not all(self._free(first + i, interval) for i in range(needed)):
            first += 1
        while len(self._taken) < first + needed:
            self._taken.append([])
        for slot in self._taken[first : first + needed]:
            slot.append((interval.start, interval.end))
        self.of[interval] = first
        return first

    def _free(self, slot: int, interval: Interval) -> bool:
        if slot >= len(self._taken):
            return True
        return not any(
            start <= interval.end and interval.start <= end for start, end in self._taken[slot]
        )
