"""Give each abstract register of a kernel a physical one, or a slot in the scratchpad.

    #lir.port<..., reg "%vec4">     becomes     #lir.port<..., reg "vec2">
                                    or          #lir.port<..., reg "vec2/slot0">

Each file is assigned on its own, by linear scan (`linear_scan.py`): general-purpose registers to
pointers and counters, vector and mask registers to values. Registers that hold what the kernel is
called with are not in the pool (`TargetMachine.reserved_registers`). What a loop carries stays in
its register over the whole loop. Scalars get the vector registers that are left over; a scalar
without one is an immediate wherever it is used.

Running out of registers is not an error. The cheapest values leave their registers, and the ports
say what `lir-insert-reg-spills` makes of it: `vec2/slot0` at a definition is written to the slot,
at a use it is read from it; `slot0` alone is read or carried in memory; `vec2/again` at a use is
computed again there, which is for broadcast scalars and for broadcast loads of inputs. A pointer as
`gpr3/slot1` is in the slot, and in the register for the access.

The options `vectors`, `masks` and `general` are sizes of the files, 0 those of the target. Refuses
kernels without abstract registers. Source: the design guide's AssignRegisters (reference 2.29),
which fails where registers run out.
"""

from dataclasses import dataclass, replace

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from snippets_mlir.analysis.live_ranges import LiveRange, LiveRanges, live_ranges
from snippets_mlir.analysis.pointer_ranges import PointerRange
from snippets_mlir.analysis.register_files import RegisterFiles
from snippets_mlir.dialects.lir.access import ports, set_ports
from snippets_mlir.dialects.lir.attributes import PortDescriptor
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.markers import LoopBeginOp, LoopMarkerOp
from snippets_mlir.dialects.lir.memory import MemoryAccessOp
from snippets_mlir.dialects.lir.pointers import memory_port, set_memory_port
from snippets_mlir.dialects.lir.registers import AGAIN, AUXILIARY, COUNTER, with_register
from snippets_mlir.errors import CompileError
from snippets_mlir.passes.lir.editing import for_each_kernel
from snippets_mlir.passes.lir.linear_scan import Interval, Plan, plan_file
from snippets_mlir.passes.lir.register_needs import (
    auxiliary_intervals,
    named_pointers,
    pointer_interval,
    value_interval,
)
from snippets_mlir.passes.lir.register_slots import Slots
from snippets_mlir.passes.target.snippets_set_target import machine_of
from snippets_mlir.targets.machine import TargetMachine


@dataclass
class Assignment:
    """What the ports of a kernel will say.

    Attributes:
        lives: the live ranges.
        intervals: of each range that was planned.
        plans: by file.
        slots: of what left its registers.
    """

    lives: LiveRanges
    intervals: dict[LiveRange, Interval]
    plans: dict[str, Plan]
    slots: Slots

    def text(self, value: SSAValue, position: int, *, marker: bool, defines: bool) -> str | None:
        """The register of `value` at the port of an op."""
        r = self.lives.of[value]
        interval = self.intervals[r]
        plan = self.plans[r.file]
        return _text(plan, interval, r.file, position, self.slots, marker, defines)


def _text(
    plan: Plan,
    interval: Interval,
    file: str,
    position: int,
    slots: Slots,
    marker: bool,
    defines: bool,
) -> str | None:
    if (whole := plan.whole.get(interval)) is not None:
        return _names(file, whole)
    if interval not in plan.left:
        return None
    again = plan.left[interval]
    if again and defines:
        return AGAIN
    behind = AGAIN if again else f"slot{slots.of[interval]}"
    registers = None if marker else plan.at.get((interval, position))
    return behind if registers is None else f"{_names(file, registers)}/{behind}"


def _names(file: str, registers: tuple[int, ...]) -> str:
    return "+".join(f"{file}{register}" for register in registers)


