"""Plan for lir-insert-reg-spills: values in slots at their uses, and saves around calls."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass
from typing import cast

from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import SSAValue

from snippets_mlir.analysis.kernels.connectors import live_ranges
from snippets_mlir.analysis.kernels.live_ranges import body_of, holds_value, port_of
from snippets_mlir.analysis.kernels.register_files import RegisterFiles
from snippets_mlir.dialects.builtin.shaped import element_bytes
from snippets_mlir.dialects.lir.access import PORTS, ports
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.markers import LoopBeginOp
from snippets_mlir.dialects.lir.memory import MemoryAccessOp
from snippets_mlir.dialects.lir.pointers import memory_port
from snippets_mlir.dialects.lir.ports import PortAttr, PortDescriptor
from snippets_mlir.dialects.lir.registers import (
    AGAIN,
    SLOT_BYTES,
    Location,
    counter_of,
    location,
)
from snippets_mlir.support.walking import operands_of


@dataclass(frozen=True)
class Step:
    """The values of an op that are in memory, or computed again.

    Attributes:
        place: the place of the op in the kernel.
        op: its name.
        reads: indices of operands, with the places on their ports.
        writes: the same for ports of results.
    """

    place: int
    op: str
    reads: tuple[tuple[int, str], ...]
    writes: tuple[tuple[int, str], ...]

    def __str__(self) -> str:
        reads = [f"operand {index} is read from {text}" for index, text in self.reads]
        return f"op {self.place}, {self.op}: " + ", ".join(
            [*reads, *(f"the result goes to {text}" for _, text in self.writes)]
        )


@dataclass(frozen=True)
class Saved:
    """Registers saved around the op at a place, with their slots."""

    place: int
    registers: tuple[str, ...]

    def __str__(self) -> str:
        return f"op {self.place} is a call: {', '.join(self.registers)} are saved"


@dataclass(frozen=True)
class Spills:
    """The plan for the slots that the ports of a kernel name, and the number of slots."""

    steps: tuple[Step, ...]
    saved: tuple[Saved, ...]
    slots: int

    def __str__(self) -> str:
        count = f"{self.slots} slot{'' if self.slots == 1 else 's'}"
        return "\n".join(map(str, (*self.steps, *self.saved, count)))


def names_slots(kernel: KernelOp) -> bool:
    """Whether a value on the ports or markers of `kernel` is not always in a register."""
    texts: set[str | None] = set()
    for op in kernel.block.ops:
        attr = op.attributes.get(PORTS)
        if attr is not None:
            texts.update([port.data.register for port in cast("ArrayAttr[PortAttr]", attr).data])
        if op.name == LoopBeginOp.name:
            texts.add(counter_of(op))
    return any(text is not None and ("slot" in text or AGAIN in text) for text in texts)


def value_bytes(value: SSAValue) -> int:
    """Bytes of a value in memory."""
    return port_of(value).lanes * element_bytes(value)


def _pointer_slots(kernel: KernelOp) -> int:
    """The number of slots of pointers and counters."""
    texts: list[str | None] = []
    for op in kernel.block.ops:
        if isinstance(op, LoopBeginOp):
            texts.append(counter_of(op))
        elif isinstance(op, MemoryAccessOp):
            texts.append(memory_port(op).register)
    found = [place.slot for text in texts if (place := location(text)) is not None]
    return max((slot + 1 for slot in found if slot is not None), default=0)


def _elsewhere(values: Iterable[SSAValue], own: Iterable[PortDescriptor]) -> list[tuple[int, str]]:
    """The indices of values that are not always in a register, with their places."""
    found: list[tuple[int, str]] = []
    for index, (value, port) in enumerate(zip(values, own, strict=True)):
        place = location(port.register)
        if place is not None and not place.physical and holds_value(value):
            assert port.register is not None
            found.append((index, port.register))
    return found


def plan_steps(kernel: KernelOp) -> tuple[tuple[Step, ...], int]:
    """The values of each op in memory, and the slots of values."""
    steps: list[Step] = []
    slots = 0
    for place, op in enumerate(kernel.block.ops):
        if not (own := ports(op)):
            continue
        operands = operands_of(op)
        values, count = (*operands, *op.results), len(operands)
        found = _elsewhere(values, own)
        if found:
            reads = tuple(item for item in found if item[0] < count)
            steps.append(Step(place, op.name, reads, tuple(found[len(reads) :])))
        for index, text in found:
            if (slot := place_of(text).slot) is not None:
                slots = max(slots, slot - (-value_bytes(values[index]) // SLOT_BYTES))
    return tuple(steps), max(slots, _pointer_slots(kernel))


def plan_saved(
    kernel: KernelOp, names: Container[str], files: RegisterFiles, first: int
) -> tuple[tuple[Saved, ...], int]:
    """The registers that live across ops called `names`, in slots from `first` on; all slots."""
    calls = [place for place, op in enumerate(kernel.block.ops) if op.name in names]
    ranges = live_ranges(body_of(kernel), files).ranges if calls else []
    found: list[Saved] = []
    for at in calls:
        across = [location(port_of(r.values[0]).register) for r in ranges if r.start < at < r.end]
        registers = [r for place in across if place and place.physical for r in place.registers]
        texts = tuple(f"{register}/slot{slot}" for slot, register in enumerate(registers, first))
        if texts:
            found.append(Saved(at, texts))
    return tuple(found), first + max((len(saved.registers) for saved in found), default=0)


def place_of(text: str) -> Location:
    """The location that a port names."""
    found = location(text)
    assert found is not None
    return found
