"""Jam loops: run several iterations of an outer loop in one pass of the inner loops.

Three kinds of loops are jammed. The first kind encloses a loop that reads the lanes of a transposed
array one by one, and walks the dim that is contiguous in that array:

    #lir.loop<0, work 96, inc 1, dim 1, parallel>    #lir.loop<0, work 96, inc 1, dim 1, parallel>
    #lir.loop<1, work 64, inc 8, dim 0>              #lir.loop<1, work 64, inc 8, dim 0>
                                                     #lir.loop<2, work 96, inc 4, dim 1, parallel,
                                                     unrolled of 0>
    lir.loop_begin 0                                 lir.loop_begin 2
    lir.loop_begin 1                                 lir.loop_begin 1
    %x = lir.load %t {count = 8}                     %x = lir.load %t {count = 8}
    lir.store %x                           becomes   %y = lir.load %t {count = 8, offset = 1}
    lir.loop_end 1                                   %z = lir.load %t {count = 8, offset = 2}
    lir.loop_end 0                                   %w = lir.load %t {count = 8, offset = 3}
                                                     lir.store %x
                                                     lir.store %y {count = 8, offset = 64}
                                                     ...

Neighbours that read one tile stand side by side (`analysis/kernels/load_tiles.py`): they are
emitted as loads of contiguous pieces and shuffles.

The second kind is the loop over vectors around a reduction over another dim. Each of its iterations
gets accumulators of its own, and a row is read 16 vectors at a time (8 with fewer registers)
instead of one vector at a time.

The third kind are loops of a matrix product that the table marks with `jam`: lir-brgemm-blocking
has chosen the factor. The loop over vectors is jammed first, then the loop over rows. So a step
reads all vectors of the right operand first, and each row's element is live until its products are
computed. No other loop of such a kernel is jammed.

The remainder of a known work is one iteration of its own, the last part: 14 columns of 8 lanes are
two vectors, and the second one counts 6 elements. If the work is known only at run time, or is that
of blocks with different remainders, a second part has one iteration at a time. If the number of a
product's rows is dynamic and threads do not share them, the rows go by 4, then once by 3 if their
number is odd, then by 2. Any number but 1, which is no dynamic size, then takes as few passes over
the right operand as tiles of at most four rows can. If there may be one row (`snippets.may_be_one`
of the module, as in ONNX models), 2 are taken together if the tile has an even number of rows, then
one by one. Rows in blocks, and rows that threads share, are also taken several at a time: the
largest number below the tile's that divides it. Each term keeps its accumulator and its place in
the order of terms. The factor is the largest of 16, 8, 4 and, for reductions, 2

* that the loop has enough iterations for, and `2 * threads` times as many if threads share it. If
  the inner loops carry values, it is 8 times for any number of threads, so that the order of a sum
  does not depend on it; with fewer than 8 iterations of outer parallel loops, the factor leaves no
  remainder,
* that leaves at most `max-ops` ops in the loop,
* under which each value that the inner loops carry has a register.

Leaves loops whose work or row distance is known only at run time; loops that carry values
themselves, or in which a buffer lives (each iteration would need its own); loops of blocks or with
handlers; parallel loops inside of others, if the outer ones have too little work for the threads.
Refuses no kernel. Source: unroll-and-jam (Callahan, Cocke, Kennedy 1988), and LLVM's pass of that
name.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import ClassVar

from typing_extensions import override
from xdsl.dialects.builtin import ModuleOp

from snippets_mlir.analysis.kernels.register_tiles import ANY_ROWS
from snippets_mlir.dialects.builtin.dims import Size
from snippets_mlir.dialects.builtin.size_estimates import assumed
from snippets_mlir.dialects.builtin.size_facts import never_one
from snippets_mlir.dialects.builtin.sizes import MAY_BE_ONE
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.dialects.lir.markers import LoopBeginOp, LoopEndOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.lir.jam_nests import Nests, plan_factor
from snippets_mlir.passes.lir.kernel_passes import KernelPlanPass
from snippets_mlir.passes.lir.loop_jamming import Jam, jam
from snippets_mlir.passes.lir.loop_unrolling import left_over, may_be_short, may_leave
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.walking import module_of
from snippets_mlir.targets.attributes import machine_of, threads_of


def planned_jam(loop: LoopInfo, table: dict[int, LoopInfo], *, one: bool) -> Jam:
    """The plan for a loop with a factor in the table; `one`: a call may have one row."""
    short = may_be_short(loop, table) and may_leave(loop, loop.jam * loop.increment, table)
    shared = loop.parallel
    if not loop.dynamic:
        rest = left_over(loop, loop.jam, table)
        idle = shared and assumed(loop.work_amount) < loop.jam * loop.increment
        return Jam(loop, loop.jam, shared, short, left=0 if idle else rest)
    if loop.dim == 0:
        return Jam(loop, loop.jam, shared, short)
    if loop.jam == ANY_ROWS and has_any_rows(loop) and not one:
        return Jam(loop, loop.jam, shared, short, (3, 2), exact=True)
    if one and has_any_rows(loop) and loop.jam % 2 == 0:
        return Jam(loop, loop.jam, shared, short, (2,) if loop.jam > 2 else ())
    divisors = (n for n in range(loop.jam // 2, 1, -1) if loop.jam % n == 0)
    return Jam(loop, loop.jam, shared, short, tuple(divisors)[:1])


def has_any_rows(loop: LoopInfo) -> bool:
    """Whether a loop over rows has any number of rows but 1, and one thread runs all."""
    alone = loop.inner_of is None and not loop.parallel
    return alone and isinstance(loop.work_amount, Size) and never_one(loop.work_amount)


def _is_copy(loop: LoopInfo, planned: LoopInfo) -> bool:
    """Whether `loop` is the planned one, or a copy of it from jamming another loop.

    Loops over the rows of two products in one block of rows differ only in their tiles.
    """
    same = replace(loop, id=planned.id, parallel=planned.parallel) == planned
    return loop.id == planned.id or (same and loop.jam > 1)


@dataclass(frozen=True)
class Jams:
    """The loops of a kernel to jam."""

    loops: tuple[Jam, ...]

    def __str__(self) -> str:
        return "\n".join(map(str, self.loops)) or "no loop is jammed"


@dataclass(frozen=True)
class LirJamLoopsPass(KernelPlanPass[Jams]):
    """Run several iterations of an outer loop in one pass of the inner loops."""

    name = "lir-jam-loops"
    STAGES: ClassVar[Stages] = Stages(("looped",))

    max_ops: int = 128

    @override
    def units(self, module: ModuleOp) -> Iterable[KernelOp]:
        if self.max_ops < 0:
            raise CompileError(f"expected max-ops of 0 or more, found {self.max_ops}")
        return super().units(module)

    def plan(self, unit: KernelOp) -> Jams:
        """The factor of each loop that has one and is in no other such loop."""
        module = module_of(unit)
        files = machine_of(module).register_files
        nests = Nests(unit, files, threads_of(module))
        found: list[Jam] = []
        around: list[LoopInfo] = []
        inside: int | None = None
        if chosen := [loop for loop in nests.table.values() if loop.jam > 1]:
            chosen.sort(key=lambda loop: loop.dim)
            one = MAY_BE_ONE in module.attributes
            return Jams(tuple(planned_jam(it, nests.table, one=one) for it in chosen))
        for op in unit.block.ops:
            if isinstance(op, LoopEndOp):
                around.pop()
                inside = None if inside == op.id else inside
            elif isinstance(op, LoopBeginOp):
                nest = nests.of(op, around) if inside is None else None
                if nest and (factor := plan_factor(nest, files.vectors, self.max_ops)) > 1:
                    found.append(Jam(nest.loop, factor, shared=nest.whole or not around))
                    inside = op.id
                around.append(nests.table[op.id])
        return Jams(tuple(found))

    @override
    def carry_out(self, unit: KernelOp, plan: Jams) -> None:
        if plan.loops:
            table = unit.loop_table
            for it in plan.loops:
                table[it.loop.id] = loop = replace(it.loop, jam=1)
                begins = [op for op in unit.block.ops if isinstance(op, LoopBeginOp)]
                for begin in begins:
                    if _is_copy(table[begin.id], it.loop):
                        jam(begin, replace(it, loop=replace(loop, id=begin.id)), table)
            unit.set_loops(list(table.values()))
