"""Kernels whose ranges the runtime may begin at a cache line, and the array to align.

    lir.loop_begin 0     // #lir.loop<0, work 4096, inc 16, dim 0, parallel>
    lir.load %x {count = 16}          // ptr 1: element i of %x for element i of the domain
    16 vector instructions or more
    lir.store                         // ptr 1
    lir.loop_end 0

gives `(0, 4)`: a vector of `%x`, array 0 of the kernel, fills a cache line, and its elements have 4
bytes. An unaligned vector of 64 bytes always spans two lines. If the second line is late, the
instructions that wait for the load are issued again, which blocks execution units. A loop bound by
memory is not affected. `codegen/stubs/ranges.py` documents how such a range runs: some elements are
computed twice, and ranges begin anywhere. So:

* A1: one parallel loop over elements, with or without a tail, and no other loop. Unrolled loops are
  excluded: they compute little, and have long grains.
* A2: no buffers, no spilled registers, no counters and no segfault detector.
* A3: loads and stores access neighbours, and advance by one element per element of the domain;
  broadcast loads do not advance.
* A4: no stores that always bypass the caches: `align-nontemporal-stores` aligns those. If the
  length of a range decides, both mechanisms work, one after the other.
* A5: the machine's vectors have 64 bytes, and an input is loaded in whole vectors. The first such
  input counts.
* A6: a vector costs `INSTRUCTIONS` vector instructions or more.
"""

from __future__ import annotations

from xdsl.ir import BlockArgument

from snippets_mlir.analysis.kernels.kernel_cost import PICOSECONDS
from snippets_mlir.dialects.builtin.shaped import element_bytes
from snippets_mlir.dialects.lir.access import output_ports, view_source
from snippets_mlir.dialects.lir.aligned import LINE
from snippets_mlir.dialects.lir.buffer import BufferOp
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.dialects.lir.memory import BroadcastLoadOp, LoadOp, MemoryAccessOp, StoreOp
from snippets_mlir.dialects.lir.perf_count import PerfCountBeginOp
from snippets_mlir.dialects.lir.pointers import memory_port
from snippets_mlir.dialects.lir.sites import SITE

INSTRUCTIONS = 16
"""Vector instructions from which a loop computes more than it waits for memory."""

_NOT_REPEATED = frozenset((BufferOp.name, PerfCountBeginOp.name))
_ACCESSES = frozenset((LoadOp.name, BroadcastLoadOp.name, StoreOp.name))


def _steps_through(access: MemoryAccessOp) -> bool:
    """A3, of an access in the loop."""
    port = memory_port(access)
    increments = [motion.pointer_increment for motion in port.loops]
    if isinstance(access, BroadcastLoadOp):
        return not any(increments)
    return increments == [1] and port.stride(len(port.shape) - 1) == 1


def _is_flat(loop: LoopInfo) -> bool:
    """A1, of a loop or its parts."""
    return loop.parallel and not loop.dim and loop.iteration in ("unified", "main", "last")


def _accesses(kernel: KernelOp) -> list[MemoryAccessOp] | None:
    """A1 to A4: the accesses in the loop; None for another kernel."""
    loops = kernel.loop_table.values()
    if len({loop.unified_id for loop in loops}) != 1 or kernel.scratch != 0:
        return None
    if not all(map(_is_flat, loops)):
        return None
    accesses: list[MemoryAccessOp] = []
    for op in kernel.block.ops:
        if op.name in _NOT_REPEATED or SITE in op.attributes:
            return None
        if op.name in _ACCESSES:
            assert isinstance(op, MemoryAccessOp)
            if memory_port(op).loops:
                accesses.append(op)
    if not all(map(_steps_through, accesses)):
        return None
    stores = (op for op in accesses if isinstance(op, StoreOp))
    if any(op.nontemporal is not None and op.nontemporal_from is None for op in stores):
        return None
    return accesses


def aligned_array(kernel: KernelOp, cost: int, vector: int) -> tuple[int, int] | None:
    """The number of the array to align to a cache line and the bytes of its elements, or None.

    `cost` is the kernel's `kernel_cost`, `vector` the bytes of the machine's vectors.
    """
    if vector != LINE:
        return None
    for access in _accesses(kernel) or ():
        if isinstance(access, LoadOp):
            size, lanes = element_bytes(access.source), output_ports(access)[0].lanes
            if size * lanes % LINE == 0:
                array = view_source(access.source)
                assert isinstance(array, BlockArgument)
                computes = cost * lanes >= INSTRUCTIONS * PICOSECONDS
                return (array.index, size) if computes else None
    return None
