"""Move each pointer once: only its first access keeps the loop's shift.

    %0 = lir.load %b {lir.ports = [#lir.port<..., loops [1: dim 0 ptr 1 fin -300]>, ...]}
    %1 = lir.store %e {lir.ports = [..., #lir.port<..., loops [1: dim 0 ptr 1 fin -300]>]}

with `%b` and the buffer that `%1` fills in one register group becomes

    %0 = lir.load %b {lir.ports = [#lir.port<..., loops [1: dim 0 ptr 1 fin -300]>, ...]}
    %1 = lir.store %e {lir.ports = [..., #lir.port<..., loops [1: dim 0 fixed]>]}

Accesses share a pointer if they read one array under one view, write one output, or touch buffers
of one register group. In a loop they have to move it by equal bytes or not at all; the first access
that moves it keeps its shift. So no pointer is shifted twice, and the ports match the generated
code. Source: the guide's CleanRepeatedDataPointerShifts. Refuses accesses that disagree: run
lir-init-loops and lir-set-buffer-reg-group again.
"""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from typing_extensions import override
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.builtin.dims import Dim
from snippets_mlir.dialects.builtin.shaped import element_bytes
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.memory import MemoryAccessOp
from snippets_mlir.dialects.lir.pointers import Pointer, memory_port, pointer_of, set_memory_port
from snippets_mlir.dialects.lir.ports import LoopPort
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.lir.kernel_passes import KernelPatternPass
from snippets_mlir.passes.patterns import Pattern
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError

Movers = dict[tuple[Pointer, int], tuple[MemoryAccessOp, tuple[Dim, Dim]]]
"""For each pointer and loop the first access that moves it, and the bytes of the motion."""


def movers_of(kernel: KernelOp) -> Movers:
    """The first movers; an error if accesses disagree."""
    movers: Movers = {}
    for op in kernel.block.ops:
        if not isinstance(op, MemoryAccessOp):
            continue
        pointer, size = pointer_of(op), element_bytes(op.operands[0])
        for motion in memory_port(op).loops:
            shift = (motion.pointer_increment * size, motion.finalization_offset * size)
            if shift == (0, 0):
                continue
            _, first = movers.setdefault((pointer, motion.loop), (op, shift))
            if first != shift:
                raise CompileError(
                    f"expected the accesses of one pointer to move it alike in loop {motion.loop}, "
                    f"found {first} and {shift} bytes; "
                    "run lir-init-loops and lir-set-buffer-reg-group again",
                    **position_of(op),
                )
    return movers


class RepeatedShift(Pattern[MemoryAccessOp, tuple[LoopPort, ...]]):
    """An access does not move its pointer in a loop if an earlier access does."""

    name = "repeated-shift"
    ops = (MemoryAccessOp,)

    def __init__(self, movers: Movers) -> None:
        self.movers = movers

    def match(self, op: MemoryAccessOp) -> tuple[LoopPort, ...] | None:
        """The motions of the port that stay; None if they all do."""
        pointer, old = pointer_of(op), memory_port(op).loops
        new = tuple(
            motion
            if self.movers.get((pointer, motion.loop), (op,))[0] is op
            else LoopPort(motion.loop, motion.dim)
            for motion in old
        )
        return None if new == old else new

    def rewrite(
        self, op: MemoryAccessOp, match: tuple[LoopPort, ...], rewriter: PatternRewriter
    ) -> None:
        """Write the motions on the port."""
        set_memory_port(op, replace(memory_port(op), loops=match))


@dataclass(frozen=True)
class LirCleanRepeatedDataPointerShiftsPass(KernelPatternPass):
    """Leave one shift for each pointer and loop."""

    name = "lir-clean-repeated-data-pointer-shifts"
    STAGES: ClassVar[Stages] = Stages(("looped",))
    PATTERNS = (RepeatedShift,)

    @override
    def facts(self, root: Operation) -> tuple[Any, ...]:
        assert isinstance(root, KernelOp)
        return (movers_of(root),)
