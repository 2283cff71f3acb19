"""Put results behind the loops that make them.

    %0 = snippets.relu %a    {lir.loops = 0}           %0 = snippets.relu %a    {lir.loops = 0}
    lir.result %0                             becomes  %1 = snippets.exp %0     {lir.loops = 0}
    %1 = snippets.exp %0     {lir.loops = 0}           lir.result %0

A result is in no loop, so the ops of one should not stand around it. It moves behind the last op of
the outermost loop of its value, with the views that only it reads. Source: the guide's
MoveResultOutOfLoop.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, OpResult
from xdsl.passes import ModulePass

from snippets_mlir.dialects.lir.access import is_view, loop_ids, view_source
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.kernels import for_each_kernel
from snippets_mlir.dialects.lir.memory import ResultOp


def moved_with(result: ResultOp) -> list[Operation]:
    """The views that only `result` reads, and `result`, in order of execution."""
    ops: list[Operation] = [result]
    value = result.values[0]
    while isinstance(value, OpResult) and is_view(value.op) and value.has_one_use():
        ops.insert(0, value.op)
        value = value.op.operands[0]
    return ops


def _last_of_loop(result: ResultOp) -> Operation | None:
    """The last op of the outermost loop of the result's value, if `result` stands before it."""
    value = view_source(result.values[0])
    if not isinstance(value, OpResult) or not (loops := loop_ids(value.op)):
        return None
    last: Operation | None = None
    later = result.next_op
    while later is not None:
        if loop_ids(later)[:1] == loops[:1]:
            last = later
        later = later.next_op
    return last


def _apply(kernel: KernelOp) -> None:
    behind: dict[Operation, Operation] = {}
    for op in list(kernel.block.ops):
        if not isinstance(op, ResultOp) or (last := _last_of_loop(op)) is None:
            continue
        anchor = behind.get(last, last)
        for moved in moved_with(op):
            moved.detach()
            kernel.block.insert_op_after(moved, anchor)
            anchor = moved
        behind[last] = anchor


@dataclass(frozen=True)
class LirMoveResultOutOfLoopPass(ModulePass):
    """Move results behind loops."""

    name = "lir-move-result-out-of-loop"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Move the results of every kernel at stage `marked`."""
        for_each_kernel(op, ("marked",), _apply)
