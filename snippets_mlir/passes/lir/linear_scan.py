"""Linear scan: assign intervals to the registers of one file, and choose the ones to spill.

A pure function from intervals of positions to register numbers.

1. `relieve`: if more registers are needed than there are, the cheapest interval is spilled: the
   one with the lowest cost of its uses (ten times as much for each loop around) divided by its
   length. It then needs a register only at its definition and uses, as intervals of one position,
   so the pressure falls everywhere. If even those do not fit at one op, the op reads, and at last
   writes, memory.
2. `scan`: linear scan over the rest, by start and end. Intervals that have ended free their
   register, and the register that was freed last is taken first. Step 1 ensures that it succeeds.
3. `fill`: scalars take registers that are free during their life.

Source: Poletto and Sarkar's linear scan, as in the design guide's AssignRegisters,
which has no step 1 and fails instead.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, count
from typing import TypeAlias


@dataclass(eq=False, slots=True)
class Interval:
    """A live interval that needs registers.

    Attributes:
        start: first position.
        end: last position, included.
        units: registers that it takes.
        defs: positions of ops that define it.
        uses: positions of ops that read it.
        cost: of being in memory.
        again: whether it can be computed again at its uses.
        pinned: whether it cannot be spilled.
    """

    start: int
    end: int
    units: int = 1
    defs: Sequence[int] = ()
    uses: Sequence[int] = ()
    cost: float = 0.0
    again: bool = False
    pinned: bool = False


@dataclass
class Plan:
    """The registers of one file.

    Attributes:
        whole: registers of intervals that are not spilled.
        at: registers of spilled intervals, at the positions that need them; a missing use or
            definition position reads or writes memory.
        left: spilled intervals, with whether they are computed again.
    """

    whole: dict[Interval, tuple[int, ...]] = field(default_factory=dict[Interval, tuple[int, ...]])
    at: dict[tuple[Interval, int], tuple[int, ...]] = field(
        default_factory=dict[tuple[Interval, int], tuple[int, ...]]
    )
    left: dict[Interval, bool] = field(default_factory=dict[Interval, bool])


Piece: TypeAlias = tuple[int, int, int, Interval]
"""The first and last position of a part of an interval, its number, and the interval."""


class _Relief:
    """The state of `relieve`: spilled intervals, and the registers needed at each position."""

    def __init__(self, intervals: Sequence[Interval], load: list[int], capacity: int) -> None:
        self.load = load
        self.capacity = capacity
        self.left: dict[Interval, bool] = {}
        self.kept: dict[Interval, set[int]] = {}
        self._movable = sorted((i for i in intervals if not i.pinned), key=lambda i: i.start)

    def relieve(self) -> None:
        """Spill intervals wherever there are too few registers.

        An interval that is no longer computed again needs a register at its definition, so this
        position may then have too few; there can be one more sweep for each such interval.
        """
        while max(self.load, default=0) > self.capacity:
            live: list[Interval] = []
            coming = 0
            for position, load in enumerate(self.load):
                if load > self.capacity:
                    while coming < len(self._movable) and self._movable[coming].start <= position:
                        live.append(self._movable[coming])
                        coming += 1
                    live = [i for i in live if i.end >= position]
                    self._relieve_at(position, live)

    def _relieve_at(self, position: int, here: Sequence[Interval]) -> None:
        """Spill intervals at `position` until there are enough registers, cheap intervals first.

        First come intervals that the op at `position` does not use, then intervals that it reads,
        and at last intervals that it writes.
        """
        away = [
            i
            for i in here
            if i not in self.left and position not in i.uses and position not in i.defs
        ]
        read = [i for i in here if position in i.uses and position not in i.defs]
        written = [i for i in here if position in i.defs]
        for candidates, move in ((away, self._leave), (read, self._read), (written, self._read)):
            for interval in sorted(candidates, key=_price):
                if self.load[position] <= self.capacity:
                    return
                move(interval, position)

    def _leave(self, interval: Interval, position: int) -> None:
        units = interval.units
        for at in range(interval.start, interval.end + 1):
            self.load[at] -= units
        self.left[interval] = interval.again
        kept = set(interval.uses) if interval.again else {*interval.uses, *interval.defs}
        self.kept[interval] = kept
        for at in kept:
            self.load[at] += units

    def _read(self, interval: Interval, position: int) -> None:
        """Let the op at `position` access memory for `interval`, which then has a slot."""
        if interval not in self.left:
            self._leave(interval, position)
        if self.left[interval]:
            self.left[interval] = False
            for definition in {*interval.defs} - self.kept[interval]:
                self.load[definition] += interval.units
                self.kept[interval].add(definition)
        if position in self.kept[interval]:
            self.kept[interval].discard(position)
            self.load[position] -= interval.units


def _price(interval: Interval) -> float:
    cost = interval.cost / 4 if interval.again else interval.cost
    return cost / (interval.end - interval.start + 1)


def needed(intervals: Iterable[Interval], positions: int) -> list[int]:
    """The number of registers needed at each of `positions` positions."""
    changes = [0] * (positions + 1)
    for interval in intervals:
        changes[interval.start] += interval.units
        changes[interval.end + 1] -= interval.units
    return list(accumulate(changes))[:positions]


def scan(pieces: Iterable[Piece], capacity: int) -> list[tuple[Piece, tuple[int, ...]]]:
    """The registers of each piece, by start; no position needs more than `capacity`."""
    free = list(range(capacity - 1, -1, -1))
    active: list[tuple[int, int, tuple[int, ...]]] = []
    found: list[tuple[Piece, tuple[int, ...]]] = []
    for piece in sorted(pieces):
        start, end, number, interval = piece
        while active and active[0][0] < start:
            free += reversed(heapq.heappop(active)[2])
        if interval.units == 1:
            registers = (free.pop(),)
        else:
            registers = tuple([free.pop() for _ in range(interval.units)])
        found.append((piece, registers))
        heapq.heappush(active, (end, number, registers))
    return found


def plan_file(
    intervals: Sequence[Interval], capacity: int, positions: int, extra: Sequence[Interval] = ()
) -> Plan:
    """The registers of one file.

    Args:
        intervals: that need registers.
        capacity: the number of registers.
        positions: the number of ops of the kernel.
        extra: intervals that take remaining registers.
    """
    load = needed(intervals, positions)
    relief = _Relief(intervals, load, capacity)
    relief.relieve()
    left = relief.left
    numbers = count()
    pieces = [(i.start, i.end, next(numbers), i) for i in intervals if i not in left]
    for interval, kept in relief.kept.items():
        pieces += [(at, at, next(numbers), interval) for at in sorted(kept)]
    plan = Plan(left=left)
    assigned = scan(pieces, capacity)
    for (start, _, _, interval), registers in assigned:
        if interval in left:
            plan.at[interval, start] = registers
        else:
            plan.whole[interval] = registers
    if extra:
        _fill(plan, assigned, capacity, extra)
    return plan


def _fill(
    plan: Plan,
    assigned: Iterable[tuple[Piece, tuple[int, ...]]],
    capacity: int,
    extra: Sequence[Interval],
) -> None:
    """Give the remaining registers to `extra`, the highest cost first.

    The positions at which a register is in use are the bits of a number.
    """
    taken = [0] * capacity
    for (start, end, _, _), registers in assigned:
        for register in registers:
            taken[register] |= _bits(start, end)
    for interval in sorted(extra, key=lambda i: (-i.cost, i.start)):
        bits = _bits(interval.start, interval.end)
        free = [register for register, positions in enumerate(taken) if not positions & bits]
        if len(free) >= interval.units:
            plan.whole[interval] = registers = tuple(free[: interval.units])
            for register in registers:
                taken[register] |= bits


def _bits(start: int, end: int) -> int:
    """A number in which the bits from `start` to `end` are set."""
    return (1 << end + 1) - (1 << start)
