"""Let buffers share a pointer register if their pointers move alike.

    %b = lir.buffer ... {reg_group = 0 : i64, ...}
    %c = lir.buffer ... {reg_group = 0 : i64, ...}

The pointer of a group starts at the thread's scratchpad; an access adds the fixed offset of its
buffer. So one pointer can serve two buffers if every loop with accesses of both moves both by the
same number of bytes:

* G1: two buffers conflict if some loop around accesses of both moves them by different bytes per
  unit of its counter, or resets them by different bytes after its end.

Buffers, in order of execution, get the first group without a conflicting member (the guide's graph
colouring; its rules by loop ids and prefixes are special cases of G1). Refuses a buffer whose own
accesses disagree in one loop, because no single pointer can serve it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from typing_extensions import override

from snippets_mlir.dialects.builtin.dims import Dim
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.lir.buffer_facts import (
    BufferFacts,
    Decided,
    byte_motions,
    decided,
    scratch_facts,
)
from snippets_mlir.passes.lir.kernel_passes import KernelPlanPass
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError

Motions = dict[int, tuple[Dim, Dim]]
"""For each loop: bytes per unit of its counter, and bytes after its end."""


def motions_of(facts: BufferFacts) -> Motions:
    """How each loop around an access of a buffer moves its pointer."""
    motions: Motions = {}
    for access in facts.accesses:
        for loop, motion in byte_motions(access).items():
            if motions.setdefault(loop, motion) != motion:
                raise CompileError(
                    f"expected all accesses of a buffer to move its pointer alike in loop {loop}, "
                    f"found {motions[loop]} and {motion} bytes per unit and after the end; "
                    "run lir-init-loops again, or read one of them through a buffer of its own",
                    **position_of(access),
                )
    return motions


def conflict(a: Motions, b: Motions) -> bool:
    """Whether two buffers need separate pointers (G1)."""
    return any(a[loop] != b[loop] for loop in a.keys() & b.keys())


def colour(motions: Sequence[Motions]) -> list[int]:
    """The group of each buffer: the first one without a conflict."""
    groups: list[list[Motions]] = []
    colours: list[int] = []
    for own in motions:
        fitting = (i for i, group in enumerate(groups) if not any(conflict(own, m) for m in group))
        colours.append(next(fitting, len(groups)))
        if colours[-1] == len(groups):
            groups.append([])
        groups[colours[-1]].append(own)
    return colours


def plan_reg_groups(facts: Sequence[BufferFacts]) -> Decided:
    """The register group of each buffer."""
    return decided("reg_group", facts, colour([motions_of(buffer) for buffer in facts]))


@dataclass(frozen=True)
class LirSetBufferRegGroupPass(KernelPlanPass[Decided]):
    """Group the buffers that can share a pointer register."""

    name = "lir-set-buffer-reg-group"
    STAGES: ClassVar[Stages] = Stages(("looped",))

    def plan(self, unit: KernelOp) -> Decided:
        """The group of each buffer in the scratchpad."""
        return plan_reg_groups(scratch_facts(unit))

    @override
    def carry_out(self, unit: KernelOp, plan: Decided) -> None:
        plan.write(unit)
