"""The pointers of a kernel: which pointer an access uses, and which memory it touches.

Accesses share a pointer when they read one array under one view, write one output or touch buffers
in it, or touch buffers of one register group.
"""

from __future__ import annotations

from xdsl.ir import Operation, OpResult

from snippets_mlir.dialects.lir.access import (
    input_ports,
    output_ports,
    set_ports,
    view_source,
)
from snippets_mlir.dialects.lir.buffer import BufferOp
from snippets_mlir.dialects.lir.memory import MemoryAccessOp, ResultOp, StoreOp
from snippets_mlir.dialects.lir.ports import PortDescriptor
from snippets_mlir.support.walking import operands_of

Pointer = tuple[str, object]
"""The key of a shared pointer: a value that is read, an output, a register group or a buffer."""


def memory_port(access: MemoryAccessOp) -> PortDescriptor:
    """The port through which `access` touches memory."""
    return output_ports(access)[0] if isinstance(access, StoreOp) else input_ports(access)[0]


def set_memory_port(access: MemoryAccessOp, port: PortDescriptor) -> None:
    """Let `access` touch memory through `port`."""
    inputs, outputs = list(input_ports(access)), list(output_ports(access))
    (outputs if isinstance(access, StoreOp) else inputs)[0] = port
    set_ports(access, [*inputs, *outputs])


def buffer_of(access: Operation) -> BufferOp | None:
    """The buffer that a load reads, through views or not, or that a store fills; or None."""
    if isinstance(access, StoreOp):
        use = access.results[0].first_use
        while use is not None:
            if isinstance(use.operation, BufferOp):
                return use.operation
            use = use._next_use  # pyright: ignore[reportPrivateUsage]
        return None
    source = view_source(operands_of(access)[0])
    owner = source.op if isinstance(source, OpResult) else None
    return owner if isinstance(owner, BufferOp) else None


def pointer_of(access: MemoryAccessOp) -> Pointer:
    """The key of the pointer of `access`: accesses with equal keys share one."""
    if (buffer := buffer_of(access)) is not None:
        if (output := buffer.decided("output")) is not None:
            return ("output", output)
        group = buffer.decided("reg_group")
        return ("buffer", buffer) if group is None else ("group", group)
    if not isinstance(access, StoreOp):
        return ("array", operands_of(access)[0])
    use = access.results[0].first_use
    taker = access if use is None else use.operation
    return ("output", taker.index.value.data if isinstance(taker, ResultOp) else taker)
