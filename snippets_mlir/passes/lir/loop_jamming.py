"""Run several iterations of a loop in one pass of the inner loops, for `lir-jam-loops`.

The inner markers stay and carry the values of each iteration. Every other op is repeated, groups of
neighbours one after another, and accesses of the later iterations begin `offset` elements after the
pointer. Loop-invariant ops occur once.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from xdsl.ir import Operation, OpResult, SSAValue

from snippets_mlir.analysis.kernels.load_tiles import rows_of
from snippets_mlir.dialects.builtin.dims import Dim, static_size
from snippets_mlir.dialects.builtin.size_facts import known_multiple
from snippets_mlir.dialects.lir.access import is_view
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.dialects.lir.markers import LoopBeginOp, LoopEndOp, LoopMarkerOp
from snippets_mlir.dialects.lir.memory import LoadOp
from snippets_mlir.dialects.snippets.constants import ScalarOp
from snippets_mlir.passes.lir.later_iterations import moved_bytes, repeat_op, step_of
from snippets_mlir.passes.lir.loop_copies import (
    Part,
    copy_loop,
    loop_body,
    put_marker,
    rename_loops,
    rename_loops_inside,
)
from snippets_mlir.passes.lir.loop_unrolling import plan_unrolled_parts
from snippets_mlir.passes.lir.part_handlers import LoopPart, handle_elements
from snippets_mlir.passes.lir.repetition import Unrolling, unchanged_ops


@dataclass(frozen=True)
class Jam:
    """The plan for a loop.

    Attributes:
        loop: the loop.
        factor: iterations that run together.
        shared: whether threads may share its parts, as they share the loop: it is the outermost
            one.
        short: whether it runs blocks, and one of them may be shorter than the others.
        rests: iterations of the remainder that run together, the most first.
        exact: whether nothing remains after these; otherwise the remainder goes one by one.
        left: units that one iteration does after the others, its last vector partly; 0 if the
            remainder goes by `rests`.
    """

    loop: LoopInfo
    factor: int
    shared: bool
    short: bool = False
    rests: tuple[int, ...] = ()
    exact: bool = False
    left: int = 0

    def __str__(self) -> str:
        then = f", {' or '.join(map(str, self.rests))} of what is left" if self.rests else ""
        then = f", then the {self.left} units that are left" if self.left else then
        return (
            f"loop {self.loop.id}: {self.factor} iterations in one pass of the loops inside{then}"
        )


def plan_jammed_parts(plan: Jam, first_id: int) -> list[Part]:
    """The parts that replace the loop: the jammed one and, if there is a remainder, another one.

    That is the last part, of a single iteration, if the plan has the remainder, or the main one.
    """
    if plan.left:
        return _parts_with_last(plan, first_id)
    whole = known_multiple(plan.loop.work_amount, plan.factor * plan.loop.increment)
    whole &= not (plan.exact and plan.loop.iteration == "main")  # its remainder may not be
    rest = (plan.short or not whole) and not (plan.exact and not plan.rests)
    parts = plan_unrolled_parts(Unrolling(plan.loop, plan.factor, rest), first_id)
    parallel = plan.loop.parallel and plan.shared
    return [Part(replace(part.loop, parallel=parallel), part.final) for part in parts]


def _parts_with_last(plan: Jam, first_id: int) -> list[Part]:
    """The jammed part, if it has work, and the last one, which may have no work in whole blocks."""
    loop = replace(plan.loop, origin=plan.loop.unified_id)
    loop = replace(loop, parallel=loop.parallel and plan.shared)
    work, together = static_size(loop.work_amount), plan.factor * loop.increment
    rest = work % together
    jammed = replace(loop, work_amount=work - rest, increment=together, iteration="unrolled")
    last = replace(loop, work_amount=rest, increment=plan.left, iteration="last")
    parts = [jammed, last] if work > rest else [last]
    return [
        Part(replace(part, id=first_id + place), final=part is last)
        for place, part in enumerate(parts)
    ]


def jam(begin: LoopBeginOp, plan: Jam, table: dict[int, LoopInfo]) -> None:
    """Replace the loop of `begin` by its parts, and write them into `table`.

    Threads no longer share inner loops: units of the domain are iterations of the parts or of outer
    loops. A part of the remainder may be jammed, too.
    """
    parts = plan_jammed_parts(plan, max(table) + 1)
    table.update({part.loop.id: part.loop for part in parts})
    body = loop_body(begin)
    bodies = [copy_loop(body), body] if len(parts) > 1 else [body]
    for ops, part in zip(bodies, parts, strict=True):
        rename_loops(ops, {plan.loop.id: part})
    if len(parts) > 1:
        rename_loops_inside(bodies[0], table)
    for op in [op for ops in bodies for op in ops[1:] if isinstance(op, LoopBeginOp)]:
        table[op.id] = replace(table[op.id], parallel=False)
    if plan.loop.iteration != "unified":
        del table[plan.loop.id]  # its parts are parts of its original loop
    if plan.left:
        iterations, elements = divmod(plan.left, plan.loop.increment)
        by_vectors = set(LoopPart(parts[-1].loop, bodies[-1], table).by_vectors())
        last = replace(plan, factor=iterations + bool(elements))
        _Jamming(bodies[-1], last, elements, by_vectors if elements else ()).run()
    if len(parts) > 1 or not plan.left:
        _Jamming(bodies[0], plan).run()
    if len(parts) > 1 and plan.rests:
        begin_of_rest, (factor, *rests) = body[0], plan.rests
        left = replace(plan, loop=parts[1].loop, factor=factor, rests=tuple(rests))
        assert isinstance(begin_of_rest, LoopBeginOp)
        jam(begin_of_rest, left, table)


class _Jamming:
    """Repeats the ops of a loop and of its inner loops.

    Attributes:
        copies: for each later iteration, from the first one's values to its own.
        moved: the bytes by which the loop moves a pointer for one unit of its counter.
        partial: the ops whose last iteration has vectors of `elements` elements.
    """

    def __init__(
        self,
        ops: Sequence[Operation],
        plan: Jam,
        elements: int = 0,
        partial: Container[Operation] = (),
    ) -> None:
        begin, *self.inner, _ = ops
        assert isinstance(begin, LoopBeginOp)
        self.begin, self.plan = begin, plan
        self.elements, self.partial = elements, partial
        self.copies: list[dict[SSAValue, SSAValue]] = [{} for _ in range(1, plan.factor)]
        self.moved = moved_bytes(self.inner, begin.id)
        self.shared = self._shared()

    def run(self) -> None:
        for run in self._runs():
            following = run[-1].next_op
            assert following is not None
            if isinstance(run[0], LoopMarkerOp):
                self._marker(run[0])
            else:
                self._repeat([op for op in run if op not in self.shared], following)

    def _shared(self) -> set[Operation]:
        """The ops that compute the same in each iteration, without initial values of loops."""
        initial = {
            value.owner for op in self.inner if isinstance(op, LoopBeginOp) for value in op.carried
        }
        unchanged = unchanged_ops(self.inner, self.moved)
        quiet = {op for op in self.inner if is_view(op) or isinstance(op, ScalarOp)}
        return (unchanged - initial) | quiet

    def _runs(self) -> Iterator[list[Operation]]:
        """The ops of the loop: each marker by itself, and the runs between them."""
        run: list[Operation] = []
        for op in self.inner:
            if isinstance(op, LoopMarkerOp):
                if run:
                    yield run
                yield [op]
                run = []
            else:
                run.append(op)
        if run:
            yield run

    def _marker(self, marker: LoopMarkerOp) -> None:
        """Let an inner loop carry the values of all iterations, those of the first one first."""
        if not (count := len(marker.operands)):
            return
        carried = list(marker.operands)
        for copy in self.copies:
            carried += [self._carried(value, copy, marker) for value in marker.operands]
        new = type(marker)(marker.id, carried)
        for place, copy in enumerate(self.copies, 1):
            own = new.results[place * count : (place + 1) * count]
            copy.update(zip(new.results[:count], own, strict=True))
        put_marker(new, marker, new.results[:count])

    def _carried(
        self, value: SSAValue, copy: Mapping[SSAValue, SSAValue], marker: LoopMarkerOp
    ) -> SSAValue:
        """The operands of `marker` for the iteration of `copy`; each begins with its own value."""
        if value in copy or isinstance(marker, LoopEndOp):
            return copy.get(value, value)
        assert isinstance(value, OpResult)
        clone, block = value.op.clone(), value.op.parent
        assert block is not None
        block.insert_op_before(clone, value.op)
        return clone.results[value.index]

    def _repeat(self, ops: Sequence[Operation], following: Operation) -> None:
        """Repeat ops between two markers: iteration by iteration, but tiles are read at once."""
        steps = {op: step_of(op, self.moved, self.plan.loop.increment) for op in ops}
        tiled = [op for op in ops if isinstance(op, LoadOp) and rows_of(op) > 1 and steps[op] == 1]
        others = [op for op in ops if op not in set(tiled)]
        group = max(map(rows_of, tiled), default=1)
        for op in ops:
            op.detach()
        for start in range(0, self.plan.factor, group):
            iterations = range(start, min(start + group, self.plan.factor))
            for op in tiled:
                for iteration in iterations:
                    self._put(op, iteration, steps[op], following)
            for iteration in iterations:
                for op in others:
                    self._put(op, iteration, steps[op], following)

    def _put(self, op: Operation, iteration: int, step: Dim, following: Operation) -> None:
        """Put the op of an iteration before `following`."""
        block = following.parent
        assert block is not None
        if iteration == 0:
            block.insert_op_before(op, following)
            return
        copy = self.copies[iteration - 1]
        repeat_op(op, copy, iteration * step, self.begin.id, following)
        if op in self.partial and iteration == self.plan.factor - 1:
            repeated = following.prev_op
            assert repeated is not None
            handle_elements(repeated, self.elements)
