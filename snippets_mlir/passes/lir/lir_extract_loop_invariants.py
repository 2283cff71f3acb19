"""Move ops out of loops that do not change their value.

    %r = snippets.sqrt %v {lir.loops = array<i64: 0, 1>}        with %v of size 1 along loop 1

becomes, before loop 1,

    %r = snippets.sqrt %v {lir.loops = array<i64: 0>}

An op moves out of its innermost loop if all its ports have size 1 in the loop's dim and its
operands are defined before the loop. The pass then looks at the next loop. An empty loop vanishes.
Ops stay in parallel loops, because these share the work. Source: the guide's ExtractLoopInvariants.
This pass runs before the buffers are inserted, not after, so that no buffer is made for a
loop-invariant value.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from typing_extensions import override
from xdsl.ir import Operation, OpResult
from xdsl.rewriter import InsertPoint, Rewriter

from snippets_mlir.dialects.lir.access import loop_ids, ports, set_loop_ids
from snippets_mlir.dialects.lir.brgemm import BrgemmOp
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.dialects.lir.reduction import AccumulateOp
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.lir.kernel_passes import KernelPlanPass, op_text

Around = dict[Operation, tuple[int, ...]]
"""The loops around each op."""


@dataclass(frozen=True, eq=False)
class Move:
    """A step of an op out of its innermost loop.

    Attributes:
        op: the moved op.
        before: the op that it moves before; itself if it is the loop's first op.
        left: the loop that it leaves.
        loops: its remaining loops.
    """

    op: Operation
    before: Operation
    left: int
    loops: tuple[int, ...]

    def __str__(self) -> str:
        where = "" if self.before is self.op else f", and goes before {op_text(self.before)}"
        return f"{op_text(self.op)}, leaves loop {self.left}{where}"


@dataclass(frozen=True, eq=False)
class Extraction:
    """The moves of a kernel, in order."""

    moves: tuple[Move, ...]

    def __str__(self) -> str:
        return "\n".join(map(str, self.moves)) or "no op is invariant in its loop"


def scope(op: Operation, around: Around) -> tuple[int, ...]:
    """The loops in which the result of `op` is defined, if ops are in the loops `around`."""
    return around[op][:-1] if isinstance(op, AccumulateOp | BrgemmOp) else around[op]


def is_invariant(op: Operation, loop: LoopInfo, around: Around) -> bool:
    """Whether `op` computes the same value in each iteration of `loop`, its innermost one."""
    if loop.parallel or not isinstance(op, ComputeOp):
        return False
    if any(port.shape[len(port.shape) - 1 - loop.dim] != 1 for port in ports(op)):
        return False
    owners = (value.op for value in op.operands if isinstance(value, OpResult))
    return not any(loop.id in scope(owner, around) for owner in owners)


def plan_moves(ops: Sequence[Operation], table: dict[int, LoopInfo]) -> Iterator[Move]:
    """The moves, one op after another, each as far out as possible."""
    order, around = list(ops), {op: loop_ids(op) for op in ops}
    first: dict[int, Operation] = {}
    for op in ops:
        for id_ in around[op]:
            first.setdefault(id_, op)
    for op in ops:
        while (ids := around[op]) and is_invariant(op, table[ids[-1]], around):
            before, place = first[ids[-1]], order.index(op)
            start = order.index(before)
            # It stays if it reads a value between, such as a scalar.
            if any(value.owner in order[start:place] for value in op.operands):
                break
            around[op] = ids[:-1]
            yield Move(op, before, ids[-1], ids[:-1])
            if before is op:
                later = (other for other in order[place:] if ids[-1] in around[other])
                first[ids[-1]] = next(later, op)
            order.insert(start, order.pop(place))
            for id_ in ids[:-1]:
                if first[id_] is before:
                    first[id_] = op


@dataclass(frozen=True)
class LirExtractLoopInvariantsPass(KernelPlanPass[Extraction]):
    """Move ops out of loops that do not change their value."""

    name = "lir-extract-loop-invariants"
    STAGES: ClassVar[Stages] = Stages(("marked",))

    @override
    def plan(self, unit: KernelOp) -> Extraction:
        return Extraction(tuple(plan_moves(list(unit.block.ops), unit.loop_table)))

    def carry_out(self, unit: KernelOp, plan: Extraction) -> None:
        """Move the ops; an empty loop vanishes."""
        for move in plan.moves:
            set_loop_ids(move.op, move.loops)
            if move.before is not move.op:
                move.op.detach()
                Rewriter.insert_op(move.op, InsertPoint.before(move.before))
        used = {id_ for op in unit.block.ops for id_ in loop_ids(op)}
        unit.set_loops([loop for loop in unit.loop_table.values() if loop.id in used])
