"""Reset pointers once, in the outer loop, or not at all if no access follows.

    loops [1: dim 0 ptr 1 fin -8192, 2: dim 0 ptr 1 fin -4096]      loop 1 has increment 4096
                                     becomes
    loops [1: dim 0 ptr 0 fin 0, 2: dim 0 ptr 1 fin 0]

* into the outer loop: an iteration of a sequential loop moves a pointer, and the inner loop resets
  it afterwards. Both are one motion, `ptr * inc + fin`, which becomes the outer loop's increment,
  and the inner loop resets nothing;
* before results: an outermost loop resets nothing.

The obligation, proved for every pointer and loop: *no later access goes through the pointer*, in
the same iteration of the outer loop, or in the kernel. Accesses before the loop are not affected:
their pointer has the same position at the beginning of each iteration. Law L8 and the checkers P2
and P3 count the motion that inner loops leave in a pointer.

These stay (`report=true` prints the reasons as remarks): pointers that later accesses continue
from; loops inside of a parallel loop, because its units compute their pointers from the counter;
loops that do not move the pointer or run once; loops whose work is known only at run time; sums
that are no whole number of elements for each unit. Runs after lir-validate-expanded-loops, which
expects every part to reset its pointers. Source: the guide's CleanupLoopOffsets (2.33), with the
proof it lacks.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from xdsl.ir import Operation

from snippets_mlir.dialects.builtin.dims import Dim, Size, format_size
from snippets_mlir.dialects.builtin.shaped import element_bytes
from snippets_mlir.dialects.lir.access import loop_ids
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.loop_tree import Loop, loop_tree
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.dialects.lir.memory import MemoryAccessOp
from snippets_mlir.dialects.lir.pointers import Pointer, memory_port, pointer_of, set_memory_port
from snippets_mlir.dialects.lir.ports import LoopPort
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.lir.kernel_passes import KernelPlanPass
from snippets_mlir.support.diagnostics import format_position, position_of

Motion = tuple[Dim, Dim]
"""How a loop moves a pointer: bytes for one unit of its counter, and after its end."""

_AT_RUN_TIME = "how far it goes is known only at run time"

Mover = tuple[MemoryAccessOp, Motion]
"""The access that moves a pointer in a loop, and the motion."""


@dataclass(frozen=True)
class Changed:
    """A motion that changes.

    Attributes:
        place: of the access in the kernel.
        access: its name.
        old: the motion of its port.
        new: the changed motion.
    """

    place: int
    access: str
    old: LoopPort
    new: LoopPort

    def __str__(self) -> str:
        old, new = (
            f"ptr {format_size(m.pointer_increment)} fin {format_size(m.finalization_offset)}"
            for m in (self.old, self.new)
        )
        return f"op {self.place}, {self.access}, in loop {self.old.loop}: {old} becomes {new}"


@dataclass(frozen=True)
class Kept:
    """A finalization offset that stays.

    Attributes:
        loop: the loop.
        access: the name of the access.
        position: of the access in the source.
        reason: why the offset stays.
    """

    loop: int
    access: str
    position: str
    reason: str

    def __str__(self) -> str:
        return f"loop {self.loop} takes the pointer of {self.access} back: {self.reason}"


@dataclass(frozen=True)
class Offsets:
    """The changed motions of a kernel, and the offsets that stay."""

    changed: tuple[Changed, ...]
    kept: tuple[Kept, ...]

    def __str__(self) -> str:
        return "\n".join(map(str, (*self.changed, *self.kept))) or "no pointer is taken back"


def _movers(loop: Loop) -> dict[Pointer, Mover]:
    """The pointers that `loop` moves; accesses that share one agree (P1)."""
    found: dict[Pointer, Mover] = {}
    for access in loop.accesses():
        size = element_bytes(access.operands[0])
        for motion in memory_port(access).loops:
            moved = motion.pointer_increment * size, motion.finalization_offset * size
            if motion.loop == loop.info.id and moved != (0, 0):
                found.setdefault(pointer_of(access), (access, moved))
    return found


def joined(outer: LoopInfo, unit: Dim, final: Dim, size: int) -> tuple[int, str]:
    """The increment of `outer` that includes the offset of an inner loop, or a reason.

    Args:
        outer: the loop around.
        unit: bytes by which it moves the pointer for one unit of its counter.
        final: bytes by which the inner loop resets the pointer.
        size: bytes of an element: increments count elements.
    """
    if outer.dynamic or isinstance(unit, Size) or isinstance(final, Size):
        return 0, _AT_RUN_TIME
    if outer.parallel:
        return 0, f"the units of the parallel loop {outer.id} find the pointer by their counter"
    if unit == 0:
        return 0, f"loop {outer.id} does not move the pointer"
    whole = unit * outer.increment + final
    if whole % (outer.increment * size):
        return 0, f"{whole} bytes are no whole elements for each unit of loop {outer.id}"
    return whole // outer.increment, ""


def _accesses(item: Loop | Operation) -> Iterator[MemoryAccessOp]:
    if isinstance(item, Loop):
        yield from item.accesses()
    elif isinstance(item, MemoryAccessOp):
        yield item


class _Ways:
    """The new motions of pointers in loops, in bytes, and the offsets that stay."""

    def __init__(self, kernel: KernelOp) -> None:
        self.motions: dict[tuple[int, Pointer], Motion] = {}
        self.kept: list[Kept] = []
        self._items(loop_tree(kernel), None)

    def _items(self, items: Sequence[Loop | Operation], outer: Loop | None) -> None:
        """Decide for the loops among `items`, the last one first, and for their inner loops."""
        around = {} if outer is None else _movers(outer)
        later: dict[Pointer, MemoryAccessOp] = {}
        for item in reversed(items):
            if isinstance(item, Loop):
                for pointer, (access, motion) in _movers(item).items():
                    if motion[1] == 0:
                        continue
                    if (reader := later.get(pointer)) is not None:
                        where = "".join(f" in loop {id_}" for id_ in loop_ids(reader)[-1:])
                        reason = f"{reader.name}{where} goes on from there"
                    elif outer is None:
                        reason = _AT_RUN_TIME if item.info.dynamic else ""
                    else:
                        mover = access, motion
                        reason = self._join(outer.info, pointer, mover, around.get(pointer))
                    if reason:
                        place = format_position(position_of(access))
                        self.kept.append(Kept(item.info.id, access.name, place, reason))
                    else:
                        self.motions[item.info.id, pointer] = (motion[0], 0)
                self._items(item.items, item)
            for access in _accesses(item):
                later[pointer_of(access)] = access

    def _join(self, outer: LoopInfo, pointer: Pointer, inner: Mover, around: Mover | None) -> str:
        """Let `outer`, which moves the pointer by `around`, include the reset of `inner`.

        Returns the reason if it cannot.
        """
        if around is None:
            return f"loop {outer.id} does not move the pointer"
        size = max(element_bytes(access.operands[0]) for access, _ in (inner, around))
        unit, reason = joined(outer, around[1][0], inner[1][1], size)
        if not reason:
            _, final = self.motions.get((outer.id, pointer), around[1])
            self.motions[outer.id, pointer] = (unit, final)
        return reason

    def changed(self, place: int, access: MemoryAccessOp) -> Iterator[Changed]:
        """The motions of an access that change; one that shifts nothing stays."""
        pointer, size = pointer_of(access), element_bytes(access.operands[0])
        for old in memory_port(access).loops:
            found = self.motions.get((old.loop, pointer))
            if found is not None and old != LoopPort(old.loop, old.dim):
                unit, final = (amount // size for amount in found)
                new = replace(old, pointer_increment=unit, finalization_offset=final)
                if new != old:
                    yield Changed(place, access.name, old, new)


@dataclass(frozen=True)
class LirCleanupLoopOffsetsPass(KernelPlanPass[Offsets]):
    """Drop finalization offsets, or put them into the increments of outer loops."""

    name = "lir-cleanup-loop-offsets"
    STAGES: ClassVar[Stages] = Stages(("expanded",))

    report: bool = False

    @property
    def SIDE_EFFECTS(self) -> bool:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Whether it prints: with `report`."""
        return self.report

    def plan(self, unit: KernelOp) -> Offsets:
        """What can be cleaned in a kernel whose loops are expanded."""
        ways = _Ways(unit)
        changed = tuple(
            change
            for place, op in enumerate(unit.block.ops if ways.motions else ())
            if isinstance(op, MemoryAccessOp)
            for change in ways.changed(place, op)
        )
        return Offsets(changed, tuple(ways.kept))

    def carry_out(self, unit: KernelOp, plan: Offsets) -> None:
        """Write the motions on the ports, and report the offsets that stay."""
        ops = list(unit.block.ops)
        for change in plan.changed:
            access = ops[change.place]
            assert isinstance(access, MemoryAccessOp)
            port = memory_port(access)
            loops = tuple(change.new if m == change.old else m for m in port.loops)
            set_memory_port(access, replace(port, loops=loops))
        if self.report:
            for kept in plan.kept:
                name = unit.sym_name.data
                sys.stderr.write(f"{kept.position}: remark: in @{name} {kept}\n")
