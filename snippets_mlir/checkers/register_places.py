"""The registers and stack slots in attributes of a kernel, for the register checker."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from snippets_mlir.checkers.linear_access_facts import access_of
from snippets_mlir.checkers.linear_loops import LoopNode
from snippets_mlir.dialects.builtin.shaped import element_bytes
from snippets_mlir.dialects.lir.access import ports
from snippets_mlir.dialects.lir.gather import GatherOp
from snippets_mlir.dialects.lir.markers import LoopEndOp
from snippets_mlir.dialects.lir.memory import MemoryAccessOp, StoreOp
from snippets_mlir.dialects.lir.ports import PortDescriptor
from snippets_mlir.dialects.lir.registers import SLOT_BYTES, Location, location
from snippets_mlir.support.errors import CompileError


def home(text: str | None) -> str | int | None:
    """The place of a pointer or counter: its slot, else its register."""
    place = place_of(text)
    if place is None:
        return None
    return place.slot if place.slot is not None else place.registers[0]


def place_of(text: str | None) -> Location | None:
    """The register or stack slot in a text; None for an abstract or a repeated one."""
    found = location(text)
    return None if found is None or found.abstract or found.again else found


def cells(place: Location, value: SSAValue, port: PortDescriptor) -> list[str | int]:
    """The registers, or the slots, that hold `value` at `place`."""
    if place.registers:
        return list(place.registers)
    assert place.slot is not None
    size = port.lanes * element_bytes(value)
    return list(range(place.slot, place.slot + max(1, -(-size // SLOT_BYTES))))


def is_memory(op: Operation, index: int) -> bool:
    """Whether operand `index` of an op is an array that it reads through a pointer."""
    if isinstance(op, GatherOp):
        return index == 0
    return isinstance(op, MemoryAccessOp) and not isinstance(op, StoreOp)


def memory_port(op: MemoryAccessOp) -> PortDescriptor:
    """The port of an access that is memory: the result of a store, else the operand."""
    return ports(op)[1 if isinstance(op, StoreOp) else 0]


def pointer_of(op: MemoryAccessOp) -> object:
    """The key of an access's pointer: accesses that share a pointer have equal keys."""
    found = access_of(op)
    if found is None:
        raise CompileError("R2: expected a result or a buffer to take what is stored, found none")
    return found.pointer


def all_ops(node: LoopNode) -> list[Operation]:
    """All ops inside, including the markers of inner loops."""
    found: list[Operation] = []
    for item in node.items:
        if isinstance(item, LoopNode):
            found += [item.begin, *all_ops(item)]
            end = item.begin.next_op
            while end is not None and not (isinstance(end, LoopEndOp) and end.id == item.info.id):
                end = end.next_op
            if end is not None:
                found.append(end)
        else:
            found.append(item)
    return found
