"""Make code of what the ports of a kernel say about slots, and save registers around calls.

    %v = snippets.abs %a {lir.ports = [..., #lir.port<..., reg "vec2/slot0">], ...}
    %w = snippets.add %v, %b {lir.ports = [#lir.port<..., reg "vec5/slot0">, ...], ...}

becomes

    %v = snippets.abs %a {lir.ports = [..., #lir.port<..., reg "vec2">], ...}
    %s = lir.spill %v {lir.ports = [#lir.port<..., reg "vec2">, #lir.port<..., reg "slot0">], ...}
    %r = lir.reload %s {lir.ports = [#lir.port<..., reg "slot0">, #lir.port<..., reg "vec5">], ...}
    %w = snippets.add %r, %b {lir.ports = [#lir.port<..., reg "vec5">, ...], ...}

A value that is computed again gets a copy of its op before each use. What a loop carries in memory
is the spilled value, and an op with `slot0` alone on an operand's port reads the slot itself. The
slots lie behind the buffers in the scratchpad, which grows: `lir.slot_base` and `lir.slots` on the
kernel say where and how many.

Around an op that calls other code `lir.reg_spill_begin` and `lir.reg_spill_end` save the vector and
mask registers whose values live on. `calls` names such ops, separated by commas; no op of the
dialect does so far. General-purpose registers are saved by what is called. The kernel is at stage
`assigned` then. Source: the design guide's InsertRegSpills (reference 2.30), which only has the
part about calls.
"""

from dataclasses import dataclass, field
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, ModuleOp, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass

from snippets_mlir.analysis.connectors import live_ranges
from snippets_mlir.analysis.live_ranges import body_of, holds_value, port_of
from snippets_mlir.analysis.register_files import RegisterFiles
from snippets_mlir.dialects.builtin.dims import Size, symbol
from snippets_mlir.dialects.builtin.sizes import size_attr
from snippets_mlir.dialects.builtin.slots import FIRST_OFFSET
from snippets_mlir.dialects.lir.access import PORTS, loop_ids, ports, set_loop_ids, set_ports
from snippets_mlir.dialects.lir.attributes import LoopPort, PortAttr, PortDescriptor
from snippets_mlir.dialects.lir.buffer import CLUSTERS
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.kernels import for_each_kernel
from snippets_mlir.dialects.lir.markers import LoopBeginOp, LoopMarkerOp
from snippets_mlir.dialects.lir.memory import MemoryAccessOp
from snippets_mlir.dialects.lir.pointers import element_bytes, memory_port, set_memory_port
from snippets_mlir.dialects.lir.registers import (
    AGAIN,
    SLOT_BASE,
    SLOT_BYTES,
    SLOTS,
    Location,
    counter_of,
    location,
    with_register,
)
from snippets_mlir.dialects.lir.spills import (
    RegSpillBeginOp,
    RegSpillEndOp,
    ReloadOp,
    SpillOp,
)
from snippets_mlir.passes.lir.editing import insert_after, insert_before
from snippets_mlir.targets.attributes import machine_of


