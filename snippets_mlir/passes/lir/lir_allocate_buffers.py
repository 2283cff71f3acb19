"""Give every buffer its size, pointer register group, cluster and place in the scratchpad.

Runs, on each kernel, lir-compute-buffer-allocation-size, lir-set-buffer-reg-group,
lir-define-buffer-clusters and lir-solve-buffer-memory:

    %b = lir.buffer %s {lir.loops = ..., lir.ports = ...} : tensor<4x300xf32>    becomes
    %b = lir.buffer %s {size = 1200 : i64, reg_group = 0 : i64, cluster = 0 : i64,
                        offset = 0 : i64, lir.loops = ..., lir.ports = ...} : tensor<4x300xf32>

and the kernel gets `lir.scratch`. With `optimized=false` every buffer has a group, a cluster and
bytes of its own: the results have to be the same, so that a wrong one tells which side is at fault.
Source: the guide's AllocateBuffers (reference 2.22).
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from snippets_mlir.dialects.builtin.dims import Size, static_size
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.kernels import for_each_kernel
from snippets_mlir.passes.lir.buffer_facts import ALIGNMENT, scratch_facts
from snippets_mlir.passes.lir.lir_compute_buffer_allocation_size import compute_sizes
from snippets_mlir.passes.lir.lir_define_buffer_clusters import define_clusters
from snippets_mlir.passes.lir.lir_set_buffer_reg_group import set_reg_groups
from snippets_mlir.passes.lir.lir_solve_buffer_memory import (
    place_dynamic,
    required_size,
    solve_memory,
)


def _allocate(kernel: KernelOp) -> None:
    compute_sizes(kernel)
    set_reg_groups(kernel)
    define_clusters(kernel)
    solve_memory(kernel)


def _allocate_apart(kernel: KernelOp) -> None:
    compute_sizes(kernel)
    offset = 0
    facts = scratch_facts(kernel)
    if any(isinstance(buffer.buffer.decided_size("size"), Size) for buffer in facts):
        for index, buffer in enumerate(facts):
            buffer.buffer.decide("reg_group", index)
            buffer.buffer.decide("cluster", index)
        place_dynamic(kernel, facts)
        return
    for index, buffer in enumerate(facts):
        buffer.buffer.decide("reg_group", index)
        buffer.buffer.decide("cluster", index)
        buffer.buffer.decide("offset", offset)
        size = static_size(required_size(buffer.buffer))
        offset += -(-size // ALIGNMENT) * ALIGNMENT
    if facts:
        kernel.set_scratch(offset or ALIGNMENT)


@dataclass(frozen=True)
class LirAllocateBuffersPass(ModulePass):
    """Allocate the buffers of kernels."""

    name = "lir-allocate-buffers"

    optimized: bool = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Allocate the buffers of every kernel at stage `looped`."""
        for_each_kernel(op, ("looped",), _allocate if self.optimized else _allocate_apart)
