"""Place each cluster of buffers in the thread's scratchpad, and compute the scratchpad's size.

    %b = lir.buffer ... {size = 1200 : i64, cluster = 0 : i64, ...}

gets `offset = 0 : i64`, and the kernel `lir.scratch = 1216 : i64` (bytes per thread, a multiple of
64) and `lir.scratch_bound = 1216 : i64`, the most bytes alive at one time: no placement of these
clusters takes less. A cluster is as large as its largest member and lives from the first to the
last place where a member lives. Clusters that are never alive together may share bytes. Offsets are
multiples of 64. For up to 8 clusters the placement is optimal (`memory_solver.py`).
`lir-print-buffers` prints both numbers. Source: the guide's SolveBufferMemory, whose alignment is
32.

If a size is dynamic, the clusters lie one after another. Their offsets and the scratchpad's size
are symbols (`dialects/builtin/slots.py`), computed from the sizes in `lir.clusters`.

Refuses buffers without `size` or `cluster`: run lir-allocate-buffers, which runs all parts.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import ClassVar, TypeVar

from typing_extensions import override
from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, i64

from snippets_mlir.dialects.builtin.dims import (
    Dim,
    Size,
    format_size,
    known_max,
    static_size,
    symbol,
)
from snippets_mlir.dialects.builtin.size_facts import has_symbols
from snippets_mlir.dialects.builtin.sizes import size_attr
from snippets_mlir.dialects.builtin.slots import FIRST_OFFSET, SCRATCH
from snippets_mlir.dialects.lir.buffer import CLUSTERS, SCRATCH_BOUND, BufferOp
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.lir.buffer_facts import ALIGNMENT, BufferFacts, Decided, scratch_facts
from snippets_mlir.passes.lir.kernel_passes import KernelPlanPass
from snippets_mlir.passes.lir.memory_solver import Box, pack
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError

T = TypeVar("T")


@dataclass(frozen=True)
class Cluster:
    """Buffers in one place of memory.

    Attributes:
        number: its number.
        buffers: their numbers.
        start: the first place in the kernel's list of ops at which a member is alive.
        end: the last one.
        size: bytes of the largest.
    """

    number: int
    buffers: tuple[int, ...]
    start: int
    end: int
    size: Dim


@dataclass(frozen=True)
class Memory:
    """The places of the clusters of a kernel.

    Attributes:
        clusters: by their first buffers.
        offsets: of each cluster.
        scratch: bytes of the scratchpad.
        bound: a lower bound on the bytes of any placement, if known.
    """

    clusters: tuple[Cluster, ...]
    offsets: tuple[Dim, ...]
    scratch: Dim
    bound: int | None = None

    def __str__(self) -> str:
        if not self.clusters:
            return "no buffer is in the scratchpad"
        least = "" if self.bound is None else f", {self.bound} at least"
        lines = [
            f"cluster {c.number}: {format_size(c.size)} bytes at {format_size(offset)}, "
            f"alive {c.start} to {c.end}, of buffers {', '.join(map(str, c.buffers))}"
            for c, offset in zip(self.clusters, self.offsets, strict=True)
        ]
        return "\n".join([*lines, f"{format_size(self.scratch)} bytes of scratchpad{least}"])

    def write(self, kernel: KernelOp) -> None:
        """Write `offset` on the buffers and the scratchpad's size on the kernel."""
        if not self.clusters:
            return
        places = zip(self.clusters, self.offsets, strict=True)
        Decided("offset", tuple((b, at) for c, at in places for b in c.buffers)).write(kernel)
        kernel.set_scratch(self.scratch)
        if self.bound is not None:
            kernel.attributes[SCRATCH_BOUND] = IntegerAttr(self.bound, i64)
        if isinstance(self.scratch, Size):
            kernel.attributes[CLUSTERS] = ArrayAttr([size_attr(c.size) for c in self.clusters])


def clusters_of(facts: Iterable[BufferFacts], decided: Iterable[tuple[Dim, int]]) -> list[Cluster]:
    """The clusters of buffers with the `decided` sizes and clusters."""
    found: dict[int, Cluster] = {}
    for buffer, (size, number) in zip(facts, decided, strict=True):
        known = found.get(number, Cluster(number, (), buffer.start, buffer.end, size))
        start, end = min(known.start, buffer.start), max(known.end, buffer.end)
        members, size = (*known.buffers, buffer.number), known_max(known.size, size)
        found[number] = Cluster(number, members, start, end, size)
    return list(found.values())


def in_a_row(clusters: Sequence[Cluster]) -> Memory:
    """The clusters one after another, by symbols if a size is dynamic."""
    if has_symbols(cluster.size for cluster in clusters):
        symbols = tuple(symbol(FIRST_OFFSET + index) for index in range(len(clusters)))
        return Memory(tuple(clusters), symbols, symbol(SCRATCH))
    sizes = [-(-static_size(cluster.size) // ALIGNMENT) * ALIGNMENT for cluster in clusters]
    *offsets, end = accumulate(sizes, initial=0)
    return Memory(tuple(clusters), tuple(offsets), end or ALIGNMENT)


def plan_memory(clusters: Sequence[Cluster]) -> Memory:
    """The clusters at the places of least memory, or in a row if a size is dynamic."""
    if has_symbols(cluster.size for cluster in clusters):
        return in_a_row(clusters)
    packing = pack([Box(c.start, c.end, static_size(c.size)) for c in clusters], ALIGNMENT)
    height = packing.height or ALIGNMENT  # an address even for empty buffers
    return Memory(tuple(clusters), packing.offsets, height, packing.lower_bound)


def _found(buffer: BufferOp, name: str, value: T | None, maker: str) -> T:
    if value is None:
        raise CompileError(
            f"expected lir.buffer to have `{name}`, found none; run {maker} first",
            **position_of(buffer),
        )
    return value


def _decided(buffer: BufferOp) -> tuple[Dim, int]:
    """The size and the cluster of a buffer; an error names the pass that sets them."""
    size, cluster = buffer.decided_size("size"), buffer.decided("cluster")
    return (
        _found(buffer, "size", size, "lir-compute-buffer-allocation-size"),
        _found(buffer, "cluster", cluster, "lir-define-buffer-clusters"),
    )


@dataclass(frozen=True)
class LirSolveBufferMemoryPass(KernelPlanPass[Memory]):
    """Place clusters of buffers in the scratchpad."""

    name = "lir-solve-buffer-memory"
    STAGES: ClassVar[Stages] = Stages(("looped",))

    @override
    def plan(self, unit: KernelOp) -> Memory:
        facts = scratch_facts(unit)
        return plan_memory(clusters_of(facts, [_decided(f.buffer) for f in facts]))

    def carry_out(self, unit: KernelOp, plan: Memory) -> None:
        """Write the offsets and the scratchpad's size."""
        plan.write(unit)
