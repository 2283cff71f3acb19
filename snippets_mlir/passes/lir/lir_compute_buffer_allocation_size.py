"""Write the size of each buffer in bytes.

    %b = lir.buffer %s {lir.ports = [..., #lir.port<[1, 300], sub [8]>], ...} : tensor<4x300xf32>

gets `size = 1200 : i64`: the elements of its result's port times the bytes of one element; i1 takes
a byte. lir-insert-buffers has given the port size 1 in the dims that only the buffer's own loops
walk. A masked access stores a tail, so nothing is added for it. Source: the guide's
ComputeBufferAllocationSize.
"""

from dataclasses import dataclass
from typing import ClassVar

from typing_extensions import override
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.builtin.dims import Dim
from snippets_mlir.dialects.lir.buffer import BufferOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.lir.buffer_facts import buffer_bytes
from snippets_mlir.passes.lir.kernel_passes import KernelPatternPass
from snippets_mlir.passes.patterns import Pattern


class BufferSize(Pattern[BufferOp, Dim]):
    """The size of a buffer is the elements of its port times the bytes of one."""

    name = "buffer-size"
    ops = (BufferOp,)

    @override
    def match(self, op: BufferOp) -> Dim:
        return buffer_bytes(op)

    def rewrite(self, op: BufferOp, match: Dim, rewriter: PatternRewriter) -> None:
        """Decide the buffer's `size`, in bytes."""
        op.decide("size", match)


@dataclass(frozen=True)
class LirComputeBufferAllocationSizePass(KernelPatternPass):
    """Compute the bytes of each buffer."""

    name = "lir-compute-buffer-allocation-size"
    STAGES: ClassVar[Stages] = Stages(("looped",))
    PATTERNS = (BufferSize,)
