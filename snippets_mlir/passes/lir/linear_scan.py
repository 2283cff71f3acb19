"""Which intervals get which registers of one file, and which have to leave them.

Pure: intervals of positions in, numbers of registers out.

1. `relieve`: where more registers are needed than there are, the cheapest interval leaves: cost of
   its uses (ten times as much for each loop around) by its length. It then needs a register only
   where it is defined and used, which are intervals of one position; so the pressure falls
   everywhere. If even those do not fit at one op, the op reads, and at last writes, memory.
2. `scan`: linear scan over what is left, by start and end: what ended before is free again; the
   register that was freed last is taken first. It cannot run out, because of step 1.
3. `fill`: scalars take registers that nothing else wants during their life.

Source: Poletto and Sarkar's linear scan, as in the design guide's AssignRegisters (reference 2.29),
which has no step 1 and fails instead.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate


@dataclass(eq=False)
class Interval:
    """What needs registers.

    Attributes:
        start: first position.
        end: last position, included.
        units: registers that it takes.
        defs: positions of ops that define it.
        uses: positions of ops that read it.
        cost: of being in memory.
        again: whether it can be computed again where it is used.
        pinned: whether it cannot leave.
    """

    start: int
    end: int
    units: int = 1
    defs: frozenset[int] = frozenset()
    uses: frozenset[int] = frozenset()
    cost: float = 0.0
    again: bool = False
    pinned: bool = False


@dataclass
class Plan:
    """The registers of one file.

    Attributes:
        whole: registers of intervals that stay.
        at: registers of intervals that left, at the positions that need them; a position of a use
            or definition that is missing reads or writes memory.
        left: intervals that left, with whether they are computed again.
    """

    whole: dict[Interval, tuple[int, ...]] = field(default_factory=dict[Interval, tuple[int, ...]])
    at: dict[tuple[Interval, int], tuple[int, ...]] = field(
        default_factory=dict[tuple[Interval, int], tuple[int, ...]]
    )
    left: dict[Interval, bool] = field(default_factory=dict[Interval, bool])


@dataclass(eq=False)
class _Piece:
    interval: Interval
    start: int
    end: int


class _Relief:
    """The state of `relieve`: who left, and how many registers are needed at each position."""

    def __init__(self, intervals: Sequence[Interval], load: list[int]) -> None:
        self.intervals = intervals
        self.load = load
        self.left: dict[Interval, bool] = {}
        self.kept: dict[Interval, set[int]] = {}

    def relieve(self, position: int) -> bool:
        """Take registers away at `position`; whether any could be."""
        here = [i for i in self.intervals if i.start <= position <= i.end and not i.pinned]
        away = [
            i
            for i in here
            if i not in self.left and position not in i.uses and position not in i.defs
        ]
        if away:
            self._leave(min(away, key=_price))
            return True
        read = [i for i in here if position in i.uses and position not in i.defs]
        written = [i for i in here if position in i.defs]
        for candidates in (read, written):
            open_ = [i for i in candidates if i not in self.left or position in self.kept[i]]
            if open_:
                self._to_memory(min(open_, key=_price), position)
                return True
        return False

    def _leave(self, interval: Interval) -> None:
        for position in range(interval.start, interval.end + 1):
            self.load[position] -= interval.units
        self.left[interval] = interval.again
        kept = set(interval.uses) if interval.again else interval.uses | interval.defs
        self.kept[interval] = set(kept)
        for position in kept:
            self.load[position] += interval.units

    def _to_memory(self, interval: Interval, position: int) -> None:
        """Let the op at `position` go to memory for `interval`, which then has a slot."""
        if interval not in self.left:
            self._leave(interval)
        if self.left[interval]:
            self.left[interval] = False
            for definition in interval.defs - self.kept[interval]:
                self.load[definition] += interval.units
                self.kept[interval].add(definition)
        self.kept[interval].discard(position)
        self.load[position] -= interval.units


def _price(interval: Interval) -> float:
    cost = interval.cost / 4 if interval.again else interval.cost
    return cost / (interval.end - interval.start + 1)


def needed(intervals: Iterable[Interval], positions: int) -> list[int]:
    """How many registers are needed at each of `positions` positions."""
    changes = [0] * (positions + 1)
    for interval in intervals:
        changes[interval.start] += interval.units
        changes[interval.end + 1] -= interval.units
    return list(accumulate(changes))[:positions]


def scan(pieces: Sequence[_Piece], capacity: int) -> list[tuple[int, ...]]:
    """The registers of each piece, where no position needs more than `capacity`."""
    free = list(range(capacity - 1, -1, -1))
    active: list[tuple[int, int, tuple[int, ...]]] = []
    found: list[tuple[int, ...]] = [()] * len(pieces)
    order = sorted(range(len(pieces)), key=lambda i: (pieces[i].start, pieces[i].end))
    for index in order:
        piece = pieces[index]
        while active and active[0][0] < piece.start:
            free += reversed(heapq.heappop(active)[2])
        registers = tuple(free.pop() for _ in range(piece.interval.units))
        found[index] = registers
        heapq.heappush(active, (piece.end, index, registers))
    return found


def plan_file(
    intervals: Sequence[Interval], capacity: int, positions: int, extra: Sequence[Interval] = ()
) -> Plan:
    """The registers of one file.

    Args:
        intervals: what needs registers.
        capacity: how many there are.
        positions: how many ops the kernel has.
        extra: what takes registers that are left over.
    """
    load = needed(intervals, positions)
    relief = _Relief(intervals, load)
    if load and max(load) > capacity:
        for position in range(positions):
            while load[position] > capacity and relief.relieve(position):
                pass
    pieces = [_Piece(i, i.start, i.end) for i in intervals if i not in relief.left]
    whole = len(pieces)
    pieces += [_Piece(i, p, p) for i, kept in relief.kept.items() for p in sorted(kept)]
    registers = scan(pieces, capacity)
    plan = Plan(left=relief.left)
    for index, (piece, found) in enumerate(zip(pieces, registers, strict=True)):
        if index < whole:
            plan.whole[piece.interval] = found
        else:
            plan.at[piece.interval, piece.start] = found
    _fill(plan, pieces, registers, capacity, extra)
    return plan


def _fill(
    plan: Plan,
    pieces: Sequence[_Piece],
    registers: Sequence[tuple[int, ...]],
    capacity: int,
    extra: Sequence[Interval],
) -> None:
    """Give what is left over to `extra`, the dearest first."""
    if not extra:
        return
    taken: list[list[tuple[int, int]]] = [[] for _ in range(capacity)]
    for piece, found in zip(pieces, registers, strict=True):
        for register in found:
            taken[register].append((piece.start, piece.end))
    for interval in sorted(extra, key=lambda i: (-i.cost, i.start)):
        free = [
            register
            for register, lives in enumerate(taken)
            if not any(start <= interval.end and interval.start <= end for start, end in lives)
        ][: interval.units]
        if len(free) == interval.units:
            plan.whole[interval] = tuple(free)
            for register in free:
                taken[register].append((interval.start, interval.end))
