"""The motion of a kernel's pointers by its loops, from the ports of its accesses."""

from __future__ import annotations

from collections.abc import Callable

from snippets_mlir.dialects.builtin.dims import static_size
from snippets_mlir.dialects.lir.memory import MemoryAccessOp
from snippets_mlir.dialects.lir.pointers import memory_port
from snippets_mlir.interpreter.lir_memory import Key, Place, dtype_of
from snippets_mlir.interpreter.lir_tree import Loop
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError

Motions = dict[Key, tuple[int, int]]
"""For each pointer that a loop moves: bytes for one unit of the counter, and after its end."""


def motions_of(loop: Loop, kernel: str, place: Callable[[MemoryAccessOp], Place]) -> Motions:
    """The motions of a loop's pointers, including the motions by the loops inside it.

    Args:
        loop: a loop of `kernel`.
        kernel: its name, for the message.
        place: where an access finds its array.

    Raises:
        CompileError: two accesses share a pointer, and move it differently.
    """
    motions: Motions = {}
    for access in _accesses(loop):
        width = dtype_of(access.operands[0]).itemsize
        for port in memory_port(access).loops:
            if port.loop != loop.info.id:
                continue
            increment = static_size(port.pointer_increment)
            motion = increment * width, static_size(port.finalization_offset) * width
            if motion == (0, 0):
                continue
            key = place(access).key
            if motions.setdefault(key, motion) != motion:
                raise CompileError(
                    f"in @{kernel}: accesses that share a pointer move it differently in loop "
                    f"{loop.info.id}: by {motions[key]} and {motion} bytes",
                    **position_of(access),
                )
    return motions


def _accesses(loop: Loop) -> list[MemoryAccessOp]:
    found: list[MemoryAccessOp] = []
    for item in loop.items:
        if isinstance(item, Loop):
            found += _accesses(item)
        elif isinstance(item, MemoryAccessOp):
            found.append(item)
    return found
