"""Repeat the ops of a loop with accumulators for each repetition, and combine them at the end."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass

from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.traits import Commutative

from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.builtin.sizes import SizeAttr
from snippets_mlir.dialects.lir.access import loop_ids, output_ports
from snippets_mlir.dialects.lir.brgemm import IN_ORDER
from snippets_mlir.dialects.lir.buffer import BufferOp
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.dialects.lir.markers import LoopBeginOp, LoopEndOp
from snippets_mlir.dialects.lir.memory import MemoryAccessOp, StoreOp
from snippets_mlir.dialects.lir.perf_count import PerfCountOp
from snippets_mlir.dialects.lir.pointers import Pointer, pointer_of
from snippets_mlir.dialects.lir.reduction import neutral
from snippets_mlir.dialects.snippets.constants import ScalarOp
from snippets_mlir.dialects.snippets.conversion import BroadcastOp
from snippets_mlir.passes.lir.carried_values import COMBINE
from snippets_mlir.passes.lir.editing import insert_after
from snippets_mlir.passes.lir.later_iterations import moved_bytes, repeat_op, step_of
from snippets_mlir.passes.lir.loop_copies import put_marker


@dataclass(frozen=True)
class Unrolling:
    """The plan for a loop.

    Attributes:
        loop: the loop.
        factor: iterations in one of the unrolled part.
        rest: whether another part follows, one iteration at a time.
        turns: why the ops of the iterations are in turn; None for one iteration after another.
    """

    loop: LoopInfo
    factor: int
    rest: bool
    turns: object | None = None

    def __str__(self) -> str:
        turns = "" if self.turns is None else f", {self.turns}"
        rest = ", and what is left over one by one" if self.rest else ""
        return f"loop {self.loop.id}: {self.factor} iterations at a time{turns}{rest}"


class Repetition:
    """Puts several iterations into one loop.

    Attributes:
        several: the accumulators, by place among the carried values, with the op that adds to each.
        starts: the first place of each carried value among those of the new markers.
        moved: the bytes by which the loop moves a pointer for one unit of its counter.
    """

    def __init__(self, ops: Sequence[Operation], plan: Unrolling) -> None:
        begin, *self.inner, end = ops
        assert isinstance(begin, LoopBeginOp)
        assert isinstance(end, LoopEndOp)
        self.plan = plan
        self.several = accumulators(begin, end)
        counts = [plan.factor if p in self.several else 1 for p in range(len(begin.values))]
        self.starts = [sum(counts[:place]) for place in range(len(counts))]
        self.begin, self.end = self._new_begin(begin), end
        self.moved = moved_bytes(self.inner, self.begin.id)

    def run(self) -> None:
        """Repeat the ops of the loop."""
        nexts: list[list[SSAValue]] = [[value] for value in self.end.carried]
        shared = unchanged_ops(self.inner, self.moved)
        repeated = [op for op in self.inner if op not in shared]
        increment = self.plan.loop.increment
        steps = [step_of(op, self.moved, increment) for op in repeated]
        copies = range(1, self.plan.factor)
        mappings: list[dict[SSAValue, SSAValue]] = [{} for _ in copies]
        if self.plan.turns is not None:
            for copy, mapping in zip(copies, mappings, strict=True):
                mapping.update(self._carried(copy, nexts))
            for op, step in zip(repeated, steps, strict=True):
                anchor = op.next_op
                assert anchor is not None
                for copy, mapping in zip(copies, mappings, strict=True):
                    repeat_op(op, mapping, copy * step, self.begin.id, anchor)
        for copy, mapping in zip(copies, mappings, strict=True):
            if self.plan.turns is None:
                mapping.update(self._carried(copy, nexts))
                for op, step in zip(repeated, steps, strict=True):
                    repeat_op(op, mapping, copy * step, self.begin.id, self.end)
            for values in nexts:
                values.append(mapping.get(values[0], values[0]))
        self.end = self._new_end(nexts)

    def _carried(self, copy: int, nexts: Sequence[Sequence[SSAValue]]) -> dict[SSAValue, SSAValue]:
        """The values of a later iteration for those that the first one takes."""
        return {
            self.begin.values[start]: self.begin.values[start + copy]
            if place in self.several
            else nexts[place][-1]
            for place, start in enumerate(self.starts)
        }

    def others(self, place: int) -> Sequence[SSAValue]:
        """The accumulators of the later iterations after the loop."""
        start = self.starts[place]
        return self.end.values[start + 1 : start + self.plan.factor]

    def _new_begin(self, begin: LoopBeginOp) -> LoopBeginOp:
        """A marker that carries an accumulator for every iteration."""
        carried: list[SSAValue] = []
        block = begin.parent
        assert block is not None
        for place, initial in enumerate(begin.carried):
            carried.append(initial)
            if place in self.several:
                assert isinstance(initial, OpResult)
                for _ in range(1, self.plan.factor):
                    copy = initial.op.clone()
                    block.insert_op_before(copy, begin)
                    carried.append(copy.results[0])
        new = LoopBeginOp(begin.id, carried)
        put_marker(new, begin, [new.values[start] for start in self.starts])
        return new

    def _new_end(self, nexts: Sequence[Sequence[SSAValue]]) -> LoopEndOp:
        """The end of the loop, which takes the accumulators of all iterations."""
        carried: list[SSAValue] = []
        for place, values in enumerate(nexts):
            carried += values if place in self.several else [values[-1]]
        new = LoopEndOp(self.begin.id, carried)
        put_marker(new, self.end, [new.values[start] for start in self.starts])
        return new


def combine(op: Operation, values: Sequence[SSAValue], end: Operation) -> None:
    """After `end`, combine several accumulators with the op of `op`, in pairs.

    Readers of the first of `values` read the result.
    """
    uses = list(values[0].uses)
    port, loops = output_ports(op)[0], loop_ids(op)[:-1]
    while len(values) > 1:
        joined: list[SSAValue] = []
        for a, b in zip(values[::2], values[1::2], strict=True):
            both = type(op).create(operands=[a, b], result_types=[a.type])
            end = insert_after(end, both, [port] * 3, loops)
            joined.append(end.results[0])
        values = joined
    for use in uses:
        use.operation.operands[use.index] = values[0]


_KIND_OF: dict[type[Operation], str] = {op_class: kind for kind, op_class in COMBINE.items()}


def accumulators(begin: LoopBeginOp, end: LoopEndOp) -> dict[int, Operation]:
    """The carried values, by place, that each iteration adds to, with the op that adds.

    They begin with the neutral element, and have no other reader. The terms of a matrix product are
    added in order, so that an element does not depend on its tile.
    """
    found: dict[int, Operation] = {}
    for place, (value, following) in enumerate(zip(begin.values, end.carried, strict=True)):
        op = following.owner
        if not isinstance(op, Operation) or type(op) not in _KIND_OF or IN_ORDER in op.attributes:
            continue
        places = op.operands if op.has_trait(Commutative) else op.operands[:1]
        alone = value.has_one_use() and following.has_one_use() and value in places
        if alone and _is_neutral(begin.carried[place], _KIND_OF[type(op)]):
            found[place] = op
    return found


def _is_neutral(initial: SSAValue, kind: str) -> bool:
    """Whether an accumulator of `kind` begins with its neutral element."""
    op = initial.owner
    scalar = op.operand.owner if isinstance(op, BroadcastOp) else op
    if not isinstance(scalar, ScalarOp) or not isinstance(op, BroadcastOp):
        return False
    expected = neutral(kind, tensor_of(initial).element_type)
    number = scalar.value
    return not isinstance(number, SizeAttr) and repr(number.value.data) == repr(expected.value.data)


def unchanged_ops(ops: Sequence[Operation], moved: Container[Pointer]) -> set[Operation]:
    """The ops in a loop that compute the same in each of its iterations.

    Args:
        ops: the ops between the markers.
        moved: the pointers that the loop moves.
    """
    inside, unchanged = set(ops), set[Operation]()
    for op in ops:
        if isinstance(op, StoreOp | PerfCountOp):
            continue
        if isinstance(op, MemoryAccessOp):
            source = op.operands[0].owner
            if pointer_of(op) in moved or isinstance(source, BufferOp):
                continue
        owners = [value.owner for value in op.operands]
        if not any(
            isinstance(owner, LoopBeginOp) or (owner in inside and owner not in unchanged)
            for owner in owners
        ):
            unchanged.add(op)
    return unchanged
