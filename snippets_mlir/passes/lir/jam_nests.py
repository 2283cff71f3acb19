"""Find the outer loops that gain from jamming, and the factor of each.

    #lir.loop<0, work 96, inc 1, dim 1>     reads tiles of a transposed array: 16, 8 or 4
    #lir.loop<1, work 64, inc 8, dim 0>     its vectors are summed by the loop inside: 16, 8, 4 or 2

`lir_jam_loops.py` has the rules; this module changes no kernel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

from xdsl.ir import Operation

from snippets_mlir.analysis.kernels.live_ranges import port_of
from snippets_mlir.analysis.kernels.load_tiles import is_apart, rows_of
from snippets_mlir.analysis.kernels.register_files import RegisterFiles
from snippets_mlir.dialects.builtin.dims import Dim, Size
from snippets_mlir.dialects.builtin.shaped import element_bytes
from snippets_mlir.dialects.builtin.size_estimates import assumed
from snippets_mlir.dialects.builtin.size_facts import known_multiple
from snippets_mlir.dialects.lir.buffer import BufferOp
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.dialects.lir.markers import LoopBeginOp, LoopMarkerOp
from snippets_mlir.dialects.lir.memory import LoadOp, MemoryAccessOp
from snippets_mlir.dialects.lir.perf_count import PerfCountOp
from snippets_mlir.dialects.lir.pointers import buffer_of, memory_port
from snippets_mlir.passes.lir.loop_copies import loop_body

FACTORS = (16, 8, 4, 2)
"""The factors to try, best first."""
SHARES = 8
"""The least parts of a sum's columns, if there are enough, for any number of threads."""


@dataclass(frozen=True)
class Nest:
    """The facts for the choice of a factor.

    Attributes:
        loop: the outer loop.
        tile: the number of its iterations that read one tile of a transposed array; 1 for none.
        ops: the number of its ops.
        carried: vector registers of the values that the inner loops carry.
        shares: the least iterations of the loop for the threads; 1 if they do not share it.
        whole: whether there must be no remainder, because threads also share outer loops.
    """

    loop: LoopInfo
    tile: int
    ops: int
    carried: int
    shares: int = 1
    whole: bool = False


def plan_factor(nest: Nest, registers: int, max_ops: int) -> int:
    """The largest factor that `nest` has enough iterations, ops and registers for; 1 for none."""
    work = nest.loop.work_amount
    iterations = assumed(work) // nest.loop.increment
    least = nest.tile if nest.tile > 1 else 2
    for factor in FACTORS:
        if (
            factor >= least
            and iterations // factor >= min(nest.shares, iterations // least)
            and iterations >= factor
            and (not nest.whole or known_multiple(work, factor * nest.loop.increment))
            and factor * nest.ops <= max_ops
            and factor * nest.carried <= registers
        ):
            return factor
    return 1


def _may_be_jammed(loop: LoopInfo, ops: Sequence[Operation], table: dict[int, LoopInfo]) -> bool:
    """Whether several iterations of a loop can run together at all."""
    begin = ops[0]
    if loop.iteration != "unified" or loop.handlers or loop.dynamic or begin.operands:
        return False
    if loop.inner_of is not None or any(info.inner_of == loop.id for info in table.values()):
        return False
    return not any(
        isinstance(op, PerfCountOp | BufferOp)
        or (isinstance(op, MemoryAccessOp) and not _can_be_offset(op, loop))
        for op in ops
    )


def _can_be_offset(access: MemoryAccessOp, loop: LoopInfo) -> bool:
    """Whether the offset of another iteration's access is a number: not in a buffer."""
    return buffer_of(access) is None and not isinstance(_step(access, loop), Size)


def _step(access: MemoryAccessOp, loop: LoopInfo) -> Dim:
    """How far an access moves with each iteration of `loop`, in elements."""
    for motion in memory_port(access).loops:
        if motion.loop == loop.id:
            return motion.pointer_increment * loop.increment
    return 0


def _tile(loop: LoopInfo, loads: Sequence[LoadOp]) -> int:
    """The number of iterations of `loop` that read a tile of transposed arrays."""
    return max((rows_of(op) for op in loads if _step(op, loop) == 1), default=1)


def _reduces_columns(loop: LoopInfo, loads: Sequence[LoadOp], ops: Sequence[Operation]) -> bool:
    """Whether `loop` goes by vectors, and its inner loops only combine values that they read."""
    carries = any(isinstance(op, LoopBeginOp) and op.operands for op in ops)
    moving = [op for op in loads if _step(op, loop) != 0]
    return (
        carries
        and loop.dim == 0
        and loop.increment > 1
        and bool(moving)
        and all(not is_apart(op) and _step(op, loop) == loop.increment for op in moving)
    )


def _carried(ops: Sequence[Operation], vector_bits: int) -> int:
    """The vector registers of the values that loops in `ops` carry."""
    found = 0
    for op in ops:
        if isinstance(op, LoopBeginOp):
            for value in op.carried:
                bits = port_of(value).lanes * element_bytes(value) * 8
                found += -(-bits // vector_bits)
    return found


class Nests:
    """Describes the outer loops of a kernel."""

    def __init__(self, kernel: KernelOp, files: RegisterFiles, threads: int) -> None:
        self.table = kernel.loop_table
        self.files = files
        self.threads = threads

    def of(self, begin: LoopBeginOp, around: Sequence[LoopInfo]) -> Nest | None:
        """The nest that begins at `begin`, inside of `around`; None if jamming gains nothing."""
        loop, ops = self.table[begin.id], loop_body(begin)
        if not any(isinstance(op, LoopBeginOp) for op in ops[1:]):
            return None
        loads = [op for op in ops if isinstance(op, LoadOp)]
        tile = _tile(loop, loads)
        if tile == 1 and not _reduces_columns(loop, loads, ops):
            return None
        if not _may_be_jammed(loop, ops, self.table):
            return None
        inside = [op for op in ops if not isinstance(op, LoopMarkerOp)]
        carried = _carried(ops, self.files.vector_bits)
        nest = Nest(loop, tile, len(inside), carried)
        if not loop.parallel:
            return nest
        outer = assumed(prod(info.work_amount for info in around if info.parallel))
        if carried:
            few = bool(around) and outer < SHARES
            return replace(nest, shares=-(-SHARES // max(1, outer)), whole=few)
        if around and outer % self.threads and outer < 4 * self.threads:
            return None
        return nest if around else replace(nest, shares=2 * self.threads)
