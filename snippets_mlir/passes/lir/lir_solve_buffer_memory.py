"""Say where in the thread's scratchpad each cluster of buffers lies, and how large that is.

    %b = lir.buffer ... {size = 1200 : i64, cluster = 0 : i64, ...}

gets `offset = 0 : i64`, and the kernel `lir.scratch = 1216 : i64` (bytes per thread, a multiple of
64) and `lir.scratch_bound = 1216 : i64`, below which no placement of these clusters can be: the
most bytes alive at one time. A cluster is as large as its largest member and lives from the first
to the last place where one of them does; clusters that are never alive together may share bytes.
Offsets are multiples of 64. Up to 8 clusters the placement is the best one (`memory_solver.py`).
`lir-print-buffers` prints both numbers. Source: the guide's SolveBufferMemory (reference 2.25),
whose alignment is 32.

If a size is dynamic, the clusters lie one after the other: their offsets and the
scratchpad's size are symbols (`dialects/builtin/slots.py`), and `lir.clusters` holds the sizes that
they are computed from.

Refuses buffers without `size` or `cluster`: run lir-allocate-buffers, which has all the parts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, ModuleOp, i64
from xdsl.passes import ModulePass

from snippets_mlir.dialects.builtin.dims import (
    Dim,
    has_symbols,
    known_max,
    static_size,
    symbol,
)
from snippets_mlir.dialects.builtin.sizes import size_attr
from snippets_mlir.dialects.builtin.slots import FIRST_OFFSET, SCRATCH
from snippets_mlir.dialects.lir.buffer import CLUSTERS, SCRATCH_BOUND, BufferOp
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.kernels import for_each_kernel
from snippets_mlir.passes.lir.buffer_facts import ALIGNMENT, BufferFacts, scratch_facts
from snippets_mlir.passes.lir.memory_solver import Box, Packing, pack
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError

T = TypeVar("T")


def required_size(buffer: BufferOp) -> Dim:
    """The bytes of `buffer`; an error names the pass that sets them."""
    value = buffer.decided_size("size")
    return _found(buffer, "size", value, "lir-compute-buffer-allocation-size")


def _found(buffer: BufferOp, name: str, value: T | None, maker: str) -> T:
    if value is None:
        raise CompileError(
            f"expected lir.buffer to have `{name}`, found none; run {maker} first",
            **position_of(buffer),
        )
    return value


def cluster_sizes(facts: Sequence[BufferFacts]) -> dict[int, Dim]:
    """The bytes of each cluster: those of its largest buffer."""
    sizes: dict[int, Dim] = {}
    for buffer in facts:
        size, cluster = required_size(buffer.buffer), _cluster(buffer)
        sizes[cluster] = known_max(sizes.get(cluster, size), size)
    return sizes


def _cluster(buffer: BufferFacts) -> int:
    cluster = buffer.buffer.decided("cluster")
    return _found(buffer.buffer, "cluster", cluster, "lir-define-buffer-clusters")


def boxes_of(facts: Sequence[BufferFacts]) -> dict[int, Box]:
    """One box per cluster: its largest size and its whole life; the sizes are static."""
    boxes: dict[int, Box] = {}
    sizes = cluster_sizes(facts)
    for buffer in facts:
        cluster = _cluster(buffer)
        size = static_size(sizes[cluster])
        box = boxes.get(cluster, Box(buffer.start, buffer.end, size))
        boxes[cluster] = Box(min(box.start, buffer.start), max(box.end, buffer.end), size)
    return boxes


def place_clusters(kernel: KernelOp, facts: Sequence[BufferFacts]) -> Packing:
    """Write `offset` on the buffers and the scratchpad's size on the kernel."""
    boxes = boxes_of(facts)
    packing = pack(list(boxes.values()), ALIGNMENT)
    offsets = dict(zip(boxes, packing.offsets, strict=True))
    for buffer in facts:
        cluster = buffer.buffer.decided("cluster")
        assert cluster is not None
        buffer.buffer.decide("offset", offsets[cluster])
    if facts:
        kernel.set_scratch(packing.height or ALIGNMENT)  # an address even for empty buffers
        kernel.attributes[SCRATCH_BOUND] = IntegerAttr(packing.lower_bound, i64)
    return packing


def place_dynamic(kernel: KernelOp, facts: Sequence[BufferFacts]) -> None:
    """Let each call place the clusters one after the other."""
    sizes = cluster_sizes(facts)
    places = {cluster: symbol(FIRST_OFFSET + index) for index, cluster in enumerate(sizes)}
    for buffer in facts:
        cluster = buffer.buffer.decided("cluster")
        assert cluster is not None
        buffer.buffer.decide("offset", places[cluster])
    kernel.set_scratch(symbol(SCRATCH))
    kernel.attributes[CLUSTERS] = ArrayAttr([size_attr(size) for size in sizes.values()])


def solve_memory(kernel: KernelOp) -> None:
    """Place the buffers of `kernel`."""
    facts = scratch_facts(kernel)
    if has_symbols(cluster_sizes(facts).values()):
        place_dynamic(kernel, facts)
    else:
        place_clusters(kernel, facts)


@dataclass(frozen=True)
class LirSolveBufferMemoryPass(ModulePass):
    """Place clusters of buffers in the scratchpad."""

    name = "lir-solve-buffer-memory"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Place the buffers of every kernel at stage `looped`."""
        for_each_kernel(op, ("looped",), solve_memory)
