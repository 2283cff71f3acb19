"""Say how each loop moves the pointer of each memory port.

    #lir.port<[4, 300], sub [8]>    becomes
    #lir.port<[4, 300], sub [8], loops [0: dim 1 ptr 300 fin -1200, 1: dim 0 ptr 1 fin -300]>

The increment, in elements for one unit of the loop's counter, is the stride of the dim in memory;
it is 0 where the port broadcasts (its dim has size 1 and the loop's work has not), and for the
loops that a buffer lives in: it is filled anew in each of their iterations. The finalization offset
takes the whole motion back. Source: the guide's InitLoops (reference 2.20); law L8 of the kernel.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from snippets_mlir.dialects.builtin.dims import Dim
from snippets_mlir.dialects.lir.access import (
    input_ports,
    loop_ids,
    output_ports,
    set_ports,
)
from snippets_mlir.dialects.lir.attributes import LoopInfo, LoopPort, PortDescriptor
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.kernels import for_each_kernel
from snippets_mlir.dialects.lir.memory import BroadcastLoadOp, LoadOp, StoreOp
from snippets_mlir.dialects.lir.pointers import buffer_of


def loop_port(
    port: PortDescriptor, loop: LoopInfo, *, fixed: bool = False, walked: Dim | None = None
) -> LoopPort:
    """The pointer motion of `port` under `loop`.

    Args:
        port: shape and order in memory.
        loop: the loop.
        fixed: whether the loop does not move the pointer, whatever it walks.
        walked: the work amount of the whole dim, when `loop` runs a block of it.
    """
    place = len(port.shape) - 1 - loop.dim
    stride: Dim = port.stride(place)
    whole = loop.work_amount if walked is None else walked
    if fixed or (port.shape[place] == 1 and whole != 1):
        stride = 0
    return LoopPort(loop.id, loop.dim, stride, -stride * loop.work_amount)


def moved(
    port: PortDescriptor, loops: Sequence[LoopInfo], fixed: Collection[int] = ()
) -> PortDescriptor:
    """`port` with its motion under the `loops` around it; those in `fixed` do not move it."""
    whole: dict[int, Dim] = {}
    for loop in loops:
        whole.setdefault(loop.dim, loop.work_amount)
    motions = [
        loop_port(port, loop, fixed=loop.id in fixed, walked=whole[loop.dim]) for loop in loops
    ]
    return replace(port, loops=tuple(motions))


def _apply(kernel: KernelOp) -> None:
    table = kernel.loop_table
    for op in kernel.block.ops:
        if not isinstance(op, LoadOp | BroadcastLoadOp | StoreOp):
            continue
        buffer = buffer_of(op)
        fixed = loop_ids(buffer) if buffer is not None else ()
        loops = [table[id_] for id_ in loop_ids(op)]
        inputs, outputs = list(input_ports(op)), list(output_ports(op))
        side = outputs if isinstance(op, StoreOp) else inputs
        side[0] = moved(side[0], loops, fixed)
        set_ports(op, [*inputs, *outputs])


@dataclass(frozen=True)
class LirInitLoopsPass(ModulePass):
    """Compute pointer increments and finalization offsets."""

    name = "lir-init-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Fill the loop ports of every kernel at stage `accessed`."""
        for_each_kernel(op, ("accessed",), _apply)
