"""Place boxes of memory with known lifetimes at the lowest total height (offline bin packing).

Two boxes with overlapping lifetimes must not share bytes. The lower bound is the most bytes alive
at one time. The greedy algorithm places the biggest box first, at the lowest free offset (known as
greedy-by-size; the guide's MemorySolver). For up to `EXACT_BOXES` boxes the search tries all orders
of placement, cut off by the best height so far. Some order gives the optimum: if the boxes of any
packing are sorted by offset and each is dropped to its lowest free offset, no box moves up.

The problem is the dynamic storage allocation problem and NP-hard, hence the limit.
"""

from collections.abc import Sequence
from dataclasses import dataclass

EXACT_BOXES = 8


@dataclass(frozen=True)
class Box:
    """A piece of memory: `size` bytes from time `start` to time `end`, both included."""

    start: int
    end: int
    size: int

    def meets(self, other: "Box") -> bool:
        """Whether both are alive at some time."""
        return self.start <= other.end and other.start <= self.end


@dataclass(frozen=True)
class Packing:
    """The place of each box.

    Attributes:
        offsets: of each box, in order.
        height: bytes from 0 that the boxes need together.
        lower_bound: no packing of these boxes is lower.
        optimal: whether no lower packing exists, by the bound or by search.
    """

    offsets: tuple[int, ...]
    height: int
    lower_bound: int
    optimal: bool


def lower_bound(boxes: Sequence[Box]) -> int:
    """The most bytes alive at one time; some box starts at a maximum."""
    return max(
        (sum(b.size for b in boxes if b.start <= box.start <= b.end) for box in boxes), default=0
    )


def lowest_offset(box: Box, placed: Sequence[tuple[Box, int]]) -> int:
    """The lowest offset of `box` beside the boxes in `placed`, given with their offsets."""
    offset = 0
    for other, at in sorted(placed, key=lambda item: item[1]):
        if not other.meets(box) or at + other.size <= offset:
            continue
        if at >= offset + box.size:
            break
        offset = at + other.size
    return offset


def _height(boxes: Sequence[Box], offsets: Sequence[int]) -> int:
    return max((o + b.size for b, o in zip(boxes, offsets, strict=True)), default=0)


def pack_greedy(boxes: Sequence[Box]) -> tuple[int, ...]:
    """Offsets by the greedy rule: the biggest first, ties by the longer life, then by order."""
    order = sorted(
        range(len(boxes)), key=lambda i: (-boxes[i].size, boxes[i].start - boxes[i].end, i)
    )
    placed: list[tuple[Box, int]] = []
    offsets = [0] * len(boxes)
    for index in order:
        offsets[index] = lowest_offset(boxes[index], placed)
        placed.append((boxes[index], offsets[index]))
    return tuple(offsets)


def _pack_exact(boxes: Sequence[Box], best: tuple[int, ...], bound: int) -> tuple[int, ...]:
    """The offsets of a lowest packing: `best`, or one that the search finds below it."""
    height = _height(boxes, best)
    found = best

    def search(placed: list[tuple[Box, int]], offsets: dict[int, int], top: int) -> None:
        nonlocal height, found
        if top >= height:
            return
        if len(offsets) == len(boxes):
            height, found = top, tuple(offsets[i] for i in range(len(boxes)))
            return
        seen: set[Box] = set()
        for index, box in enumerate(boxes):
            if height == bound:
                return
            if index in offsets or box in seen:
                continue
            seen.add(box)
            at = lowest_offset(box, placed)
            search([*placed, (box, at)], {**offsets, index: at}, max(top, at + box.size))

    search([], {}, 0)
    return found


def pack(boxes: Sequence[Box], alignment: int = 1) -> Packing:
    """A packing of `boxes` whose offsets are multiples of `alignment`.

    Sizes are rounded up to the alignment, also in the height and in the bound.
    """
    rounded = [Box(b.start, b.end, -(-b.size // alignment) * alignment) for b in boxes]
    bound = lower_bound(rounded)
    offsets = pack_greedy(rounded)
    searched = len(boxes) <= EXACT_BOXES
    if searched and _height(rounded, offsets) > bound:
        offsets = _pack_exact(rounded, offsets, bound)
    height = _height(rounded, offsets)
    return Packing(offsets, height, bound, searched or height == bound)
