"""Put memory between an op and the readers of its value after its loops have ended.

    %e = exp %x    {lir.loops = 0, 1}              %e = exp %x      {lir.loops = 0, 1}
    %d = div %e, %s {lir.loops = 0, 2}             %t = lir.store %e {lir.loops = 0, 1}
                                        becomes    %b = lir.buffer %t {lir.loops = 0}
                                                   %l = lir.load %b  {lir.loops = 0, 2}
                                                   %d = div %l, %s   {lir.loops = 0, 2}

* B1: a reader needs the buffer if the loops of the value's definition are not the first ones of its
  own loops, or if it reads the value through views.
* B2: a value gets one buffer for all readers that share the same loops with it; results keep their
  connection to the value. One load serves all readers in the same loops that read the value in the
  same shape and order.
* B3: the buffer lives in the loops that the value and its readers share, and stands after the
  value's first loop outside of them. So readers inside of a shared loop and readers after it have
  separate buffers.
* B4: it holds one iteration of these loops: in a dim that they walk, its size is at most their
  (innermost) increment, or the step that the call chooses; in the other dims it has the value's
  size.

The result of an accumulator is defined outside of its innermost loop. Source: the guide's
InsertBuffers. Refuses a value that leaves a parallel loop, because threads share no scratchpad, and
a view that moves elements between iterations of a shared loop.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from xdsl.ir import Operation, OpResult, SSAValue

from snippets_mlir.dialects.builtin.dims import Dim
from snippets_mlir.dialects.builtin.size_estimates import assumed
from snippets_mlir.dialects.builtin.size_text import format_sizes
from snippets_mlir.dialects.lir.access import (
    input_ports,
    is_array,
    is_view,
    loop_ids,
    output_ports,
    ports,
    scope,
)
from snippets_mlir.dialects.lir.buffer import BufferOp
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.dialects.lir.memory import LoadOp, MemoryAccessOp, ResultOp, StoreOp
from snippets_mlir.dialects.lir.ports import PortDescriptor
from snippets_mlir.dialects.snippets.constants import ScalarOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.lir.editing import erase, insert_before, replace_operand
from snippets_mlir.passes.lir.kernel_passes import KernelPlanPass, op_text
from snippets_mlir.passes.lir.loop_ends import LoopEnds
from snippets_mlir.passes.lir.readers import Reader, readers_of, shared_loops
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError


def held(port: PortDescriptor, loops: Sequence[LoopInfo]) -> PortDescriptor:
    """The port of a buffer in `loops` for a value or a reader with `port` (B4)."""
    shape = list(port.shape)
    for loop in loops:
        place = len(shape) - 1 - loop.dim
        if loop.step is None or shape[place] == 1:
            shape[place] = min(shape[place], loop.increment, key=assumed)
        else:
            shape[place] = loop.step
    return replace(port, shape=tuple(shape), loops=())


def order_in_memory(port: PortDescriptor) -> list[Dim]:
    """Sizes in memory order, without sizes of 1: equal lists are equal arrays."""
    places = port.layout or range(len(port.shape))
    return [port.shape[dim] for dim in places if port.shape[dim] != 1]


@dataclass(frozen=True, eq=False)
class Plan:
    """A buffer to insert: its value, its readers, its loops, and its port."""

    value: OpResult
    readers: tuple[Reader, ...]
    loops: tuple[int, ...]
    port: PortDescriptor

    def __str__(self) -> str:
        readers = "; ".join(op_text(op) for op in dict.fromkeys(r.op for r in self.readers))
        return (
            f"{op_text(self.value.op)}, is kept for {readers}: {format_sizes(self.port.shape)} "
            f"in loops {list(self.loops)}"
        )


def _plans(
    value: OpResult, order: dict[Operation, int], table: dict[int, LoopInfo]
) -> Iterator[Plan]:
    """The buffers that `value` needs (B1), one for each set of shared loops, inner loops first."""
    defined = scope(value)
    groups: dict[tuple[int, ...], list[Reader]] = {}
    for reader in sorted(readers_of(value), key=lambda r: (order[r.op], r.index)):
        shared = shared_loops(defined, [loop_ids(reader.op)])
        if reader.views or shared != defined:
            groups.setdefault(shared, []).append(reader)
    for loops in sorted(groups, key=len, reverse=True):
        port = held(output_ports(value.op)[value.index], [table[id_] for id_ in loops])
        yield Plan(value, tuple(groups[loops]), loops, port)


def _distance(port: PortDescriptor, loop: LoopInfo) -> Dim:
    """The distance in memory between the elements of two iterations; 0 if they are the same."""
    dim = len(port.shape) - 1 - loop.dim
    return 0 if port.shape[dim] == 1 else port.stride(dim)


def _refuse(plan: Plan, table: dict[int, LoopInfo]) -> None:
    left = [id_ for id_ in scope(plan.value)[len(plan.loops) :] if table[id_].parallel]
    if left:
        raise CompileError(
            f"expected the value of {plan.value.op.name} to be read inside of parallel loop "
            f"{left[0]}, found a reader after it, where other threads have filled the array; "
            "run lir-fuse-loops, which makes such loops sequential",
            **position_of(plan.value.op),
        )
    own = [table[id_] for id_ in plan.loops]
    made = output_ports(plan.value.op)[plan.value.index]
    for reader in plan.readers:
        port = input_ports(reader.op)[reader.index]
        seen = held(port, own)
        reshaped = any(view.name == "snippets.reshape" for view in reader.views) and own
        moved = any(_distance(made, loop) != _distance(port, loop) for loop in own)
        other = reshaped or moved or order_in_memory(seen) != order_in_memory(plan.port)
        if reader.views and other:
            raise CompileError(
                f"expected {reader.op.name} to read through views what one iteration of loops "
                f"{list(plan.loops)} makes, found elements of other iterations; "
                "these ops must not share loops",
                **position_of(reader.op),
            )


def _insert(plan: Plan, table: dict[int, LoopInfo], ends: LoopEnds) -> None:
    value, defined = plan.value, scope(plan.value)
    own = loop_ids(value.op)
    port = output_ports(value.op)[value.index]
    store = StoreOp(value, port.lanes)
    made = value.op if own == defined else ends.of(own)
    ends.insert_after(made, store, [replace(port, loops=()), plan.port], defined)
    before: Operation = store
    if len(defined) > len(plan.loops):
        before = ends.of(defined[: len(plan.loops) + 1])
    buffer = BufferOp([store.target])
    ends.insert_after(before, buffer, [plan.port, plan.port], plan.loops)
    buffer.result.name_hint = value.name_hint
    _insert_loads(plan, buffer, [table[id_] for id_ in plan.loops], ends)


def _insert_loads(plan: Plan, buffer: BufferOp, own: Sequence[LoopInfo], ends: LoopEnds) -> None:
    loads: dict[tuple[SSAValue, PortDescriptor, tuple[int, ...]], LoadOp] = {}
    views: dict[SSAValue, SSAValue] = {plan.value: buffer.result}
    last_view: Operation = buffer
    for reader in plan.readers:
        for view in reader.views:
            if view.results[0] not in views:
                copy = view.clone({view.operands[0]: views[view.operands[0]]})
                ends.insert_after(last_view, copy, ports(view), plan.loops)
                last_view, views[view.results[0]] = copy, copy.results[0]
        array = views[reader.op.operands[reader.index]]
        port, loops = input_ports(reader.op)[reader.index], loop_ids(reader.op)
        value_port = replace(port, layout=(), strides=(), loops=())
        load = loads.get((array, port, loops))
        if load is None:
            load = LoadOp(array, port.lanes)
            insert_before(reader.op, load, [held(port, own), value_port], loops)
            loads[array, port, loops] = load
        replace_operand(reader.op, reader.index, load.result, value_port)
    for view in {view: None for reader in plan.readers for view in reversed(reader.views)}:
        if not any(view.results[0].uses):
            erase(view)


def _buffered(op: Operation) -> bool:
    """Whether the results of `op` may need memory: computed values that are not in memory yet."""
    if isinstance(op, ScalarOp | ResultOp | BufferOp | MemoryAccessOp) or is_view(op):
        return isinstance(op, LoadOp)
    return not any(is_array(value) for value in op.results)


@dataclass(frozen=True, eq=False)
class Buffers:
    """The buffers that a kernel needs, in the order of their values."""

    made: tuple[Plan, ...]

    def __str__(self) -> str:
        return "\n".join(map(str, self.made)) or "no value crosses the end of a loop"


@dataclass(frozen=True)
class LirInsertBuffersPass(KernelPlanPass[Buffers]):
    """Insert buffers where values cross the end of a loop."""

    name = "lir-insert-buffers"
    STAGES: ClassVar[Stages] = Stages(("marked",))

    def plan(self, unit: KernelOp) -> Buffers:
        """The needed buffers; an error if one cannot be shared as required."""
        table, order = unit.loop_table, {op: place for place, op in enumerate(unit.block.ops)}
        plans = [
            plan
            for op in order
            if _buffered(op)
            for value in op.results
            for plan in _plans(value, order, table)
        ]
        for plan in plans:
            _refuse(plan, table)
        return Buffers(tuple(plans))

    def carry_out(self, unit: KernelOp, plan: Buffers) -> None:
        """Insert one buffer after another, with its stores and loads."""
        table, ends = unit.loop_table, LoopEnds(list(unit.block.ops))
        for buffer in plan.made:
            _insert(buffer, table, ends)
