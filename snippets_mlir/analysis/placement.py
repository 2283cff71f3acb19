"""Placement of values in one arena: offsets such that values in conflict share no byte.

    sizes 64 64 32 32 32 (KiB), conflicts 01 12 13 23 24 34
    offsets: 0 at 0, 1 at 64, 2 at 0, 3 at 32, 4 at 64:   128 KiB
    records: {0, 2} at 0, {1, 4} at 64, {3} at 128:       160 KiB
    none:    one after another:                           224 KiB

Three pools:

* `offsets`: each value in turn goes to the lowest offset that is free for its whole life. Four
  orders are tried: by falling size, by falling size times life, by start, and by falling life. The
  smallest arena wins, on a tie the earlier order. Then the value that ends last in the arena moves
  to the front of the order, up to eight times. The search stops if an arena is as small as the
  largest sum of sizes live at one step. With `MANY` conflicts, or without `search`, only the first
  order is tried;
* `records`: OpenVINO's pool. By falling size, a value takes the smallest record that it fits in
  without a conflict, or makes a new one. A record is used as a whole;
* `none`: no two values share a byte.

Sizes and offsets are in bytes; a range is a multiple of 64 bytes and begins at a multiple.
Conflicts between values, one of which is dead before the other is written, only cost memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

import numpy as np

from snippets_mlir.analysis.memory.happens_before import Conflicts, Life, Listed, Numbers

ALIGNMENT = 64
MANY = 1 << 22
"""With this many conflicts only the first order is tried: one order takes about a second."""
REPAIRS = 8
"""Orders that are tried after the four."""
REPAIRED = 4000
"""Values that the repairs of one plan place at most."""
Pool = Literal["offsets", "records", "none"]


@dataclass(frozen=True)
class Placement:
    """Offsets of values in an arena.

    Attributes:
        offsets: of each value, in bytes.
        arena: bytes of the arena, from `start` on.
        live: the largest sum of sizes of values that are live at one step in text order; no plan
            for this order is smaller.
        total: the sum of all sizes: the arena if nothing is shared.
        order: the order of placement that gave the smallest arena.
    """

    offsets: tuple[int, ...]
    arena: int
    live: int
    total: int
    order: str = ""


def _listed(conflicts: Conflicts) -> Listed | None:
    """The conflicts as lists, which each order reads; None if there are more than `MANY`.

    Conflicts are counted from both sides. Reading a row of bits takes longer than placing its
    value.
    """
    lists: list[Numbers] = []
    count = 0
    for owner in range(len(conflicts)):
        lists.append(conflicts.neighbours(owner))
        count += len(lists[-1])
        if count > MANY:
            return None
    return Listed(tuple(lists))


def aligned(size: int) -> int:
    """The bytes that a value of `size` bytes takes."""
    return -(-size // ALIGNMENT) * ALIGNMENT


def largest_live_sum(sizes: Sequence[int], lives: Sequence[Life]) -> int:
    """The most bytes in use at one step: a value is in use from its writer to its last reader."""
    change: dict[int, int] = {}
    for size, life in zip(sizes, lives, strict=True):
        end = max(life.readers) + 1
        change[life.writer] = change.get(life.writer, 0) + size
        change[end] = change.get(end, 0) - size
    return max(accumulate(change[step] for step in sorted(change)), default=0)


def place(
    sizes: Sequence[int],
    lives: Sequence[Life],
    conflicts: Conflicts,
    *,
    pool: Pool = "offsets",
    start: int = 0,
    search: bool = True,
) -> Placement:
    """Offsets from `start` on for values with these sizes and lives."""
    taken = [aligned(size) for size in sizes]
    live, total = largest_live_sum(taken, lives), sum(taken)

    def placement(offsets: Sequence[int], order: str = "") -> Placement:
        ends = (at + size for at, size in zip(offsets, taken, strict=True))
        arena = max(ends, default=0)
        return Placement(tuple(at + start for at in offsets), arena, live, total, order)

    if pool == "none":
        return placement([end - size for end, size in zip(accumulate(taken), taken, strict=True)])
    if pool == "records":
        return placement(_in_records(taken, conflicts))
    orders = _orders(taken, lives)
    first, *others = orders
    listed = _listed(conflicts) if search else None
    if listed is None:
        return placement(_at_lowest_offsets(taken, conflicts, orders[first]), first)
    best = placement(_at_lowest_offsets(taken, listed, orders[first]), first)
    if best.arena == live:
        return best
    for name in others:
        found = placement(_at_lowest_offsets(taken, listed, orders[name]), name)
        best = found if found.arena < best.arena else best
        if best.arena == live:
            return best
    order, found, name = orders[best.order], best, f"{best.order}, repaired"
    for _ in range(min(REPAIRS, REPAIRED // max(len(taken), 1))):
        order = _top_first(order, taken, found)
        found = placement(_at_lowest_offsets(taken, listed, order), name)
        best = found if found.arena < best.arena else best
        if best.arena == live:
            break
    return best


def _top_first(order: Sequence[int], sizes: Sequence[int], found: Placement) -> list[int]:
    """The order with the value that ends last in the arena at its front."""
    top = max(order, key=lambda value: found.offsets[value] + sizes[value])
    return [top, *(value for value in order if value != top)]


def _orders(sizes: Sequence[int], lives: Sequence[Life]) -> dict[str, list[int]]:
    """Values in the orders of the module docstring; on a tie the earlier written comes first."""
    spans = [max(life.readers) - life.writer + 1 for life in lives]
    starts = [life.writer for life in lives]
    keys = {
        "size": [-size for size in sizes],
        "size x life": [-size * span for size, span in zip(sizes, spans, strict=True)],
        "start": starts,
        "life": [-span for span in spans],
    }
    return {
        name: sorted(range(len(sizes)), key=lambda v, key=key: (key[v], starts[v]))
        for name, key in keys.items()
    }


def _at_lowest_offsets(
    sizes: Sequence[int], conflicts: Conflicts, order: Sequence[int]
) -> list[int]:
    """The offset of each value, placed one after the other.

    The key of a placed value, its offset and its number in one, sorts several times as fast as
    `argsort` of the offsets. Offsets are in units of `ALIGNMENT`.
    """
    bits = len(sizes).bit_length()
    keys, ends = np.full(len(sizes), -1, np.int64), np.zeros(len(sizes), np.int64)
    for value in order:
        if size := sizes[value] // ALIGNMENT:
            near = keys[conflicts.neighbours(value)]
            near = np.sort(near[near >= 0])
            offset = _lowest_gap(near >> bits, ends[near & (1 << bits) - 1], size)
            keys[value], ends[value] = offset << bits | value, offset + size
    return ((np.maximum(keys, 0) >> bits) * ALIGNMENT).tolist()


def _lowest_gap(begins: Numbers, ends: Numbers, size: int) -> int:
    """The lowest offset with `size` free units between ranges that are sorted by their begin."""
    if not len(begins) or begins[0] >= size:
        return 0
    free = np.maximum.accumulate(ends)
    fits = np.flatnonzero(begins[1:] - free[:-1] >= size)
    return int(free[fits[0] if len(fits) else -1])


def _in_records(sizes: Sequence[int], conflicts: Conflicts) -> list[int]:
    """The offset of the record of each value; records are side by side, in order of creation."""
    record_of = np.full(len(sizes), -1, np.int64)
    capacity = np.zeros(len(sizes), np.int64)
    count = 0
    for value in sorted(range(len(sizes)), key=lambda v: -sizes[v]):
        near = record_of[conflicts.neighbours(value)]
        free = np.ones(count, np.bool_)
        free[near[near >= 0]] = False
        fitting = np.flatnonzero(free)
        if len(fitting):
            record_of[value] = fitting[np.argmin(capacity[fitting])]
        else:
            record_of[value], capacity[count] = count, sizes[value]
            count += 1
    begins = np.cumsum(capacity) - capacity
    return begins[record_of].tolist()