@dataclass
class _Spills:
    """Rewrites the ops of one kernel.

    Attributes:
        handles: for each spilled value what stands for it in memory.
        slots: how many slots are used.
    """

    handles: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    again: list[Operation] = field(default_factory=list[Operation])
    slots: int = 0

    def rewrite(self, op: Operation) -> None:
        """Reload in front of `op`, spill behind it."""
        own = list(ports(op))
        if not own:
            return
        places = [location(port.register) for port in own]
        if all(place is None or place.physical for place in places):
            return
        changed = False
        loaded: dict[SSAValue, SSAValue] = {}
        for index, value in enumerate(op.operands):
            place = places[index]
            if place is None or place.physical or not holds_value(value):
                continue
            if value not in loaded:
                loaded[value] = self._operand(op, value, own[index], place)
            op.operands[index] = loaded[value]
            own[index] = with_register(own[index], _at_use(place))
            changed = True
        for index, value in enumerate(op.results, len(op.operands)):
            place = places[index]
            if place is None or place.physical or not holds_value(value):
                continue
            if place.again:
                self.again.append(op)
            elif place.registers and not isinstance(op, LoopMarkerOp):
                own[index] = with_register(own[index], "+".join(place.registers))
                changed = True
                self._spill(op, value, own[index], place)
            self._count(place, value)
        if changed:
            set_ports(op, own)

    def _operand(
        self, op: Operation, value: SSAValue, port: PortDescriptor, place: Location
    ) -> SSAValue:
        if place.again:
            return self._copy(op, value, place)
        handle = self.handles.get(value, value)
        self._count(place, value)
        if not place.registers:
            return handle
        reload = ReloadOp(handle)
        ends = with_register(port, f"slot{place.slot}"), with_register(port, _at_use(place))
        insert_before(op, reload, ends, loop_ids(op))
        return reload.result

    def _copy(self, op: Operation, value: SSAValue, place: Location) -> SSAValue:
        """The op that computes `value`, again, in front of `op`.

        The first one takes the motion of the pointer with it.
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
            moved = PortDescriptor(port.shape, port.layout, port.subtensor, port.register, still)
            set_memory_port(owner, moved)
        return copy.results[0]

    def _spill(self, op: Operation, value: SSAValue, port: PortDescriptor, place: Location) -> None:
        spill = SpillOp(value)
        insert_after(op, spill, [port, with_register(port, f"slot{place.slot}")], loop_ids(op))
        self.handles[value] = spill.result

    def _count(self, place: Location, value: SSAValue) -> None:
        if place.slot is not None:
            size = -(-value_bytes(value) // SLOT_BYTES)
            self.slots = max(self.slots, place.slot + size)


def _at_use(place: Location) -> str:
    return "+".join(place.registers) if place.registers else f"slot{place.slot}"


def value_bytes(value: SSAValue) -> int:
    """Bytes of a value in memory."""
    return port_of(value).lanes * element_bytes(value)


def _pointer_slots(kernel: KernelOp) -> int:
    """How many slots the pointers and counters need."""
    texts: list[str | None] = []
    for op in kernel.block.ops:
        if isinstance(op, LoopBeginOp):
            texts.append(counter_of(op))
        elif isinstance(op, MemoryAccessOp):
            texts.append(memory_port(op).register)
    found = [place.slot for text in texts if (place := location(text)) is not None]
    return max((slot + 1 for slot in found if slot is not None), default=0)


def _grow(kernel: KernelOp, slots: int) -> None:
    """Put `slots` slots behind the buffers in the scratchpad."""
    base = kernel.scratch
    if isinstance(base, Size):
        clusters = cast("ArrayAttr[Attribute]", kernel.attributes[CLUSTERS])
        base = symbol(FIRST_OFFSET + len(clusters))
        kernel.attributes[CLUSTERS] = ArrayAttr([*clusters, size_attr(slots * SLOT_BYTES)])
    else:
        kernel.set_scratch(base + slots * SLOT_BYTES)
    kernel.attributes[SLOT_BASE] = size_attr(base)
    kernel.attributes[SLOTS] = IntegerAttr(slots, i64)


def _save_around(kernel: KernelOp, names: frozenset[str], files: RegisterFiles, first: int) -> int:
    """Save what lives across ops called `names`, in slots from `first` on; the slots used."""
    calls = [op for op in kernel.block.ops if op.name in names]
    lives = live_ranges(body_of(kernel), files) if calls else None
    last = first
    for op in calls:
        assert lives is not None
        at = lives.position[op]
        saved: list[str] = []
        slot = first
        for r in lives.ranges:
            place = location(port_of(r.values[0]).register)
            if r.start < at < r.end and place is not None and place.physical:
                for register in place.registers:
                    saved.append(f"{register}/slot{slot}")
                    slot += 1
        if saved:
            begin, end = RegSpillBeginOp(saved), RegSpillEndOp(saved)
            insert_before(op, begin, [], loop_ids(op))
            insert_after(op, end, [], loop_ids(op))
        last = max(last, slot)
    return last


def _names_slots(kernel: KernelOp) -> bool:
    """Whether something on the ports or markers of `kernel` is not in a register all the time."""
    texts: set[str | None] = set()
    for op in kernel.block.ops:
        attr = op.attributes.get(PORTS)
        if attr is not None:
            texts.update([port.data.register for port in cast("ArrayAttr[PortAttr]", attr).data])
        if op.name == LoopBeginOp.name:
            texts.add(counter_of(op))
    return any(text is not None and ("slot" in text or AGAIN in text) for text in texts)


def _insert_spills(kernel: KernelOp) -> int:
    """Spill, reload and compute again what the ports say; the slots used."""
    spills = _Spills()
    for op in list(kernel.block.ops):
        spills.rewrite(op)
    for op in spills.again:
        kernel.block.erase_op(op)
    return max(spills.slots, _pointer_slots(kernel))


def _apply(kernel: KernelOp, names: frozenset[str], files: RegisterFiles) -> None:
    slots = _insert_spills(kernel) if _names_slots(kernel) else 0
    if names:
        slots = _save_around(kernel, names, files, slots)
    if slots:
        _grow(kernel, slots)
    kernel.set_stage("assigned")


@dataclass(frozen=True)
class LirInsertRegSpillsPass(ModulePass):
    """Insert spills, reloads, and what saves registers around calls."""

    name = "lir-insert-reg-spills"
    calls: tuple[str, ...] = ()

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Finish the assignment of every kernel at stage `looped`."""
        files = machine_of(op).register_files
        names = frozenset(self.calls)
        for_each_kernel(op, ("looped",), lambda k: _apply(k, names, files))
