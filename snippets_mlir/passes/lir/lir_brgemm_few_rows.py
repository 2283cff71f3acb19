"""Give products of a dynamic number of rows a second nest, for calls with few rows.

    loops [#lir.loop<1, work ?1, inc 16, dim 0>, #lir.loop<2, work ?0, inc 1, dim 2, jam 6>,
           #lir.loop<3, work 16, inc 8, dim 0, inner of 1, jam 2>, #lir.loop<4, work 64, dim 1>,
           #lir.loop<5, work ?1, inc 16, dim 0>, ...]
    lir.loop_begin 5                                        // copies the right operand
      %x = lir.load %t;  %s = lir.store %x
    lir.loop_end 5
    %p = lir.buffer %s
    lir.loop_begin 1;  lir.loop_begin 2;  lir.loop_begin 3;  lir.loop_begin 4 (%c)
      %b = lir.load %p;  %a = lir.broadcast_load %l;  %f = snippets.fma %a, %b, %c

becomes the same loops, of which 5 and 1 run `for ?0 from 3`, and before loop 1

    loops [..., #lir.loop<6, work ?1, inc 16, dim 0, for ?0 below 3>,
           #lir.loop<7, work ?0, inc 1, dim 2>, ...,
           #lir.loop<10, work 64, inc 4, dim 1, unrolled of 9>]
    lir.loop_begin 6;  lir.loop_begin 7;  lir.loop_begin 8;  lir.loop_begin 10 (%c)
      %b = lir.load %t;  %d = lir.load %t {offset = 1};  ...   // a tile of the operand in place
      %a = lir.broadcast_load %l;  %f = snippets.fma %a, %b, %c;  %g = snippets.fma %e, %d, %f;  ...

The tiles of many rows are slow for one: it pays for the copy of an operand alone, and its few sums
wait for each other. So the second nest takes the rows one by one. A transposed operand, which is
copied for many rows, is read in place by tiles (`analysis/kernels/load_tiles.py`), one after the
other in the order of the terms. Another copied operand, whose rows are pages apart, is read in
place by blocks of up to `SUMS` vectors, if there are fewer than `COPIED_ROWS` rows: each copy of a
byte reads it, writes it, and reads it again, so as many passes move no more. If ops after the
product have loops of their own, the buffers between them have blocks of as few rows there. An
operand that no nest copies has a tile of up to `SUMS` vectors: the largest divisor of its columns.
Each element adds the same terms in the same order, so results do not depend on the number of rows.

If threads share the columns, both nests have the same units of the parallel domain, and a call runs
one of them:

    #lir.loop<1, work 1024, inc 24, dim 0, parallel, for ?0 from 4>
    #lir.loop<7, work 1024, inc 64, dim 0, parallel, for ?0 below 4>

Applies to modules whose sizes may be 1 (`snippets.may_be_one`): in others, a call with one row has
a program of its own. Leaves products with as many columns or terms as rows, whose rows threads
share, or whose columns together with matrices or without a copy, products side by side, packed
constants, copies that others read or that are made together, buffers of results that have no room
for wider blocks of fewer rows, operands in place whose tile cannot be wider, and transposed ones
whose terms leave a part of a tile. Refuses no kernel.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

from typing_extensions import override
from xdsl.ir import Operation
from xdsl.rewriter import InsertPoint, Rewriter

from snippets_mlir.analysis.kernels.load_tiles import is_apart
from snippets_mlir.dialects.builtin.shaped import element_bytes
from snippets_mlir.dialects.builtin.sizes import MAY_BE_ONE
from snippets_mlir.dialects.lir.access import input_ports, loop_ids, output_ports, set_ports
from snippets_mlir.dialects.lir.buffer import BufferOp
from snippets_mlir.dialects.lir.chosen_calls import Calls
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.dialects.lir.markers import LoopBeginOp
from snippets_mlir.dialects.lir.memory import LoadOp, MemoryAccessOp
from snippets_mlir.dialects.lir.pointers import buffer_of, memory_port, set_memory_port
from snippets_mlir.dialects.lir.ports import PortDescriptor
from snippets_mlir.dialects.snippets.internal import FmaOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.lir.editing import erase, insert_before
from snippets_mlir.passes.lir.few_rows import (
    FewRows,
    Nests,
    around,
    copied_from,
    copying_loop,
    plan_nests,
)
from snippets_mlir.passes.lir.kernel_passes import KernelPlanPass
from snippets_mlir.passes.lir.lir_init_loops import moved
from snippets_mlir.passes.lir.loop_copies import (
    Part,
    copy_loop,
    erase_loop,
    fresh_loops,
    loop_body,
    rename_loops,
)
from snippets_mlir.passes.lir.loop_unrolling import unroll
from snippets_mlir.passes.lir.repetition import Unrolling
from snippets_mlir.support.walking import module_of


@dataclass(frozen=True)
class LirBrgemmFewRowsPass(KernelPlanPass[Nests]):
    """Give products nests for calls with few rows."""

    name = "lir-brgemm-few-rows"
    STAGES: ClassVar[Stages] = Stages(("looped",))

    @override
    def plan(self, unit: KernelOp) -> Nests:
        one = MAY_BE_ONE in module_of(unit).attributes
        return Nests(tuple(plan_nests(unit)) if one else ())

    def carry_out(self, unit: KernelOp, plan: Nests) -> None:
        """Insert the nests."""
        if not plan.made:
            return
        table = unit.loop_table
        for nest in plan.made:
            _insert(unit, nest, table)
        unit.set_loops(list(table.values()))


def _begin_of(ops: Iterable[Operation], loop: int) -> LoopBeginOp:
    return next(op for op in ops if isinstance(op, LoopBeginOp) and op.id == loop)


def _insert(kernel: KernelOp, nest: FewRows, table: dict[int, LoopInfo]) -> None:
    """Put the nest for few rows before the nest for many."""
    many, few = (Calls(nest.size, below, nest.bound) for below in (False, True))
    ops = copy_loop(loop_body(_begin_of(kernel.block.ops, nest.columns.id)))
    own = replace(nest.columns, id=max(table) + 1, increment=nest.block, jam=nest.jam, calls=few)
    table.update({own.id: own, nest.columns.id: replace(nest.columns, calls=many)})
    begins = [op for op in ops[1:] if isinstance(op, LoopBeginOp)]
    fresh = fresh_loops(begins, table, {nest.columns.id: own.id}, partial(_in_block, nest))
    rows = fresh[nest.rows.id] = replace(fresh[nest.rows.id], jam=1)
    table[rows.id] = rows
    fresh[nest.columns.id] = own
    rename_loops(ops, {old: Part(loop, final=True) for old, loop in fresh.items()})
    if nest.copy is not None:
        if (outermost := copying_loop(nest.copy)) not in fresh:
            table[outermost] = replace(table[outermost], calls=many)
        _read_in_place(ops, nest.copy, nest.terms, table)
    if nest.block != nest.columns.increment:
        _walk_blocks(loop_body(_begin_of(kernel.block.ops, own.id)), nest, table)


def _in_block(nest: FewRows, loop: LoopInfo) -> LoopInfo:
    """A loop of the second nest, whose blocks may have more columns, and then fewer rows."""
    if nest.block == nest.columns.increment:
        return loop
    if loop.inner_of == nest.columns.id:
        jam = nest.block // loop.increment if loop.jam > 1 else 1
        return replace(loop, work_amount=nest.block, jam=jam)
    if (blocks := nest.rows.inner_of) is not None and loop.id == blocks:
        return replace(loop, increment=nest.bound)
    inside = blocks is not None and loop.inner_of == blocks
    return replace(loop, work_amount=nest.bound) if inside else loop


def _walk_blocks(ops: Sequence[Operation], nest: FewRows, table: dict[int, LoopInfo]) -> None:
    """Let the accesses of `ops` walk other blocks than those that they are copied from."""

    def resized(port: PortDescriptor) -> PortDescriptor:
        return replace(port, shape=(nest.bound, *port.shape[1:-1], nest.block))

    for op in ops:
        if isinstance(op, BufferOp):
            ports_of = [*map(resized, input_ports(op)), *map(resized, output_ports(op))]
            set_ports(op, ports_of)
            op.decide("size", nest.bound * nest.block * element_bytes(op.result))
        elif isinstance(op, MemoryAccessOp):
            buffer, port = buffer_of(op), memory_port(op)
            inside = buffer is not None and buffer in ops
            port = resized(port) if inside else port
            fixed = () if buffer is None else loop_ids(buffer)
            set_memory_port(op, moved(port, around(op, table), fixed))


def _read_in_place(
    ops: Sequence[Operation], copy: LoadOp, count: int, table: dict[int, LoopInfo]
) -> None:
    """Let the nest `ops` read its right operand where `copy` does, by tiles of `count` terms."""
    (product,) = (op for op in ops if isinstance(op, FmaOp))
    old = product.operands[1].owner
    assert isinstance(old, LoadOp)
    loops, buffer, inside = around(old, table), old.source.owner, copied_from(old)
    load = copy.clone()
    port = moved(replace(input_ports(copy)[0], loops=()), loops)
    insert_before(old, load, [port, output_ports(copy)[0]], loop_ids(old))
    old.result.replace_all_uses_with(load.result)
    erase(old)
    if isinstance(buffer, BufferOp) and buffer in ops:
        assert inside is not None
        erase_loop(loop_body(_begin_of(ops, copying_loop(inside))))
        erase(buffer)
    if count > 1:
        _take_tiles(_begin_of(ops, loops[-1].id), loops[-1], count, table)


def _take_tiles(
    begin: LoopBeginOp, terms: LoopInfo, count: int, table: dict[int, LoopInfo]
) -> None:
    """Let an iteration of the loop over terms read a tile of the operand first."""
    before = begin.prev_op
    unroll(begin, Unrolling(terms, count, rest=False), table)
    assert before is not None
    made = before.next_op
    while not isinstance(made, LoopBeginOp):
        assert made is not None
        made = made.next_op
    first, *others = [op for op in loop_body(made) if isinstance(op, LoadOp) and is_apart(op)]
    for op in others:
        op.detach()
        Rewriter.insert_op(op, InsertPoint.after(first))
        first = op
