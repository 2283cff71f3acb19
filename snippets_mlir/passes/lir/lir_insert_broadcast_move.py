"""Spread single elements over a vector before they meet whole vectors.

    %2 = snippets.add %0, %1              %m = snippets.broadcast_move %1
                               becomes    %2 = snippets.add %0, %m

where the last dim of `%1` has size 1 and that of `%0` has not. Scalars are left alone: an
immediate fills its vector by itself. Broadcasts are left alone: they spread by definition. One
move serves all readers in the same loops. Source: the guide's InsertBroadcastMove.
"""

from dataclasses import dataclass, replace

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.lir.access import input_ports, loop_ids, output_ports
from snippets_mlir.dialects.lir.attributes import PortDescriptor
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.kernels import for_each_kernel
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.constants import ScalarOp
from snippets_mlir.dialects.snippets.conversion import BroadcastLikeOp
from snippets_mlir.dialects.snippets.internal import BroadcastMoveOp
from snippets_mlir.passes.lir.editing import insert_before, replace_operand


def _narrow_operands(op: Operation) -> list[int]:
    """Operands of one element where the op works on vectors."""
    if not isinstance(op, ComputeOp) or isinstance(op, BroadcastLikeOp):
        return []
    (result,) = output_ports(op)
    return [
        i
        for i, port in enumerate(input_ports(op))
        if port.lanes < result.lanes and not isinstance(op.operands[i].owner, ScalarOp)
    ]


def _spread(port: PortDescriptor, wide: PortDescriptor) -> PortDescriptor:
    return replace(port, shape=(*port.shape[:-1], wide.shape[-1]), subtensor=wide.subtensor)


def _apply(kernel: KernelOp) -> None:
    moves: dict[tuple[SSAValue, tuple[int, ...]], tuple[SSAValue, PortDescriptor]] = {}
    for op in list(kernel.block.ops):
        for index in _narrow_operands(op):
            value, loops = op.operands[index], loop_ids(op)
            if (value, loops) not in moves:
                (wide,) = output_ports(op)
                port = input_ports(op)[index]
                spread = _spread(port, wide)
                last = shape_of(op.results[0])[-1]
                outer = shape_of(value)[:-1]
                move = BroadcastMoveOp(value, (*outer, last))
                insert_before(op, move, [port, spread], loops)
                moves[value, loops] = (move.result, spread)
            replace_operand(op, index, *moves[value, loops])


@dataclass(frozen=True)
class LirInsertBroadcastMovePass(ModulePass):
    """Insert `snippets.broadcast_move` where one element meets a vector."""

    name = "lir-insert-broadcast-move"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Insert the moves in every kernel at stage `accessed`."""
        for_each_kernel(op, ("accessed",), _apply)
