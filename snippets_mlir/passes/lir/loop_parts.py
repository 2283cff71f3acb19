"""Choose the parts that replace a loop with a tail, or with handlers of a part.

    #lir.loop<0, work 13, inc 8, dim 0>      loop 1, work 8, inc 8, main of 0
                                             loop 2, work 5, inc 5, last of 0

A loop of dynamic work has both. If the inner loops do its work by blocks, it has one part, `whole`:

    #lir.loop<2, work 511, inc 128, dim 1>            loop 5, work 511, inc 128, whole of 2
    #lir.loop<3, work 128, inc 1, dim 1, inner of 2>  loop 6, work 128, inc 1, inner of 5
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xdsl.ir import Operation

from snippets_mlir.dialects.builtin.dims import Dim, Size
from snippets_mlir.dialects.lir.loops import Iteration, LoopInfo
from snippets_mlir.dialects.lir.markers import LoopBeginOp
from snippets_mlir.dialects.lir.memory import MemoryAccessOp
from snippets_mlir.dialects.lir.reduction import FillOp
from snippets_mlir.passes.lir.loop_copies import Part
from snippets_mlir.passes.lir.part_handlers import LoopPart

LONG = 64
"""The least units of a block of known work whose end is free to compute at run time."""


def may_stay_whole(loop: LoopInfo, ops: Sequence[Operation], table: dict[int, LoopInfo]) -> bool:
    """Whether the last iteration of a loop may be short: inner loops do the remainder.

    They run blocks of it, and only their ops go by its units. A loop of known work with a tail then
    needs no code for the tail. Its blocks have to be `LONG`, because the inner loops then have no
    constant bounds; it must not go by vectors, nor be shared by threads. A loop whose step the call
    chooses has blocks of any length.
    """
    if loop.step is not None:
        return True
    if loop.iteration != "unified" or loop.handlers or loop.diagonal:
        return False
    inside = [table[op.id] for op in ops[1:] if isinstance(op, LoopBeginOp)]
    blocks = [block for block in inside if block.inner_of == loop.id]
    if not blocks or any(
        block.diagonal or loop.increment % table[block.unified_id].increment for block in blocks
    ):
        return False
    if not loop.dynamic:
        ids = {block.id for block in blocks}
        return (
            loop.increment >= LONG
            and loop.tail not in (0, loop.work_amount)
            and loop.dim != 0
            and not loop.parallel
            and not any(other.inner_of in ids or other.handlers for other in inside)
        )
    by_units = LoopPart(loop, ops, table).by_vectors()
    return not any(
        isinstance(op, FillOp) or (isinstance(op, MemoryAccessOp) and op.elements > 1)
        for op in by_units
    )


def plan_parts(loop: LoopInfo, first_id: int, whole: bool = False) -> list[Part]:
    """The parts that replace `loop`, in order of execution; empty if it needs none.

    It needs them if it has a tail, or handlers of one of its parts. With `whole` one part may also
    do the tail.
    """
    if whole:
        only = replace(loop, id=first_id, iteration="whole", origin=loop.unified_id)
        return [Part(only, final=True)]
    handled = {handler.part for handler in loop.handlers}
    works: list[tuple[Iteration, Dim, int]] = []
    rest = loop.work_amount
    if isinstance(rest, Size):
        works = [("main", rest, loop.increment), ("last", rest, loop.increment)]
    else:
        if "first" in handled and rest >= loop.increment:
            works.append(("first", loop.increment, loop.increment))
            rest -= loop.increment
        if main := rest - loop.tail:
            works.append(("main", main, loop.increment))
        if loop.tail:
            works.append(("last", loop.tail, loop.tail))
    if not loop.may_have_tail and handled.isdisjoint(kind for kind, _, _ in works):
        return []
    return [
        Part(
            replace(
                loop,
                id=first_id + place,
                work_amount=work,
                increment=increment,
                iteration=kind,
                origin=loop.unified_id,
                handlers=(),
            ),
            final=place == len(works) - 1,
        )
        for place, (kind, work, increment) in enumerate(works)
    ]
