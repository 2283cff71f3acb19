"""Fuse loop nests that share work, so that values stay in registers instead of memory.

    loop 0 { %0 = relu %x }   loop 1 { %1 = add %0, %y }     becomes     loop 0 { %0 = relu; %1 =
    add }

Two neighbouring loops are fused if

* F1: they walk the same dim, and
* F2: work amounts and increments are equal, or one of them has work 1 and increment 1 (it
  broadcasts) and the other has work: a loop without work would run nothing, and
* F3: one can move to the other: no op between them uses the upper one's values, or no op between
  them feeds the lower one, and
* F4: one reads values of the other, or their amounts are equal, and
* F5: the lower one does not read a value that the upper one accumulates over this loop: it exists
  only after the loop, and
* F6: amounts are equal if one of them accumulates or scans: nothing is reduced repeatedly. But a
  parallel loop with work 1 whose ops are instructions (`weight_of`) and accumulate nothing joins a
  parallel one: a mask that all heads share is computed for each, and threads share the heads, and
* F7: their handlers can be merged (`dialects/lir/handlers.py`), and
* F8: the lower one does not read values of the upper one through a view that moves the dim of the
  loops: it would read elements of other iterations, and
* F9: neither walks the columns of a product if the other one accumulates over them:
  `lir-brgemm-blocking` puts the loop over rows into that over columns, and
* F10: amounts are equal if the one with work 1 holds a part of an output: the parts share a
  pointer, which would have to move only for the other parts, and
* F11: they do not combine a scan and a reduction along the loop: it may be split for the sum, and
* F12: one reads values of the other, or both hold products, if one walks the columns of a product:
  an op that divides the rows of one product stays out of the loops of the next one.

Outer loops are fused first, then the loops inside. An op before a product in its loops that the
product does not need goes after it, before its first reader. Source: the guide's FuseLoops
(reference 2.14). F4's second half is ours: kernels have one parallel domain, so siblings of equal
work share it. If several outermost loops remain, they form the domain one after another, like those
of joined rows. If one needs values of another, or is a dynamic loop over vectors, they lose
`parallel`, and the kernel runs on one thread. Loops beside others inside of a parallel loop lose it
too: every thread runs all of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from xdsl.ir import Operation

from snippets_mlir.dialects.builtin.dims import format_size
from snippets_mlir.dialects.lir.access import LOOPS, is_array, is_view, set_loop_ids, view_source
from snippets_mlir.dialects.lir.brgemm import BrgemmOp
from snippets_mlir.dialects.lir.handlers import merge_handlers
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.dialects.lir.memory import ResultOp
from snippets_mlir.dialects.lir.reduction import AccumulateOp
from snippets_mlir.dialects.snippets.constants import ScalarOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.lir.kernel_passes import KernelPlanPass, op_text
from snippets_mlir.passes.lir.loop_nests import (
    Item,
    Nest,
    build_tree,
    feeds,
    keep_domain,
    may_repeat,
    numbered,
    products_first,
)


def merged(upper: LoopInfo, lower: LoopInfo) -> LoopInfo | None:
    """The loop that runs both (F1, F2, F7), or None."""
    same = (upper.work_amount, upper.increment) == (lower.work_amount, lower.increment)
    single = any(loop.work_amount == loop.increment == 1 for loop in (upper, lower))
    single = single and 0 not in (upper.work_amount, lower.work_amount)
    if upper.dim != lower.dim or not (same or single):
        return None
    handlers = merge_handlers(upper.handlers, lower.handlers)
    if handlers is None:
        return None
    return replace(
        lower,
        work_amount=lower.work_amount if upper.work_amount == 1 else upper.work_amount,
        increment=max(upper.increment, lower.increment),
        parallel=upper.parallel and lower.parallel,
        handlers=handlers,
    )


def _waits(upper: Nest, lower: Nest) -> bool:
    """Whether `lower` reads an accumulator of the loop `upper` itself (F5)."""
    return any(
        isinstance(item, AccumulateOp | BrgemmOp) and id(item) in lower.read for item in upper.items
    )


def _crosses(upper: Nest, lower: Nest) -> bool:
    """Whether `lower` reads elements of other iterations of `upper` (F8)."""
    return any(lower.loop.dim in dims for op, dims in lower.turned.items() if op in upper.defined)


def _widens(small: Nest, large: Nest) -> bool:
    """Whether parts of outputs in `small` would be stored in a loop of more iterations (F10)."""
    return large.loop.work_amount != 1 and small.has_parts


def _scans_a_sum(upper: Nest, lower: Nest) -> bool:
    """Whether one carries a scan through its loop, and the other accumulates over it (F11)."""
    return any(one.own_scans and other.own_sums for one, other in ((upper, lower), (lower, upper)))


def _disturbs(upper: Nest, lower: Nest) -> bool:
    """Whether a loop over the columns of a product would get ops that are not beside it (F12)."""
    columns = upper.loop.dim == 0 and upper.multiplies != lower.multiplies
    return columns and not feeds(upper, lower)


def _parts_tiles(upper: Nest, lower: Nest) -> bool:
    """Whether one holds products in its loop, and the other accumulates over it (F9)."""
    return any(one.multiplies and other.own_sums for one, other in ((upper, lower), (lower, upper)))


def _plan(items: Sequence[Item], start: int) -> tuple[int, int, bool, LoopInfo] | None:
    """The first pair to fuse, the lower from `start` on: places, whether the upper moves down."""
    nests = [i for i, item in enumerate(items) if isinstance(item, Nest)]
    for place, low in enumerate(nests):
        if low < start:
            continue
        fed, seen = False, low  # whether one of the items from there on feeds the lower nest
        for high in reversed(nests[:place]):
            upper, lower = items[high], items[low]
            assert isinstance(upper, Nest)
            assert isinstance(lower, Nest)
            loop = merged(upper.loop, lower.loop)
            if loop is None:
                continue
            equal = upper.loop.work_amount == lower.loop.work_amount
            if not equal and (_widens(upper, lower) or _widens(lower, upper)):
                continue
            if not (equal or feeds(upper, lower)):
                continue
            if _crosses(upper, lower) or _parts_tiles(upper, lower) or _scans_a_sum(upper, lower):
                continue
            if _disturbs(upper, lower):
                continue
            if _waits(upper, lower) or not (equal or may_repeat(upper, lower)):
                continue
            if not any(feeds(upper, item) for item in items[high + 1 : low]):
                return high, low, True, loop
            fed = fed or any(feeds(item, lower) for item in items[high + 1 : seen])
            seen = high + 1
            if not fed:
                return high, low, False, loop
    return None


def fuse(items: list[Item]) -> None:
    """Fuse the loops in `items` to a fixpoint, then inside of each."""
    start = 0
    while (plan := _plan(items, start)) is not None:
        high, low, down, loop = plan
        start = high  # nothing has changed for the pairs before
        upper, lower = items[high], items[low]
        assert isinstance(upper, Nest)
        assert isinstance(lower, Nest)
        nest = Nest(loop, [*upper.items, *lower.items])
        items[low if down else high] = nest
        del items[high if down else low]
    for item in items:
        if isinstance(item, Nest):
            fuse(item.items)
            item.items = products_first(item.items)


def _side(op: Operation) -> int:
    """Ops in no loop go before the loops, or after them: views of outputs and results."""
    if isinstance(op, ScalarOp) or (is_view(op) and is_array(op.results[0])):
        return 0
    return 2 if is_view(op) or isinstance(op, ResultOp) else 1


def _is_between(op: Operation) -> bool:
    """Whether `op` is a view of a computed value for another op: it goes after the value."""
    if not is_view(op) or is_array(op.results[0]):
        return False
    readers = (use.operation for use in op.results[0].uses)
    return any(_is_between(it) if is_view(it) else not isinstance(it, ResultOp) for it in readers)


@dataclass(frozen=True, eq=False)
class Fused:
    """The loops of a kernel after fusion.

    Attributes:
        ops: all ops in order of execution, each with the loops around it.
        loops: the loop table.
    """

    ops: tuple[tuple[Operation, tuple[int, ...]], ...]
    loops: tuple[LoopInfo, ...]

    def __str__(self) -> str:
        lines: list[str] = []
        path: tuple[int, ...] = ()
        for op, ids in self.ops:
            for depth in range(len(ids)):
                if ids[: depth + 1] != path[: depth + 1]:
                    loop = self.loops[ids[depth]]
                    kind = ", parallel" if loop.parallel else ""
                    work = f"work {format_size(loop.work_amount)} by {loop.increment}"
                    lines.append(f"{'  ' * depth}loop {loop.id}: {work}, dim {loop.dim}{kind}")
            lines.append(f"{'  ' * len(ids)}{op_text(op)}")
            path = ids
        return "\n".join(lines)


@dataclass(frozen=True)
class LirFuseLoopsPass(KernelPlanPass[Fused]):
    """Fuse the loops of kernels."""

    name = "lir-fuse-loops"
    STAGES: ClassVar[Stages] = Stages(("marked",))

    def plan(self, unit: KernelOp) -> Fused:
        """Fuse on a tree of the ops, then number the loops in order of execution."""
        inner = [op for op in unit.block.ops if _is_between(op)]
        others = [op for op in unit.block.ops if op not in inner]
        root = build_tree(sorted(others, key=_side), unit.loop_table)
        fuse(root)
        keep_domain(root)
        loops: list[LoopInfo] = []
        ops: list[tuple[Operation, tuple[int, ...]]] = []
        for op, ids in numbered(root, (), loops):
            views = [view for view in inner if view_source(view.results[0]).owner is op]
            ops += [(op, ids), *((view, ()) for view in views)]
        return Fused(tuple(ops), tuple(loops))

    def carry_out(self, unit: KernelOp, plan: Fused) -> None:
        """Put the ops in order, each in its loops."""
        for op, ids in plan.ops:
            op.detach()
            unit.block.add_op(op)
            if LOOPS in op.attributes:
                set_loop_ids(op, ids)
        unit.set_loops(plan.loops)
