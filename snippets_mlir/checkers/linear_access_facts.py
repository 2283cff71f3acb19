"""The accesses of a `lir.kernel`: their arrays and pointers.

Accesses share a pointer if they read one array under one view, write one output or touch buffers in
it, or touch buffers of one register group. The checkers of pointers, accesses, buffers and
registers share this module; it also checks claim P1 of `linear_pointers.py`.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Operation, OpResult, SSAValue
from xdsl.utils.hints import isa

from snippets_mlir.checkers.linear_loops import fail
from snippets_mlir.dialects.builtin.dims import Dim, product
from snippets_mlir.dialects.builtin.shaped import element_bytes, shape_of
from snippets_mlir.dialects.lir.access import (
    input_ports,
    output_ports,
    users_through_views,
    view_source,
)
from snippets_mlir.dialects.lir.buffer import BufferOp
from snippets_mlir.dialects.lir.gather import GatherOp
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.memory import (
    BroadcastLoadOp,
    LoadOp,
    MemoryAccessOp,
    ResultOp,
    StoreOp,
)
from snippets_mlir.dialects.lir.ports import PortDescriptor

Pointer = tuple[str, object]


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
        port: through which it accesses memory.
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


def access_of(op: MemoryAccessOp) -> Access | None:
    """The facts of an access; None for a store with an unused target."""
    size = element_bytes(op.operands[0])
    buffer: BufferOp | None = None
    if isinstance(op, StoreOp):
        port = output_ports(op)[0]
        user = next(users_through_views(op.target), None)
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
        held = product(output_ports(buffer)[0].stored_shape) * size
    return Access(op, port, pointer, buffer, size, held)


def known_accesses(kernel: KernelOp) -> dict[Operation, Access]:
    """The loads and stores of a kernel, without those that `access_of` cannot describe."""
    found: dict[Operation, Access] = {}
    for op in kernel.block.ops:
        if isinstance(op, LoadOp | BroadcastLoadOp | GatherOp | StoreOp):
            access = access_of(op)
            if access is not None:
                found[op] = access
    return found