def _plan_values(
    lives: LiveRanges, files: RegisterFiles, slots: Slots, in_memory: frozenset[Operation]
) -> Assignment:
    count = len(lives.position)
    intervals = {r: value_interval(r, lives, in_memory) for r in lives.ranges}
    auxiliary = auxiliary_intervals(lives, files.vectors)
    plans: dict[str, Plan] = {}
    for file in ("vec", "mask"):
        own = [r for r in lives.ranges if r.file == file]
        needs = [intervals[r] for r in own if not r.immediate]
        extra = [intervals[r] for r in own if r.immediate]
        fixed = list(auxiliary.values()) if file == "vec" else []
        plans[file] = plan = plan_file([*needs, *fixed], files.size(file), count, extra)
        for r in own:
            if plan.left.get(intervals[r]) is False:
                slots.take(intervals[r], r.bytes)
        for op, interval in auxiliary.items() if file == "vec" else ():
            op.attributes[AUXILIARY] = StringAttr(_names(file, plan.whole[interval]))
    return Assignment(lives, intervals, plans, slots)


def _write_values(assignment: Assignment) -> None:
    lives = assignment.lives
    for op, position in lives.position.items():
        values = [*op.operands, *op.results]
        if not any(value in lives.of for value in values):
            continue
        marker = isinstance(op, LoopMarkerOp)
        written: list[PortDescriptor] = []
        for index, (value, port) in enumerate(zip(values, ports(op), strict=True)):
            if value in lives.of:
                defines = index >= len(op.operands)
                text = assignment.text(value, position, marker=marker, defines=defines)
                port = with_register(port, text)
            written.append(port)
        set_ports(op, written)


def _plan_pointers(
    pointers: list[PointerRange], lives: LiveRanges, files: RegisterFiles, slots: Slots
) -> tuple[dict[PointerRange, Interval], Plan]:
    intervals = {r: pointer_interval(r, lives) for r in pointers}
    plan = plan_file(list(intervals.values()), files.general, len(lives.position))
    for interval in intervals.values():
        if interval in plan.left:
            slots.take(interval, 8)
    return intervals, plan


def _write_pointers(
    intervals: dict[PointerRange, Interval], plan: Plan, lives: LiveRanges, slots: Slots
) -> None:
    for r, interval in intervals.items():
        for user in r.users:
            position = lives.position[user]
            counter = isinstance(user, LoopBeginOp)
            text = _text(plan, interval, "gpr", position, slots, marker=counter, defines=False)
            assert text is not None
            if isinstance(user, LoopBeginOp):
                user.attributes[COUNTER] = StringAttr(text)
            else:
                assert isinstance(user, MemoryAccessOp)
                set_memory_port(user, with_register(memory_port(user), text))


def _apply(kernel: KernelOp, files: RegisterFiles) -> None:
    lives = live_ranges(kernel, files, named=True)
    slots = Slots()
    pointers, plan = _plan_pointers(named_pointers(kernel, lives), lives, files, slots)
    in_memory = frozenset[Operation](
        u for r, i in pointers.items() if i in plan.left for u in r.users
    )
    values = _plan_values(lives, files, slots, in_memory)
    _write_pointers(pointers, plan, lives, slots)
    _write_values(values)


def _sized(machine: TargetMachine, vectors: int, masks: int, general: int) -> RegisterFiles:
    """The machine's files with the sizes that are not 0."""
    files = machine.register_files
    for name, size in (("vectors", vectors), ("masks", masks), ("general", general)):
        if size < 0:
            raise CompileError(f"expected {name} of 0 or more registers, found {size}")
    if masks and not files.masks:
        raise CompileError(
            f"expected no option masks: the target {machine.name} keeps vectors of i1 in "
            "vector registers"
        )
    return replace(
        files,
        vectors=vectors or files.vectors,
        masks=masks or files.masks,
        general=general or files.general,
    )


@dataclass(frozen=True)
class LirAssignRegistersPass(ModulePass):
    """Assign physical registers."""

    name = "lir-assign-registers"
    vectors: int = 0
    masks: int = 0
    general: int = 0

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Assign the registers of every kernel at stage `looped`."""
        files = _sized(machine_of(op), self.vectors, self.masks, self.general)
        for_each_kernel(op, ("looped",), lambda k: _apply(k, files))
