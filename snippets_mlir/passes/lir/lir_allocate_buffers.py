"""Give every buffer its size, pointer register group, cluster and place in the scratchpad.

Runs on each kernel: lir-compute-buffer-allocation-size, lir-set-buffer-reg-group,
lir-define-buffer-clusters and lir-solve-buffer-memory:

    %b = lir.buffer %s {lir.loops = ..., lir.ports = ...} : tensor<4x300xf32>    becomes
    %b = lir.buffer %s {size = 1200 : i64, reg_group = 0 : i64, cluster = 0 : i64,
                        offset = 0 : i64, lir.loops = ..., lir.ports = ...} : tensor<4x300xf32>

and the kernel gets `lir.scratch`. With `optimized=false` every buffer has a group, a cluster and
bytes of its own. The results have to be the same, so a difference points to the buffer
optimization. Source: the guide's AllocateBuffers.
"""

from dataclasses import dataclass
from typing import ClassVar

from snippets_mlir.dialects.builtin.dims import static_size
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.lir.buffer_facts import Decided, buffer_bytes, decided, facts_of
from snippets_mlir.passes.lir.kernel_passes import KernelPlanPass
from snippets_mlir.passes.lir.lir_define_buffer_clusters import plan_clusters
from snippets_mlir.passes.lir.lir_set_buffer_reg_group import plan_reg_groups
from snippets_mlir.passes.lir.lir_solve_buffer_memory import (
    Memory,
    clusters_of,
    in_a_row,
    plan_memory,
)


@dataclass(frozen=True)
class Allocation:
    """All decisions for the buffers of a kernel.

    Attributes:
        decided: sizes, register groups and clusters.
        memory: the places of the clusters.
    """

    decided: tuple[Decided, ...]
    memory: Memory

    def __str__(self) -> str:
        return "\n".join(map(str, (*self.decided, self.memory)))


@dataclass(frozen=True)
class LirAllocateBuffersPass(KernelPlanPass[Allocation]):
    """Allocate the buffers of kernels."""

    name = "lir-allocate-buffers"
    STAGES: ClassVar[Stages] = Stages(("looped",))

    optimized: bool = True

    def plan(self, unit: KernelOp) -> Allocation:
        """The plans of the four passes, each from the previous ones."""
        every = facts_of(unit)
        sizes = decided("size", every, [buffer_bytes(buffer.buffer) for buffer in every])
        facts = [buffer for buffer in every if buffer.buffer.output is None]
        if self.optimized:
            groups, clusters = plan_reg_groups(facts), plan_clusters(unit, facts)
        else:
            groups, clusters = (
                decided(name, facts, range(len(facts))) for name in ("reg_group", "cluster")
            )
        bytes_of = dict(sizes.values)
        members = clusters_of(facts, [(bytes_of[b], static_size(n)) for b, n in clusters.values])
        memory = plan_memory(members) if self.optimized else in_a_row(members)
        return Allocation((sizes, groups, clusters), memory)

    def carry_out(self, unit: KernelOp, plan: Allocation) -> None:
        """Write everything on the buffers and the kernel."""
        for part in plan.decided:
            part.write(unit)
        plan.memory.write(unit)
