"""Move each pointer once: the loops say so at the first of its accesses only.

    %0 = lir.load %b {lir.ports = [#lir.port<..., loops [1: dim 0 ptr 1 fin -300]>, ...]}
    %1 = lir.store %e {lir.ports = [..., #lir.port<..., loops [1: dim 0 ptr 1 fin -300]>]}

with `%b` and the buffer that `%1` fills in one register group becomes

    %0 = lir.load %b {lir.ports = [#lir.port<..., loops [1: dim 0 ptr 1 fin -300]>, ...]}
    %1 = lir.store %e {lir.ports = [..., #lir.port<..., loops [1: dim 0 fixed]>]}

Accesses share a pointer when they read one array under one view, write one output, or touch buffers
of one register group. In a loop they have to move it by equal bytes or not at all; the first that
moves it keeps its shift. Nothing is left to shift twice, and the ports say what the generated code
does. Source: the guide's CleanRepeatedDataPointerShifts (reference 2.26). Refuses accesses that
disagree: run lir-init-loops and lir-set-buffer-reg-group again.
"""

from dataclasses import dataclass, replace

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from snippets_mlir.dialects.builtin.dims import Dim
from snippets_mlir.dialects.lir.attributes import LoopPort
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.kernels import for_each_kernel
from snippets_mlir.dialects.lir.memory import BroadcastLoadOp, LoadOp, StoreOp
from snippets_mlir.dialects.lir.pointers import (
    Pointer,
    element_bytes,
    memory_port,
    pointer_of,
    set_memory_port,
)
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError


def _moves(motion: LoopPort) -> bool:
    return motion.pointer_increment != 0 or motion.finalization_offset != 0


def _apply(kernel: KernelOp) -> None:
    moved: dict[tuple[Pointer, int], tuple[Dim, Dim]] = {}
    for op in kernel.block.ops:
        if not isinstance(op, LoadOp | BroadcastLoadOp | StoreOp):
            continue
        pointer, size = pointer_of(op), element_bytes(op.operands[0])
        loops: list[LoopPort] = []
        for motion in memory_port(op).loops:
            shift = (motion.pointer_increment * size, motion.finalization_offset * size)
            key = (pointer, motion.loop)
            if not _moves(motion):
                loops.append(motion)
            elif key not in moved:
                moved[key] = shift
                loops.append(motion)
            elif moved[key] == shift:
                loops.append(LoopPort(motion.loop, motion.dim))
            else:
                raise CompileError(
                    f"expected the accesses of one pointer to move it alike in loop {motion.loop}, "
                    f"found {moved[key]} and {shift} bytes; "
                    "run lir-init-loops and lir-set-buffer-reg-group again",
                    **position_of(op),
                )
        set_memory_port(op, replace(memory_port(op), loops=tuple(loops)))


@dataclass(frozen=True)
class LirCleanRepeatedDataPointerShiftsPass(ModulePass):
    """Leave one shift for each pointer and loop."""

    name = "lir-clean-repeated-data-pointer-shifts"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Clean the ports of every kernel at stage `looped`."""
        for_each_kernel(op, ("looped",), _apply)
