"""Accesses of buffers as bytes of memory, and the order of two of them.

The parts of the buffer checker share this module; it checks claim R2 of `linear_buffers.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from operator import mul

from snippets_mlir.checkers.linear_access_facts import Access
from snippets_mlir.checkers.linear_footprints import (
    Intervals,
    Reach,
    Step,
    intersect,
    shifted,
    union,
)
from snippets_mlir.checkers.linear_loops import fail
from snippets_mlir.dialects.builtin.dims import static_size
from snippets_mlir.dialects.lir.buffer import BufferOp

TRIED = 4096

SPACE = 1 << 50
"""Bytes between the scratchpad, the first output, the second output, ...: one address for each."""

Holder = BufferOp | int
"""The owner of bytes: a buffer, or the index of an output with buffers in it."""


@dataclass(eq=False)
class Touch:
    """An access of a buffer or of an output with buffers in it, and the bytes that it touches.

    The bytes of the scratchpad come first, then each output's, `SPACE` bytes further each.

    Attributes:
        access: its facts.
        reach: the loops and the bytes.
        place: number in order of execution.
        home: the loops that the buffer lives in; for an output, those of the buffers in it.
        holder: the buffer or the output.
        base: the first byte of the buffer, or of the output that it lives in.
        whole: bytes over all iterations of the other loops.
    """

    access: Access
    reach: Reach
    place: int
    home: tuple[int, ...]
    holder: Holder
    base: int
    whole: Intervals = ()

    def bytes(self, outer: int, tails: Mapping[int, int] | None = None) -> Intervals:
        """The bytes over all iterations of the loops from the place `outer` on.

        Earlier loops run the tails in `tails`; a loop shorter than its increment has only a tail.
        """
        short = {
            step.loop.id: work
            for step in self.reach.steps[:outer]
            if (work := static_size(step.loop.work_amount)) < step.loop.increment
        }
        return shifted(self.reach.bytes(outer, {**short, **(tails or {})}), self.base)

    @property
    def own(self) -> int:
        """The number of its outer loops that are the buffer's."""
        return len(self.home)

    @property
    def loops(self) -> tuple[int, ...]:
        """Ids of the loops around it."""
        return tuple(step.loop.id for step in self.reach.steps)


def text(bytes_: Intervals) -> str:
    """The first intervals, for a message."""
    inside = ((low % SPACE, low % SPACE + high - low) for low, high in bytes_[:3])
    return ", ".join(f"{low}..{high}" for low, high in inside) + (
        ", ..." if len(bytes_) > 3 else ""
    )


def shared_loops(a: Touch, b: Touch) -> int:
    """The number of outermost loops that two accesses have in common."""
    count = 0
    for x, y in zip(a.loops, b.loops, strict=False):
        if x != y:
            break
        count += 1
    return count


def check_order(load: Touch, store: Touch, shared: int) -> None:
    """No iteration of the shared loops stores bytes that a later one loads (R2)."""
    first = min(load.own, store.own)
    later: Intervals = ()
    inside: dict[tuple[tuple[int, int], ...], tuple[Intervals, Intervals]] = {}
    for counters, tails in reversed(_iterations(load.reach.steps[first:shared])):
        key = (*tails.items(),)  # all whole iterations touch the same bytes at other places
        if key not in inside:
            inside[key] = (
                shifted(load.bytes(shared, tails), _entries(load, first, shared, tails)),
                shifted(store.bytes(shared, tails), _entries(store, first, shared, tails)),
            )
        read, written = inside[key]
        reads = shifted(read, _moved(load, first, counters))
        writes = shifted(written, _moved(store, first, counters))
        if store.place < load.place:
            later = union(later, reads)
        if intersect(writes, later):
            fail(
                store.access.op,
                "R2",
                f"expected the store in loop {store.loops[shared - 1]} to leave a buffer that is "
                f"still read as it is, found it writing bytes {text(writes)} of it",
            )
        later = union(later, reads)


def _iterations(steps: Sequence[Step]) -> list[tuple[tuple[int, ...], dict[int, int]]]:
    """Counters of nested loops in order of execution, with the tails that the loops are in."""
    left = TRIED
    ranges: list[Sequence[int]] = []
    for step in reversed(steps):
        every = range(0, static_size(step.loop.work_amount), step.loop.increment)
        ranges.insert(0, every if len(every) <= left else [*every[:4], *every[-4:]])
        left = max(1, left // max(1, len(ranges[0])))
    found: list[tuple[tuple[int, ...], dict[int, int]]] = []
    for counters in product(*ranges):
        tails: dict[int, int] = {}
        for step, counter in zip(steps, counters, strict=True):
            loop = step.loop
            work, _ = step.inside(tails)
            if counter >= work:
                break
            if counter + loop.increment > work:
                tails[loop.id] = work - counter
        else:
            found.append((counters, tails))
    return found


def _entries(touch: Touch, first: int, shared: int, tails: Mapping[int, int]) -> int:
    """The motion of the pointer by loops before the loops from `first` to `shared`."""
    return sum(step.inside(tails)[1] for step in touch.reach.steps[first:shared])


def _moved(touch: Touch, first: int, counters: Sequence[int]) -> int:
    """The motion of the pointer by the loops from `first` on, at these counters."""
    units = [step.unit for step in touch.reach.steps[first : first + len(counters)]]
    return sum(map(mul, units, counters))
