"""Facts about the buffers of a kernel: their accesses, sizes, lifetimes and pointer motion."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import prod

from xdsl.ir import Operation, SSAValue

from snippets_mlir.dialects.builtin.dims import Dim, format_size
from snippets_mlir.dialects.builtin.shaped import element_bytes
from snippets_mlir.dialects.lir.access import (
    is_view,
    loop_ids,
    output_ports,
)
from snippets_mlir.dialects.lir.buffer import BufferOp
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.markers import LoopBeginOp, LoopEndOp
from snippets_mlir.dialects.lir.memory import BroadcastLoadOp, LoadOp, StoreOp
from snippets_mlir.dialects.lir.pointers import memory_port
from snippets_mlir.dialects.lir.ports import PortDescriptor

ALIGNMENT = 64
"""Bytes to which the scratchpad and each buffer are aligned: a cache line."""

Access = LoadOp | BroadcastLoadOp | StoreOp
Loading = LoadOp | BroadcastLoadOp


def buffer_bytes(buffer: BufferOp) -> Dim:
    """Bytes that `buffer` holds: the shape of its result's port, whole panels if it has panels."""
    return prod(output_ports(buffer)[0].stored_shape) * element_bytes(buffer.result)


def buffers_of(kernel: KernelOp) -> list[BufferOp]:
    """The buffers of a kernel, in order."""
    return [op for op in kernel.block.ops if isinstance(op, BufferOp)]


def loads_of(value: SSAValue) -> list[Loading]:
    """The loads that read `value`, directly or through views, in no particular order."""
    loads: list[Loading] = []
    for use in value.uses:
        user = use.operation
        if isinstance(user, LoadOp | BroadcastLoadOp):
            loads.append(user)
        elif is_view(user):
            loads += loads_of(user.results[0])
    return loads


@dataclass(frozen=True, eq=False)
class BufferFacts:
    """A buffer with its accesses, in order of execution.

    Attributes:
        number: its place among the buffers of the kernel.
        buffer: the op.
        stores: the stores that fill it.
        loads: the loads that read it.
        start: the first place in the kernel's list of ops at which it is alive.
        end: the last place at which it is alive.
    """

    number: int
    buffer: BufferOp
    stores: tuple[StoreOp, ...]
    loads: tuple[Loading, ...]
    start: int
    end: int

    @property
    def accesses(self) -> tuple[Access, ...]:
        """Stores, then loads."""
        return (*self.stores, *self.loads)

    def meets(self, other: "BufferFacts") -> bool:
        """Whether both are alive at some place."""
        return self.start <= other.end and other.start <= self.end


def loop_spans(ops: Iterable[Operation]) -> dict[int, tuple[int, int]]:
    """For each loop the places of its markers in the list of ops."""
    begins: dict[int, int] = {}
    spans: dict[int, tuple[int, int]] = {}
    for place, op in enumerate(ops):
        if isinstance(op, LoopBeginOp):
            begins[op.id] = place
        elif isinstance(op, LoopEndOp):
            spans[op.id] = (begins[op.id], place)
    return spans


def facts_of(kernel: KernelOp) -> list[BufferFacts]:
    """The buffers of a kernel at stage `looped` or later, in order.

    An access in loops that are not the buffer's own keeps the buffer alive for the whole outermost
    one of them.
    """
    ops = list(kernel.block.ops)
    places = {op: place for place, op in enumerate(ops)}
    spans = loop_spans(ops)

    def alive(access: Access, buffer: BufferOp) -> tuple[int, int]:
        own, around = loop_ids(buffer), loop_ids(access)
        if len(around) > len(own) and around[len(own)] in spans:
            return spans[around[len(own)]]
        return places[access], places[access]

    facts: list[BufferFacts] = []
    for op in ops:
        if not isinstance(op, BufferOp):
            continue
        stores = tuple(v.owner for v in op.stores if isinstance(v.owner, StoreOp))
        loads = tuple(sorted(loads_of(op.result), key=places.__getitem__))
        lives = [alive(access, op) for access in (*stores, *loads)]
        start, end = min(s for s, _ in lives), max(e for _, e in lives)
        facts.append(BufferFacts(len(facts), op, stores, loads, start, end))
    return facts


def scratch_facts(kernel: KernelOp) -> list[BufferFacts]:
    """Like `facts_of`, without the buffers that live in an output."""
    return [facts for facts in facts_of(kernel) if facts.buffer.output is None]


@dataclass(frozen=True)
class Decided:
    """A decision for the buffers of a kernel, with the name of its attribute.

    Attributes:
        name: the attribute.
        values: the number of each buffer, and its value.
    """

    name: str
    values: tuple[tuple[int, Dim], ...]

    def __str__(self) -> str:
        lines = [f"buffer {number}: {self.name} {format_size(v)}" for number, v in self.values]
        return "\n".join(lines) or f"no buffer gets a {self.name}"

    def write(self, kernel: KernelOp) -> None:
        """Write the attribute on the buffers."""
        buffers = buffers_of(kernel) if self.values else []
        for number, value in self.values:
            buffers[number].decide(self.name, value)


def decided(name: str, facts: Iterable[BufferFacts], values: Iterable[Dim]) -> Decided:
    """The decision that each buffer has its own of `values`."""
    numbers = (buffer.number for buffer in facts)
    return Decided(name, tuple(zip(numbers, values, strict=True)))


def byte_motions(access: Access, port: PortDescriptor | None = None) -> dict[int, tuple[Dim, Dim]]:
    """For each loop: bytes per unit of its counter, and bytes after its end.

    `port` is the port of the access in memory; None for its own one.
    """
    size = element_bytes(access.operands[0])
    return {
        motion.loop: (motion.pointer_increment * size, motion.finalization_offset * size)
        for motion in (port or memory_port(access)).loops
    }
