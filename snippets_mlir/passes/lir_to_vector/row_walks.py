"""The memory accesses of a row's loops, and their possible prefetches, for `prefetch-rows`.

This module has rules P1 to P3 and P6 of the pass; it changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects.scf import ForOp
from xdsl.ir import Block, BlockArgument, OpResult, SSAValue

from snippets_mlir.dialects.llvm.memory import LoadOp, StoreOp
from snippets_mlir.dialects.llvm.pointers import GEPOp
from snippets_mlir.passes.lir_to_vector.align_nontemporal_stores import constant_of, step_back
from snippets_mlir.passes.lir_to_vector.cache_lines import LINE

MOST_LINES = 16
"""The most cache lines that an iteration prefetches: a core waits for fewer at a time (12)."""

STAYS = 24 << 10
"""Bytes that stay in a first-level cache of 32 KiB while arrays whose rows begin at equal places of
pages share its sets: three quarters of it."""

UNITS = (1, 2, 4, 8)
"""Bytes of a loop's unit for which an address is one instruction's operand."""


@dataclass(frozen=True)
class Walk:
    """The accesses of one loop of a row to one array.

    Attributes:
        place: which of the loops of the row it is.
        pointer: the index of its pointer in the loop over rows.
        unit: bytes in a unit of the loop's counter.
        writes: whether it stores.
    """

    place: int
    pointer: int
    unit: int
    writes: bool


@dataclass(frozen=True)
class Room:
    """A loop of a row, which may have prefetches.

    Attributes:
        units: the end of its counter, from 0.
        step: units of an iteration.
        innermost: whether it holds no loops.
    """

    units: int
    step: int
    innermost: bool


@dataclass(frozen=True)
class Ahead:
    """Cache lines to prefetch in a loop of a row.

    Attributes:
        place: the index of the prefetching loop of the row.
        pointer: the index of the address's base pointer in the loop over rows.
        unit: bytes in a unit of the loop's counter.
        distance: bytes from that pointer.
        lines: the number of lines that an iteration prefetches.
        writes: whether they will be written.
    """

    place: int
    pointer: int
    unit: int
    distance: int
    lines: int
    writes: bool


def _bounds(loop: ForOp) -> tuple[int, int] | None:
    """Units and step of a loop from 0 with constant bounds; None for another one."""
    lower, upper, step = map(constant_of, loop.operands[:3])
    if lower != 0 or upper is None or step is None or upper < 2 * step:
        return None
    return upper, step


def move_of(loop: ForOp, index: int) -> int | None:
    """Bytes by which an iteration moves a pointer that the loop carries; None if not constant."""
    body = loop.regions[0].block
    terminator = body.last_op
    assert terminator is not None
    origin, distance = origin_of(terminator.operands[index])
    return distance if origin is body.args[1 + index] else None


def origin_of(pointer: SSAValue) -> tuple[SSAValue, int | None]:
    """The base of an address, through loops with known bounds, and the bytes from it."""
    pointer, distance = step_back(pointer)
    while isinstance(pointer, OpResult) and isinstance(loop := pointer.op, ForOp):
        bounds, move = _bounds(loop), move_of(loop, pointer.index)
        if bounds is None or move is None or distance is None:
            return pointer, None
        trips = -(-bounds[0] // bounds[1])
        pointer, before = step_back(loop.operands[3 + pointer.index])
        distance = None if before is None else before + distance + trips * move
    return pointer, distance


def _touched(body: Block) -> dict[int, bool]:
    """The arguments of `body` that it reads or writes through, and whether it writes."""
    found: dict[int, bool] = {}
    for op in body.ops:
        writes = op.name == StoreOp.name
        if not (writes or op.name == LoadOp.name) or "nontemporal" in op.properties:
            continue
        pointer = op.operands[int(writes)]
        while isinstance(pointer, OpResult) and pointer.op.name == GEPOp.name:
            pointer = pointer.op.operands[0]
        if isinstance(pointer, BlockArgument) and pointer.block is body:
            found[pointer.index] = found.get(pointer.index, False) or writes
    return found


def walks_of(place: int, loop: ForOp, rows: ForOp) -> Iterator[Walk]:
    """The accesses of `loop` through pointers that the loop over rows carries."""
    _, step = _bounds(loop) or (0, 1)
    for argument, writes in _touched(loop.regions[0].block).items():
        origin, distance = origin_of(loop.operands[2 + argument])
        if not isinstance(origin, BlockArgument) or origin.block is not rows.regions[0].block:
            continue
        move = move_of(loop, argument - 1)
        if distance == 0 and move is not None and move % step == 0:
            yield Walk(place, origin.index - 1, move // step, writes)


def bytes_of(loop: ForOp) -> Iterator[tuple[tuple[SSAValue, int | None], int]]:
    """The accesses of `loop`: the base of each pointer, and the bytes it walks."""
    units, step = _bounds(loop) or (0, 1)
    for argument in _touched(loop.regions[0].block):
        move = move_of(loop, argument - 1)
        yield origin_of(loop.operands[2 + argument]), abs(move or 0) * -(-units // step)


def room_of(loop: ForOp) -> Room | None:
    """`loop` as a part of a row; None if its bounds are unknown."""
    bounds = _bounds(loop)
    if bounds is None:
        return None
    return Room(*bounds, innermost=not any(op.regions for op in loop.regions[0].block.ops))


def that_stays(plan: Sequence[Ahead], touched: int, loops: Sequence[Room]) -> list[Ahead]:
    """The prefetches of a plan that fit the first-level cache beside `touched` bytes (P6)."""
    more = sum(loops[one.place].units * one.unit for one in plan if not one.writes)
    return [one for one in plan if one.writes or touched + more <= STAYS]


def plan(walks: Sequence[Walk], loops: Sequence[Room], moves: Sequence[int | None]) -> list[Ahead]:
    """Plan the prefetches and their places (P1 to P3).

    Args:
        walks: of the loops of a row, in order.
        loops: these loops.
        moves: bytes by which the loop over rows moves each of its pointers; None if not constant.
    """
    first: dict[int, Walk] = {}
    for walk in walks:
        first.setdefault(walk.pointer, walk)
    stored = {walk.pointer for walk in walks if walk.writes}
    found: list[Ahead] = []
    for pointer, walk in first.items():
        writes = pointer in stored
        place = walk.place - 1 if writes else len(loops) - 1
        if place < 0 or place == walk.place or walk.unit not in UNITS:
            continue
        row, host = moves[pointer] or 0, loops[place]
        covered = (loops[k].units * walk.unit for k in (place, walk.place))
        lines = -(-host.step * walk.unit // LINE)
        if host.innermost and lines <= MOST_LINES and all(row < 2 * c <= 2 * row for c in covered):
            found.append(Ahead(place, pointer, walk.unit, 0 if writes else row, lines, writes))
    return found
