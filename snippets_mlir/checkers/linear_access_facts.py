"""The accesses of a `lir.kernel`: their arrays and pointers, and the bytes they touch.

Accesses share a pointer when they read one array under one view, write one output or touch buffers
in it, or touch buffers of one register group. Shared by the checkers of pointers, accesses and
buffers; the claim checked on the way is P1 of `linear_pointers.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import FixedBitwidthType, TensorType
from xdsl.ir import Attribute, Operation, OpResult, SSAValue
from xdsl.utils.hints import isa

from snippets_mlir.checkers.linear_footprints import Reach, Step
from snippets_mlir.checkers.linear_loops import Item, LoopNode, fail, loop_nodes
from snippets_mlir.dialects.builtin.dims import Dim, format_size, product, static_size
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.lir.access import (
    input_ports,
    is_view,
    output_ports,
    view_source,
)
from snippets_mlir.dialects.lir.buffer import BufferOp
from snippets_mlir.dialects.lir.gather import GatherOp
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.loops import PARTS, LoopInfo
from snippets_mlir.dialects.lir.memory import (
    BroadcastLoadOp,
    LoadOp,
    MemoryAccessOp,
    ResultOp,
    StoreOp,
)
from snippets_mlir.dialects.lir.ports import PortDescriptor

Pointer = tuple[str, object]


def element_size(value: SSAValue) -> int:
    """Bytes of an element in memory; i1 takes one."""
    type_ = value.type
    assert isa(type_, TensorType)
    element = type_.element_type
    assert isinstance(element, FixedBitwidthType)
    return element.size


def elements_of(value: SSAValue) -> Dim:
    """The number of elements of a tensor value."""
    return elements_in(value.type)


def elements_in(type_: Attribute) -> Dim:
    """The number of elements of a tensor type."""
    assert isa(type_, TensorType)
    return product(shape_of(type_))


@dataclass(frozen=True, eq=False)
class Access:
    """A load or store.

    Attributes:
        op: the op.
        port: through which it touches memory.
        pointer: the key of its pointer.
        buffer: the buffer that it touches, or None.
        size: bytes of an element.
        array: bytes of the array.
    """

    op: MemoryAccessOp
    port: PortDescriptor
    pointer: Pointer
    buffer: BufferOp | None
    size: int
    array: Dim

    @property
    def stores(self) -> bool:
        """Whether the access writes memory."""
        return isinstance(self.op, StoreOp)


def _users(value: OpResult) -> Iterator[Operation]:
    for use in value.uses:
        if is_view(use.operation):
            yield from _users(use.operation.results[0])
        else:
            yield use.operation


def access_of(op: MemoryAccessOp) -> Access | None:
    """What is known of an access; None for a store whose target nothing takes."""
    size = element_size(op.operands[0])
    buffer: BufferOp | None = None
    if isinstance(op, StoreOp):
        port = output_ports(op)[0]
        user = next(_users(op.target), None)
        if isinstance(user, BufferOp):
            buffer = user
        elif not isinstance(user, ResultOp):
            return None
        else:
            place = ("output", user.index.value.data)
            return Access(op, port, place, None, size, elements_of(op.target) * size)
    else:
        port = input_ports(op)[0]
        source = view_source(op.operands[0])
        if not isinstance(source, OpResult):
            pointer = ("input", op.operands[0])
            return Access(op, port, pointer, None, size, elements_of(source) * size)
        if not isinstance(source.op, BufferOp):
            fail(op, "P1", f"expected {op.name} to read an argument or a buffer")
        buffer = source.op
    if (output := buffer.decided("output")) is not None:
        kernel = op.parent_op()
        assert isinstance(kernel, KernelOp)
        elements = elements_in(kernel.function_type.outputs.data[output])
        return Access(op, port, ("output", output), buffer, size, elements * size)
    group = buffer.decided("reg_group")
    pointer = ("buffer", buffer) if group is None else ("group", group)
    held = buffer.decided_size("size")
    if held is None:
        held = product(output_ports(buffer)[0].shape) * size
    return Access(op, port, pointer, buffer, size, held)


def accesses_in(node: LoopNode, known: dict[Operation, Access]) -> Iterator[Access]:
    """The accesses in a loop, nested ones included."""
    for op in node.ops():
        if op in known:
            yield known[op]


def known_accesses(kernel: KernelOp) -> dict[Operation, Access]:
    """The loads and stores of a kernel, without those that `access_of` cannot describe."""
    found: dict[Operation, Access] = {}
    for op in kernel.block.ops:
        if isinstance(op, LoadOp | BroadcastLoadOp | GatherOp | StoreOp):
            access = access_of(op)
            if access is not None:
                found[op] = access
    return found


Motions = dict[Pointer, tuple[int, int]]
"""For each pointer that a loop moves: bytes per unit of the counter, bytes after the end."""


def motions_in(node: LoopNode, known: dict[Operation, Access]) -> Motions:
    """How an iteration of a loop, with all loops inside, moves pointers (P1, P3).

    What loops inside do not take back is part of the motion, but not in a parallel loop, whose
    units find the pointer by their counter: there P2 does not let them.
    """
    motions = _own_motions(node, known)
    for pointer, inside in net_motions(node.items, known).items():
        if not inside or node.info.parallel:
            continue
        loop = node.info
        unit, final = motions.get(pointer, (0, 0))
        each = unit * loop.increment + inside
        if each % loop.increment == 0:
            motions[pointer] = (each // loop.increment, final)
        elif loop.work_amount == loop.increment:
            motions[pointer] = (0, final + each)
        else:
            fail(
                node.begin,
                "P3",
                f"expected loop {loop.id} to move each pointer alike for every unit, found one "
                f"that {format_size(loop.increment)} units move by {format_size(each)} bytes",
            )
    return motions


def net_motions(items: Sequence[Item], known: dict[Operation, Access]) -> dict[Pointer, int]:
    """By how many bytes all loops among `items` move each pointer."""
    moved: dict[Pointer, int] = {}
    for node in items:
        if isinstance(node, LoopNode):
            for pointer, (unit, final) in motions_in(node, known).items():
                net = unit * node.info.work_amount + final
                moved[pointer] = moved.get(pointer, 0) + static_size(net)
    return moved


def _own_motions(node: LoopNode, known: dict[Operation, Access]) -> Motions:
    """What the ports in a loop say that it does (P1)."""
    motions: Motions = {}
    for access in accesses_in(node, known):
        for motion in access.port.loops:
            if motion.loop != node.info.id:
                continue
            moved = (
                static_size(motion.pointer_increment) * access.size,
                static_size(motion.finalization_offset) * access.size,
            )
            if moved == (0, 0):
                continue
            if motions.setdefault(access.pointer, moved) != moved:
                fail(
                    access.op,
                    "P1",
                    f"expected the accesses of one pointer to move it alike in loop "
                    f"{node.info.id}, found {motions[access.pointer]} and {moved} bytes per unit "
                    "and after the end",
                )
    return motions


def _places_of_parts(kernel: KernelOp) -> dict[int, tuple[int, int, bool]]:
    """For each part of a loop: see `Step`."""
    parts: dict[int, list[LoopInfo]] = {}
    for loop in kernel.loop_table.values():
        if loop.iteration != "unified":
            parts.setdefault(loop.origin, []).append(loop)
    found: dict[int, tuple[int, int, bool]] = {}
    for group in parts.values():
        group.sort(key=lambda part: PARTS.index(part.iteration))
        after = before = 0
        for part in group:
            found[part.id] = (after, before, part is group[-1])
            after, before = part.increment, before + static_size(part.work_amount)
    return found


def reaches(kernel: KernelOp) -> dict[Operation, tuple[Access, Reach]]:
    """For each access what it touches, by following its pointer through the loops before it."""
    known = known_accesses(kernel)
    found: dict[Operation, tuple[Access, Reach]] = {}
    places = _places_of_parts(kernel)

    def walk(items: Sequence[Item], path: tuple[tuple[LoopNode, Motions, Motions], ...]) -> None:
        position: dict[Pointer, int] = {}
        for item in items:
            if isinstance(item, LoopNode):
                motions = motions_in(item, known)
                entry: Motions = {pointer: (at, 0) for pointer, at in position.items()}
                walk(item.items, (*path, (item, motions, entry)))
                for pointer, (unit, final) in motions.items():
                    moved = unit * static_size(item.info.work_amount) + final
                    position[pointer] = position.get(pointer, 0) + moved
            elif item in known:
                access = known[item]
                steps = tuple(
                    Step(
                        node.info,
                        motions.get(access.pointer, (0, 0))[0],
                        entry.get(access.pointer, (0, 0))[0],
                        *places.get(node.info.id, (0, 0, True)),
                    )
                    for node, motions, entry in path
                )
                found[item] = (access, _reach(access, steps))

    walk(loop_nodes(kernel), ())
    return found


def _reach(access: Access, steps: tuple[Step, ...]) -> Reach:
    last = static_size(access.port.stride(len(access.port.shape) - 1)) if access.port.shape else 1
    size, offset = access.size, static_size(access.op.distance) * access.size
    if not isinstance(access.op, GatherOp):
        return Reach(access.op, steps, access.op.elements, size, last * size, offset)
    op = access.op
    farthest = sum(
        (static_size(n) * static_size(step) for n, step in zip(op.limits, op.steps, strict=True)),
        start=0,
    )
    return Reach(op, steps, op.elements, size, last * size, offset, farthest * size)
