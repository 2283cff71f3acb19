"""Give the tail of a loop a copy of the loop's body that handles fewer elements.

    loop 0, work 13, inc 8      becomes      loop 1, work 8, inc 8, main of 0
                                             loop 2, work 5, inc 5, last of 0

In the copy, every access of a whole vector is masked and counts only the tail's elements, and lanes
beyond them get a value that changes no accumulator. The last part has the finalization offset. With
`tail=count` the copy's vectors have as many lanes as the tail has elements, and nothing is masked,
if `update-subtensors` applies. Handlers (`part_handlers.py`) edit the first, main and last part;
those that the loop table names run after these. If a loop has handlers of its first iteration, this
iteration is a part of its own:

    handlers [first "my-pass"]      becomes      loop 1, work 8, inc 8, first of 0, and the rest

Carried values go from part to part. A loop shorter than its increment becomes its tail; a loop
without a tail stays. Loops inside of a part get ids of their own, and a block of a split loop is as
long as the part's increment. The unified loop stays in the table: its parts have to add up to it. A
loop whose work is known only at run time always has both parts, and its tail handles `count = -1`:
the remaining elements. If inner loops do its work by blocks, it stays in one part, with a last
block as long as the remainder:

    loop 0, work ?0, inc 64               becomes    loop 2, work ?0, inc 64, whole of 0
    loop 1, work 64, inc 8, inner of 0               loop 3, work ?0, inc 8, inner of 2

A loop of known work with long blocks along another dim than the vectors', such as the terms of a
product, stays in one part, too: its tail has no code of its own.

In the tail of columns beside many panels, any number of rows goes only by its lower tiles
(`tail_rows.py`), because each tile is code of its own.

If lir-unroll has left a loop as the remainder of another one, it gives that loop its tail. In a
block that is a tail, both have their remaining length, and parts without work are erased. Refuses
handlers of first iterations if threads share the loop or its work is known only at run time.
Source: the guide's InsertSpecificIterations (2.31).
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from snippets_mlir.dialects.builtin.dims import Dim, Size
from snippets_mlir.dialects.lir.handlers import IterationHandler
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.kernels import kernels_at
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.dialects.lir.markers import LoopBeginOp
from snippets_mlir.dialects.lir.memory import TAIL
from snippets_mlir.passes.base import Form, Pass, Stages
from snippets_mlir.passes.lir.loop_copies import (
    Part,
    copy_loop,
    erase_loop,
    fresh_loops,
    loop_body,
    loops_inside,
    rename_loops,
)
from snippets_mlir.passes.lir.loop_parts import may_stay_whole, plan_parts
from snippets_mlir.passes.lir.part_handlers import (
    COUNTS,
    FILL,
    SUBTENSORS,
    LoopPart,
    cannot_narrow,
    run_handlers,
)
from snippets_mlir.passes.lir.tail_rows import drop_tiles
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError


def _handlers(part: LoopPart, whole: LoopInfo, tail: str) -> list[IterationHandler]:
    """The handlers of a part of the loop `whole`: the tail's own ones, then the loop's."""
    found: list[IterationHandler] = []
    if part.loop.iteration == "last":
        count = TAIL if part.loop.dynamic else part.loop.increment
        names = [COUNTS, FILL]
        if tail == "count" and not part.loop.dynamic and cannot_narrow(part) is None:
            names.append(SUBTENSORS)
        found = [IterationHandler("last", name, count) for name in names]
    return [*found, *(h for h in whole.handlers if h.part == part.loop.iteration)]


def _work(loop: LoopInfo, block: Dim, table: dict[int, LoopInfo]) -> Dim:
    """The work of a loop, or of a part that unrolling made of it, in a block of `block` units."""
    if isinstance(block, Size) or loop.iteration == "unified":
        return block
    vectors = [
        other.increment
        for other in table.values()
        if other.iteration == "unrolled" and other.origin == loop.origin
    ]
    rest = block % vectors[0] if vectors else block
    return block - rest if loop.iteration == "unrolled" else rest


def _renamed(
    ops: Sequence[Operation], old: int, part: Part, table: dict[int, LoopInfo]
) -> dict[int, Part]:
    """The loops of a copy that replace the loop `old`, which is `part`, and its inner loops.

    The inner loops get ids of their own; a block of the loop is as long as the part.
    """
    dynamic = part.loop.dynamic and part.loop.iteration in ("whole", "last")
    block = part.loop.work_amount if dynamic else part.loop.increment

    def shortened(info: LoopInfo) -> LoopInfo:
        """A loop with its work in a block of the part."""
        if info.inner_of != old:
            return info
        return replace(info, work_amount=_work(info, block, table))

    begins = [op for op in ops[1:] if isinstance(op, LoopBeginOp)]
    inside = fresh_loops(begins, table, {old: part.loop.id}, shortened)
    parts = {old: part}
    for id_, fresh in inside.items():
        whole, info = table[fresh.unified_id].work_amount, table[id_]
        shorter = whole != table[info.unified_id].work_amount and not _goes_on(info, table)
        parts[id_] = Part(fresh, final=True, back=whole if shorter else None)
    return parts


def _goes_on(loop: LoopInfo, table: dict[int, LoopInfo]) -> bool:
    """Whether `loop` is an unrolled part after which another part runs."""
    return loop.iteration == "unrolled" and any(
        other.iteration in ("main", "last") and other.origin == loop.origin
        for other in table.values()
    )


def _expand(
    begin: LoopBeginOp, table: dict[int, LoopInfo], handle: Callable[[LoopPart, LoopInfo], None]
) -> bool:
    """Replace a loop by its parts, and let `handle` change each of them; False if it has none."""
    old, loop = begin.id, table[begin.id]
    if any(h.part == "first" for h in loop.handlers) and (loop.parallel or loop.dynamic):
        why = "threads share it" if loop.parallel else "its work is known only at run time"
        raise CompileError(
            f"expected no handlers of the first iteration of loop {old}: {why}",
            **position_of(begin),
        )
    body = loop_body(begin)
    parts = plan_parts(loop, max(table) + 1, may_stay_whole(loop, body, table))
    if not parts:
        return False
    table.update({part.loop.id: part.loop for part in parts})
    for part in parts:
        named = _renamed(body, old, part, table)
        # Only loops over a block of this one already have their final work.
        by_block = {id_ for id_ in named if table[id_].inner_of == old}
        idle = {id_ for id_ in by_block if _is_idle(named[id_].loop, table)}
        ops = _without(body, idle) if part is parts[-1] else copy_loop(body, idle)
        rename_loops(ops, named)
        _end_unrolled(ops, [named[id_].loop for id_ in idle], table)
        handle(LoopPart(part.loop, ops, table), loop)
        if part.loop.iteration == "last":
            drop_tiles(ops, loop, table)
    return True


def _is_whole(loop: LoopInfo, table: dict[int, LoopInfo]) -> bool:
    """Whether `loop` has handlers, or a tail that no part of it handles yet."""
    if not (loop.may_have_tail or loop.handlers) or loop.iteration not in ("unified", "main"):
        return False
    return loop.iteration == "unified" or not any(
        other.iteration == "last" and other.origin == loop.origin for other in table.values()
    )


def _is_idle(loop: LoopInfo, table: dict[int, LoopInfo]) -> bool:
    """Whether `loop` is a part without work.

    Loops of a whole loop's blocks are not: they run the remainder in the last block.
    """
    if loop.work_amount != 0 or loop.iteration == "unified":
        return False
    return loop.inner_of is None or table[loop.inner_of].iteration != "whole"


def _without(body: list[Operation], idle: Collection[int]) -> list[Operation]:
    """Erase the loops in `idle` inside of the loop `body`; returns the remaining ops."""
    for ops in loops_inside(body, idle):
        erase_loop(ops)
    return [op for op in body if op.parent is not None] if idle else body


def _end_unrolled(
    ops: Sequence[Operation], idle: Sequence[LoopInfo], table: dict[int, LoopInfo]
) -> None:
    """Make unrolled parts in `ops` the last parts if their remainder is `idle`."""
    origins = {rest.origin for rest in idle if rest.iteration in ("main", "last")}
    for begin in [op for op in ops if isinstance(op, LoopBeginOp)] if origins else ():
        loop = table[begin.id]
        if loop.iteration == "unrolled" and loop.origin in origins:
            last = Part(loop, final=True, back=table[loop.origin].work_amount)
            rename_loops(loop_body(begin), {begin.id: last})


def _drop_idle(kernel: KernelOp, table: dict[int, LoopInfo]) -> None:
    """Erase parts without work of loops with only whole blocks, for which no part was made."""
    idle: list[LoopInfo] = []
    for begin in [op for op in kernel.block.ops if isinstance(op, LoopBeginOp)]:
        if begin.parent is not None and _is_idle(loop := table[begin.id], table):
            erase_loop(loop_body(begin))
            idle.append(loop)
    _end_unrolled(list(kernel.block.ops), idle, table)


def _expand_loops(kernel: KernelOp, handle: Callable[[LoopPart, LoopInfo], None]) -> None:
    table = kernel.loop_table
    op = kernel.block.first_op
    while op is not None:
        following = op.next_op
        if isinstance(op, LoopBeginOp) and _is_whole(table[op.id], table):
            before = op.prev_op
            if _expand(op, table, handle):
                following = before.next_op if before is not None else kernel.block.first_op
        op = following
    _drop_idle(kernel, table)
    used = {op.id for op in kernel.block.ops if isinstance(op, LoopBeginOp)}
    used |= {table[id_].unified_id for id_ in used}
    kernel.set_loops([replace(loop, handlers=()) for loop in table.values() if loop.id in used])
    kernel.set_stage("expanded")


@dataclass(frozen=True)
class LirInsertSpecificIterationsPass(Pass):
    """Split loops with tails into a main and a last part."""

    name = "lir-insert-specific-iterations"
    FORM: ClassVar[Form] = "conversion"
    STAGES: ClassVar[Stages] = Stages(("looped", "assigned"), "expanded")
    KERNELS_APART: ClassVar[bool] = True
    MIXES_CLASSES: ClassVar[bool] = False

    tail: Literal["mask", "count"] = "mask"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Expand the loops of every kernel at stage `looped` or `assigned`."""

        def handle(part: LoopPart, whole: LoopInfo) -> None:
            run_handlers(ctx, part, _handlers(part, whole, self.tail))

        for kernel in kernels_at(op, self.STAGES.source):
            _expand_loops(kernel, handle)
