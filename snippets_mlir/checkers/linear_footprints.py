"""The bytes that an access of a `lir.kernel` touches, as sets of intervals.

A loop of n whole iterations repeats the accesses inside of it at n places. Its tail repeats them
once more, with blocks and vectors cut to the tail. The checkers of accesses and buffers share this
module.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.ir import Operation

from snippets_mlir.dialects.builtin.dims import static_size
from snippets_mlir.dialects.lir.loops import LoopInfo

Intervals = tuple[tuple[int, int], ...]
"""Disjoint half-open intervals of bytes, sorted."""


def normal(intervals: Sequence[tuple[int, int]]) -> Intervals:
    """The same bytes as sorted, disjoint, non-empty intervals."""
    merged: list[tuple[int, int]] = []
    for low, high in sorted(intervals):
        if low >= high:
            continue
        if merged and low <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return tuple(merged)


def union(a: Intervals, b: Intervals) -> Intervals:
    """The bytes in `a` or `b`."""
    if not a or not b:
        return a or b
    if a[-1][1] < b[0][0]:
        return (*a, *b)
    if b[-1][1] < a[0][0]:
        return (*b, *a)
    few, many = (a, b) if len(a) < len(b) else (b, a)
    # Intervals that end before `few` begins, or begin after it ends, stay.
    first = bisect_left(many, few[0][0], key=lambda interval: interval[1])
    last = bisect_right(many, few[-1][1], first, key=lambda interval: interval[0])
    if first == last:
        return (*many[:first], *few, *many[last:])
    return (*many[:first], *normal((*many[first:last], *few)), *many[last:])


def difference(a: Intervals, b: Intervals) -> Intervals:
    """The bytes in `a` that are not in `b`."""
    if not a or not b or a[-1][1] <= b[0][0] or b[-1][1] <= a[0][0]:
        return a
    left: list[tuple[int, int]] = []
    count = len(b)
    first = 0  # of `b` that ends after the begin of the interval of `a`
    for low, high in a:
        while first < count and b[first][1] <= low:
            first += 1
        place, begin = first, low
        while place < count and b[place][0] < high:
            if begin < b[place][0]:
                left.append((begin, b[place][0]))
            begin = b[place][1]
            place += 1
        if begin < high:
            left.append((begin, high))
    return tuple(left)


def intersect(a: Intervals, b: Intervals) -> bool:
    """Whether `a` and `b` share a byte."""
    if not a or not b or a[-1][1] <= b[0][0] or b[-1][1] <= a[0][0]:
        return False
    few, many = (a, b) if len(a) < len(b) else (b, a)
    for low, high in few:
        place = bisect_right(many, low, key=lambda interval: interval[1])
        if place < len(many) and many[place][0] < high:
            return True
    return False


def shifted(a: Intervals, by: int) -> Intervals:
    """`a`, moved by a number of bytes."""
    return tuple([(low + by, high + by) for low, high in a]) if by else a


def repeated(a: Intervals, count: int, step: int) -> Intervals:
    """`a` at `count` places that are `step` bytes apart."""
    if count <= 0 or not a:
        return ()
    if step == 0 or count == 1:
        return a
    if all(abs(step) <= high - low for low, high in a):
        last = step * (count - 1)
        return normal([(low + min(0, last), high + max(0, last)) for low, high in a])
    return normal([(low + i * step, high + i * step) for i in range(count) for low, high in a])


def around(a: Intervals) -> Intervals:
    """The one interval from the first to the last byte of `a`."""
    return ((a[0][0], a[-1][1]),) if a else ()


@dataclass(frozen=True)
class Step:
    """A loop around an access, from the view of the access.

    Attributes:
        loop: the loop.
        unit: bytes by which the pointer moves per unit of the loop's counter.
        entry: bytes by which earlier loops, in the same iteration of the outer loop, moved it.
        after: increment of the part that this one continues; 0 for the first part.
        before: units that earlier parts run in a whole block.
        final: whether no part follows.
    """

    loop: LoopInfo
    unit: int
    entry: int
    after: int = 0
    before: int = 0
    final: bool = True

    def inside(self, tails: Mapping[int, int]) -> tuple[int, int]:
        """The work of the loop, and its entry, with the shorter loops in `tails`."""
        loop, work = self.loop, static_size(self.loop.work_amount)
        if loop.inner_of is None or (block := tails.get(loop.inner_of)) is None:
            return work, self.entry
        if loop.iteration in ("unified", "whole"):
            return min(work, block), self.entry
        lower = block - block % self.after if self.after else 0
        upper = block if self.final else block - block % loop.increment
        return upper - lower, self.entry + (lower - self.before) * self.unit


@dataclass(frozen=True, eq=False)
class Reach:
    """The memory that an access touches.

    Attributes:
        op: the access.
        steps: the loops around it, outermost first.
        elements: elements that one evaluation moves.
        size: bytes of an element.
        stride: bytes between neighbours of these elements.
        offset: bytes from the pointer to the first element.
        farthest: bytes by which a gather may begin later; all bytes between count as touched.
    """

    op: Operation
    steps: tuple[Step, ...]
    elements: int
    size: int
    stride: int
    offset: int = 0
    farthest: int = 0

    def one(self, tails: Mapping[int, int]) -> Intervals:
        """The bytes of one evaluation, in the tails of some loops."""
        vector_loops = [step.loop.id for step in self.steps if step.loop.dim == 0]
        count = self.elements
        if count > 1 and vector_loops:
            count = min(count, tails.get(vector_loops[-1], count))
        found = repeated(((self.offset, self.offset + self.size),), count, self.stride)
        return around(union(found, shifted(found, self.farthest))) if self.farthest else found

    def bytes(self, outer: int = 0, tails: Mapping[int, int] | None = None) -> Intervals:
        """The bytes over all iterations of the loops from the place `outer` of `steps` on.

        The outer loops are at their first iteration; `tails` has the ids of loops in their tail,
        and its length.
        """
        return self._bytes(outer, tails or {}, hull=False)

    def hull(self) -> Intervals:
        """The smallest interval around the bytes over all iterations; nothing if there are none."""
        return self._bytes(0, {}, hull=True)

    def _bytes(self, level: int, tails: Mapping[int, int], hull: bool) -> Intervals:
        if level == len(self.steps):
            return around(self.one(tails)) if hull else self.one(tails)
        step = self.steps[level]
        loop = step.loop
        work, entry = step.inside(tails)
        whole, tail = divmod(work, loop.increment)
        found: Intervals = ()
        if whole:
            inside = self._bytes(level + 1, tails, hull)
            if hull and whole > 1:
                first_and_last = (whole - 1) * loop.increment * step.unit
                found = around(union(inside, shifted(inside, first_and_last)))
            else:
                found = repeated(inside, whole, loop.increment * step.unit)
        if tail:
            inside = self._bytes(level + 1, {**tails, loop.id: tail}, hull)
            found = union(found, shifted(inside, whole * loop.increment * step.unit))
        return shifted(around(found) if hull else found, entry)
