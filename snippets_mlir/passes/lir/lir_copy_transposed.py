"""Copy blocks of transposed arrays into buffers if `lir-jam-loops` would not read whole lines.

    #lir.loop<0, work 512, inc 1, dim 1, parallel>
    #lir.loop<1, work 1600, inc 16, dim 0>
    %y = snippets.gelu %t {lir.loops = array<i64: 0, 1>}   // #lir.port<[512, 1600], layout [1, 0]>

becomes

    #lir.loop<0, work 512, inc 16, dim 1, parallel>
    #lir.loop<1, work 1600, inc 128, dim 0>
    #lir.loop<2, work 16, inc 1, dim 1, inner of 0, jam 16>
    #lir.loop<3, work 128, inc 16, dim 0, inner of 1>
    #lir.loop<4, work 16, inc 1, dim 1, inner of 0>
    #lir.loop<5, work 128, inc 16, dim 0, inner of 1>
    %c = snippets.broadcast %t {lir.loops = array<i64: 0, 1, 2, 3>}
    %y = snippets.gelu %c {lir.loops = array<i64: 0, 1, 4, 5>}

Each lane of a vector of `%t` is in another cache line. A row of the result uses one element of each
line, and the lines have been evicted when the next row needs them: if an array's rows are a power
of two bytes apart, even a large cache keeps only a few hundred lines, because they share its sets.
So all rows with elements in one line have to be read together. `lir-jam-loops` does that if one
pass of the inner loops has few ops, whose code it repeats for each row, and if the distance of rows
in memory is a number. Elsewhere only the copy is jammed: it has two accesses of known places.
`lir-insert-buffers` gives it a buffer of one block, which stays in the caches:

* a block has the rows of a cache line, or half of them, down to a tile (16 bytes), if threads share
  them and there are few;
* if all ops share the loop over vectors, a row of a block has as many elements as a quarter of the
  first-level cache holds;
* otherwise, as in a softmax or a norm of the rows, it has the whole row, if half of the
  second-level cache holds the block.

The copy only moves elements, so the results do not change. Leaves kernels with products, which copy
their operands by themselves; vectors that form no tiles (`analysis/kernels/load_tiles.py`); loops
with fewer rows than a tile; loops between rows and columns if ops do not share the columns; blocks
that would leave threads idle; reads at computed places; loops over rows that are summed or scanned.
Refuses no kernel.
"""

from dataclasses import dataclass, replace
from typing import ClassVar

from typing_extensions import override
from xdsl.ir import SSAValue

from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.lir.access import loop_ids, set_loop_ids
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.dialects.lir.ports import PortDescriptor
from snippets_mlir.dialects.snippets.conversion import BroadcastOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.lir.editing import insert_before, replace_operand
from snippets_mlir.passes.lir.kernel_passes import KernelPlanPass
from snippets_mlir.passes.lir.transposed_copies import Copies, Read, plan_copies
from snippets_mlir.support.walking import module_of
from snippets_mlir.targets.attributes import machine_of, threads_of


@dataclass(frozen=True)
class CopiedArrays:
    """The transposed arrays of a kernel to copy."""

    made: tuple[Copies, ...]

    def __str__(self) -> str:
        return "\n".join(map(str, self.made)) or "nothing is copied"


@dataclass(frozen=True)
class LirCopyTransposedPass(KernelPlanPass[CopiedArrays]):
    """Copy blocks of transposed arrays."""

    name = "lir-copy-transposed"
    STAGES: ClassVar[Stages] = Stages(("marked",))

    @override
    def plan(self, unit: KernelOp) -> CopiedArrays:
        module = module_of(unit)
        return CopiedArrays(tuple(plan_copies(unit, machine_of(module), threads_of(module))))

    @override
    def carry_out(self, unit: KernelOp, plan: CopiedArrays) -> None:
        table = unit.loop_table
        for copies in plan.made:
            _insert(copies, table)
        if plan.made:
            unit.set_loops(list(table.values()))


def _insert(plan: Copies, table: dict[int, LoopInfo]) -> None:
    """Copy the arrays in each block, before the ops, which get a loop over the rows of a block."""
    table[plan.rows.id] = replace(plan.rows, increment=plan.height, parallel=plan.parallel)
    for id_ in plan.common[plan.common.index(plan.rows.id) + 1 :]:
        table[id_] = replace(table[id_], parallel=False)
    around = plan.common
    if plan.columns is not None:
        around = (*around, plan.columns.id)
        table[plan.columns.id] = replace(plan.columns, increment=plan.width, parallel=False)
    first, nest = plan.ops[0], _rows_of_block(plan, table, jam=plan.together)
    copied: dict[tuple[SSAValue, PortDescriptor], BroadcastOp] = {}
    inner = (*around, nest.id, _columns(plan, plan.reads[0], table).id)
    for read in plan.reads:
        order = replace(read.port, layout=(), strides=())
        if (read.array, read.port) not in copied:
            copy = BroadcastOp(read.array, shape_of(read.array))
            insert_before(first, copy, [read.port, order], inner)
            copied[read.array, read.port] = copy
        replace_operand(read.op, read.index, copied[read.array, read.port].result, order)
    own = _rows_of_block(plan, table)
    tile = () if plan.columns is None else (_columns(plan, plan.reads[0], table).id,)
    for op in plan.ops:
        rest = loop_ids(op)[len(around) :]
        set_loop_ids(op, (*around, own.id, *tile, *rest))


def _rows_of_block(plan: Copies, table: dict[int, LoopInfo], jam: int = 1) -> LoopInfo:
    """A new loop over the rows of a block."""
    loop = LoopInfo(max(table) + 1, plan.height, 1, plan.rows.dim, inner_of=plan.rows.id, jam=jam)
    table[loop.id] = loop
    return loop


def _columns(plan: Copies, read: Read, table: dict[int, LoopInfo]) -> LoopInfo:
    """A new loop over the vectors of a row of a block."""
    port = read.port
    loop = LoopInfo(max(table) + 1, port.shape[-1], port.lanes, 0)
    if plan.columns is not None:
        loop = replace(loop, work_amount=plan.width, inner_of=plan.columns.id)
    table[loop.id] = loop
    return loop
