"""Which values of a program may share memory: the order of its steps, and one rule.

A step reads values and writes values. A view writes nothing: its result is the memory of its
operand, and a reader of the view reads the *owner* of that memory. Inputs and constants are written
by no step and are not considered.

Steps are numbered in text order. On an in-order queue a step happens before all later steps
(`InOrder`). On an out-of-order queue it happens before the steps that a path of operands or waits
leads to (`Paths`), and two steps without a path may run at the same time. The caller reads the
outputs at the *end*, whose number is the number of steps and which comes after all steps.

Two owners may share bytes if and only if one is dead before the other is written:

    for all readers r of A: r < writer of B,  or  for all readers r of B: r < writer of A

where a value without readers counts its writer as its reader. In

    0: a = f(in)   1: b = f(a)   2: c = f(b)   3: d = f(b)   4: e = f(c)   5: out = f(d, e)

e may take the bytes of b on an in-order queue (b's readers 2 and 3 come before 4), but not on an
out-of-order queue, where no path leads from 3 to 4. OpenVINO's passes `basic_memory_dependencies`,
`skipped_branch_memory_dependencies` and, for out-of-order queues, `oooq_memory_dependencies` have
the same rule, plus unnecessary pairs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]
BLOCK = 512
"""Rows of the relation between owners that are computed together."""


@dataclass(frozen=True)
class Step:
    """`results` from `operands`, which are numbers of values; a `view` has one of each."""

    operands: tuple[int, ...]
    results: tuple[int, ...]
    view: bool = False


@dataclass(frozen=True)
class Life:
    """The step that writes an owner, and all that read it; at least one, the writer itself."""

    writer: int
    readers: tuple[int, ...]


class Conflicts(Protocol):
    """Which owners, numbered from 0 in the order of `lives_of`, must not share memory."""

    def __len__(self) -> int: ...

    def neighbours(self, owner: int) -> Numbers:
        """The owners in conflict with `owner`, in order, and maybe `owner` itself."""
        ...


def owners_of(steps: Sequence[Step]) -> dict[int, int]:
    """For each result of a view, the value that owns its memory."""
    owners: dict[int, int] = {}
    for step in steps:
        if step.view:
            (source,), (view,) = step.operands, step.results
            owners[view] = owners.get(source, source)
    return owners


def lives_of(steps: Sequence[Step], outputs: Sequence[int]) -> dict[int, Life]:
    """The life of each value that a step writes, in text order; linear in the uses."""
    owners = owners_of(steps)
    readers: dict[int, dict[int, None]] = {}
    for index, step in enumerate(steps):
        if not step.view:
            for value in step.operands:
                readers.setdefault(owners.get(value, value), {})[index] = None
    for value in outputs:
        readers.setdefault(owners.get(value, value), {})[len(steps)] = None
    return {
        value: Life(index, tuple(readers.get(value, (index,))))
        for index, step in enumerate(steps)
        if not step.view
        for value in step.results
    }


@dataclass(frozen=True)
class InOrder:
    """The conflicts on an in-order queue: lives, as intervals of steps, that meet.

    Attributes:
        first: for each owner, the step that writes it; in rising order.
        last: for each owner, the last step that reads it.
        window: for each owner a range of owners that includes all overlapping lives.
    """

    first: Numbers
    last: Numbers
    window: tuple[tuple[int, int], ...]

    @staticmethod
    def of(lives: Sequence[Life]) -> InOrder:
        """The conflicts of values with these lives, in the order of their writers; linear."""
        first = np.array([life.writer for life in lives], np.int64)
        last = np.array([max(life.readers) for life in lives], np.int64)
        oldest = np.searchsorted(np.maximum.accumulate(last), first)
        youngest = np.searchsorted(first, last, side="right")
        return InOrder(first, last, tuple(zip(oldest.tolist(), youngest.tolist(), strict=True)))

    def __len__(self) -> int:
        return len(self.first)

    def neighbours(self, owner: int) -> Numbers:
        """The owners whose lives overlap with `owner`'s."""
        start, stop = self.window[owner]
        return np.flatnonzero(self.last[start:stop] >= self.first[owner]) + start


