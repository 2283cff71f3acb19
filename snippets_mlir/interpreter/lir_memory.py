"""The memory that a kernel accesses, and the pointers that its loops move.

An input or an output is one piece of memory. A buffer is a separate piece until it has an offset;
then it is a part of the thread's scratchpad. A loop moves pointers. Accesses share a pointer if
they read one input under one view, write one output, or touch the buffers of one register group.
Accesses that move the same pointer in a loop have to agree; the pointer is moved once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from xdsl.dialects.builtin import TensorType
from xdsl.ir import BlockArgument, OpResult, SSAValue
from xdsl.utils.hints import isa

from snippets_mlir.dialects.builtin.dims import static_shape, static_size
from snippets_mlir.dialects.builtin.dtypes import Array, numpy_dtype
from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.lir.access import (
    output_ports,
    users_through_views,
    view_source,
)
from snippets_mlir.dialects.lir.buffer import BufferOp
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.memory import MemoryAccessOp, ResultOp, StoreOp
from snippets_mlir.interpreter.memory import ALIGNMENT, Memory
from snippets_mlir.support.errors import CompileError

Key = tuple[object, ...]
"""The key of a pointer."""


def dtype_of(value: SSAValue) -> np.dtype[Any]:
    """The dtype of a tensor value's elements."""
    return numpy_dtype(tensor_of(value).element_type)


@dataclass(frozen=True, eq=False)
class Place:
    """Where an access finds its array.

    Attributes:
        memory: the piece of memory.
        start: the array's first byte in it.
        size: the array's bytes.
        key: the pointer of the access.
        buffer: the number of the buffer, None for inputs and outputs.
    """

    memory: Memory
    start: int
    size: int
    key: Key
    buffer: int | None


class KernelMemory:
    """All memory of one run of a kernel, and the place of each access."""

    def __init__(self, kernel: KernelOp, inputs: Sequence[Array]) -> None:
        self.kernel = kernel
        self.buffers = [op for op in kernel.block.ops if isinstance(op, BufferOp)]
        self.inputs = [Memory.of_array(f"input {i}", array) for i, array in enumerate(inputs)]
        outputs = kernel.function_type.outputs.data
        self.outputs: list[Memory] = []
        for i, type_ in enumerate(outputs):
            assert isa(type_, TensorType)
            dtype = numpy_dtype(type_.element_type)
            self.outputs.append(Memory.for_array(f"output {i}", dtype, type_.get_shape()))
        for op in self.buffers:
            if (output := op.decided("output")) is not None:
                self.outputs[output].own()
        self.scratch = Memory(
            "the scratchpad", static_size(kernel.scratch), base=ALIGNMENT, owned=True
        )
        self._of_buffer = {op: self._buffer(i, op) for i, op in enumerate(self.buffers)}
        self._targets = dict(self._stored())

    def poison(self) -> None:
        """Forget the contents of all buffers, at the start of a piece."""
        self.scratch.written[:] = False
        for place in self._of_buffer.values():
            assert place.buffer is not None
            place.memory.forget(place.buffer)

    def results(self) -> list[Array]:
        """The outputs; CompileError for an element that was never written."""
        self.poison()
        arrays: list[Array] = []
        types = self.kernel.function_type.outputs.data
        for memory, type_ in zip(self.outputs, types, strict=True):
            assert isa(type_, TensorType)
            arrays.append(memory.array(numpy_dtype(type_.element_type), type_.get_shape()))
        return arrays

    def place(self, access: MemoryAccessOp) -> Place:
        """The memory that an access reads or writes, with offset and size in bytes."""
        if isinstance(access, StoreOp):
            return self._targets[access.target]
        source = view_source(access.operands[0])
        if isinstance(source, BlockArgument):
            memory = self.inputs[source.index]
            return Place(memory, 0, memory.size, ("in", access.operands[0]), None)
        owner = source.owner
        if not isinstance(owner, BufferOp):
            raise CompileError(f"{access.name} reads what is neither an argument nor a buffer")
        return self._of_buffer[owner]

    def own_buffers(self, loop: int) -> list[Place]:
        """The buffers whose innermost loop is `loop`: each iteration fills them anew."""
        from snippets_mlir.dialects.lir.access import loop_ids

        return [
            self._of_buffer[op] for op in self.buffers if loop_ids(op) and loop_ids(op)[-1] == loop
        ]

    def _buffer(self, number: int, op: BufferOp) -> Place:
        port = output_ports(op)[0]
        needed = prod(static_shape(port.stored_shape)) * dtype_of(op.result).itemsize
        held, at, group = (
            op.decided_size("size"),
            op.decided_size("offset"),
            op.decided("reg_group"),
        )
        size = needed if held is None else static_size(held)
        offset = None if at is None else static_size(at)
        if size < needed:
            raise CompileError(f"buffer {number} has {size} bytes; its port needs {needed}")
        if (output := op.decided("output")) is not None:
            memory = self.outputs[output]
            return Place(memory, 0, memory.size, ("out", output), number)
        key: Key = ("buffer", number) if group is None else ("group", group)
        if offset is None:
            name = f"buffer {number}"
            return Place(Memory(name, size, base=ALIGNMENT, owned=True), 0, size, key, number)
        if offset < 0 or offset + size > self.scratch.size:
            raise CompileError(
                f"buffer {number} takes bytes {offset} to {offset + size} of a scratchpad that has "
                f"{self.scratch.size}"
            )
        return Place(self.scratch, offset, size, key, number)

    def _stored(self) -> Iterable[tuple[OpResult, Place]]:
        for op in self.kernel.block.ops:
            if isinstance(op, StoreOp):
                for user in users_through_views(op.target):
                    if isinstance(user, ResultOp):
                        index = user.index.value.data
                        memory = self.outputs[index]
                        yield op.target, Place(memory, 0, memory.size, ("out", index), None)
                    elif isinstance(user, BufferOp):
                        yield op.target, self._of_buffer[user]
