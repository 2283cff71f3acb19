"""Take pointers back once, in the loop around, or not at all when nothing reads on.

    loops [1: dim 0 ptr 1 fin -8192, 2: dim 0 ptr 1 fin -4096]      loop 1 has increment 4096
                                     becomes
    loops [1: dim 0 ptr 0 fin 0, 2: dim 0 ptr 1 fin 0]

* into the loop around: what one iteration of a sequential loop moves a pointer by, and what the
  loop inside takes back behind it, are one motion, `ptr * inc + fin`. It becomes the loop's
  increment, and the loop inside takes nothing back;
* before results: a loop that is in no other one takes nothing back.

The obligation, proved for every pointer and loop: *no later access goes through the pointer*, in
the same iteration of the loop around, or in the kernel. Accesses before the loop are not touched by
it: their pointer stands where it stood at the beginning of each iteration. Law L8 and the checkers
P2 and P3 count what loops inside leave of a pointer's way.

Kept as they are, and why (`report=true` prints it as remarks): pointers that later accesses go on
from; loops inside of a parallel one, whose units find their pointers by the counter; loops that do
not move the pointer or run once; loops whose work only a call knows; sums that are no whole number
of elements for each unit. Runs behind lir-validate-expanded-loops, which expects every part to take
its way back. Source: the guide's CleanupLoopOffsets (reference 2.33), with the proof it lacks.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from snippets_mlir.dialects.builtin.dims import Dim, Size
from snippets_mlir.dialects.lir.access import loop_ids
from snippets_mlir.dialects.lir.attributes import LoopInfo, LoopPort
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.kernels import for_each_kernel
from snippets_mlir.dialects.lir.loop_tree import Loop, loop_tree
from snippets_mlir.dialects.lir.memory import MemoryAccessOp
from snippets_mlir.dialects.lir.pointers import (
    Pointer,
    element_bytes,
    memory_port,
    pointer_of,
    set_memory_port,
)
from snippets_mlir.support.diagnostics import format_position, position_of

Motion = tuple[Dim, Dim]
"""How a loop moves a pointer: bytes for one unit of its counter, and after its end."""


@dataclass(frozen=True, eq=False)
class Kept:
    """A finalization offset that stays: of `loop`, at `access`, for a reason."""

    loop: LoopInfo
    access: MemoryAccessOp
    reason: str


@dataclass(eq=False)
class Plan:
    """What changes: the motion, in bytes, of pointers in loops; and what is kept."""

    motions: dict[tuple[int, Pointer], Motion] = field(
        default_factory=dict[tuple[int, Pointer], Motion]
    )
    kept: list[Kept] = field(default_factory=list[Kept])


@dataclass(eq=False)
class _Mover:
    """A pointer in a loop: the access that moves it, and by how much."""

    access: MemoryAccessOp
    motion: Motion


def _accesses(item: Loop | Operation) -> Iterator[MemoryAccessOp]:
    if isinstance(item, Loop):
        yield from item.accesses()
    elif isinstance(item, MemoryAccessOp):
        yield item


def _movers(loop: Loop) -> dict[Pointer, _Mover]:
    """The pointers that `loop` moves; accesses that share one agree (P1)."""
    found: dict[Pointer, _Mover] = {}
    for access in loop.accesses():
        size = element_bytes(access.operands[0])
        for motion in memory_port(access).loops:
            moved = motion.pointer_increment * size, motion.finalization_offset * size
            if motion.loop == loop.info.id and moved != (0, 0):
                found.setdefault(pointer_of(access), _Mover(access, moved))
    return found


def joined(outer: LoopInfo, unit: Dim, final: Dim, size: int) -> tuple[int, str]:
    """The increment of `outer` that takes over the offset of a loop inside, or a reason.

    Args:
        outer: the loop around.
        unit: bytes by which it moves the pointer for one unit of its counter.
        final: bytes by which the loop inside takes the pointer back.
        size: bytes of an element: increments count elements.
    """
    if outer.dynamic or isinstance(unit, Size) or isinstance(final, Size):
        return 0, "only a call knows how far it goes"
    if outer.parallel:
        return 0, f"the units of the parallel loop {outer.id} find the pointer by their counter"
    if unit == 0:
        return 0, f"loop {outer.id} does not move the pointer"
    whole = unit * outer.increment + final
    if whole % (outer.increment * size):
        return 0, f"{whole} bytes are no whole elements for each unit of loop {outer.id}"
    return whole // outer.increment, ""


def plan_offsets(kernel: KernelOp) -> Plan:
    """What can be cleaned in a kernel whose loops are expanded."""
    plan = Plan()
    _plan_items(loop_tree(kernel), None, plan)
    return plan


def _plan_items(items: Sequence[Loop | Operation], outer: Loop | None, plan: Plan) -> None:
    """Plan for the loops among `items`, the last one first, and for what is inside of them."""
    around = {} if outer is None else _movers(outer)
    later: dict[Pointer, MemoryAccessOp] = {}
    for item in reversed(items):
        if isinstance(item, Loop):
            for pointer, mover in _movers(item).items():
                if mover.motion[1] == 0:
                    continue
                if (reader := later.get(pointer)) is not None:
                    reason = _goes_on(reader)
                elif outer is None:
                    reason = "only a call knows how far it goes" if item.info.dynamic else ""
                else:
                    reason = _join(outer.info, pointer, mover, around.get(pointer), plan)
                if reason:
                    plan.kept.append(Kept(item.info, mover.access, reason))
                else:
                    plan.motions[item.info.id, pointer] = (mover.motion[0], 0)
            _plan_items(item.items, item, plan)
        for access in _accesses(item):
            later[pointer_of(access)] = access


def _goes_on(reader: MemoryAccessOp) -> str:
    ids = loop_ids(reader)
    return f"{reader.name}{f' in loop {ids[-1]}' if ids else ''} goes on from there"


def _join(
    outer: LoopInfo, pointer: Pointer, mover: _Mover, around: _Mover | None, plan: Plan
) -> str:
    """Let `outer`, which moves the pointer as `around` says, take over what `mover` takes back.

    Returns the reason when it cannot.
    """
    if around is None:
        return f"loop {outer.id} does not move the pointer"
    size = max(element_bytes(m.access.operands[0]) for m in (mover, around))
    unit, reason = joined(outer, around.motion[0], mover.motion[1], size)
    if not reason:
        _, final = plan.motions.get((outer.id, pointer), around.motion)
        plan.motions[outer.id, pointer] = (unit, final)
    return reason


def _apply(kernel: KernelOp, plan: Plan) -> None:
    for op in kernel.block.ops:
        if not isinstance(op, MemoryAccessOp) or not plan.motions:
            continue
        pointer, size = pointer_of(op), element_bytes(op.operands[0])
        port = memory_port(op)

        def cleaned(motion: LoopPort, pointer: Pointer = pointer, size: int = size) -> LoopPort:
            new = plan.motions.get((motion.loop, pointer))
            if new is None or motion.pointer_increment == motion.finalization_offset == 0:
                return motion
            return replace(
                motion, pointer_increment=new[0] // size, finalization_offset=new[1] // size
            )

        loops = tuple(cleaned(motion) for motion in port.loops)
        if loops != port.loops:
            set_memory_port(op, replace(port, loops=loops))


def _remark(kernel: KernelOp, kept: Kept) -> str:
    place = format_position(position_of(kept.access))
    return (
        f"{place}: remark: in @{kernel.sym_name.data} loop {kept.loop.id} takes the pointer of "
        f"{kept.access.name} back: {kept.reason}\n"
    )


@dataclass(frozen=True)
class LirCleanupLoopOffsetsPass(ModulePass):
    """Drop finalization offsets, or put them into the increments of the loops around."""

    name = "lir-cleanup-loop-offsets"

    report: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Clean the ports of every kernel at stage `expanded` or `assigned`."""

        def clean(kernel: KernelOp) -> None:
            plan = plan_offsets(kernel)
            _apply(kernel, plan)
            if self.report:
                sys.stderr.write("".join(_remark(kernel, kept) for kept in plan.kept))

        for_each_kernel(op, ("expanded",), clean)
