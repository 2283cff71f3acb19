"""Laws L4, L8 and L19 of a `lir.kernel`: dims of loops, balanced motion of pointers, counts.

* From `accessed` on, each port: over a whole loop, increments and finalization offset add up to 0.
* From `looped` on, each port of memory: it says how each enclosing loop moves the pointer, and
  names no other loop; without `lir-init-loops` every iteration would access the same elements.
* From `expanded` on, each pointer: at an access, it is where it was when the iterations of the
  enclosing loops began; the same holds for the units of parallel loops. If all parts of a loop
  together leave an offset, that offset is part of the motion of the enclosing loop, or no later
  access uses the pointer. The total motion by loops is claim P3 of `checkers/linear_pointers.py`.

Dynamic loops are balanced in each port at every stage.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from xdsl.ir import Operation

from snippets_mlir.dialects.builtin.dims import Dim, format_size
from snippets_mlir.dialects.builtin.shaped import element_bytes
from snippets_mlir.dialects.builtin.size_text import format_sizes
from snippets_mlir.dialects.lir.access import loop_ids, ports
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.dialects.lir.markers import LoopBeginOp, LoopEndOp, LoopMarkerOp
from snippets_mlir.dialects.lir.memory import TAIL, BroadcastLoadOp, MemoryAccessOp, StoreOp
from snippets_mlir.dialects.lir.pointers import Pointer, memory_port, pointer_of

if TYPE_CHECKING:
    from snippets_mlir.dialects.lir.laws import Fail

Table = dict[int, LoopInfo]


def check_dims(ops: Iterable[Operation], table: Table, fail: Fail) -> None:
    """L4: loops walk dims that ports have, and each port moves along its own dims."""
    every = [port for op in ops if not isinstance(op, LoopMarkerOp) for port in ports(op)]
    rank = max((len(port.shape) for port in every), default=0)
    for loop in table.values() if every else ():
        if not 0 <= loop.dim < max(rank, 1):
            found = f"loop {loop.id} walks dim {loop.dim}"
            fail("L4", f"{found}, counted from the last; the ports have {rank} dims")
    for port in every:
        for motion in port.loops:
            if not 0 <= motion.dim < max(len(port.shape), 1):
                found = f"in loop {motion.loop} a port of {format_sizes(port.shape)}"
                fail("L4", f"{found} moves along dim {motion.dim}, counted from the last")


def check_ports(ops: Iterable[Operation], table: Table, expanded: bool, fail: Fail) -> None:
    """L8 for each single port, for unified loops: in split loops the last part has the offset.

    It also checks that ports name loops of the table (L4).
    """
    for op in ops:
        if not isinstance(op, MemoryAccessOp):
            continue
        for motion in memory_port(op).loops:
            loop = table.get(motion.loop)
            if loop is None:
                fail(
                    "L4",
                    f"a port of {op.name} names loop {motion.loop}, which is not in the table",
                )
                return
            if loop.iteration != "unified" or (expanded and not loop.dynamic):
                continue
            net = motion.pointer_increment * loop.work_amount + motion.finalization_offset
            if net != 0:
                fail(
                    "L8",
                    f"over loop {loop.id} the pointer of {op.name} moves by {format_size(net)} "
                    f"elements; "
                    f"expected a finalization offset of "
                    f"{format_size(-motion.pointer_increment * loop.work_amount)}, "
                    f"found {format_size(motion.finalization_offset)}",
                )


def check_named(ops: Iterable[Operation], fail: Fail) -> None:
    """L8: ports of memory name the loops around, outermost first."""
    for op in ops:
        if not isinstance(op, MemoryAccessOp):
            continue
        found = [motion.loop for motion in memory_port(op).loops]
        if found != (around := list(loop_ids(op))):
            what = f"the motion of the pointer of {op.name} in loops {around}"
            fail("L8", f"expected {what}, found that in loops {found}; run lir-init-loops")


@dataclass(eq=False)
class _Level:
    """An iteration that is walked: of a loop, or of the kernel.

    Attributes:
        loop: the loop, None for the kernel.
        moved: bytes by which finished inner loops have moved each pointer.
        parts: the loop that the last finished loop was a part of, None for a whole loop.
        before: `moved` when the first of these parts began.
        motions: how the loop itself moves pointers.
    """

    loop: LoopInfo | None
    moved: dict[Pointer, Dim] = field(default_factory=dict[Pointer, Dim])
    parts: int | None = None
    before: dict[Pointer, Dim] = field(default_factory=dict[Pointer, Dim])
    motions: dict[Pointer, tuple[Dim, Dim]] = field(default_factory=dict[Pointer, tuple[Dim, Dim]])


def check_counts(ops: Iterable[Operation], table: Table, expanded: bool, fail: Fail) -> None:
    """L19: the elements of one evaluation fill the register's tile, except in parts of loops."""
    last = {loop.id for loop in table.values() if loop.dim == 0 and loop.iteration == "last"}
    for op in ops:
        if not isinstance(op, MemoryAccessOp):
            continue
        lanes, count = ports(op)[0 if isinstance(op, StoreOp) else -1].lanes, op.elements
        if isinstance(op, BroadcastLoadOp):
            lanes = 1
        partial = expanded or not last.isdisjoint(loop_ids(op))
        if partial and (1 <= count <= lanes or count == TAIL):
            continue
        if count != lanes:
            wanted = f"1 to {lanes} elements" if partial else f"{lanes} elements, as its ports say"
            fail("L19", f"expected {op.name} of {wanted}, found a count of {count}")


