"""Move ops out of loops that do not change what they compute.

    %r = snippets.sqrt %v {lir.loops = array<i64: 0, 1>}        with %v of size 1 along loop 1

becomes, in front of loop 1,

    %r = snippets.sqrt %v {lir.loops = array<i64: 0>}

An op moves when its ports all have size 1 in the dim of its innermost loop and its operands are
defined in front of that loop; then the next loop is looked at. A loop that nothing is left in
vanishes. Parallel loops keep what is in them: they are how the work is shared. Source: the guide's
ExtractLoopInvariants (reference 2.19). It runs before the buffers are inserted, not after, so that
no buffer is made for a value that no loop has to define.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, OpResult
from xdsl.passes import ModulePass

from snippets_mlir.dialects.lir.access import loop_ids, ports, scope, set_loop_ids
from snippets_mlir.dialects.lir.attributes import LoopInfo
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.kernels import for_each_kernel
from snippets_mlir.dialects.snippets.base import ComputeOp


def is_invariant(op: Operation, loop: LoopInfo) -> bool:
    """Whether each iteration of `loop`, the innermost one of `op`, computes the same in `op`."""
    if loop.parallel or not isinstance(op, ComputeOp):
        return False
    if any(port.shape[len(port.shape) - 1 - loop.dim] != 1 for port in ports(op)):
        return False
    return not any(loop.id in scope(value) for value in op.operands if isinstance(value, OpResult))


def _first_ops(kernel: KernelOp) -> dict[int, Operation]:
    """The first op of each loop."""
    first: dict[int, Operation] = {}
    for op in kernel.block.ops:
        for id_ in loop_ids(op):
            first.setdefault(id_, op)
    return first


def _apply(kernel: KernelOp) -> None:
    table = kernel.loop_table
    first = _first_ops(kernel)
    block = kernel.block
    for op in list(block.ops):
        ids = loop_ids(op)
        while ids and is_invariant(op, table[ids[-1]]):
            anchor = first[ids[-1]]
            if _reads_between(op, anchor):
                break
            ids = ids[:-1]
            _move(kernel, op, anchor, ids, first)
    used = {id_ for op in block.ops for id_ in loop_ids(op)}
    kernel.set_loops([loop for loop in table.values() if loop.id in used])


def _reads_between(op: Operation, anchor: Operation) -> bool:
    """Whether `op` reads a value that is defined from `anchor` on, as a scalar between them is."""
    needed = {value.op for value in op.operands if isinstance(value, OpResult)}
    between: Operation | None = anchor
    while between is not None and between is not op:
        if between in needed:
            return True
        between = between.next_op
    return False


def _next_in(op: Operation, loop: int) -> Operation | None:
    """The op of a loop that comes next after `op`."""
    following = op.next_op
    while following is not None and loop not in loop_ids(following):
        following = following.next_op
    return following


def _move(
    kernel: KernelOp,
    op: Operation,
    anchor: Operation,
    ids: tuple[int, ...],
    first: dict[int, Operation],
) -> None:
    """Put `op` in front of `anchor`, the first op of the loop it leaves, into the loops `ids`."""
    left = loop_ids(op)[len(ids)]
    set_loop_ids(op, ids)
    if anchor is not op:
        op.detach()
        kernel.block.insert_op_before(op, anchor)
    elif (following := _next_in(op, left)) is not None:
        first[left] = following
    for id_ in ids:
        if first[id_] is anchor:
            first[id_] = op


@dataclass(frozen=True)
class LirExtractLoopInvariantsPass(ModulePass):
    """Move ops out of loops that do not change what they compute."""

    name = "lir-extract-loop-invariants"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Extract the invariants of every kernel at stage `marked`."""
        for_each_kernel(op, ("marked",), _apply)
