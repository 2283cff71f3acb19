"""Write the size of each buffer in bytes.

    %b = lir.buffer %s {lir.ports = [..., #lir.port<[1, 300], sub [8]>], ...} : tensor<4x300xf32>

gets `size = 1200 : i64`: the elements of the port of its result, which has size 1 in the dims that
only the buffer's own loops walk (lir-insert-buffers saw to that), by the bytes of one element; i1
takes a byte. A tail is stored by a masked access, so nothing is added for it. Source: the guide's
ComputeBufferAllocationSize (reference 2.22).
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from snippets_mlir.dialects.lir.buffer import BufferOp
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.kernels import for_each_kernel
from snippets_mlir.passes.lir.buffer_facts import buffer_bytes


def compute_sizes(kernel: KernelOp) -> None:
    """Write `size` on the buffers of `kernel`."""
    for op in kernel.block.ops:
        if isinstance(op, BufferOp):
            op.decide("size", buffer_bytes(op))


@dataclass(frozen=True)
class LirComputeBufferAllocationSizePass(ModulePass):
    """Compute the sizes of buffers."""

    name = "lir-compute-buffer-allocation-size"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Write the sizes in every kernel at stage `looped`."""
        for_each_kernel(op, ("looped",), compute_sizes)