def check_pointers(ops: Iterable[Operation], table: Table, fail: Fail) -> None:
    """L8 for each pointer, on a kernel whose markers pair up."""
    path = [_Level(None)]
    for op in ops:
        if isinstance(op, LoopBeginOp):
            loop, around = table[op.id], path[-1]
            origin = None if loop.iteration == "unified" else loop.unified_id
            if origin is None or origin != around.parts:
                around.before = dict(around.moved)
            around.parts = origin
            path.append(_Level(loop))
        elif isinstance(op, LoopEndOp):
            _end(path.pop(), path[-1], fail)
        elif isinstance(op, MemoryAccessOp):
            _check_access(op, path, fail)


def _check_access(op: MemoryAccessOp, path: list[_Level], fail: Fail) -> None:
    pointer, size = pointer_of(op), element_bytes(op.operands[0])
    for level in path:
        inner = level is not path[-1]
        away = (level.before if inner else level.moved).get(pointer, 0)
        if away != 0:
            where = "the kernel" if level.loop is None else f"loop {level.loop.id}"
            fail(
                "L8",
                f"expected {op.name} to find its pointer where the iteration of {where} began, "
                f"found it {away} bytes away: a loop before does not take it back",
            )
    for motion in memory_port(op).loops:
        moved = motion.pointer_increment * size, motion.finalization_offset * size
        for level in path[1:]:
            if level.loop is not None and level.loop.id == motion.loop and moved != (0, 0):
                level.motions.setdefault(pointer, moved)


def _end(ended: _Level, around: _Level, fail: Fail) -> None:
    """The net motion of the loop `ended`, for the loop around."""
    loop = ended.loop
    assert loop is not None
    if loop.dynamic:
        return
    if loop.parallel:
        for away in ended.moved.values():
            if away != 0:
                fail(
                    "L8",
                    f"expected the units of the parallel loop {loop.id} to take each pointer back, "
                    f"found one that ends {away} bytes away",
                )
        return
    for pointer in {**ended.moved, **ended.motions}:
        unit, final = ended.motions.get(pointer, (0, 0))
        each = unit * loop.increment + ended.moved.get(pointer, 0)
        # Only a part that is the whole loop has a tail, and its blocks take back what they move.
        net = each * (loop.work_amount // loop.increment) + unit * loop.tail + final
        around.moved[pointer] = around.moved.get(pointer, 0) + net
