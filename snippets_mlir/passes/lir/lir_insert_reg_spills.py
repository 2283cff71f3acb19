"""Insert spills and reloads for the slots on a kernel's ports, and save registers around calls.

    %v = snippets.abs %a {lir.ports = [..., #lir.port<..., reg "vec2/slot0">], ...}
    %w = snippets.add %v, %b {lir.ports = [#lir.port<..., reg "vec5/slot0">, ...], ...}

becomes

    %v = snippets.abs %a {lir.ports = [..., #lir.port<..., reg "vec2">], ...}
    %s = lir.spill %v {lir.ports = [#lir.port<..., reg "vec2">, #lir.port<..., reg "slot0">], ...}
    %r = lir.reload %s {lir.ports = [#lir.port<..., reg "slot0">, #lir.port<..., reg "vec5">], ...}
    %w = snippets.add %r, %b {lir.ports = [#lir.port<..., reg "vec5">, ...], ...}

A value that is computed again gets a copy of its op before each use. A value carried in memory is
the spilled value, and an op with `slot0` alone on an operand's port reads the slot itself. The
slots lie after the buffers in the scratchpad, which grows: `lir.slot_base` and `lir.slots` on the
kernel give their place and number.

Around an op that calls other code `lir.reg_spill_begin` and `lir.reg_spill_end` save the vector and
mask registers whose values live on. `calls` names such ops, separated by commas; no op of the
dialect calls other code so far. The callee saves general-purpose registers. Afterwards the kernel
is at stage `assigned`. Source: the design guide's InsertRegSpills, which only has the part about
calls.
"""

from dataclasses import dataclass, replace
from typing import ClassVar, cast

from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, i64
from xdsl.ir import Attribute, Operation, SSAValue

from snippets_mlir.dialects.builtin.dims import Size, symbol
from snippets_mlir.dialects.builtin.sizes import size_attr
from snippets_mlir.dialects.builtin.slots import FIRST_OFFSET
from snippets_mlir.dialects.lir.access import loop_ids, ports, set_loop_ids, set_ports
from snippets_mlir.dialects.lir.buffer import CLUSTERS
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.markers import LoopMarkerOp
from snippets_mlir.dialects.lir.memory import MemoryAccessOp
from snippets_mlir.dialects.lir.pointers import memory_port, set_memory_port
from snippets_mlir.dialects.lir.ports import LoopPort, PortDescriptor
from snippets_mlir.dialects.lir.registers import (
    SLOT_BASE,
    SLOT_BYTES,
    SLOTS,
    Location,
    with_register,
)
from snippets_mlir.dialects.lir.spills import (
    RegSpillBeginOp,
    RegSpillEndOp,
    ReloadOp,
    SpillOp,
)
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.lir.editing import insert_after, insert_before
from snippets_mlir.passes.lir.kernel_passes import KernelPlanPass
from snippets_mlir.passes.lir.spill_plans import (
    Spills,
    Step,
    names_slots,
    place_of,
    plan_saved,
    plan_steps,
)
from snippets_mlir.support.walking import module_of
from snippets_mlir.targets.attributes import machine_of


def _at_use(place: Location) -> str:
    return "+".join(place.registers) if place.registers else f"slot{place.slot}"


