"""Run several iterations of an innermost loop in one: the edit of `lir-unroll`.

The ops of the loop are repeated, one iteration after another. Accesses of the later ones begin
`offset` elements after the pointer, which moves once. Loop-invariant ops are not repeated. Each
iteration has its own accumulator, which starts from the neutral element, and they are combined in
pairs after the loop: `(a0 + a1) + (a2 + a3)`. Any other carried value goes from iteration to
iteration.
"""

from __future__ import annotations

from dataclasses import replace

from snippets_mlir.dialects.builtin.dims import Size
from snippets_mlir.dialects.builtin.size_facts import known_multiple
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.dialects.lir.markers import LoopBeginOp
from snippets_mlir.passes.lir.loop_copies import Part, copy_loop, loop_body, rename_loops
from snippets_mlir.passes.lir.repetition import Repetition, Unrolling, combine


def may_be_short(loop: LoopInfo, table: dict[int, LoopInfo]) -> bool:
    """Whether `loop` runs blocks of a loop, and one of them may be shorter than the others."""
    while loop.inner_of is not None:
        loop = table[loop.inner_of]
        if loop.may_have_tail:
            return True
    return False


def may_leave(loop: LoopInfo, units: int, table: dict[int, LoopInfo]) -> bool:
    """Whether iterations of `units` may leave a remainder of `loop`, or of a block that it runs.

    Blocks of 128 of 1376 terms have 128 or 96: iterations of 4 leave no remainder of either.
    """
    if not known_multiple(loop.work_amount, units) or loop.step is not None:
        return True
    return loop.inner_of is not None and may_leave(table[loop.inner_of], units, table)


def left_over(loop: LoopInfo, factor: int, table: dict[int, LoopInfo]) -> int:
    """The units that `factor` iterations at a time leave of a loop, if it is one number; else 0.

    A loop that runs blocks leaves a remainder of whole blocks or of the shorter last one. Only more
    than one iteration counts, and only loops that all end alike.
    """
    if isinstance(loop.work_amount, Size):
        return 0
    lengths = [loop.work_amount]
    if loop.inner_of is not None:
        outer = table[loop.inner_of]
        if outer.dynamic or outer.step is not None or outer.iteration != "unified":
            return 0
        if may_be_short(outer, table):
            return 0
        lengths.append(outer.tail)
    pointed = any(other.diagonal and other.diagonal[1] == loop.id for other in table.values())
    decided = loop.diagonal is not None or loop.calls is not None
    if pointed or decided or loop.handlers or loop.iteration != "unified":
        return 0
    left = {n % (factor * loop.increment) for n in lengths} - {0}
    (rest,) = left if len(left) == 1 else (0,)
    return rest if rest > loop.increment else 0


def plan_unrolled_parts(plan: Unrolling, first_id: int) -> list[Part]:
    """The parts that replace the loop: the unrolled one and, if one may remain, the main one.

    A part of a dynamic loop has the work of the whole: only the call knows how much each runs.
    """
    loop = plan.loop
    increment = plan.factor * loop.increment
    work = loop.work_amount
    rest = work if isinstance(work, Size) else work % increment
    unrolled = replace(
        loop,
        id=first_id,
        work_amount=work if isinstance(work, Size) else work - rest,
        increment=increment,
        iteration="unrolled",
        origin=loop.unified_id,
    )
    if not plan.rest:
        return [Part(unrolled, final=True)]
    main = replace(
        loop,
        id=first_id + 1,
        work_amount=rest,
        iteration="main",
        origin=loop.unified_id,
    )
    return [Part(unrolled, final=False), Part(main, final=True)]


def unroll(begin: LoopBeginOp, plan: Unrolling, table: dict[int, LoopInfo]) -> None:
    """Replace the loop of `begin` by its parts, and write them into `table`."""
    parts = plan_unrolled_parts(plan, max(table) + 1)
    table.update({part.loop.id: part.loop for part in parts})
    body = loop_body(begin)
    bodies = [copy_loop(body), body] if plan.rest else [body]
    for ops, part in zip(bodies, parts, strict=True):
        rename_loops(ops, {plan.loop.id: part})
    repetition = Repetition(bodies[0], plan)
    repetition.run()
    last = body[-1] if plan.rest else repetition.end
    for place in repetition.several:
        final = last.results[place if plan.rest else repetition.starts[place]]
        combine(repetition.several[place], [final, *repetition.others(place)], last)
