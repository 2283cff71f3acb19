"""Put each immediate in front of the first op that reads it.

    %c = snippets.scalar 2.0                           %0 = snippets.exp %a {lir.loops = 0, 1}
    %0 = snippets.exp %a     {lir.loops = 0, 1}        %c = snippets.scalar 2.0 {lir.loops = 0, 1}
    %1 = snippets.add %0, %c {lir.loops = 0, 1}  becomes  %1 = snippets.add %0, %c {...}

It takes the loops that all its readers share, and stands in front of the first op of the first
reader's next loop; so the register that holds it is taken for a short time. One that nothing reads,
or that only results read, stays. Source: the guide's MoveScalarToConsumer.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from snippets_mlir.dialects.lir.access import LOOPS, loop_ids, set_loop_ids
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.kernels import for_each_kernel
from snippets_mlir.dialects.snippets.constants import ScalarOp
from snippets_mlir.passes.lir.lir_insert_buffers import shared_loops


def _plan(
    scalar: ScalarOp, order: dict[Operation, int], first_of: dict[tuple[int, ...], Operation]
) -> tuple[Operation, tuple[int, ...]] | None:
    """The op in front of which `scalar` goes, and its loops there."""
    readers = sorted((use.operation for use in scalar.result.uses), key=order.__getitem__)
    readers = [op for op in readers if LOOPS in op.attributes]
    if not readers:
        return None
    around = [loop_ids(op) for op in readers]
    loops = shared_loops(around[0], around[1:])
    deeper = around[0][: len(loops) + 1]
    anchor = readers[0] if deeper == loops else first_of[deeper]
    return anchor, loops


def _apply(kernel: KernelOp) -> None:
    ops = list(kernel.block.ops)
    order = {op: place for place, op in enumerate(ops)}
    first_of: dict[tuple[int, ...], Operation] = {}
    for op in ops:
        ids = loop_ids(op)
        for depth in range(1, len(ids) + 1):
            first_of.setdefault(ids[:depth], op)
    plans = [(op, _plan(op, order, first_of)) for op in ops if isinstance(op, ScalarOp)]
    for scalar, plan in plans:
        if plan is None:
            continue
        anchor, loops = plan
        scalar.detach()
        kernel.block.insert_op_before(scalar, anchor)
        set_loop_ids(scalar, loops)


@dataclass(frozen=True)
class LirMoveScalarToConsumerPass(ModulePass):
    """Move immediates to their readers."""

    name = "lir-move-scalar-to-consumer"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Move the immediates of every kernel at stage `accessed`."""
        for_each_kernel(op, ("accessed",), _apply)