class _Rewriter:
    """Carries out the steps of one kernel.

    Attributes:
        handles: for each spilled value its handle in memory.
        again: the ops that are computed again at the uses of their results.
    """

    def __init__(self) -> None:
        self.handles: dict[SSAValue, SSAValue] = {}
        self.again: list[Operation] = []

    def rewrite(self, op: Operation, step: Step) -> None:
        """Reload before `op`, spill after it."""
        own = list(ports(op))
        loaded: dict[SSAValue, SSAValue] = {}
        for index, text in step.reads:
            place, value = place_of(text), op.operands[index]
            if value not in loaded:
                loaded[value] = self._operand(op, value, own[index], place)
            op.operands[index] = loaded[value]
            own[index] = with_register(own[index], _at_use(place))
        for index, text in step.writes:
            place = place_of(text)
            if place.again:
                self.again.append(op)
            elif place.registers and not isinstance(op, LoopMarkerOp):
                own[index] = with_register(own[index], "+".join(place.registers))
                spill = SpillOp(value := op.results[index - len(op.operands)])
                slot = with_register(own[index], f"slot{place.slot}")
                insert_after(op, spill, [own[index], slot], loop_ids(op))
                self.handles[value] = spill.result
        set_ports(op, own)

    def _operand(
        self, op: Operation, value: SSAValue, port: PortDescriptor, place: Location
    ) -> SSAValue:
        if place.again:
            return self._copy(op, value, place)
        handle = self.handles.get(value, value)
        if not place.registers:
            return handle
        reload = ReloadOp(handle)
        ends = with_register(port, f"slot{place.slot}"), with_register(port, _at_use(place))
        insert_before(op, reload, ends, loop_ids(op))
        return reload.result

    def _copy(self, op: Operation, value: SSAValue, place: Location) -> SSAValue:
        """A copy of the op that computes `value`, before `op`.

        The first copy takes over the motion of the pointer.
        """
        owner = value.owner
        assert isinstance(owner, Operation)
        copy = owner.clone()
        *inputs, output = ports(copy)
        set_ports(copy, [*inputs, with_register(output, _at_use(place))])
        set_loop_ids(copy, loop_ids(op))
        block = op.parent
        assert block is not None
        block.insert_op_before(copy, op)
        if isinstance(owner, MemoryAccessOp):
            port = memory_port(owner)
            still = tuple(LoopPort(p.loop, p.dim) for p in port.loops)
            set_memory_port(owner, replace(port, loops=still))
        return copy.results[0]


def _grow(kernel: KernelOp, slots: int) -> None:
    """Put `slots` slots after the buffers in the scratchpad."""
    base = kernel.scratch
    if isinstance(base, Size):
        clusters = cast("ArrayAttr[Attribute]", kernel.attributes[CLUSTERS])
        base = symbol(FIRST_OFFSET + len(clusters))
        kernel.attributes[CLUSTERS] = ArrayAttr([*clusters, size_attr(slots * SLOT_BYTES)])
    else:
        kernel.set_scratch(base + slots * SLOT_BYTES)
    kernel.attributes[SLOT_BASE] = size_attr(base)
    kernel.attributes[SLOTS] = IntegerAttr(slots, i64)


@dataclass(frozen=True)
class LirInsertRegSpillsPass(KernelPlanPass[Spills]):
    """Insert spills, reloads, and saves of registers around calls."""

    name = "lir-insert-reg-spills"
    STAGES: ClassVar[Stages] = Stages(("looped",), "assigned")

    calls: tuple[str, ...] = ()

    def plan(self, unit: KernelOp) -> Spills:
        """The slots on the ports, and the registers that live across calls."""
        steps, slots = plan_steps(unit) if names_slots(unit) else ((), 0)
        files = machine_of(module_of(unit)).register_files
        saved, slots = plan_saved(unit, self.calls, files, slots)
        return Spills(steps, saved, slots)

    def carry_out(self, unit: KernelOp, plan: Spills) -> None:
        """Insert spills, reloads and copies; the scratchpad grows by the slots."""
        ops = list(unit.block.ops) if plan.steps or plan.saved else []
        rewriter = _Rewriter()
        for step in plan.steps:
            rewriter.rewrite(ops[step.place], step)
        for op in rewriter.again:
            unit.block.erase_op(op)
        for saved in plan.saved:
            op = ops[saved.place]
            insert_before(op, RegSpillBeginOp(saved.registers), [], loop_ids(op))
            insert_after(op, RegSpillEndOp(saved.registers), [], loop_ids(op))
        if plan.slots:
            _grow(unit, plan.slots)
        unit.set_stage("assigned")
