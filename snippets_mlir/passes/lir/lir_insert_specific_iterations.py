"""Give the tail of a loop a copy of the loop's body that handles fewer elements.

    loop 0, work 13, inc 8      becomes      loop 1, work 8, inc 8, main of 0
                                             loop 2, work 5, inc 5, last of 0

In the copy every access of a whole vector counts only the tail's elements (its accesses are
masked), lanes beyond them are filled with what changes no accumulator, and the part that runs last
carries the finalization offset. Values that the loop carries go from part to part. A loop shorter
than its increment becomes its tail; a loop without a tail stays as it is. Loops inside of a part
get ids of their own, and a block of a split loop is as long as the part's increment. The unified
loop stays in the table: its parts have to add up to it. A loop whose work only a call knows always
has both parts, and what its tail handles is `count = -1`: as many as are left. A loop that
lir-unroll has left as the rest of another one gives that one its tail; in a block that is a tail
both are as long as is left for them, and parts without work go. Source: the guide's
InsertSpecificIterations (reference 2.31).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from snippets_mlir.dialects.lir.access import loop_ids
from snippets_mlir.dialects.lir.attributes import Iteration, LoopInfo
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.markers import LoopBeginOp
from snippets_mlir.dialects.lir.memory import TAIL, MemoryAccessOp
from snippets_mlir.dialects.lir.reduction import FillOp
from snippets_mlir.dialects.sizes import is_symbolic
from snippets_mlir.passes.lir.editing import for_each_kernel
from snippets_mlir.passes.lir.loop_copies import (
    Part,
    change_motions,
    copy_loop,
    erase_loop,
    loop_body,
    rename_loop,
)


def plan_parts(loop: LoopInfo, first_id: int) -> list[Part]:
    """The parts that replace `loop`, in order of execution; empty when it has no tail."""
    tail = loop.tail
    if tail == 0:
        return []
    origin = loop.unified_id
    if loop.dynamic:
        main = replace(loop, id=first_id, iteration="main", origin=origin)
        tail_part = replace(loop, id=first_id + 1, iteration="last", origin=origin)
        return [Part(main, final=False), Part(tail_part, final=True)]

    def part(kind: Iteration, work: int, increment: int) -> LoopInfo:
        id_ = first_id + (1 if kind == "last" and work != loop.work_amount else 0)
        return replace(
            loop, id=id_, work_amount=work, increment=increment, iteration=kind, origin=origin
        )

    last = Part(part("last", tail, tail), final=True)
    main = loop.work_amount - tail
    return [Part(part("main", main, loop.increment), final=False), last] if main else [last]


def _shrink(ops: Sequence[Operation], tail: LoopInfo, table: dict[int, LoopInfo]) -> None:
    """Let what goes by vectors in the loop `tail` handle its elements only."""
    for op in ops:
        vector_loops = [id_ for id_ in loop_ids(op) if table[id_].dim == 0]
        if tail.dim != 0 or not vector_loops or vector_loops[-1] != tail.id:
            continue
        count = TAIL if tail.dynamic else tail.increment
        if isinstance(op, MemoryAccessOp) and op.elements > 1:
            op.set_elements(count)
        elif isinstance(op, FillOp):
            op.set_first_filled(count)


def _work(loop: LoopInfo, block: int, table: dict[int, LoopInfo]) -> int:
    """The work of a loop, or of a part that lir-unroll made of it, in a block of `block` units."""
    if is_symbolic(block) or loop.iteration == "unified":
        return block
    vectors = next(
        other.increment
        for other in table.values()
        if other.iteration == "unrolled" and other.origin == loop.origin
    )
    rest = block % vectors
    return block - rest if loop.iteration == "unrolled" else rest


def _blocks_of(
    ops: Sequence[Operation], part: Part, outer: int, table: dict[int, LoopInfo]
) -> None:
    """Give the loops inside of a copy ids of their own; a block of `outer` is as long as `part`."""
    dynamic = part.loop.dynamic and part.loop.iteration == "last"
    block = part.loop.work_amount if dynamic else part.loop.increment
    renamed = {outer: part.loop.id}

    def make(info: LoopInfo) -> LoopInfo:
        """The loop that stands for `info` in the copy."""
        if info.iteration != "unified" and info.origin not in renamed:
            make(table[info.origin])
        fresh = replace(
            info,
            id=max(table) + 1,
            work_amount=_work(info, block, table) if info.inner_of == outer else info.work_amount,
            inner_of=None if info.inner_of is None else renamed.get(info.inner_of, info.inner_of),
            origin=renamed.get(info.origin, info.origin),
        )
        table[fresh.id] = fresh
        renamed[info.id] = fresh.id
        return fresh

    for begin in [op for op in ops if isinstance(op, LoopBeginOp) and op.id != part.loop.id]:
        info = table[begin.id]
        fresh = make(info)
        rename_loop(ops, info.id, Part(fresh, final=True))
        whole = table[fresh.unified_id].work_amount
        if whole != table[info.unified_id].work_amount and not _goes_on(info, table):
            _take_back(ops, fresh.id, whole)


def _goes_on(loop: LoopInfo, table: dict[int, LoopInfo]) -> bool:
    """Whether `loop` is an unrolled part behind which another part runs."""
    return loop.iteration == "unrolled" and any(
        other.iteration == "main" and other.origin == loop.origin for other in table.values()
    )


def _take_back(ops: Sequence[Operation], loop: int, whole: int) -> None:
    """Let `loop` take back what it and the parts before it have moved: `whole` units."""
    change_motions(
        ops, loop, lambda p: replace(p, finalization_offset=-p.pointer_increment * whole)
    )


def _expand(begin: LoopBeginOp, table: dict[int, LoopInfo]) -> None:
    old = begin.id
    parts = plan_parts(table[old], max(table) + 1)
    if not parts:
        return
    table.update({part.loop.id: part.loop for part in parts})
    body = loop_body(begin)
    bodies = [copy_loop(body), body] if len(parts) > 1 else [body]
    for ops, part in zip(bodies, parts, strict=True):
        rename_loop(ops, old, part)
        _blocks_of(ops, part, old, table)
        if part.loop.iteration == "last":
            _shrink(ops, part.loop, table)


def _is_whole(loop: LoopInfo, table: dict[int, LoopInfo]) -> bool:
    """Whether `loop` has a tail that no part of it handles yet."""
    if loop.tail == 0 or loop.iteration not in ("unified", "main"):
        return False
    return loop.iteration == "unified" or not any(
        other.iteration == "last" and other.origin == loop.origin for other in table.values()
    )


def _drop_idle(kernel: KernelOp, table: dict[int, LoopInfo]) -> None:
    """Erase parts without work; the unrolled part in front of such a one becomes the last."""
    unrolled: dict[int, LoopBeginOp] = {}
    for begin in [op for op in kernel.block.ops if isinstance(op, LoopBeginOp)]:
        loop = table[begin.id]
        if loop.work_amount == 0 and loop.iteration != "unified":
            erase_loop(loop_body(begin))
            if loop.iteration == "main":
                before = unrolled[loop.origin]
                _take_back(loop_body(before), before.id, table[loop.origin].work_amount)
        elif loop.iteration == "unrolled":
            unrolled[loop.origin] = begin


def _apply(kernel: KernelOp) -> None:
    table = kernel.loop_table
    op = kernel.block.first_op
    while op is not None:
        following = op.next_op
        if isinstance(op, LoopBeginOp) and _is_whole(table[op.id], table):
            before = op.prev_op
            _expand(op, table)
            following = before.next_op if before is not None else kernel.block.first_op
        op = following
    _drop_idle(kernel, table)
    used = {op.id for op in kernel.block.ops if isinstance(op, LoopBeginOp)}
    used |= {table[id_].unified_id for id_ in used}
    kernel.set_loops([loop for loop in table.values() if loop.id in used])
    kernel.set_stage("expanded")


@dataclass(frozen=True)
class LirInsertSpecificIterationsPass(ModulePass):
    """Split loops with tails into a main and a last part."""

    name = "lir-insert-specific-iterations"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Expand the loops of every kernel at stage `looped`."""
        for_each_kernel(op, ("looped",), _apply)
