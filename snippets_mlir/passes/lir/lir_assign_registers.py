"""Give each abstract register of a kernel a physical one, or a slot in the scratchpad.

    #lir.port<..., reg "%vec4">     becomes     #lir.port<..., reg "vec2">
                                    or          #lir.port<..., reg "vec2/slot0">

Each file is assigned on its own, by linear scan (`linear_scan.py`): general-purpose registers to
pointers and counters, vector and mask registers to values. Registers that hold what the kernel is
called with are not in the pool (`TargetMachine.reserved_registers`); those that an emitter of the
target needs besides operands and result are taken at its op and named there (`lir.auxiliary`). What
a loop carries stays in its register over the whole loop. Scalars get the vector registers that are
left over; a scalar without one is an immediate wherever it is used.

Running out of registers is not an error. The cheapest values leave their registers, and the ports
say what `lir-insert-reg-spills` makes of it: `vec2/slot0` at a definition is written to the slot,
at a use it is read from it; `slot0` alone is read or carried in memory; `vec2/again` at a use is
computed again there, which is for broadcast scalars and for broadcast loads of inputs. A pointer as
`gpr3/slot1` is in the slot, and in the register for the access.

The options `vectors`, `masks` and `general` are sizes of the files, 0 those of the target. Refuses
more than 1024 registers and kernels without abstract registers. Source: the design guide's
AssignRegisters (reference 2.29), which fails where registers run out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from snippets_mlir.analysis.connectors import live_ranges
from snippets_mlir.analysis.live_ranges import MARKERS, LiveRange, LiveRanges, forget
from snippets_mlir.analysis.pointer_ranges import PointerRange
from snippets_mlir.analysis.register_files import RegisterFiles
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.kernels import for_each_kernel
from snippets_mlir.dialects.lir.markers import LoopBeginOp
from snippets_mlir.dialects.lir.registers import AGAIN, AUXILIARY
from snippets_mlir.passes.lir.linear_scan import Interval, Plan, plan_file
from snippets_mlir.passes.lir.register_needs import (
    auxiliary_intervals,
    named_pointers,
    pointer_interval,
    value_interval,
    weights_of,
)
from snippets_mlir.passes.lir.register_ports import write_registers
from snippets_mlir.passes.lir.register_slots import Slots
from snippets_mlir.support.errors import CompileError
from snippets_mlir.targets.attributes import machine_of
from snippets_mlir.targets.emitters.table import EmitterTable
from snippets_mlir.targets.machine import TargetMachine

Auxiliary = dict[str, dict[Operation, Interval]]
"""By file: what the code of an op needs besides operands and result."""


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

    def registers(self) -> dict[LiveRange, str]:
        """The registers of the values that stay in theirs."""
        found: dict[LiveRange, str] = {}
        for r, interval in self.intervals.items():
            registers = self.plans[r.file].whole.get(interval)
            if registers is not None:
                found[r] = _names(r.file, registers)
        return found

    def elsewhere(self, r: LiveRange, at: int, defines: bool) -> str | None:
        """Where a value that left its register is; None for a scalar, which is an immediate."""
        if r.immediate:
            return None
        marker = self.lives.body.ops[at].name in MARKERS
        interval, plan = self.intervals[r], self.plans[r.file]
        return _left_text(plan, interval, r.file, at, self.slots, marker, defines)


def _left_text(
    plan: Plan,
    interval: Interval,
    file: str,
    position: int,
    slots: Slots,
    marker: bool,
    defines: bool,
) -> str:
    """Where an interval that left its registers is, for the op at `position`."""
    again = plan.left[interval]
    if again and defines:
        return AGAIN
    behind = AGAIN if again else f"slot{slots.of[interval]}"
    registers = None if marker else plan.at.get((interval, position))
    return behind if registers is None else f"{_names(file, registers)}/{behind}"


def _names(file: str, registers: tuple[int, ...]) -> str:
    return "+".join([f"{file}{register}" for register in registers])


def _plan_values(
    lives: LiveRanges,
    files: RegisterFiles,
    weights: Sequence[float],
    slots: Slots,
    in_memory: frozenset[Operation],
    auxiliary: Auxiliary,
) -> Assignment:
    count = len(lives.position)
    intervals = {r: value_interval(r, lives, weights, in_memory) for r in lives.ranges}
    plans: dict[str, Plan] = {}
    for file in ("vec", "mask"):
        own = [r for r in lives.ranges if r.file == file]
        needs = [intervals[r] for r in own if not r.immediate]
        extra = [intervals[r] for r in own if r.immediate]
        needs += auxiliary[file].values()
        plans[file] = plan = plan_file(needs, files.size(file), count, extra)
        for r in own if plan.left else ():
            if plan.left.get(intervals[r]) is False:
                slots.take(intervals[r], r.bytes)
    return Assignment(lives, intervals, plans, slots)


def _write_auxiliary(auxiliary: Auxiliary, plans: Mapping[str, Plan]) -> None:
    """Name the auxiliary registers on their ops."""
    names: dict[Operation, list[str]] = {}
    for file, intervals in auxiliary.items():
        for op, interval in intervals.items():
            names.setdefault(op, []).append(_names(file, plans[file].whole[interval]))
    for op, found in names.items():
        op.attributes[AUXILIARY] = StringAttr("+".join(found))


def _plan_pointers(
    pointers: list[PointerRange],
    lives: LiveRanges,
    files: RegisterFiles,
    weights: Sequence[float],
    slots: Slots,
    auxiliary: Auxiliary,
) -> tuple[dict[PointerRange, Interval], Plan]:
    intervals = {r: pointer_interval(r, lives, weights) for r in pointers}
    needs = [*intervals.values(), *auxiliary["gpr"].values()]
    plan = plan_file(needs, files.general, len(lives.position))
    for interval in intervals.values():
        if interval in plan.left:
            slots.take(interval, 8)
    return intervals, plan


def _pointer_texts(
    intervals: dict[PointerRange, Interval], plan: Plan, lives: LiveRanges, slots: Slots
) -> dict[Operation, str]:
    """The register of the pointer of each access, and of each counter by its begin marker."""
    texts: dict[Operation, str] = {}
    for r, interval in intervals.items():
        whole = plan.whole.get(interval)
        for user in r.users:
            if whole is not None:
                texts[user] = _names("gpr", whole)
            else:
                counter, at = isinstance(user, LoopBeginOp), lives.position[user]
                texts[user] = _left_text(plan, interval, "gpr", at, slots, counter, defines=False)
    return texts


def _apply(kernel: KernelOp, files: RegisterFiles, emitters: EmitterTable) -> None:
    lives = live_ranges(kernel, files, named=True)
    weights = weights_of(lives)
    slots = Slots()
    auxiliary = {
        file: auxiliary_intervals(lives, emitters, file, files.size(file))
        for file in ("vec", "mask", "gpr")
    }
    named = named_pointers(kernel, lives)
    pointers, plan = _plan_pointers(named, lives, files, weights, slots, auxiliary)
    in_memory = frozenset[Operation](
        u for r, i in pointers.items() if i in plan.left for u in r.users
    )
    values = _plan_values(lives, files, weights, slots, in_memory, auxiliary)
    _write_auxiliary(auxiliary, {**values.plans, "gpr": plan})
    addresses = _pointer_texts(pointers, plan, lives, slots)
    write_registers(lives, values.registers(), addresses, values.elsewhere)
    forget(kernel)


LARGEST = 1024
"""Registers of a file."""


def _sized(machine: TargetMachine, vectors: int, masks: int, general: int) -> RegisterFiles:
    """The machine's files with the sizes that are not 0."""
    files = machine.register_files
    for name, size in (("vectors", vectors), ("masks", masks), ("general", general)):
        if not 0 <= size <= LARGEST:
            raise CompileError(f"expected {name} of 0 to {LARGEST} registers, found {size}")
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
        machine = machine_of(op)
        files = _sized(machine, self.vectors, self.masks, self.general)
        for_each_kernel(op, ("looped",), lambda k: _apply(k, files, machine.emitters))
