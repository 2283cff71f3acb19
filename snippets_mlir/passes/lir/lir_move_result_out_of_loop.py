"""Put results after the loops that compute them.

    %0 = snippets.relu %a    {lir.loops = 0}           %0 = snippets.relu %a    {lir.loops = 0}
    lir.result %0                             becomes  %1 = snippets.exp %0     {lir.loops = 0}
    %1 = snippets.exp %0     {lir.loops = 0}           lir.result %0

A result is in no loop, so it should not be between the ops of one. It moves after the last op of
its values' outermost loop, with the views that only it reads. Source: the guide's
MoveResultOutOfLoop.
"""

from dataclasses import dataclass
from typing import ClassVar

from xdsl.ir import Operation, OpResult
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from snippets_mlir.dialects.lir.access import is_view, loop_ids, view_source
from snippets_mlir.dialects.lir.memory import ResultOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.lir.kernel_passes import KernelPatternPass
from snippets_mlir.passes.patterns import Pattern
from snippets_mlir.support.walking import ops_inside


def moved_with(result: ResultOp) -> list[Operation]:
    """The views that only `result` reads, and `result`, in order of execution."""
    ops: list[Operation] = [result]
    for value in reversed(result.values):
        while isinstance(value, OpResult) and is_view(value.op) and value.has_one_use():
            ops.insert(0, value.op)
            value = value.op.operands[0]
    return ops


class MoveAfterLoop(Pattern[ResultOp, Operation]):
    """A result goes after the outermost loops of its values."""

    name = "move-after-loop"
    ops = (ResultOp,)

    def __init__(self, places: dict[Operation, int], last: dict[int, Operation]) -> None:
        self.places = places
        """The place of each op before any result moved."""
        self.last = last
        """The last op in each outermost loop."""

    def match(self, op: ResultOp) -> Operation | None:
        """The last op of the loop, if the result is before it."""
        owners = (view_source(value).owner for value in op.values)
        loops = (loop_ids(owner) for owner in owners if isinstance(owner, Operation))
        lasts = [self.last[ids[0]] for ids in loops if ids]
        last = max(lasts, key=self.places.__getitem__, default=None)
        return last if last is not None and self.places[op] < self.places[last] else None

    def rewrite(self, op: ResultOp, match: Operation, rewriter: PatternRewriter) -> None:
        """Move it and its views, after ops that were moved there before."""
        anchor = match
        while (following := anchor.next_op) and self.places[following] < self.places[match]:
            anchor = following
        for moved in moved_with(op):
            moved.detach()
            rewriter.insert(moved, InsertPoint.after(anchor))
            anchor = moved


@dataclass(frozen=True)
class LirMoveResultOutOfLoopPass(KernelPatternPass):
    """Move results out of the loops that compute them."""

    name = "lir-move-result-out-of-loop"
    STAGES: ClassVar[Stages] = Stages(("marked",))
    PATTERNS = (MoveAfterLoop,)

    def facts(self, root: Operation) -> tuple[dict[Operation, int], dict[int, Operation]]:
        """The order of the ops before the sweep."""
        places = {op: place for place, op in enumerate(ops_inside(root))}
        return places, {ids[0]: op for op in places if (ids := loop_ids(op))}
