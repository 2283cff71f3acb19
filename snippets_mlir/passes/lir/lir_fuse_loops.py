"""Fuse loop nests that share work, so that values pass in registers instead of memory.

    loop 0 { %0 = relu %x }   loop 1 { %1 = add %0, %y }     becomes     loop 0 { %0 = relu; %1 =
    add }

Two loops side by side fuse when

* F1: they walk the same dim, and
* F2: work amounts and increments are equal, or one of them has work 1 and increment 1 (it
  broadcasts) and the other has work: in a loop without work nothing would run, and
* F3: one can move to the other: nothing between them uses the upper one's values, or nothing
  between them feeds the lower one, and
* F4: one reads what the other computes, or their amounts are equal, and
* F5: the lower one does not read what the upper one accumulates over this loop: that is there only
  after the loop, and
* F6: amounts are equal if one of them accumulates: nothing is reduced again and again, and
* F7: their handlers can be merged (`dialects/lir/handlers.py`).

Loops are fused outermost first, then what is inside. Source: the guide's FuseLoops (reference
2.14); F4's second half is ours: kernels have one parallel domain, so siblings of equal work share
it. If several outermost loops remain, they lose `parallel`: the kernel then runs on one thread.
Loops beside others inside of a parallel one lose it too: every thread runs all of them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from snippets_mlir.dialects.lir.access import LOOPS, is_array, is_view, loop_ids, set_loop_ids
from snippets_mlir.dialects.lir.attributes import LoopInfo
from snippets_mlir.dialects.lir.handlers import merge_handlers
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.kernels import for_each_kernel
from snippets_mlir.dialects.lir.memory import ResultOp
from snippets_mlir.dialects.lir.reduction import AccumulateOp
from snippets_mlir.dialects.snippets.constants import ScalarOp


@dataclass(eq=False)
class Nest:
    """A loop and what it holds: ops and loops, in order of execution."""

    loop: LoopInfo
    items: list["Item"] = field(default_factory=list["Item"])

    @cached_property
    def defined(self) -> frozenset[int]:
        """The ops in the nest, by identity; the nest is complete when it is first asked."""
        return frozenset(id(op) for op in ops_in(self))

    @cached_property
    def read(self) -> frozenset[int]:
        """What defines the operands of the ops in the nest, by identity."""
        return frozenset(id(v.owner) for op in ops_in(self) for v in op.operands)

    @cached_property
    def accumulates(self) -> bool:
        """Whether some accumulator is in the nest."""
        return any(isinstance(op, AccumulateOp) for op in ops_in(self))


Item = Operation | Nest


def ops_in(item: Item) -> Iterator[Operation]:
    """The ops of `item`, in order."""
    if isinstance(item, Nest):
        for inner in item.items:
            yield from ops_in(inner)
    else:
        yield item


def build_tree(ops: Sequence[Operation], table: dict[int, LoopInfo]) -> list[Item]:
    """The ops as a tree of loops; neighbours with one loop id share its nest."""
    root: list[Item] = []
    path: list[Nest] = []
    for op in ops:
        ids = loop_ids(op)
        common = 0
        while common < min(len(path), len(ids)) and path[common].loop.id == ids[common]:
            common += 1
        del path[common:]
        for id_ in ids[common:]:
            nest = Nest(table[id_])
            (path[-1].items if path else root).append(nest)
            path.append(nest)
        (path[-1].items if path else root).append(op)
    return root


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


def _feeds(producer: Item, consumer: Item) -> bool:
    """Whether `consumer` reads what `producer` computes."""
    if isinstance(consumer, Nest):
        read = consumer.read
    else:
        read = {id(v.owner) for v in consumer.operands}
    if isinstance(producer, Nest):
        return not producer.defined.isdisjoint(read)
    return id(producer) in read


def _waits(upper: Nest, lower: Nest) -> bool:
    """Whether `lower` reads an accumulator of the loop `upper` itself (F5)."""
    return any(isinstance(item, AccumulateOp) and id(item) in lower.read for item in upper.items)


def _plan(items: Sequence[Item], start: int) -> tuple[int, int, bool, LoopInfo] | None:
    """The first pair that fuses, the lower one at `start` or behind: places of the upper and the
    lower one, whether the upper moves down.
    """
    nests = [i for i, item in enumerate(items) if isinstance(item, Nest)]
    for place, low in enumerate(nests):
        if low < start:
            continue
        for high in reversed(nests[:place]):
            upper, lower = items[high], items[low]
            assert isinstance(upper, Nest)
            assert isinstance(lower, Nest)
            loop = merged(upper.loop, lower.loop)
            if loop is None:
                continue
            equal = upper.loop.work_amount == lower.loop.work_amount
            if not (equal or _feeds(upper, lower)):
                continue
            if _waits(upper, lower) or (not equal and (upper.accumulates or lower.accumulates)):
                continue
            between = items[high + 1 : low]
            if not any(_feeds(upper, item) for item in between):
                return high, low, True, loop
            if not any(_feeds(item, lower) for item in between):
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


def _number(
    items: Sequence[Item], outer: tuple[int, ...], loops: list[LoopInfo]
) -> Iterator[tuple[Operation, tuple[int, ...]]]:
    """New ids in order of execution; yields each op with the ids of its loops."""
    for item in items:
        if isinstance(item, Nest):
            loop = replace(item.loop, id=len(loops))
            loops.append(loop)
            yield from _number(item.items, (*outer, loop.id), loops)
        else:
            yield item, outer


def _side(op: Operation) -> int:
    """What is in no loop stands before the loops, or after them: views of outputs and results."""
    if isinstance(op, ScalarOp) or (is_view(op) and is_array(op.results[0])):
        return 0
    return 2 if is_view(op) or isinstance(op, ResultOp) else 1


def _apply(kernel: KernelOp) -> None:
    root = build_tree(sorted(kernel.block.ops, key=_side), kernel.loop_table)
    fuse(root)
    _keep_domain(root)
    loops: list[LoopInfo] = []
    block = kernel.block
    for op, ids in list(_number(root, (), loops)):
        op.detach()
        block.add_op(op)
        if LOOPS in op.attributes:
            set_loop_ids(op, ids)
    kernel.set_loops(loops)


def _keep_domain(items: Sequence[Item]) -> None:
    """Only loops that hold nothing but the next one are the domain that threads share."""
    nests = [item for item in items if isinstance(item, Nest)]
    if len(nests) == 1 and nests[0].loop.parallel:
        inner = nests[0].items
        if len(inner) == 1:
            _keep_domain(inner)
            return
        nests = [item for item in inner if isinstance(item, Nest)]
    for nest in nests:
        _make_sequential(nest)


def _make_sequential(nest: Nest) -> None:
    nest.loop = replace(nest.loop, parallel=False)
    for item in nest.items:
        if isinstance(item, Nest):
            _make_sequential(item)


@dataclass(frozen=True)
class LirFuseLoopsPass(ModulePass):
    """Fuse the loops of kernels."""

    name = "lir-fuse-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Fuse the loops of every kernel at stage `marked`."""
        for_each_kernel(op, ("marked",), _apply)
