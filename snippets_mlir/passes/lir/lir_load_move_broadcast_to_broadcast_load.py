"""Read one element straight into a whole vector.

    %0 = lir.load %x {count = 1 : i64}
    %1 = snippets.broadcast_move %0          becomes    %1 = lir.broadcast_load %x {count = 1 : i64}

Only when the move is the load's single reader: otherwise the element is needed by itself as well.
Source: the guide's LoadMoveBroadcastToBroadcastLoad.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from snippets_mlir.dialects.lir.access import input_ports, loop_ids, output_ports
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.kernels import for_each_kernel
from snippets_mlir.dialects.lir.memory import BroadcastLoadOp, LoadOp
from snippets_mlir.dialects.snippets.internal import BroadcastMoveOp
from snippets_mlir.passes.lir.editing import erase, replace_with_node


def _plan(move: BroadcastMoveOp) -> LoadOp | None:
    """The load that `move` can be fused with, or None."""
    load = move.operand.owner
    if isinstance(load, LoadOp) and load.elements == 1 and load.result.has_one_use():
        return load
    return None


def _apply(kernel: KernelOp) -> None:
    for move in list(kernel.block.ops):
        if isinstance(move, BroadcastMoveOp) and (load := _plan(move)) is not None:
            fused = BroadcastLoadOp(load.source, move.result.type)
            ports = [input_ports(load)[0], output_ports(move)[0]]
            replace_with_node(move, fused, ports, loop_ids(move))
            erase(load)


@dataclass(frozen=True)
class LirLoadMoveBroadcastToBroadcastLoadPass(ModulePass):
    """Fuse a load of one element and the broadcast of it."""

    name = "lir-load-move-broadcast-to-broadcast-load"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Fuse loads and moves in every kernel at stage `accessed`."""
        for_each_kernel(op, ("accessed",), _apply)