@dataclass(frozen=True)
class Paths:
    """The order of steps on an out-of-order queue.

    Attributes:
        after: for each step, the steps that happen after it: bit i is step i.
    """

    after: tuple[int, ...]

    @staticmethod
    def of(steps: Sequence[Step]) -> Paths:
        """A step happens after those that write its operands."""
        writer = {value: index for index, step in enumerate(steps) for value in step.results}
        return Paths.from_edges(
            [[writer[v] for v in step.operands if v in writer] for step in steps]
        )

    @staticmethod
    def from_edges(before: Sequence[Sequence[int]]) -> Paths:
        """A step happens after each step, with a smaller number, in its list, and transitively."""
        after = [0] * len(before)
        for index in range(len(before) - 1, -1, -1):
            reached = after[index] | 1 << index
            for earlier in before[index]:
                after[earlier] |= reached
        return Paths(tuple(after))

    def happens_before(self, a: int, b: int) -> bool:
        """Whether step `a` has ended when step `b` begins, in every order that the queue allows."""
        end = len(self.after)
        return a != end and (b == end or bool(self.after[a] >> b & 1))

    def conflicts(self, lives: Sequence[Life]) -> Relation:
        """The rule of the module docstring, on bit sets: `lives` squared / 64 word operations."""
        width = len(self.after) // 8 + 1
        dead = b"".join(self._after_all(life).to_bytes(width, "little") for life in lives)
        of_steps = np.frombuffer(dead, np.uint8).reshape(len(lives), width)
        writers = np.array([life.writer for life in lives], np.int64)
        bits = np.zeros((len(lives), -(-len(lives) // 8)), np.uint8)
        for rows in _blocks(len(lives)):
            bits[rows] = _pack(np.take(_unpack(of_steps[rows]), writers, axis=1))
        free = bits.copy()
        for rows in _blocks(len(lives)):
            columns = _unpack(bits[:, rows.start // 8 : rows.stop // 8])
            free[rows] |= _pack(np.ascontiguousarray(columns.T))[: len(free[rows])]
        return Relation(len(lives), ~free)

    def _after_all(self, life: Life) -> int:
        """The steps that happen after all readers of a value."""
        steps = len(self.after)
        common = (1 << steps) - 1
        for reader in life.readers:
            common &= 0 if reader == steps else self.after[reader]
        return common


def _blocks(count: int) -> list[slice]:
    return [slice(start, start + BLOCK) for start in range(0, count, BLOCK)]


def _pack(bools: NDArray[np.bool_ | np.uint8]) -> NDArray[np.uint8]:
    return np.packbits(bools, axis=-1, bitorder="little")


def _unpack(bits: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return np.unpackbits(bits, axis=-1, bitorder="little")


@dataclass(frozen=True)
class Relation:
    """Conflicts as bits: bit i of `bits[a]`, from the lowest on, is owner i."""

    count: int
    bits: NDArray[np.uint8]

    def __len__(self) -> int:
        return self.count

    def neighbours(self, owner: int) -> Numbers:
        """The owners in conflict with `owner`."""
        return np.flatnonzero(_unpack(self.bits[owner])[: self.count])


@dataclass(frozen=True)
class Listed:
    """Conflicts as one list for each owner, as in the text of a program."""

    lists: tuple[Numbers, ...]

    def __len__(self) -> int:
        return len(self.lists)

    def neighbours(self, owner: int) -> Numbers:
        """The owners in conflict with `owner`."""
        return self.lists[owner]


def pairs_of(conflicts: Conflicts) -> Iterator[tuple[int, int]]:
    """Each conflict once, as (smaller, larger) number of an owner, in order."""
    for owner in range(len(conflicts)):
        for other in conflicts.neighbours(owner).tolist():
            if other > owner:
                yield owner, other
