"""Check that the parts of every loop together do the work of the loop.

* E1: the work amounts of the parts add up to the loop's, and only the last part has offsets;
* E2: over all parts a pointer returns to its start;
* E3: no loop has a tail any more.

For loops whose work is known only at run time, it checks that they have a main and a last part.
Changes nothing. It runs before lir-optimize-loop-single-evaluation. Source: the guide's
ValidateExpandedLoops.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from xdsl.ir import Operation

from snippets_mlir.dialects.builtin.dims import format_size
from snippets_mlir.dialects.lir.access import ports
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.loops import PARTS, LoopInfo
from snippets_mlir.dialects.lir.memory import MemoryAccessOp
from snippets_mlir.dialects.lir.ports import LoopPort
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.lir.kernel_passes import KernelCheckPass
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError


def wrong_work(loop: LoopInfo, parts: list[LoopInfo]) -> str | None:
    """The error in the work amounts of the parts of `loop`, or None."""
    if loop.dynamic:
        kinds = [part.iteration for part in parts]
        good = kinds == ["main", "last"]
        return None if good else f"expected a main and a last part, found {kinds}"
    total = sum(part.work_amount for part in parts)
    if total != loop.work_amount:
        return (
            f"E1: expected the parts of loop {loop.id} to have {format_size(loop.work_amount)} "
            f"units of work together, found {format_size(total)}"
        )
    return None


def wrong_motion(motion: LoopPort, loop: LoopInfo, final: bool) -> str | None:
    """The error in the motion of a pointer in `loop`, or None.

    `final`: it is the last part of its loop.
    """
    if not final and motion.finalization_offset != 0:
        return (
            f"E1: expected no finalization offset in loop {loop.id}, which other parts follow, "
            f"found {format_size(motion.finalization_offset)}"
        )
    if not loop.dynamic and loop.tail:
        return f"E3: loop {loop.id} has a tail of {loop.tail}; run lir-insert-specific-iterations"
    return None


def _motions(kernel: KernelOp) -> Iterator[tuple[Operation, LoopPort]]:
    for op in kernel.block.ops:
        if isinstance(op, MemoryAccessOp):
            for port in ports(op):
                for motion in port.loops:
                    yield op, motion


def _last_of(parts: list[LoopInfo], loop: LoopInfo) -> LoopInfo:
    """The part that runs last; `loop` itself if it is whole."""
    order = sorted(parts, key=lambda part: PARTS.index(part.iteration))
    return order[-1] if order else loop


def _check_return(op: Operation, motion: LoopPort, whole: LoopInfo, loop: LoopInfo) -> None:
    """E2: the last part resets the motion of all parts."""
    if loop.dynamic:
        return
    net = motion.pointer_increment * whole.work_amount + motion.finalization_offset
    if net != 0:
        raise CompileError(
            f"E2: over all parts of loop {whole.id} the pointer of {op.name} moves by "
            f"{format_size(net)} elements; expected a finalization offset of "
            f"{format_size(-motion.pointer_increment * whole.work_amount)} in loop {loop.id}",
            **position_of(op),
        )


@dataclass(frozen=True)
class LirValidateExpandedLoopsPass(KernelCheckPass):
    """Check the parts of expanded loops."""

    name = "lir-validate-expanded-loops"
    STAGES: ClassVar[Stages] = Stages(("expanded",))

    def check(self, kernel: KernelOp) -> None:
        """Raise at the first loop or pointer that is wrong."""
        table = kernel.loop_table
        parts: dict[int, list[LoopInfo]] = {}
        for loop in table.values():
            if loop.iteration != "unified":
                parts.setdefault(loop.origin, []).append(loop)
        for origin, found in parts.items():
            if origin not in table:
                raise CompileError(
                    f"expected loop {origin}, of which {len(found)} loops are parts, in the table "
                    f"of @{kernel.sym_name.data}",
                    **position_of(kernel),
                )
            if (wrong := wrong_work(table[origin], found)) is not None:
                raise CompileError(wrong, **position_of(kernel))
        for op, motion in _motions(kernel):
            loop = table[motion.loop]
            final = loop is _last_of(parts.get(loop.unified_id, []), loop)
            if (wrong := wrong_motion(motion, loop, final)) is not None:
                raise CompileError(f"{wrong} (in {op.name})", **position_of(op))
            if final:
                _check_return(op, motion, table[loop.unified_id], loop)
